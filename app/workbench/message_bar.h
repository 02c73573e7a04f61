// SPDX-License-Identifier: GPL-3.0-or-later
// A message that blocks nothing: text, at most one action, and a button to close it.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QToolBar>

#include <functional>

#include "views/common/tokens.h"

namespace bakery::workbench {

class MessageBar : public QToolBar {
  Q_OBJECT

 public:
  explicit MessageBar(const views::Theme& theme, QWidget* parent = nullptr);
  void say(const QString& text);
  void ask(const QString& text, const QString& action, std::function<void()> act);

 private:
  QLabel* text_;
  QPushButton* action_;
  std::function<void()> act_;
};

}  // namespace bakery::workbench
