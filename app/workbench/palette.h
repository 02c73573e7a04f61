// SPDX-License-Identifier: GPL-3.0-or-later
// The command palette: every action of the window, found by a few letters of its name.
#pragma once

#include <QAction>
#include <QFrame>
#include <QLineEdit>
#include <QListView>
#include <QPointer>
#include <QStandardItemModel>

#include <optional>

#include "views/common/tokens.h"

namespace bakery::workbench {

// How well `pattern` fits `text`: nullopt if its letters are not in it in order; higher is better.
std::optional<int> fuzzy_score(const QString& pattern, const QString& text);

// What a menu shows of an action, without mnemonics: "File: Save as".
QString action_title(const QAction& action);

class Palette : public QFrame {
  Q_OBJECT

 public:
  Palette(const views::Theme& theme, QWidget* window);
  // Over the window's upper part, with these actions; the last chosen ones come first.
  void open(QList<QAction*> actions);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void filter();
  void choose();
  void leave();

  const views::Theme& theme_;
  QLineEdit* line_;
  QListView* list_;
  QStandardItemModel* model_;
  QList<QAction*> actions_;
  QStringList recent_;             // object names, last chosen first
  QPointer<QWidget> focus_before_;
};

}  // namespace bakery::workbench
