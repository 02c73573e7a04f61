// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/editor/call_tip.h"

#include <algorithm>

#include "app/session/language.h"
#include "views/common/qt_text.h"
#include "views/common/rich_text.h"
#include "views/editor/code_edit.h"

namespace bakery::views {

CallTip::CallTip(CodeEdit* edit, const Theme& theme) : QLabel(edit), edit_(edit), theme_(theme) {
  setObjectName(QStringLiteral("call_tip"));
  setAccessibleName(tr("Operands of the call"));
  setTextFormat(Qt::RichText);
  setContentsMargins(8, 4, 8, 4);
  const auto paint = [this] {
    setStyleSheet(QStringLiteral("#call_tip { background: %1; color: %2; border: 1px solid %3; }")
                      .arg(theme_.css(Token::tooltip), theme_.css(Token::text), theme_.css(Token::border)));
    if (isVisible()) follow();
  };
  connect(&theme, &Theme::changed, this, paint);
  paint();
  hide();
}

void CallTip::follow() {
  const auto hint = call_at(static_cast<const TextStore*>(edit_)->text(), edit_->caret_offset());
  if (!hint) return hide();
  QStringList operands;
  for (size_t i = 0; i < hint->operands.size(); ++i) {
    const QString operand = to_qstring(hint->operands[i]).toHtmlEscaped();
    operands << (static_cast<int>(i) == hint->active ? QStringLiteral("<b style='color:%1'>%2</b>").arg(theme_.css(Token::accent), operand) : operand);
  }
  setText(QStringLiteral("<code>%1(%2)</code><br><span style='color:%3'>%4</span>")
              .arg(to_qstring(hint->name).toHtmlEscaped(), operands.join(QStringLiteral(", ")), theme_.css(Token::muted), rich_text(hint->doc)));
  QWidget* window = edit_->window();
  if (parentWidget() != window) setParent(window);
  adjustSize();
  const QRect callee = edit_->caret_box(hint->callee.begin), caret = edit_->caret_box(edit_->caret_offset());
  QPoint at = window->mapFromGlobal(edit_->viewport()->mapToGlobal(QPoint(callee.left(), caret.top()))) - QPoint(8, height() + 2);
  if (at.y() < 0) at.setY(at.y() + height() + caret.height() + 4);
  at.setX(std::clamp(at.x(), 0, std::max(0, window->width() - width())));
  move(at);
  show();
  raise();
}

}  // namespace bakery::views
