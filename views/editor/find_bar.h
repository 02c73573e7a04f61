// SPDX-License-Identifier: GPL-3.0-or-later
// The small search bar under the text.
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QWidget>

#include "views/common/tokens.h"

namespace bakery::views {

class CodeEdit;

class FindBar : public QWidget {
  Q_OBJECT

 public:
  FindBar(CodeEdit* edit, const Theme& theme, QWidget* parent = nullptr);
  void open();
  void find(bool forward);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void find_from(bool forward, bool from_selection);
  void show_count();
  void shut();

  CodeEdit* edit_;
  QLineEdit* line_;
  QCheckBox* exact_case_;
  QLabel* count_;
};

}  // namespace bakery::views
