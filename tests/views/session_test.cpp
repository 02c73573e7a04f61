// SPDX-License-Identifier: GPL-3.0-or-later
// Work survives: a killed window, a spoilt session file, two windows at once, a full disk.
#include <gtest/gtest.h>

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QDialog>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <cstdio>

#include "app/workbench/main_window.h"
#include "app/workbench/message_bar.h"
#include "views/common/session_store.h"
#include "views/editor/code_edit.h"

using namespace bakery;
using namespace bakery::views;
using bakery::workbench::MainWindow;

namespace {

const char kLine[] = "# typed by a person 双缓冲";

CodeEdit* edit_of(MainWindow& window) { return window.findChild<CodeEdit*>(QStringLiteral("code_edit")); }
std::string text_of(MainWindow& window) { return static_cast<TextStore*>(edit_of(window))->text(); }
QString message_of(MainWindow& window) { return window.findChild<QLabel*>(QStringLiteral("message_text"))->text(); }

void write(const QString& path, const QByteArray& bytes) {
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(bytes);
}

QByteArray read(const QString& path) {
  QFile file(path);
  EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
  return file.readAll();
}

QPushButton* button(MainWindow& window, const QString& text) {
  for (QPushButton* b : window.messages().findChildren<QPushButton*>())
    if (b->text().remove(QLatin1Char('&')) == text && !b->isHidden()) return b;
  return nullptr;
}

// A home of its own, so that no window meets another's sessions.
class Session : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = qgetenv("BAKERY_HOME");
    qputenv("BAKERY_HOME", home_.path().toLocal8Bit());
    file_ = home_.filePath("a.cake");
    write(file_, "@cake.schedule(target=\"sm_90a\")\r\ndef f(lm, N: LM.i32):\r\n    pass\r\n");
  }
  void TearDown() override { qputenv("BAKERY_HOME", before_); }

  // Runs the child test below in a process of its own until it has said `word`.
  void start_child(QProcess& child, const char* mode, const QByteArray& word) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("BAKERY_TEST_FILE"), file_);
    environment.insert(QStringLiteral("BAKERY_TEST_MODE"), QLatin1String(mode));
    child.setProcessEnvironment(environment);
    child.start(QCoreApplication::applicationFilePath(),
                {QStringLiteral("--gtest_also_run_disabled_tests"), QStringLiteral("--gtest_filter=Child.DISABLED_TypesUntilKilled")});
    ASSERT_TRUE(child.waitForStarted());
    QElapsedTimer clock;
    clock.start();
    while (!said_.contains(word) && clock.elapsed() < 60000) {
      child.waitForReadyRead(200);
      said_ += child.readAllStandardOutput();
    }
    ASSERT_TRUE(said_.contains(word)) << said_.toStdString() << child.readAllStandardError().toStdString();
  }

  void kill_child(QProcess& child) {
    ::kill(static_cast<pid_t>(child.processId()), SIGKILL);
    ASSERT_TRUE(child.waitForFinished());
    said_ += child.readAllStandardOutput();
  }

  QStringList session_files(const char* pattern = "*.session") {
    return QDir(session_folder()).entryList({QLatin1String(pattern)}, QDir::Files);
  }

  QTemporaryDir home_;
  QString file_;
  QByteArray before_, said_;
};

// Not a test: the window that is killed.
TEST(Child, DISABLED_TypesUntilKilled) {
  const QString file = qEnvironmentVariable("BAKERY_TEST_FILE");
  ASSERT_FALSE(file.isEmpty());
  MainWindow window(ThemeId::light);
  ASSERT_EQ(window.open(file), QString());
  window.start_session(file);
  window.show();
  CodeEdit* edit = edit_of(window);
  edit->setFocus();
  edit->setCursorPosition(2, 8);
  const bool for_ever = qEnvironmentVariable("BAKERY_TEST_MODE") == QLatin1String("for_ever");
  for (int i = 0; for_ever || i < 3; ++i) {
    QTest::keyClick(edit, Qt::Key_Return);
    edit->insert(QString::fromUtf8(kLine));
    QTest::keyClick(edit, Qt::Key_End);
    QTest::keyClicks(edit, QStringLiteral(" %1").arg(i));
    std::printf("typed %d\n", i);
    std::fflush(stdout);
    QTest::qWait(20);
  }
  std::printf("done\n");
  std::fflush(stdout);
  QTest::qWait(60000);
}

