// SPDX-License-Identifier: GPL-3.0-or-later
// A message that blocks nothing: text, actions, and a button to close it.
#pragma once

#include <QHBoxLayout>
#include <QLabel>
#include <QToolBar>

#include <functional>
#include <vector>

#include "views/common/tokens.h"

namespace bakery::workbench {

class MessageBar : public QToolBar {
  Q_OBJECT

 public:
  explicit MessageBar(const views::Theme& theme, QWidget* parent = nullptr);
  void say(const QString& text);
  struct Action {
    QString title;
    std::function<void()> act;
    bool closes = true;  // the message, when taken
  };
  void ask(const QString& text, const QString& action, std::function<void()> act);
  void ask(const QString& text, std::vector<Action> actions);

 private:
  QLabel* text_;
  QHBoxLayout* buttons_;
};

}  // namespace bakery::workbench
