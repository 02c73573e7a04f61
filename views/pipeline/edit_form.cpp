// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/pipeline/edit_form.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPushButton>

#include <algorithm>

#include "views/common/qt_text.h"
#include "views/common/rich_text.h"

namespace bakery::views {

EditForm::EditForm(const ViewContext& context, std::shared_ptr<const Analysis> analysis, const QString& title, std::vector<EditField> fields,
                   QWidget* parent)
    : QFrame(parent), context_(context), analysis_(std::move(analysis)), fields_(std::move(fields)) {
  setObjectName(QStringLiteral("pipeline_edit"));
  setAccessibleName(tr("Change %1").arg(title));
  setFrameShape(QFrame::Box);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Light);
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(12, 10, 12, 10);
  grid->setHorizontalSpacing(10);
  grid->setVerticalSpacing(5);
  int row = 0;
  for (const EditField& field : fields_) {
    auto* label = new QLabel(rich_text(field.name), this);
    auto* line = new QLineEdit(to_qstring(field.value), this);
    label->setBuddy(line);
    line->setAccessibleName(to_qstring(field.name).remove(QLatin1Char('`')));
    line->setMinimumWidth(130);
    line->setEnabled(field.refused.empty());
    const std::string& note = field.refused.empty() ? field.note : field.refused;
    line->setToolTip(note.empty() ? tr("Enter changes it in the text, Esc leaves it") : rich_text(note));
    grid->addWidget(label, row, 0);
    grid->addWidget(line, row++, 1);
    if (!note.empty()) {
      auto* hint = new QLabel(rich_text(note), this);
      hint->setObjectName(QStringLiteral("pipeline_edit_note"));
      hint->setWordWrap(true);
      hint->setForegroundRole(QPalette::PlaceholderText);
      grid->addWidget(hint, row++, 0, 1, 2);
    }
    lines_.push_back(line);
  }
  trouble_ = new QLabel(this);
  trouble_->setObjectName(QStringLiteral("pipeline_edit_trouble"));
  trouble_->setWordWrap(true);
  trouble_->hide();
  grid->addWidget(trouble_, row++, 0, 1, 2);
  auto* buttons = new QHBoxLayout;
  auto* cancel = new QPushButton(tr("Cancel"), this);
  auto* change = new QPushButton(tr("Change"), this);
  cancel->setToolTip(tr("Leave the text as it is (Esc)"));
  change->setToolTip(tr("One step in the text; Ctrl+Z takes it back (Enter)"));
  change->setEnabled(std::any_of(fields_.begin(), fields_.end(), [](const EditField& field) { return field.refused.empty(); }));
  buttons->addStretch();
  buttons->addWidget(cancel);
  buttons->addWidget(change);
  grid->addLayout(buttons, row, 0, 1, 2);
  connect(cancel, &QPushButton::clicked, this, &EditForm::closed);
  connect(change, &QPushButton::clicked, this, &EditForm::accept);
  for (size_t i = 0; i < lines_.size(); ++i)
    if (fields_[i].refused.empty()) {
      setFocusProxy(lines_[i]);
      lines_[i]->selectAll();
      break;
    }
  if (!focusProxy()) setFocusProxy(cancel);
}

void EditForm::say(const std::string& trouble) {
  trouble_->setText(QStringLiteral("<span style='color:%1'>%2</span>").arg(context_.theme.css(Token::error), rich_text(trouble)));
  trouble_->show();
  adjustSize();
}

void EditForm::accept() {
  if (context_.document.text() != analysis_->source.text()) return say("the text has changed meanwhile; close this and try again");
  std::vector<TextEdit> edits;
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (!fields_[i].refused.empty()) continue;
    FieldChange change = change_field(*analysis_, fields_[i], to_utf8(lines_[i]->text()));
    if (!change.refused.empty()) {
      lines_[i]->setFocus();
      return say(fields_[i].name + ": " + change.refused);
    }
    for (TextEdit& edit : change.edits) {
      const auto same = std::find_if(edits.begin(), edits.end(), [&](const TextEdit& other) { return other.span == edit.span; });
      if (same == edits.end()) edits.push_back(std::move(edit));
      else if (same->text != edit.text) return say("two of these are one number of the text, and ask for different values");
    }
  }
  std::sort(edits.begin(), edits.end(), [](const TextEdit& a, const TextEdit& b) { return a.span.begin < b.span.begin; });
  if (!edits.empty()) context_.document.apply(edits);
  emit closed();
}

void EditForm::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) emit closed();
  else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) accept();
  else QFrame::keyPressEvent(event);
}

}  // namespace bakery::views
