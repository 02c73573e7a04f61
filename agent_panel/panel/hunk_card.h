// SPDX-License-Identifier: GPL-3.0-or-later
// One hunk of a proposal: what it changes, what that is worth, and the buttons that decide on it.
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent_panel/harness/review.h"
#include "views/common/snapshots.h"
#include "views/common/tokens.h"

namespace bakery::panel {

// Lines of a diff as plain text: coloured, read-only, as high as its text.
class DiffText : public QPlainTextEdit {
  Q_OBJECT

 public:
  DiffText(const views::Theme& theme, QWidget* parent = nullptr);
  void show_hunk(const PlacedHunk& placed);

 private:
  void colour();

  const views::Theme& theme_;
};

class HunkCard : public QFrame {
  Q_OBJECT

 public:
  // The person's text if the hunk were accepted as `text`.
  using Preview = std::function<std::optional<std::string>(int hunk, const std::string& text)>;

  HunkCard(const views::Theme& theme, QWidget* parent = nullptr);

  void show_hunk(const PlacedHunk& placed, const std::vector<Evidence>& evidence, bool chosen, bool may_change);
  // A rejected hunk that a newer proposal replaced: only to read.
  void show_replaced(const ReviewHunk& hunk);
  int hunk() const { return placed_.hunk.id; }

  bool editing() const { return editor_ != nullptr; }
  // `text` is what to start with; `target` and `file` are for the check of the result.
  void begin_edit(const std::string& text, Preview preview, const std::string& file, const std::string& target);
  void end_edit();

 signals:
  void pointed_at(int hunk);
  void accept_asked(int hunk);
  void reject_asked(int hunk);
  void restore_asked(int hunk);
  void edit_asked(int hunk);
  void edited(int hunk, const QString& text);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QPushButton* button(const char* id, const QString& text, const QString& tip, void (HunkCard::*asked)(int));
  void show_texts();
  void recheck();
  void show_verdict();

  const views::Theme& theme_;
  PlacedHunk placed_;
  std::vector<Evidence> evidence_;
  QStringList steps_;                     // of the agent, by evidence: "step 2 of 4 · "
  bool replaced_ = false;
  QLabel *title_, *worth_, *state_;
  DiffText* diff_;
  QWidget* buttons_;
  QPushButton *accept_, *reject_, *edit_, *restore_;
  QWidget* edit_box_ = nullptr;
  QPlainTextEdit* editor_ = nullptr;
  QLabel* verdict_ = nullptr;
  Preview preview_;
  std::string file_, target_;
  std::unique_ptr<views::Snapshots> checker_;  // of the edited text
  QTimer pause_;
};

}  // namespace bakery::panel
