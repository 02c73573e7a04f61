// SPDX-License-Identifier: GPL-3.0-or-later
// The shell: palette, keys, workspaces, themes; and that a person without a mouse reaches everything.
#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QListView>
#include <QMenuBar>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "app/workbench/key_map.h"
#include "app/workbench/main_window.h"
#include "app/workbench/palette.h"
#include "app/workbench/workspaces.h"
#include "views/editor/code_edit.h"

using namespace bakery;
using namespace bakery::workbench;

namespace {

const QString kGemm = QStringLiteral(BAKERY_SOURCE_DIR "/resources/schedules/gemm_bf16_sm90a.cake");

class Shell : public ::testing::Test {
 protected:
  void SetUp() override {
    qputenv("BAKERY_HOME", home_.path().toUtf8());
    open();
  }
  void open() {
    window_ = std::make_unique<MainWindow>(views::ThemeId::light);
    window_->restore_layout();
    ASSERT_EQ(window_->open(kGemm), QString());
    window_->show();
    window_->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    ASSERT_TRUE(QTest::qWaitFor([this] { return window_->settled(); }, 10000));
  }
  void reopen() {
    window_->save_settings();
    window_.reset();
    open();
  }
  QDockWidget* dock(const char* id) { return window_->findChild<QDockWidget*>(QLatin1String(id)); }
  QAction* action(const char* id) { return window_->findChild<QAction*>(QLatin1String(id)); }
  void run_from_palette(const char* letters) {
    QTest::keyClick(window_.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    auto* line = window_->findChild<QLineEdit*>(QStringLiteral("palette_line"));
    ASSERT_TRUE(line->isVisible());
    QTest::keyClicks(line, QLatin1String(letters));
    QTest::keyClick(line, Qt::Key_Return);
    EXPECT_FALSE(line->isVisible());
  }

  QTemporaryDir home_;
  std::unique_ptr<MainWindow> window_;
};

TEST(Fuzzy, FindsByLettersAndPrefersWords) {
  EXPECT_FALSE(fuzzy_score("xyz", "File: Save"));
  EXPECT_FALSE(fuzzy_score("evas", "Save"));
  EXPECT_TRUE(fuzzy_score("", "Save"));
  EXPECT_GT(*fuzzy_score("save", "File: Save"), *fuzzy_score("save", "Show a variable"));
  EXPECT_GT(*fuzzy_score("mm", "Go: To the Memory map"), *fuzzy_score("mm", "Edit: Toggle comment"));
}

TEST_F(Shell, PaletteRunsWhatItFinds) {
  run_from_palette("dark theme");
  EXPECT_EQ(qApp->palette().color(QPalette::Window), views::color(views::ThemeId::dark, views::Token::window));
  run_from_palette("workspace teach");
  EXPECT_EQ(window_->workspace(), "teach");
}

TEST_F(Shell, PaletteLeavesThingsAsTheyWere) {
  auto* edit = window_->findChild<views::CodeEdit*>();
  edit->setFocus();
  QTest::keyClick(window_.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
  auto* line = window_->findChild<QLineEdit*>(QStringLiteral("palette_line"));
  QTest::keyClicks(line, "qqqqqq");
  QTest::keyClick(line, Qt::Key_Return);  // nothing fits: nothing runs
  EXPECT_TRUE(line->isVisible());
  QTest::keyClick(line, Qt::Key_Escape);
  EXPECT_FALSE(line->isVisible());
  EXPECT_TRUE(edit->hasFocus());
}

TEST_F(Shell, EveryActionIsInThePaletteAndHasAName) {
  const QList<QAction*> actions = window_->actions_list();
  EXPECT_GT(actions.size(), 35);
  QSet<QString> names, titles;
  for (const QAction* a : actions) {
    EXPECT_FALSE(names.contains(a->objectName())) << a->objectName().toStdString();
    EXPECT_FALSE(titles.contains(action_title(*a))) << action_title(*a).toStdString();
    names << a->objectName();
    titles << action_title(*a);
  }
}

TEST_F(Shell, NoKeyMeansTwoThings) {
  const QList<QAction*> actions = window_->actions_list();
  for (const QAction* a : actions)
    for (const QKeySequence& key : a->shortcuts())
      EXPECT_EQ(user_of(key, actions, a), nullptr) << key.toString().toStdString() << " " << a->objectName().toStdString();
}

TEST_F(Shell, NoKeyOpensAMenuToo) {
  for (const QAction* menu : window_->menuBar()->actions()) {
    const QKeySequence key = QKeySequence::mnemonic(menu->text());
    if (!key.isEmpty()) EXPECT_EQ(user_of(key, window_->actions_list()), nullptr) << key.toString().toStdString();
  }
}

TEST_F(Shell, AltLettersLeaveNoTraceInTheText) {
  auto* edit = window_->findChild<views::CodeEdit*>();
  const std::string before = static_cast<views::TextStore*>(edit)->text();
  edit->setFocus();
  for (const Qt::Key key : {Qt::Key_A, Qt::Key_R, Qt::Key_Z, Qt::Key_N, Qt::Key_Q}) QTest::keyClick(edit, key, Qt::AltModifier);
  EXPECT_EQ(static_cast<views::TextStore*>(edit)->text(), before);
}

TEST_F(Shell, KeysCanBeChangedAndAreRemembered) {
  const auto change = [this](const char* id, const QString& key) {
    auto settings = open_settings();
    set_keys(*action(id), {QKeySequence(key)}, *settings);
  };
  change("view.reset", "Ctrl+F12");
  reopen();
  EXPECT_EQ(action("view.reset")->shortcut(), QKeySequence("Ctrl+F12"));
  EXPECT_TRUE(default_keys(*action("view.reset")).isEmpty());
  {
    auto settings = open_settings();
    set_keys(*action("view.reset"), default_keys(*action("view.reset")), *settings);
  }
  reopen();
  EXPECT_TRUE(action("view.reset")->shortcut().isEmpty());
}

TEST_F(Shell, KeyDialogRefusesATakenKey) {
  action("view.keys")->trigger();
  auto* dialog = window_->findChild<KeyDialog*>();
  ASSERT_TRUE(dialog);
  auto* rows = dialog->findChild<QTreeWidget*>();
  auto* edit = dialog->findChild<QKeySequenceEdit*>();
  for (int i = 0; i < rows->topLevelItemCount(); ++i)
    if (rows->topLevelItem(i)->data(0, Qt::UserRole).value<QAction*>() == action("view.reset")) rows->setCurrentItem(rows->topLevelItem(i));
  edit->setKeySequence(QKeySequence("Ctrl+S"));
  emit edit->editingFinished();
  EXPECT_TRUE(action("view.reset")->shortcut().isEmpty());
  edit->setKeySequence(QKeySequence("Ctrl+F11"));
  emit edit->editingFinished();
  EXPECT_EQ(action("view.reset")->shortcut(), QKeySequence("Ctrl+F11"));
}

TEST_F(Shell, WorkspacesKeepTheirLayouts) {
  for (const Workspace& workspace : workspaces()) {
    action((std::string("workspace.") + workspace.id).c_str())->trigger();
    for (const Column& column : workspace.columns)
      for (const Tabs& tabs : column.rows)
        for (const char* id : tabs.docks) {
          ASSERT_TRUE(dock(id)) << id;
          EXPECT_FALSE(dock(id)->isHidden()) << workspace.id << " " << id;
        }
    QTest::qWait(20);
    for (const Column& column : workspace.columns)
      for (const Tabs& tabs : column.rows)
        EXPECT_FALSE(dock(tabs.docks.front())->visibleRegion().isEmpty()) << workspace.id << " " << tabs.docks.front();
  }
  window_->set_workspace("author");
  dock("findings")->hide();
  window_->set_workspace("teach");
  EXPECT_TRUE(dock("findings")->isVisible());
  window_->set_workspace("author");
  EXPECT_FALSE(dock("findings")->isVisible());
  reopen();
  EXPECT_EQ(window_->workspace(), "author");
  EXPECT_FALSE(dock("findings")->isVisible());
  action("view.reset")->trigger();
  EXPECT_TRUE(dock("findings")->isVisible());
}

TEST_F(Shell, AWorkspaceChosenBeforeTheWindowIsShownIsWhole) {
  for (const Workspace& workspace : workspaces()) {
    MainWindow window(views::ThemeId::light);
    window.set_workspace(QLatin1String(workspace.id));
    window.show();
    QTest::qWait(30);
    QStringList wanted, seen;
    for (const Column& column : workspace.columns)
      for (const Tabs& tabs : column.rows) wanted << QLatin1String(tabs.docks.front());
    for (const QDockWidget* d : window.findChildren<QDockWidget*>())
      if (!d->visibleRegion().isEmpty()) seen << d->objectName();
    wanted.sort();
    seen.sort();
    EXPECT_EQ(seen.join(' ').toStdString(), wanted.join(' ').toStdString()) << workspace.id;
    // Each column is as wide and each row as high as the workspace says, give or take.
    for (const Column& column : workspace.columns) {
      const QDockWidget* head = window.findChild<QDockWidget*>(QLatin1String(column.rows.front().docks.front()));
      EXPECT_NEAR(head->width() * 100.0 / window.width(), column.share, 8) << workspace.id << " " << head->objectName().toStdString();
    }
  }
}

TEST_F(Shell, WhatTakesInputHasAName) {
  for (const Workspace& workspace : workspaces()) {
    window_->set_workspace(QLatin1String(workspace.id));
    QTest::qWait(10);
    for (const QWidget* widget : window_->findChildren<QWidget*>()) {
      if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus) continue;
      const auto* button = qobject_cast<const QAbstractButton*>(widget);
      const bool item = button || qobject_cast<const QComboBox*>(widget) || qobject_cast<const QLineEdit*>(widget) ||
                        qobject_cast<const QAbstractItemView*>(widget);
      if (!item || widget->objectName().startsWith("qt_")) continue;
      EXPECT_FALSE(widget->accessibleName().isEmpty() && (!button || button->text().isEmpty()))
          << widget->metaObject()->className() << " " << widget->objectName().toStdString() << " in "
          << widget->parentWidget()->metaObject()->className() << " " << widget->parentWidget()->objectName().toStdString();
    }
  }
}

}  // namespace