TEST_F(Session, AKilledWindowLosesNothing) {
  QProcess child;
  start_child(child, "once", "done\n");
  QTest::qWait(SessionStore::kPauseMs + 500);
  kill_child(child);

  MainWindow window(ThemeId::light);
  window.start_session({});
  std::string expected = read(file_).toStdString();
  std::string typed;
  for (int i = 0; i < 3; ++i) typed += "\r\n    " + std::string(kLine) + " " + std::to_string(i);
  expected.insert(expected.find("pass") + 4, typed);
  EXPECT_EQ(text_of(window), expected);
  EXPECT_TRUE(window.isWindowModified());
  EXPECT_TRUE(message_of(window).contains(QStringLiteral("Restored unsaved changes of a.cake"))) << message_of(window).toStdString();
  EXPECT_EQ(edit_of(window)->caret_line(), 6u);
  EXPECT_EQ(read(file_).size(), expected.size() - typed.size());  // the disk is a person's
  edit_of(window)->undo();
  EXPECT_EQ(text_of(window), read(file_).toStdString());
  edit_of(window)->redo();
  ASSERT_NE(button(window, QStringLiteral("Discard them")), nullptr);
  button(window, QStringLiteral("Discard them"))->click();
  EXPECT_EQ(text_of(window), read(file_).toStdString());
  EXPECT_FALSE(window.isWindowModified());
  EXPECT_EQ(session_files().size(), 1);  // this window's own
  window.session().end();
}

TEST_F(Session, AFileThatChangedAfterTheCrashIsAskedAbout) {
  QProcess child;
  start_child(child, "once", "done\n");
  QTest::qWait(SessionStore::kPauseMs + 500);
  kill_child(child);
  const QByteArray other = read(file_) + "# somebody else's\n";
  write(file_, other);

  MainWindow window(ThemeId::light);
  window.start_session(file_);
  QTest::qWait(50);
  window.findChild<QAction*>(QStringLiteral("file.save"))->trigger();
  EXPECT_EQ(read(file_), other) << "saving went over the other change";
  ASSERT_NE(button(window, QStringLiteral("Reload")), nullptr) << message_of(window).toStdString();
  button(window, QStringLiteral("Reload"))->click();
  EXPECT_EQ(text_of(window), other.toStdString());
  edit_of(window)->undo();
  EXPECT_NE(text_of(window), other.toStdString()) << "even that can be taken back";
  EXPECT_TRUE(message_of(window).contains(QStringLiteral("Restored unsaved changes"))) << "the question behind it comes next";
  window.session().end();
}

TEST_F(Session, KilledWhileTypingLosesAMomentAtMost) {
  QProcess child;
  start_child(child, "for_ever", "typed 40\n");
  kill_child(child);
  const int last = said_.mid(said_.lastIndexOf("typed ", said_.size() - 2) + 6).trimmed().toInt();
  MainWindow window(ThemeId::light);
  window.start_session(file_);
  const std::string text = text_of(window);
  int kept = -1;
  while (text.find(std::string(kLine) + " " + std::to_string(kept + 1)) != std::string::npos) ++kept;
  EXPECT_GE(kept, 1) << text;
  EXPECT_GE(kept, last - 40) << "kept " << kept << " of " << last;  // 40 lines take more than the pause
  EXPECT_EQ(text.find("    pass"), read(file_).toStdString().find("    pass"));
  window.session().end();
}

