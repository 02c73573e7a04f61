// SPDX-License-Identifier: GPL-3.0-or-later
// A message that blocks nothing: text, actions, and a button to close it.
#pragma once

#include <QHBoxLayout>
#include <QLabel>
#include <QToolBar>

#include <deque>
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
  // The document is another one: questions about the old one are gone.
  void clear();
  // Seen while there is something to say, whatever a restored layout thinks.
  void settle() { setVisible(!text_->text().isEmpty()); }

 signals:
  void said_aside(const QString& text);  // while a question is open

 private:
  struct Message {
    QString text;
    std::vector<Action> actions;
  };
  void show_message(Message message);
  void next();

  std::deque<Message> waiting_;  // questions behind the one that is shown
  bool asking_ = false;
  QLabel* text_;
  QHBoxLayout* buttons_;
};

}  // namespace bakery::workbench
