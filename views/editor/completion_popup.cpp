// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/editor/completion_popup.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>

#include <algorithm>

#include "views/common/qt_text.h"
#include "views/common/rich_text.h"
#include "views/editor/code_edit.h"

namespace bakery::views {

namespace {

constexpr int kRows = 9;
constexpr int kDetailRole = Qt::UserRole;
constexpr int kKindRole = Qt::UserRole + 1;
constexpr int kDocWidth = 290;
constexpr int kGap = 14;
constexpr int kDocMargin = 7;

Token token_of(NameKind kind) {
  switch (kind) {
    case NameKind::operation: case NameKind::declaration: return Token::code_operation;
    case NameKind::keyword: return Token::code_keyword;
    case NameKind::argument: return Token::code_definition;
    case NameKind::target: return Token::code_string;
    case NameKind::type: case NameKind::tunable: return Token::code_number;
    default: return Token::text;
  }
}

// The label in the colour of its kind, the detail behind it, muted.
class SuggestionDelegate : public QStyledItemDelegate {
 public:
  SuggestionDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), theme_(theme) {}

  void paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const bool chosen = option.state & QStyle::State_Selected;
    p->fillRect(option.rect, theme_[chosen ? Token::selection : Token::tooltip]);
    const QRect text = option.rect.adjusted(8, 0, -8, 0);
    const QString label = index.data(Qt::DisplayRole).toString(), detail = index.data(kDetailRole).toString();
    p->setFont(code_font());
    p->setPen(theme_[token_of(static_cast<NameKind>(index.data(kKindRole).toInt()))]);
    p->drawText(text, Qt::AlignVCenter | Qt::AlignLeft, label);
    const QRect rest = text.adjusted(p->fontMetrics().horizontalAdvance(label) + kGap, 0, 0, 0);
    p->setFont(option.font);
    p->setPen(theme_[chosen ? Token::text : Token::muted]);
    p->drawText(rest, Qt::AlignVCenter | Qt::AlignRight, p->fontMetrics().elidedText(detail, Qt::ElideRight, rest.width()));
  }

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QFontMetrics code(code_font()), plain(option.font);
    const int width = code.horizontalAdvance(index.data(Qt::DisplayRole).toString()) + kGap +
                      plain.horizontalAdvance(index.data(kDetailRole).toString()) + 18;
    return {width, std::max(code.height(), plain.height()) + 5};
  }

 private:
  const Theme& theme_;
};

}  // namespace

CompletionPopup::CompletionPopup(CodeEdit* edit, const Theme& theme)
    : QFrame(edit), edit_(edit), theme_(theme), list_(new QListWidget(this)), doc_(new QLabel(this)) {
  setObjectName(QStringLiteral("completion_popup"));
  setFrameShape(QFrame::StyledPanel);
  list_->setObjectName(QStringLiteral("completion_list"));
  list_->setAccessibleName(tr("What may stand here"));
  list_->setToolTip(tr("Enter or Tab takes the chosen one, Escape closes the list"));
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setFrameShape(QFrame::NoFrame);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setItemDelegate(new SuggestionDelegate(theme, list_));
  doc_->setObjectName(QStringLiteral("completion_doc"));
  doc_->setWordWrap(true);
  doc_->setTextFormat(Qt::RichText);
  doc_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  doc_->setMargin(kDocMargin);
  doc_->setFixedWidth(kDocWidth);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(1, 1, 1, 1);
  layout->setSpacing(0);
  layout->addWidget(list_, 1);
  layout->addWidget(doc_);
  connect(list_, &QListWidget::currentRowChanged, this, &CompletionPopup::show_doc);
  connect(list_, &QListWidget::itemClicked, this, &CompletionPopup::accept);
  const auto paint = [this] {
    setStyleSheet(QStringLiteral("#completion_popup { background: %1; border: 1px solid %2; }"
                                 "#completion_list { background: %1; } #completion_doc { background: %1; border-left: 1px solid %2; }")
                      .arg(theme_.css(Token::tooltip), theme_.css(Token::border)));
    show_doc();
  };
  connect(&theme, &Theme::changed, this, paint);
  paint();
  hide();
}

