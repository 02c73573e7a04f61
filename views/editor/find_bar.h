// SPDX-License-Identifier: GPL-3.0-or-later
// The search bar under the text; its second row replaces.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QToolButton>
#include <QWidget>

#include <optional>
#include <vector>

#include "core_ir/source.h"
#include "views/common/tokens.h"

namespace bakery::views {

class CodeEdit;

class FindBar : public QWidget {
  Q_OBJECT

 public:
  FindBar(CodeEdit* edit, const Theme& theme, QWidget* parent = nullptr);
  void open();
  void open_replace();
  void find(bool forward);
  void replace();      // the match that is selected, then goes to the next one
  void replace_all();  // one undo step

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Match {
    Span span;
    QString with;  // what the second row makes of it
  };

  void show_row(bool replace);
  void find_from(bool forward, bool from_selection);
  std::optional<QRegularExpression> pattern() const;
  void search();
  void show_count();
  void shut();

  CodeEdit* edit_;
  const Theme& theme_;
  QLineEdit* line_;
  QToolButton* exact_case_;
  QToolButton* whole_word_;
  QToolButton* expression_;
  QLabel* count_;
  QWidget* replace_row_;
  QLineEdit* with_;
  std::vector<Match> matches_;  // of the text as it is
  bool capped_ = false;
};

}  // namespace bakery::views