TEST_F(Session, UntitledTextComesBack) {
  {
    MainWindow window(ThemeId::light);
    window.start_session({});
    edit_of(window)->insert(QStringLiteral("# only here"));
    EXPECT_EQ(window.session().write(), QString());
    QFile::copy(QDir(session_folder()).filePath(session_files().front()), home_.filePath("kept"));
    window.session().end();
  }
  QDir(session_folder()).removeRecursively();
  QDir().mkpath(session_folder());
  QFile::copy(home_.filePath("kept"), QDir(session_folder()).filePath("x.session"));  // as if it had crashed
  MainWindow window(ThemeId::light);
  window.start_session({});
  EXPECT_EQ(text_of(window), "# only here");
  EXPECT_TRUE(window.isWindowModified());
  window.session().end();
}

TEST_F(Session, ACleanEndReopensTheFileWithoutAMessage) {
  {
    MainWindow window(ThemeId::light);
    ASSERT_EQ(window.open(file_), QString());
    window.start_session(file_);
    edit_of(window)->setCursorPosition(2, 4);
    window.close();
  }
  MainWindow window(ThemeId::light);
  window.start_session({});
  EXPECT_EQ(text_of(window), read(file_).toStdString());
  EXPECT_EQ(edit_of(window)->caret_line(), 3u);
  EXPECT_FALSE(window.isWindowModified());
  EXPECT_FALSE(window.messages().isVisibleTo(&window));
  window.session().end();
}

TEST_F(Session, TwoWindowsDoNotFight) {
  MainWindow one(ThemeId::light);
  ASSERT_EQ(one.open(file_), QString());
  one.start_session(file_);
  edit_of(one)->insert(QStringLiteral("# one\n"));
  one.session().write();
  MainWindow two(ThemeId::light);
  two.start_session({});
  EXPECT_EQ(text_of(two), "");  // the first one lives
  edit_of(two)->insert(QStringLiteral("# two\n"));
  two.session().write();
  EXPECT_EQ(session_files().size(), 2);
  EXPECT_TRUE(one.session().left_over().empty());
  one.session().end();
  two.session().end();
}

TEST_F(Session, ASpoiltFileIsSetAside) {
  QDir().mkpath(session_folder());
  write(QDir(session_folder()).filePath("bad.session"), "{\"version\":1,\"text\":\"abc");
  write(QDir(session_folder()).filePath("old.session"), "{\"version\":99}");
  MainWindow window(ThemeId::light);
  window.start_session({});
  EXPECT_TRUE(message_of(window).contains(QStringLiteral("set aside"))) << message_of(window).toStdString();
  EXPECT_EQ(session_files("*.unreadable").size(), 2);
  EXPECT_EQ(read(QDir(session_folder()).filePath("bad.session.unreadable")), QByteArray("{\"version\":1,\"text\":\"abc"));
  window.session().end();
}

TEST_F(Session, PartsComeBackByName) {
  Document document;
  CodeEdit edit;
  document.attach(&edit);
  int restored = 0;
  {
    SessionStore store(document, session_folder());
    store.add_part(QStringLiteral("panel"), [] { return QJsonValue(42); }, [](const QJsonValue&) {});
    ASSERT_EQ(store.begin(), QString());
    ASSERT_EQ(store.write(), QString());
  }
  SessionStore store(document, session_folder());
  store.add_part(QStringLiteral("panel"), [] { return QJsonValue(); }, [&](const QJsonValue& v) { restored = v.toInt(); });
  store.add_part(QStringLiteral("new"), [] { return QJsonValue(); }, [&](const QJsonValue&) { restored = -1; });
  const auto left = store.left_over();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_FALSE(left[0].ended);
  EXPECT_TRUE(store.restore(left[0]));
  EXPECT_EQ(restored, 42);
}