void CompletionPopup::offer(bool asked) {
  const uint32_t caret = edit_->caret_offset();
  Suggestions found = complete(static_cast<const TextStore*>(edit_)->text(), caret);
  const uint32_t typed = found.replace.end - found.replace.begin;
  const bool whole = found.items.size() == 1 && found.items.front().insert.size() == typed;  // it stands there already
  if (found.items.empty() || (whole && !asked) || (!asked && !found.member && typed < 2)) return hide();
  fill(std::move(found));
}

void CompletionPopup::fill(Suggestions suggestions) {
  shown_ = std::move(suggestions);
  const QSignalBlocker quiet(list_);
  list_->clear();
  for (const Suggestion& suggestion : shown_.items) {
    auto* item = new QListWidgetItem(to_qstring(suggestion.label), list_);
    item->setData(kDetailRole, to_qstring(suggestion.detail));
    item->setData(kKindRole, static_cast<int>(suggestion.kind));
    item->setData(Qt::AccessibleTextRole, to_qstring(suggestion.label + ", " + to_string(suggestion.kind) + ", " + suggestion.detail));
  }
  list_->setCurrentRow(0);
  show_doc();
  place();
}

void CompletionPopup::place() {
  QWidget* window = edit_->window();
  if (parentWidget() != window) setParent(window);
  const int rows = std::min(kRows, list_->count());
  const int width = std::clamp(list_->sizeHintForColumn(0) + (list_->count() > rows ? list_->verticalScrollBar()->sizeHint().width() : 0), 170, 420);
  list_->setFixedWidth(width);
  const int row = list_->sizeHintForRow(0);
  const int wanted = std::max(rows * row, std::min(doc_->heightForWidth(kDocWidth) + 2 * kDocMargin, (kRows + 3) * row));
  resize(width + kDocWidth + 2, wanted + 2);
  const QRect word = edit_->caret_box(shown_.replace.begin);
  QPoint at = window->mapFromGlobal(edit_->viewport()->mapToGlobal(word.bottomLeft())) + QPoint(-8, 2);
  if (at.y() + height() > window->height()) at.setY(std::max(0, at.y() - word.height() - height() - 4));
  at.setX(std::clamp(at.x(), 0, std::max(0, window->width() - this->width())));
  move(at);
  show();
  raise();
}

void CompletionPopup::show_doc() {
  const int row = list_->currentRow();
  if (row < 0 || static_cast<size_t>(row) >= shown_.items.size()) return;
  const Suggestion& chosen = shown_.items[static_cast<size_t>(row)];
  const QStringList lines = to_qstring(chosen.doc).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
  QString html = QStringLiteral("<b>%1</b> <span style='color:%2'>%3</span>")
                     .arg(to_qstring(chosen.label).toHtmlEscaped(), theme_.css(Token::muted), QLatin1String(to_string(chosen.kind)));
  for (qsizetype i = 0; i < lines.size(); ++i)
    html += i == 1 ? QStringLiteral("<p style='margin-top:6px'><code>%1</code></p>").arg(lines[i].toHtmlEscaped())
                   : QStringLiteral("<p style='margin-top:6px'>%1</p>").arg(rich_text(to_utf8(lines[i])));
  if (lines.isEmpty() && !chosen.detail.empty()) html += QStringLiteral("<p style='margin-top:6px'>%1</p>").arg(to_qstring(chosen.detail).toHtmlEscaped());
  doc_->setText(html);
}

bool CompletionPopup::take_key(const QKeyEvent& event) {
  if (!isVisible() || (event.modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier))) return false;
  const int rows = list_->count(), row = list_->currentRow();
  switch (event.key()) {
    case Qt::Key_Down: list_->setCurrentRow((row + 1) % rows); return true;
    case Qt::Key_Up: list_->setCurrentRow((row + rows - 1) % rows); return true;
    case Qt::Key_PageDown: list_->setCurrentRow(std::min(rows - 1, row + kRows)); return true;
    case Qt::Key_PageUp: list_->setCurrentRow(std::max(0, row - kRows)); return true;
    case Qt::Key_Tab: case Qt::Key_Return: case Qt::Key_Enter: accept(); return true;
    case Qt::Key_Escape: hide(); return true;
    default: return false;
  }
}

void CompletionPopup::accept() {
  const int row = list_->currentRow();
  hide();
  if (row < 0 || static_cast<size_t>(row) >= shown_.items.size()) return;
  edit_->type_over({shown_.replace.begin, edit_->caret_offset()}, shown_.items[static_cast<size_t>(row)].insert);
}

}  // namespace bakery::views
