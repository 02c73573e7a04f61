// SPDX-License-Identifier: GPL-3.0-or-later
// The whole main job in one window, by keys and mouse: open, read, break, see it in every view, replay,
// mend by a hint, let the agent propose, decide, undo, run from a recording, read the mismatch, be killed
// and go on.
#include <gtest/gtest.h>

#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QTest>
#include <QTextBrowser>

#include <csignal>
#include <cstdio>

#include "agent_panel/panel/agent_panel.h"
#include "agent_panel/panel/hunk_card.h"
#include "app/workbench/main_window.h"
#include "app/workbench/message_bar.h"
#include "app/workbench/run_bar.h"
#include "tests/views/run_sessions.h"
#include "views/editor/code_edit.h"
#include "views/findings/finding_card.h"
#include "views/findings/findings_model.h"
#include "views/findings/findings_view.h"
#include "views/runs/runs_view.h"
#include "views/timeline/timeline_canvas.h"

using namespace bakery;
using namespace bakery::views;
using namespace bakery::run_sessions;
using bakery::workbench::MainWindow;
using panel::AgentPanel;

namespace {

constexpr int kLong = 60000;

struct Desk {
  MainWindow window;
  CodeEdit* edit = window.findChild<CodeEdit*>();
  TimelineCanvas* canvas = window.findChild<TimelineCanvas*>();
  FindingsView* findings = window.findChild<FindingsView*>();
  AgentPanel* agent = window.findChild<AgentPanel*>();

  explicit Desk(const std::string& session) : window(ThemeId::light, nullptr, replay(session)) {
    window.show();
    window.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
  }

  void settle() {
    ASSERT_TRUE(QTest::qWaitFor([this] { return window.settled() && window.snapshots().analysis().revision > 0; }, kLong));
    QTest::qWait(30);
  }
  void settle_fixes() {
    settle();
    ASSERT_TRUE(QTest::qWaitFor([this] { return !window.snapshots().fixing(); }, kLong));
    settle();
  }
  std::string text() const { return static_cast<TextStore*>(edit)->text(); }
  void key(int key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &window, static_cast<Qt::Key>(key), modifiers); }
  const Analysis& analysis() const { return window_analysis(); }
  const Analysis& window_analysis() const { return const_cast<Desk*>(this)->window.snapshots().analysis(); }
  size_t errors() const { return analysis().count(Severity::error); }

  // Puts the caret on the line that holds `what` and removes the line, as a person would.
  void delete_line(const std::string& what) {
    const size_t at = text().find(what);
    ASSERT_NE(at, std::string::npos) << what;
    edit->setFocus();
    edit->show_offset(static_cast<uint32_t>(at));
    QTest::keyClick(edit, Qt::Key_End);
    QTest::keyClick(edit, Qt::Key_Home, Qt::ShiftModifier);
    QTest::keyClick(edit, Qt::Key_Home, Qt::ShiftModifier);
    QTest::keyClick(edit, Qt::Key_Delete);
    QTest::keyClick(edit, Qt::Key_Backspace);
    while (text().find(what) != std::string::npos) FAIL() << what << " is still there";
  }
  void retype(const std::string& what, const std::string& with) {
    const size_t at = text().find(what);
    ASSERT_NE(at, std::string::npos) << what;
    edit->setFocus();
    edit->select_span({static_cast<uint32_t>(at), static_cast<uint32_t>(at + what.size())});
    QTest::keyClicks(edit, QString::fromStdString(with));
    QTest::keyClick(edit, Qt::Key_Escape);  // no completion list stays open
  }
  QImage picture(const char* id) {
    EXPECT_TRUE(window.raise_view(QLatin1String(id))) << id;
    QTest::qWait(60);
    return window.findChild<QDockWidget*>(QLatin1String(id))->widget()->grab().toImage();
  }
  void click(QPushButton* button) {
    ASSERT_TRUE(button && button->isEnabled());
    QTest::mouseClick(button, Qt::LeftButton);
    QTest::qWait(30);
  }
};

// Four faults of different kinds, by keys.
void make_four_faults(Desk& desk) {
  desk.delete_line("                lm.fence_proxy()");
  desk.retype("init_count=2", "init_count=3");
  desk.delete_line("                lm.wait(full, stage=s)");
  desk.delete_line("            lm.mma_wait(pending=0)");
}

