// SPDX-License-Identifier: GPL-3.0-or-later
// Runs from the window: the pickers, the keys, the GPU's state, progress and cancel, in the whole window.
#include <gtest/gtest.h>

#include <QApplication>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QStatusBar>
#include <QTest>

#include "app/workbench/main_window.h"
#include "app/workbench/message_bar.h"
#include "app/workbench/run_bar.h"
#include "tests/views/run_sessions.h"
#include "views/runs/runs_view.h"

using namespace bakery;
using namespace bakery::views;
using namespace bakery::workbench;
using namespace bakery::run_sessions;

namespace {

struct Shell {
  Scratch scratch;
  MainWindow window;
  RunBar& bar = window.run_bar();
  RunsView* runs = window.findChild<RunsView*>();

  Shell(const std::string& session, bool with_contract = true, const std::string& text = good_gemm()) : window(ThemeId::light, nullptr, replay(session)) {
    window.show();
    QApplication::setActiveWindow(&window);
    EXPECT_EQ(window.open(QString::fromStdString(scratch.schedule(text))), QString());
    if (with_contract) bar.open_contract(QString::fromStdString(small_contract()));
    EXPECT_TRUE(QTest::qWaitFor([&] { return window.settled() && window.runner().device().state != DeviceState::looking; }, 20000));
  }
  void choose_first_shape() {
    auto* menu = window.findChild<QMenu*>(QStringLiteral("run_options_menu"));
    for (QAction* action : menu->actions())
      if (action->menu()) action->menu()->actions().at(1)->trigger();
  }
  void press(int key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(&window, static_cast<Qt::Key>(key), modifiers); }
  bool finish() {
    return QTest::qWaitFor([&] { return !window.runner().busy() && window.runner().result() && !runs->loading(); }, 20000);
  }
};

TEST(RunBar, F5RunsAndShowsTheResult) {
  Shell s("window_correct");
  EXPECT_TRUE(s.bar.device()->text().contains(QStringLiteral("H200"))) << s.bar.device()->text().toStdString();
  EXPECT_FALSE(s.bar.cancel_action()->isEnabled());
  EXPECT_FALSE(s.bar.progress()->isVisible());
  s.choose_first_shape();
  s.press(Qt::Key_F5);
  ASSERT_TRUE(s.window.runner().busy());
  EXPECT_TRUE(s.bar.cancel_action()->isEnabled());
  EXPECT_TRUE(s.bar.progress()->isVisible());
  ASSERT_TRUE(s.finish());
  EXPECT_EQ(s.window.runner().result()->state, RunState::correct) << s.window.runner().result()->message.toStdString();
  EXPECT_EQ(s.window.runner().result()->run.timed.size(), 1u) << "what is correct is timed";
  EXPECT_FALSE(s.bar.progress()->isVisible());
  EXPECT_TRUE(s.runs->isVisible());
  EXPECT_TRUE(s.runs->card()->toPlainText().contains(QStringLiteral("Correct on NVIDIA H200")));
}

TEST(RunBar, WithoutADeviceRunStaysClickableAndSaysWhatIsMissing) {
  Shell s("window_no_device");
  EXPECT_TRUE(s.bar.device()->text().contains(QStringLiteral("no GPU")));
  EXPECT_TRUE(s.bar.run_action()->isEnabled());
  EXPECT_TRUE(s.bar.run_action()->toolTip().contains(QStringLiteral("libcuda.so.1 is not installed"))) << s.bar.run_action()->toolTip().toStdString();
  EXPECT_TRUE(s.bar.run_action()->toolTip().contains(QStringLiteral("install NVIDIA's driver")));
  s.choose_first_shape();
  s.press(Qt::Key_F5);
  ASSERT_TRUE(s.finish());
  EXPECT_EQ(s.window.runner().result()->state, RunState::missing);
  EXPECT_TRUE(s.runs->card()->toPlainText().contains(QStringLiteral("What mends it")));
  s.press(Qt::Key_F5, Qt::ControlModifier);
  ASSERT_TRUE(s.window.runner().simulating());
  ASSERT_TRUE(s.finish());
  EXPECT_EQ(s.window.runner().result()->state, RunState::correct);
}

TEST(RunBar, ShiftF5CancelsWithinASecond) {
  Shell s("window_slow");
  s.choose_first_shape();
  s.press(Qt::Key_F5);
  ASSERT_TRUE(QTest::qWaitFor([&] { return s.window.runner().progress().text.find("running") != std::string::npos; }, 10000));
  QElapsedTimer clock;
  clock.start();
  s.press(Qt::Key_F5, Qt::ShiftModifier);
  ASSERT_TRUE(s.finish());
  EXPECT_LT(clock.elapsed(), 1000);
  EXPECT_EQ(s.window.runner().result()->state, RunState::cancelled);
  EXPECT_TRUE(s.bar.run_action()->isEnabled());
}

TEST(RunBar, WithoutAContractItAsksForOne) {
  Shell s("window_correct", false);
  EXPECT_TRUE(s.bar.contracts()->currentData().toString().isEmpty());
  s.press(Qt::Key_F5);
  EXPECT_FALSE(s.window.runner().busy());
  EXPECT_TRUE(s.window.messages().isVisible());
  s.bar.open_contract(QString::fromStdString(small_contract()));
  EXPECT_EQ(s.bar.contracts()->currentText(), QStringLiteral("gemm_bf16_small"));
}

TEST(RunBar, ContractsBesideTheScheduleAreOffered) {
  Shell s("window_correct", false);
  ASSERT_EQ(s.window.open(QStringLiteral(BAKERY_SOURCE_DIR "/resources/schedules/gemm_bf16_sm90a.cake")), QString());
  EXPECT_GE(s.bar.contracts()->count(), 5);
  EXPECT_GE(s.bar.contracts()->findText(QStringLiteral("gemm_bf16_4096")), 0);
}

}  // namespace
