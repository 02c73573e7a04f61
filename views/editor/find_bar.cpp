// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/editor/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QToolButton>

#include "views/common/glyph_icon.h"
#include "views/common/qt_text.h"
#include "views/editor/code_edit.h"

namespace bakery::views {

FindBar::FindBar(CodeEdit* edit, const Theme& theme, QWidget* parent) : QWidget(parent), edit_(edit) {
  setObjectName(QStringLiteral("find_bar"));
  line_ = new QLineEdit(this);
  line_->setPlaceholderText(tr("Find"));
  line_->setAccessibleName(tr("Text to find"));
  line_->setClearButtonEnabled(true);
  exact_case_ = new QCheckBox(tr("Match case"), this);
  count_ = new QLabel(this);
  const auto button = [&](Glyph glyph, const QString& tip, auto act) {
    auto* b = new QToolButton(this);
    set_glyph(b, glyph, theme);
    b->setToolTip(tip);
    b->setAccessibleName(tip);
    connect(b, &QToolButton::clicked, this, act);
    return b;
  };
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(6, 4, 6, 4);
  layout->addWidget(line_, 1);
  layout->addWidget(count_);
  layout->addWidget(button(Glyph::up, tr("Previous (Shift+Enter)"), [this] { find(false); }));
  layout->addWidget(button(Glyph::down, tr("Next (Enter)"), [this] { find(true); }));
  layout->addWidget(exact_case_);
  layout->addWidget(button(Glyph::close, tr("Close (Escape)"), [this] { shut(); }));
  connect(line_, &QLineEdit::textEdited, this, [this] { find_from(true, true); });
  connect(exact_case_, &QCheckBox::toggled, this, [this] { find_from(true, true); });
  hide();
}

void FindBar::open() {
  const QString selected = edit_->selectedText();
  if (!selected.isEmpty() && !selected.contains(QLatin1Char('\n'))) line_->setText(selected);
  show();
  line_->setFocus();
  line_->selectAll();
  show_count();
}

void FindBar::find(bool forward) { find_from(forward, false); }

void FindBar::find_from(bool forward, bool from_selection) {
  if (line_->text().isEmpty()) return show_count();
  int line = 0, index = 0, end_line = 0, end_index = 0;
  edit_->getSelection(&line, &index, &end_line, &end_index);
  if (line < 0) edit_->getCursorPosition(&line, &index);
  else if (forward && !from_selection) line = end_line, index = end_index;
  edit_->findFirst(line_->text(), false, exact_case_->isChecked(), false, true, forward, line, index, true);
  show_count();
}

void FindBar::show_count() {
  const QString wanted = line_->text();
  if (wanted.isEmpty()) return count_->clear();
  const auto sensitivity = exact_case_->isChecked() ? Qt::CaseSensitive : Qt::CaseInsensitive;
  const qsizetype count = to_qstring(static_cast<const TextStore*>(edit_)->text()).count(wanted, sensitivity);
  count_->setText(count == 0 ? tr("not found") : tr("%n found", nullptr, static_cast<int>(count)));
}

void FindBar::shut() {
  hide();
  edit_->setFocus();
}

void FindBar::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return shut();
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
    return find(!(event->modifiers() & Qt::ShiftModifier));
  QWidget::keyPressEvent(event);
}

}  // namespace bakery::views