TEST(MainJob, FromOpeningToTheMismatch) {
  Scratch scratch;
  Desk desk("window_mismatch");
  MainWindow& window = desk.window;
  const std::string good = good_gemm();

  // Open and read.
  ASSERT_EQ(window.open(QString::fromStdString(scratch.schedule(good))), QString());
  desk.settle();
  ASSERT_EQ(desk.errors(), 0u);
  EXPECT_FALSE(desk.canvas->snapshot().timeline->events.empty());

  // Break: the release of the last slot.
  desk.delete_line("lm.arrive(empty, stage=pipe.current())");
  desk.settle_fixes();
  ASSERT_GE(desk.errors(), 1u);
  const std::string broken = desk.text();

  // F8 goes to it; the finding says who, what, which stage and when.
  desk.edit->setFocus();
  QTest::keyClick(desk.edit, Qt::Key_F8);
  desk.settle();
  const int chosen = window.focus().state().finding;
  ASSERT_GE(chosen, 0);
  const Finding finding = desk.analysis().findings[chosen];
  EXPECT_FALSE(finding.role.empty());
  EXPECT_EQ(finding.resource, "empty");
  EXPECT_TRUE(finding.stage);
  EXPECT_TRUE(finding.completion);
  EXPECT_TRUE(desk.findings->card()->text()->toPlainText().contains(QString::fromStdString(finding.id)));
  EXPECT_EQ(desk.edit->caret_line(), desk.analysis().source.position(finding.span.begin).line);

  // Lit in every view, and not before.
  for (const char* id : {"editor", "findings", "timeline", "pipeline", "memory_map"}) {
    window.focus().set(focus_on_finding(window.snapshots().shown(), chosen));
    desk.settle();
    const QImage lit = desk.picture(id);
    window.focus().clear();
    desk.settle();
    EXPECT_NE(lit, desk.picture(id)) << id << " shows nothing of the focus";
  }

  // Replay of the witness, back and forth, and out.
  window.focus().set(focus_on_finding(window.snapshots().shown(), chosen));
  desk.settle();
  window.raise_view(QStringLiteral("timeline"));
  desk.canvas->setFocus();
  QTest::keyClick(desk.canvas, Qt::Key_R, Qt::ShiftModifier);
  ASSERT_TRUE(desk.canvas->replay());
  ASSERT_GE(desk.canvas->replay()->steps.size(), 2u);
  EXPECT_FALSE(desk.canvas->replay()->graph.edges.empty()) << "the wait-for graph is drawn";
  const size_t last = desk.canvas->replay()->steps.size() - 1;
  QTest::keyClick(desk.canvas, Qt::Key_Home);
  EXPECT_EQ(desk.canvas->replay_step(), 0u);
  QTest::keyClick(desk.canvas, Qt::Key_K);
  EXPECT_EQ(desk.canvas->replay_step(), 1u);
  QTest::keyClick(desk.canvas, Qt::Key_J);
  EXPECT_EQ(desk.canvas->replay_step(), 0u);
  QTest::keyClick(desk.canvas, Qt::Key_End);
  EXPECT_EQ(desk.canvas->replay_step(), last);
  EXPECT_TRUE(desk.canvas->replay()->steps[last].blocked) << "ends at the wait that is never released";
  QTest::keyClick(desk.canvas, Qt::Key_Escape);
  EXPECT_FALSE(desk.canvas->replay());

  // Mend by the hint's key.
  window.focus().set(focus_on_finding(window.snapshots().shown(), chosen));
  desk.edit->setFocus();
  QTest::keyClick(desk.edit, Qt::Key_Period, Qt::ControlModifier);
  desk.settle_fixes();
  EXPECT_EQ(desk.errors(), 0u);
  EXPECT_NE(desk.text(), broken);

  // Four other faults; the agent proposes, and touches nothing.
  make_four_faults(desk);
  desk.settle_fixes();
  ASSERT_GE(desk.errors(), 2u);
  const std::string faulty = desk.text();
  window.set_workspace(QStringLiteral("supervise"));
  QTest::qWait(50);
  desk.click(desk.agent->findChild<QPushButton*>(QStringLiteral("agent_start")));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !desk.agent->running(); }, kLong));
  QTest::qWait(80);
  EXPECT_EQ(desk.text(), faulty);
  const Review& review = desk.agent->review();
  ASSERT_GE(review.count(HunkState::pending), 4u);
  const size_t proposed = review.count(HunkState::pending);

  // Accept one, reject another, undo both.
  desk.edit->setFocus();
  QTest::keyClick(desk.edit, Qt::Key_A, Qt::AltModifier);
  EXPECT_EQ(review.count(HunkState::accepted), 1u);
  const std::string with_one = desk.text();
  EXPECT_NE(with_one, faulty);
  QTest::keyClick(desk.edit, Qt::Key_R, Qt::AltModifier);
  EXPECT_EQ(review.count(HunkState::rejected), 1u);
  EXPECT_EQ(desk.text(), with_one);
  QTest::keyClick(desk.edit, Qt::Key_Z, Qt::AltModifier);
  QTest::keyClick(desk.edit, Qt::Key_Z, Qt::AltModifier);
  EXPECT_EQ(desk.text(), faulty);
  EXPECT_EQ(review.count(HunkState::pending), proposed);
  desk.click(desk.agent->findChild<QPushButton*>(QStringLiteral("agent_accept_all")));
  desk.settle_fixes();
  EXPECT_EQ(desk.errors(), 0u) << desk.text();

  // Run from the recording, and read the mismatch.
  window.run_bar().open_contract(QString::fromStdString(small_contract()));
  ASSERT_TRUE(QTest::qWaitFor([&] { return window.runner().device().state == DeviceState::ready; }, kLong));
  for (QAction* action : window.findChild<QMenu*>(QStringLiteral("run_options_menu"))->actions())
    if (action->menu()) action->menu()->actions().at(1)->trigger();  // the first shape
  QTest::keyClick(&window, Qt::Key_F5);
  auto* runs = window.findChild<RunsView*>();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window.runner().busy() && window.runner().result() && !runs->loading(); }, kLong));
  EXPECT_EQ(window.runner().result()->state, RunState::wrong);
  EXPECT_TRUE(runs->isVisible()) << "what was run is looked at";
  auto* result = window.findChild<QTextBrowser*>(QStringLiteral("run_result"));
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->toPlainText().contains(QStringLiteral("NUM-001"))) << result->toPlainText().toStdString();
  EXPECT_TRUE(result->toPlainText().contains(QStringLiteral("First mismatches")));
  window.focus().clear();
  const QString html = result->toHtml();
  const qsizetype link = html.indexOf(QStringLiteral("href=\""), html.indexOf(QStringLiteral("First mismatches")));
  ASSERT_GT(link, 0);
  emit result->anchorClicked(QUrl(html.mid(link + 6, html.indexOf(QLatin1Char('"'), link + 6) - link - 6)));
  EXPECT_EQ(window.focus().state().role, "mma");
  EXPECT_TRUE(window.focus().state().span);
}

