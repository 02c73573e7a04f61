// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/editor/places_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

#include "views/common/focus.h"
#include "views/common/glyph_icon.h"
#include "views/common/qt_text.h"
#include "views/editor/code_edit.h"

namespace bakery::views {

constexpr int kShownPlaces = 7;

PlacesBar::PlacesBar(CodeEdit* edit, const Theme& theme, QWidget* parent)
    : QWidget(parent), edit_(edit), title_(new QLabel(this)), list_(new QListWidget(this)) {
  setObjectName(QStringLiteral("places_bar"));
  list_->setAccessibleName(tr("Places of the name"));
  list_->setToolTip(tr("Enter goes there; F4 and Shift+F4 walk from the text"));
  list_->setFont(code_font());
  list_->setFrameShape(QFrame::NoFrame);
  auto* close = new QToolButton(this);
  set_glyph(close, Glyph::close, theme);
  close->setToolTip(tr("Close (Escape)"));
  close->setAccessibleName(tr("Close the list of places"));
  auto* head = new QHBoxLayout;
  head->setContentsMargins(8, 2, 4, 0);
  head->addWidget(title_, 1);
  head->addWidget(close);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 2, 0, 0);
  layout->setSpacing(2);
  layout->addLayout(head);
  layout->addWidget(list_);
  connect(close, &QToolButton::clicked, this, &PlacesBar::shut);
  connect(list_, &QListWidget::itemClicked, this, [this] { go_to(list_->currentRow()); });
  connect(list_, &QListWidget::itemActivated, this, [this] {
    go_to(list_->currentRow());
    edit_->setFocus();
  });
  connect(edit_, &CodeEdit::text_edited, this, &PlacesBar::follow_text);
  hide();
}

void PlacesBar::open(const QString& title, std::vector<Span> places) {
  places_ = std::move(places);
  text_ = static_cast<const TextStore*>(edit_)->text();
  title_->setText(title);
  list_->clear();
  const SourceText source("", text_);
  const uint32_t caret = edit_->caret_offset();
  int current = 0;
  for (size_t i = 0; i < places_.size(); ++i) {
    const uint32_t line = source.position(places_[i].begin).line;
    list_->addItem(QStringLiteral("%1  %2").arg(line, 5).arg(to_qstring(source.line(line)).trimmed()));
    if (places_[i].begin <= caret) current = static_cast<int>(i);
  }
  list_->setCurrentRow(current);
  const int rows = std::clamp(list_->count(), 1, kShownPlaces);
  list_->setFixedHeight(rows * std::max(1, list_->sizeHintForRow(0)) + 4);
  show();
  list_->setFocus();
}

void PlacesBar::step(int direction) {
  const int count = static_cast<int>(places_.size());
  if (count == 0) return;
  list_->setCurrentRow((list_->currentRow() + direction + count) % count);
  go_to(list_->currentRow());
}

void PlacesBar::go_to(int row) {
  if (row < 0 || static_cast<size_t>(row) >= places_.size()) return;
  edit_->show_offset(places_[static_cast<size_t>(row)].begin);
  edit_->select_span(places_[static_cast<size_t>(row)]);
}

void PlacesBar::follow_text() {
  if (places_.empty()) return;
  const std::string now = static_cast<const TextStore*>(edit_)->text();
  for (Span& place : places_) place = {shift_offset(text_, now, place.begin), shift_offset(text_, now, place.end)};
  text_ = now;
}

void PlacesBar::shut() {
  hide();
  places_.clear();
  edit_->setFocus();
}

void PlacesBar::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return shut();
  QWidget::keyPressEvent(event);
}

}  // namespace bakery::views
