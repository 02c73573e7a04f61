// SPDX-License-Identifier: GPL-3.0-or-later
// Where a name stands, as a list under the text.
#pragma once

#include <QLabel>
#include <QListWidget>
#include <QWidget>

#include <string>
#include <vector>

#include "core_ir/source.h"
#include "views/common/tokens.h"

namespace bakery::views {

class CodeEdit;

class PlacesBar : public QWidget {
  Q_OBJECT

 public:
  PlacesBar(CodeEdit* edit, const Theme& theme, QWidget* parent = nullptr);
  void open(const QString& title, std::vector<Span> places);
  // 1: next, -1: previous; the places move with what is typed.
  void step(int direction);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void go_to(int row);
  void follow_text();
  void shut();

  CodeEdit* edit_;
  QLabel* title_;
  QListWidget* list_;
  std::vector<Span> places_;
  std::string text_;  // that they refer to
};

}  // namespace bakery::views
