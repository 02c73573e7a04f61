// SPDX-License-Identifier: GPL-3.0-or-later
// What a person feels in the whole window: from a key to new findings and timeline on screen, from the
// pointer to lights in every view, and from starting the program to the first findings.
#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "app/workbench/main_window.h"
#include "tests/views/thread_clock.h"
#include "views/editor/code_edit.h"
#include "views/findings/findings_view.h"
#include "views/timeline/timeline_canvas.h"

using namespace bakery;
using namespace bakery::views;

namespace {

const QString kGemm = QStringLiteral(BAKERY_SOURCE_DIR "/resources/schedules/gemm_bf16_sm90a.cake");

// Instrumented builds are several times slower.
bool instrumented() { return std::string_view(BAKERY_SANITIZE).size() > 0; }

class Window : public ::testing::Test {
 protected:
  void SetUp() override {
    qputenv("BAKERY_HOME", home_.path().toUtf8());
    window_ = std::make_unique<workbench::MainWindow>(ThemeId::light);
    window_->show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(window_.get()));
    ASSERT_EQ(window_->open(kGemm), QString());
    ASSERT_TRUE(QTest::qWaitFor([this] { return window_->settled() && window_->snapshots().analysis().revision > 0; }, 20000));
    QTest::qWait(100);
  }
  QTemporaryDir home_;
  std::unique_ptr<workbench::MainWindow> window_;
};

TEST_F(Window, KeyToFindingsAndTimeline) {
  auto* edit = window_->findChild<CodeEdit*>();
  auto* canvas = window_->findChild<TimelineCanvas*>();
  auto* findings = window_->findChild<FindingsView*>();
  // Breaks `lm.wait(full, stage=s)` character by character and types it again, in the middle of a word too.
  const std::string text = edit->text();
  const size_t at = text.find("lm.wait(full");
  ASSERT_NE(at, std::string::npos);
  edit->setFocus();
  edit->show_offset(static_cast<uint32_t>(at));
  std::vector<double> times;
  const auto key = [&](auto press) {
    QElapsedTimer clock;
    clock.start();
    press();
    const uint64_t wanted = window_->snapshots().submitted_revision();
    while (window_->snapshots().analysis().revision < wanted && clock.elapsed() < 5000)
      QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 5);
    findings->repaint();
    canvas->render_now();
    times.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
  };
  for (int lap = 0; lap < 4; ++lap) {
    for (int i = 0; i < 12; ++i) key([&] { QTest::keyClick(edit, Qt::Key_Delete); });
    for (const char c : {'l', 'm', '.', 'w', 'a', 'i', 't', '(', 'f', 'u', 'l', 'l'}) key([&] { QTest::keyClick(edit, c); });
  }
  const Times t = summary(times);
  std::printf("key to findings and timeline on screen: median %.1f ms, p95 %.1f ms, worst %.1f ms over %zu keys (limit 33, goal 16)\n", t.median,
              t.p95, t.worst, times.size());
  if (!instrumented()) EXPECT_LT(t.p95, 33);
}

TEST_F(Window, PointerToLightsInEveryView) {
  for (const char* workspace : {"author", "teach", "profile"}) {
    window_->set_workspace(QLatin1String(workspace));
    QTest::qWait(50);
    const Snapshot& snapshot = window_->snapshots().shown();
    const uint32_t count = static_cast<uint32_t>(snapshot.timeline->events.size());
    ASSERT_GT(count, 100u);
    std::vector<double> times;
    ThreadClock clock;
    for (uint32_t i = 0; i < 60; ++i) {
      clock.restart();
      FocusState state = focus_on_event(snapshot, count / 60 * i);
      state.origin = Origin::timeline;
      window_->focus().hover(std::move(state));
      QCoreApplication::processEvents();  // all views repaint
      times.push_back(clock.milliseconds());
    }
    window_->focus().end_hover();
    const Times t = summary(times);
    std::printf("pointer to lights in %s: median %.1f ms, p95 %.1f ms (limit 33)\n", workspace, t.median, t.p95);
    if (!instrumented()) EXPECT_LT(t.p95, 33) << workspace;
  }
}

TEST(Start, UntilFindingsAreShown) {
  if (instrumented()) GTEST_SKIP() << "an instrumented build says nothing about time";
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    QTemporaryDir home;
    QProcess program;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("BAKERY_HOME"), home.path());
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    program.setProcessEnvironment(environment);
    QElapsedTimer clock;
    clock.start();
    program.start(QStringLiteral(BAKERY_BIN_DIR "/bakery-workbench"), {kGemm, QStringLiteral("--until-shown")});
    ASSERT_TRUE(program.waitForFinished(30000));
    ASSERT_EQ(program.exitCode(), 0) << program.readAllStandardError().toStdString();
    times.push_back(static_cast<double>(clock.elapsed()));
  }
  const Times t = summary(times);
  std::printf("start until the findings are on screen, process and all: median %.0f ms, worst %.0f ms (limit 1000)\n", t.median, t.worst);
  EXPECT_LT(t.median, 1000);
}

}  // namespace