// Not a test: the window that is killed.
TEST(Child, DISABLED_WorksUntilKilled) {
  Desk desk("window_mismatch");
  const QString file = qEnvironmentVariable("BAKERY_TEST_FILE");
  ASSERT_EQ(desk.window.open(file), QString());
  desk.window.start_session(file);
  desk.settle();
  make_four_faults(desk);
  desk.settle();
  desk.window.set_workspace(QStringLiteral("supervise"));
  QTest::qWait(50);
  desk.click(desk.agent->findChild<QPushButton*>(QStringLiteral("agent_start")));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !desk.agent->running(); }, kLong));
  QTest::qWait(80);
  desk.edit->setFocus();
  QTest::keyClick(desk.edit, Qt::Key_A, Qt::AltModifier);
  QTest::qWait(1500);  // longer than the pause after which the session is written
  std::printf("pending %zu accepted %zu\n", desk.agent->review().count(HunkState::pending), desk.agent->review().count(HunkState::accepted));
  std::printf("text %s\n", content_hash(desk.text()).c_str());
  std::fflush(stdout);
  QTest::qWait(120000);
}

TEST(MainJob, KilledAndReopenedWithNothingLost) {
  Scratch scratch;
  const std::string file = scratch.schedule(good_gemm());
  QProcess child;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("BAKERY_TEST_FILE"), QString::fromStdString(file));
  child.setProcessEnvironment(environment);
  child.start(QCoreApplication::applicationFilePath(),
              {QStringLiteral("--gtest_also_run_disabled_tests"), QStringLiteral("--gtest_filter=Child.DISABLED_WorksUntilKilled")});
  QByteArray said;
  ASSERT_TRUE(QTest::qWaitFor([&] {
    said += child.readAllStandardOutput();
    return said.contains("\ntext ") && said.endsWith('\n');
  }, 2 * kLong)) << said.toStdString();
  ::kill(static_cast<pid_t>(child.processId()), SIGKILL);
  ASSERT_TRUE(child.waitForFinished());
  const QByteArray counts = said.mid(said.indexOf("pending ")).split('\n').front();
  const QByteArray hash = said.mid(said.indexOf("\ntext ") + 6).trimmed();

  Desk desk("window_mismatch");
  desk.window.start_session(QString::fromStdString(file));
  desk.settle();
  EXPECT_EQ(content_hash(desk.text()), hash.toStdString());
  EXPECT_NE(desk.text(), good_gemm());
  EXPECT_EQ(read_text(file), good_gemm()) << "the file changes by saving only";
  const Review& review = desk.agent->review();
  char again[80];
  std::snprintf(again, sizeof again, "pending %zu accepted %zu", review.count(HunkState::pending), review.count(HunkState::accepted));
  EXPECT_EQ(std::string(again), counts.toStdString());
  EXPECT_EQ(desk.window.workspace(), "supervise");
  desk.click(desk.agent->findChild<QPushButton*>(QStringLiteral("agent_accept_all")));
  desk.settle_fixes();
  EXPECT_EQ(desk.errors(), 0u);
  desk.window.session().end();
}

}  // namespace
