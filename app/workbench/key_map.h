// SPDX-License-Identifier: GPL-3.0-or-later
// Which keys do what: the defaults of the action table, and what a person changed.
#pragma once

#include <QAction>
#include <QDialog>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QSettings>
#include <QTreeWidget>

namespace bakery::workbench {

// Remembers each action's present keys as its defaults and applies those that were changed.
void load_keys(const QList<QAction*>& actions, QSettings& settings);
// Empty: back to the defaults.
void set_keys(QAction& action, const QList<QKeySequence>& keys, QSettings& settings);
QList<QKeySequence> default_keys(const QAction& action);
// The action that already has this key, or nullptr.
QAction* user_of(const QKeySequence& key, const QList<QAction*>& actions, const QAction* except = nullptr);

// Not modal: the window goes on.
class KeyDialog : public QDialog {
  Q_OBJECT

 public:
  KeyDialog(QList<QAction*> actions, QSettings& settings, QWidget* parent);

 private:
  void show_rows();
  void filter(const QString& text);
  void take_key();
  QAction* chosen() const;

  QList<QAction*> actions_;
  QSettings& settings_;
  QTreeWidget* rows_;
  QKeySequenceEdit* keys_;
  QLabel* note_;
};

}  // namespace bakery::workbench
