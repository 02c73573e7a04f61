// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/message_bar.h"

#include <QPushButton>
#include <QToolButton>

#include "views/common/glyph_icon.h"

namespace bakery::workbench {

MessageBar::MessageBar(const views::Theme& theme, QWidget* parent) : QToolBar(tr("Message"), parent) {
  setObjectName(QStringLiteral("message_bar"));
  setMovable(false);
  toggleViewAction()->setVisible(false);
  auto* row = new QWidget(this);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(8, 2, 4, 2);
  text_ = new QLabel(row);
  text_->setTextFormat(Qt::PlainText);
  text_->setObjectName(QStringLiteral("message_text"));
  buttons_ = new QHBoxLayout;
  auto* close = new QToolButton(row);
  views::set_glyph(close, views::Glyph::close, theme);
  close->setAccessibleName(tr("Close the message"));
  layout->addWidget(text_, 1);
  layout->addLayout(buttons_);
  layout->addWidget(close);
  addWidget(row);
  connect(close, &QToolButton::clicked, this, &MessageBar::next);
  hide();
}

void MessageBar::say(const QString& text) {
  if (asking_) emit said_aside(text);
  else show_message({text, {}});
}

void MessageBar::ask(const QString& text, const QString& action, std::function<void()> act) {
  ask(text, {{action, std::move(act)}});
}

void MessageBar::ask(const QString& text, std::vector<Action> actions) {
  const bool again = asking_ && text_->text() == text;
  if (asking_ && !again) waiting_.push_back({text, std::move(actions)});
  else show_message({text, std::move(actions)});
}

void MessageBar::clear() {
  waiting_.clear();
  next();
}

void MessageBar::next() {
  asking_ = false;
  text_->clear();
  hide();
  if (waiting_.empty()) return;
  Message message = std::move(waiting_.front());
  waiting_.pop_front();
  show_message(std::move(message));
}

void MessageBar::show_message(Message message) {
  asking_ = !message.actions.empty();
  text_->setText(message.text);
  // A label that may wrap asks for more than the one line that most messages need.
  text_->setWordWrap(text_->fontMetrics().horizontalAdvance(message.text) > parentWidget()->width() * 2 / 3);
  while (QLayoutItem* item = buttons_->takeAt(0)) {
    item->widget()->hide();
    item->widget()->deleteLater();
    delete item;
  }
  for (Action& action : message.actions) {
    // Without mnemonics: Alt and a letter decides on proposals.
    auto* button = new QPushButton(QString(action.title).remove(QLatin1Char('&')), this);
    buttons_->addWidget(button);
    connect(button, &QPushButton::clicked, this, [this, action = std::move(action)] {
      if (action.closes) next();
      action.act();
    });
  }
  show();
}

}  // namespace bakery::workbench
