// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/message_bar.h"

#include <QHBoxLayout>
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
  text_->setWordWrap(true);
  text_->setObjectName(QStringLiteral("message_text"));
  action_ = new QPushButton(row);
  auto* close = new QToolButton(row);
  views::set_glyph(close, views::Glyph::close, theme);
  close->setAccessibleName(tr("Close the message"));
  layout->addWidget(text_, 1);
  layout->addWidget(action_);
  layout->addWidget(close);
  addWidget(row);
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  connect(action_, &QPushButton::clicked, this, [this] {
    hide();
    if (act_) act_();
  });
  hide();
}

void MessageBar::say(const QString& text) {
  text_->setText(text);
  action_->hide();
  show();
}

void MessageBar::ask(const QString& text, const QString& action, std::function<void()> act) {
  text_->setText(text);
  action_->setText(action);
  act_ = std::move(act);
  action_->show();
  show();
}

}  // namespace bakery::workbench