// The window's keys reach its actions from inside of the text, also those that Scintilla knows otherwise.
TEST_F(Session, KeysOfTheWindowWorkInTheText) {
  MainWindow window(ThemeId::light);
  ASSERT_EQ(window.open(file_), QString());
  window.show();
  window.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
  CodeEdit* edit = edit_of(window);
  edit->setFocus();
  const std::string text = text_of(window);
  edit->setCursorPosition(2, 6);
  QTest::keyClick(edit, Qt::Key_BracketRight, Qt::ControlModifier);
  EXPECT_NE(text_of(window).find("        pass"), std::string::npos);
  QTest::keyClick(edit, Qt::Key_BracketLeft, Qt::ControlModifier);
  EXPECT_EQ(text_of(window), text);
  QTest::keyClick(edit, Qt::Key_D, Qt::ControlModifier);
  EXPECT_NE(text_of(window).find("    pass\r\n    pass"), std::string::npos);
  QTest::keyClick(edit, Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(text_of(window), text);
  QTest::keyClick(edit, Qt::Key_Up, Qt::AltModifier);
  EXPECT_LT(text_of(window).find("    pass"), text_of(window).find("def f"));
  edit->undo();
  QTest::keyClick(edit, Qt::Key_H, Qt::ControlModifier);
  EXPECT_TRUE(window.findChild<QWidget*>("replace_text")->isVisible());
  QTest::keyClick(window.findChild<QWidget*>("find_bar"), Qt::Key_Escape);
  edit->setCursorPosition(1, 7);  // `lm` of the parameters
  QTest::keyClick(edit, Qt::Key_F12, Qt::ShiftModifier);
  EXPECT_TRUE(window.findChild<QWidget*>("places_bar")->isVisible());
}

TEST_F(Session, TemplatesOpenUntitled) {
  MainWindow window(ThemeId::light);
  auto* menu = window.findChild<QMenu*>(QStringLiteral("file.template"));
  ASSERT_NE(menu, nullptr);
  emit menu->aboutToShow();
  ASSERT_GE(menu->actions().size(), 3);
  EXPECT_TRUE(menu->actions()[1]->text().startsWith(QStringLiteral("Copy")));
  menu->actions()[1]->trigger();
  EXPECT_TRUE(text_of(window).starts_with("@cake.schedule"));
  EXPECT_FALSE(window.isWindowModified());
}

TEST_F(Session, ADiskThatChangesAsks) {
  MainWindow window(ThemeId::light);
  ASSERT_EQ(window.open(file_), QString());
  window.show();
  edit_of(window)->insert(QStringLiteral("# mine\r\n"));
  write(file_, "# theirs\n");
  ASSERT_TRUE(QTest::qWaitFor([&] { return button(window, QStringLiteral("Keep mine")) != nullptr; }, 5000));
  button(window, QStringLiteral("Compare"))->click();
  auto* diff = window.findChild<QDialog*>(QStringLiteral("diff_dialog"));
  ASSERT_NE(diff, nullptr);
  const QString shown = diff->findChild<QPlainTextEdit*>()->toPlainText();
  EXPECT_TRUE(shown.contains(QStringLiteral("-# theirs"))) << shown.toStdString();
  EXPECT_TRUE(shown.contains(QStringLiteral("+# mine"))) << shown.toStdString();
  diff->close();
  ASSERT_NE(button(window, QStringLiteral("Reload")), nullptr);  // looking decides nothing
  button(window, QStringLiteral("Reload"))->click();
  EXPECT_EQ(text_of(window), "# theirs\n");
  EXPECT_FALSE(window.isWindowModified());
}

TEST_F(Session, SaysWhenNothingCanBeKept) {
  write(home_.filePath("file"), "x");
  Document document;
  SessionStore store(document, home_.filePath("file") + "/sessions");
  EXPECT_TRUE(store.begin().contains(QStringLiteral("not kept")));
  store.touch();
  EXPECT_EQ(store.write(), QString());
}

}  // namespace
