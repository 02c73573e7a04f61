// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/key_map.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/workbench/palette.h"

namespace bakery::workbench {

namespace {

const char kDefaults[] = "default_keys";

QList<QKeySequence> keys_of(const QString& text) {
  return text.isEmpty() ? QList<QKeySequence>() : QKeySequence::listFromString(text);
}

QString settings_key(const QAction& action) { return QStringLiteral("keys/") + action.objectName(); }

}  // namespace

void load_keys(const QList<QAction*>& actions, QSettings& settings) {
  for (QAction* action : actions) {
    action->setProperty(kDefaults, QKeySequence::listToString(action->shortcuts()));
    const QVariant changed = settings.value(settings_key(*action));
    if (changed.isValid()) action->setShortcuts(keys_of(changed.toString()));
  }
}

QList<QKeySequence> default_keys(const QAction& action) {
  return keys_of(action.property(kDefaults).toString());
}

void set_keys(QAction& action, const QList<QKeySequence>& keys, QSettings& settings) {
  action.setShortcuts(keys);
  if (keys == default_keys(action)) settings.remove(settings_key(action));
  else settings.setValue(settings_key(action), QKeySequence::listToString(keys));
}

QAction* user_of(const QKeySequence& key, const QList<QAction*>& actions, const QAction* except) {
  for (QAction* action : actions)
    if (action != except && action->shortcuts().contains(key)) return action;
  return nullptr;
}

KeyDialog::KeyDialog(QList<QAction*> actions, QSettings& settings, QWidget* parent)
    : QDialog(parent), actions_(std::move(actions)), settings_(settings) {
  setObjectName(QStringLiteral("key_dialog"));
  setWindowTitle(tr("Keys"));
  resize(620, 560);
  auto* search = new QLineEdit(this);
  search->setPlaceholderText(tr("Filter by action or key"));
  search->setAccessibleName(tr("Filter"));
  search->setClearButtonEnabled(true);
  rows_ = new QTreeWidget(this);
  rows_->setObjectName(QStringLiteral("key_rows"));
  rows_->setAccessibleName(tr("Actions and their keys"));
  rows_->setHeaderLabels({tr("Action"), tr("Keys")});
  rows_->setRootIsDecorated(false);
  rows_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  rows_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  rows_->header()->setStretchLastSection(false);
  keys_ = new QKeySequenceEdit(this);
  keys_->setObjectName(QStringLiteral("key_edit"));
  keys_->setAccessibleName(tr("New key"));
  note_ = new QLabel(this);
  note_->setWordWrap(true);
  auto* none = new QPushButton(tr("&No key"), this);
  auto* reset = new QPushButton(tr("&Default"), this);
  auto* all = new QPushButton(tr("Reset &all"), this);
  auto* close = new QPushButton(tr("&Close"), this);
  auto* edit = new QHBoxLayout;
  auto* label = new QLabel(tr("New &key"), this);
  label->setBuddy(keys_);
  edit->addWidget(label);
  edit->addWidget(keys_, 1);
  edit->addWidget(none);
  edit->addWidget(reset);
  auto* bottom = new QHBoxLayout;
  bottom->addWidget(all);
  bottom->addStretch(1);
  bottom->addWidget(close);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(search);
  layout->addWidget(rows_, 1);
  layout->addLayout(edit);
  layout->addWidget(note_);
  layout->addLayout(bottom);
  for (QPushButton* button : {none, reset, all, close}) button->setAutoDefault(false);

  connect(search, &QLineEdit::textChanged, this, &KeyDialog::filter);
  connect(rows_, &QTreeWidget::currentItemChanged, this, [this] {
    keys_->clear();
    note_->clear();
  });
  connect(keys_, &QKeySequenceEdit::editingFinished, this, &KeyDialog::take_key);
  connect(none, &QPushButton::clicked, this, [this] {
    if (QAction* action = chosen()) set_keys(*action, {}, settings_);
    show_rows();
  });
  connect(reset, &QPushButton::clicked, this, [this] {
    if (QAction* action = chosen()) set_keys(*action, default_keys(*action), settings_);
    show_rows();
  });
  connect(all, &QPushButton::clicked, this, [this] {
    for (QAction* action : actions_) set_keys(*action, default_keys(*action), settings_);
    show_rows();
  });
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  for (QAction* action : actions_) {
    auto* row = new QTreeWidgetItem(rows_, {action_title(*action)});
    row->setData(0, Qt::UserRole, QVariant::fromValue(action));
  }
  show_rows();
}

QAction* KeyDialog::chosen() const {
  return rows_->currentItem() ? rows_->currentItem()->data(0, Qt::UserRole).value<QAction*>() : nullptr;
}

void KeyDialog::show_rows() {
  for (int i = 0; i < rows_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* row = rows_->topLevelItem(i);
    const auto* action = row->data(0, Qt::UserRole).value<QAction*>();
    row->setText(1, QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText));
    QFont font = rows_->font();
    font.setBold(action->shortcuts() != default_keys(*action));
    row->setFont(1, font);
  }
}

void KeyDialog::filter(const QString& text) {
  for (int i = 0; i < rows_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* row = rows_->topLevelItem(i);
    row->setHidden(!row->text(0).contains(text, Qt::CaseInsensitive) && !row->text(1).contains(text, Qt::CaseInsensitive));
  }
}

void KeyDialog::take_key() {
  QAction* action = chosen();
  const QKeySequence key = keys_->keySequence();
  if (key.isEmpty()) return;
  if (!action) return note_->setText(tr("Choose an action first."));
  if (const QAction* other = user_of(key, actions_, action)) {
    note_->setText(tr("%1 already means “%2”. Give that action another key first.")
                       .arg(key.toString(QKeySequence::NativeText), action_title(*other)));
    return;
  }
  set_keys(*action, {key}, settings_);
  note_->setText(tr("%1 now means “%2”.").arg(key.toString(QKeySequence::NativeText), action_title(*action)));
  show_rows();
}

}  // namespace bakery::workbench
