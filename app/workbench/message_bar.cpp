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
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  hide();
}

void MessageBar::say(const QString& text) { ask(text, std::vector<Action>{}); }

void MessageBar::ask(const QString& text, const QString& action, std::function<void()> act) {
  ask(text, {{action, std::move(act)}});
}

void MessageBar::ask(const QString& text, std::vector<Action> actions) {
  text_->setText(text);
  // A label that may wrap asks for more than the one line that most messages need.
  text_->setWordWrap(text_->fontMetrics().horizontalAdvance(text) > parentWidget()->width() * 2 / 3);
  while (QLayoutItem* item = buttons_->takeAt(0)) {
    item->widget()->hide();
    item->widget()->deleteLater();
    delete item;
  }
  for (Action& action : actions) {
    auto* button = new QPushButton(action.title, this);
    buttons_->addWidget(button);
    connect(button, &QPushButton::clicked, this, [this, action = std::move(action)] {
      if (action.closes) hide();
      action.act();
    });
  }
  show();
}

}  // namespace bakery::workbench
