// SPDX-License-Identifier: GPL-3.0-or-later
// Everything about one finding: message, rule, expected against declared, both sides, the witness,
// what was proved and assumed, and the fixes. Without one: what was proved, assumed and not covered.
#pragma once

#include <QPushButton>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <QWidget>

#include "views/common/view_context.h"

namespace bakery::views {

// HTML of the card; pure, for tests.
QString card_html(const Analysis& analysis, int finding, const Theme& theme, bool explained = false);
// How often the loops run in a sample: "k 5, m 1, n 2"; empty without loops.
QString trip_counts(const Analysis& analysis, int sample);
// The lines that an edit removes and adds, "- …" and "+ …", at most `most` of each.
struct LineChange {
  std::vector<std::string> removed, added;
  uint32_t first_line = 0;  // 1-based
};
LineChange changed_lines(const SourceText& source, const std::vector<TextEdit>& edits);

class FindingCard : public QWidget {
  Q_OBJECT

 public:
  FindingCard(const ViewContext& context, QWidget* parent = nullptr);
  QTextBrowser* text() const { return text_; }
  void replay();
  void copy(bool json);
  void set_explained(bool on);

 private:
  void refresh();
  FocusState focus_of(const QUrl& link) const;
  void follow(const QUrl& link);

  ViewContext context_;
  QTextBrowser* text_;
  QWidget* tools_;
  QPushButton* replay_;
  QPushButton* explain_;
  QWidget* fixes_ = nullptr;
  QVBoxLayout* layout_;
  std::shared_ptr<const Analysis> shown_;
  int shown_finding_ = -2;
  bool explained_ = false;
};

}  // namespace bakery::views
