// SPDX-License-Identifier: GPL-3.0-or-later
// The worker behind the views: newest wins, nothing blocks, older answers are dropped.
#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/unit/gemm_source.h"
#include "tests/views/synthetic.h"
#include "views/common/snapshots.h"

using namespace bakery;
using namespace bakery::views;

namespace {

// Takes half a second unless it is stopped.
std::shared_ptr<const Analysis> slow(std::string, std::string text, const AnalysisOptions& options) {
  for (int i = 0; i < 100 && !options.stop.stop_requested(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  auto analysis = synthetic::analysis(text, 3, false, options.revision);
  analysis->stopped = options.stop.stop_requested();
  return analysis;
}

TEST(Snapshots, ANewerEditCancelsAnOlder) {
  Snapshots snapshots(slow);
  QSignalSpy changes(&snapshots, &Snapshots::changed);
  QElapsedTimer clock;
  clock.start();
  const std::string text = synthetic::text();
  for (int i = 0; i < 20; ++i) {
    snapshots.submit("a.cake", text + std::string(static_cast<size_t>(i), '\n'));
    QTest::qWait(5);
  }
  EXPECT_LT(clock.elapsed(), 400);  // submitting never waits for the worker
  ASSERT_TRUE(QTest::qWaitFor([&] { return !snapshots.busy(); }, 3000));
  EXPECT_EQ(changes.count(), 1);
  EXPECT_EQ(snapshots.analysis().revision, 20u);
  EXPECT_EQ(snapshots.analysis().source.text(), text + std::string(19, '\n'));
}

TEST(Snapshots, KeepsTheOldPictureWhileBusy) {
  Snapshots snapshots(slow);
  snapshots.show(synthetic::snapshot(synthetic::analysis(synthetic::text(), 3, false, 0)));
  snapshots.submit("a.cake", synthetic::text());
  EXPECT_TRUE(snapshots.busy());
  EXPECT_FALSE(snapshots.timeline().lanes.empty());
  ASSERT_TRUE(QTest::qWaitFor([&] { return !snapshots.busy(); }, 3000));
}

TEST(Snapshots, ATargetStartsAnother) {
  std::atomic<int> runs = 0;
  std::string seen;
  Snapshots snapshots([&](std::string, std::string text, const AnalysisOptions& options) {
    ++runs;
    seen = options.target;
    return synthetic::analysis(text, 3, false, options.revision);
  });
  snapshots.submit("a.cake", synthetic::text());
  ASSERT_TRUE(QTest::qWaitFor([&] { return !snapshots.busy(); }, 3000));
  snapshots.set_target("sm_100a");
  ASSERT_TRUE(QTest::qWaitFor([&] { return !snapshots.busy(); }, 3000));
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(seen, "sm_100a");
}

std::string faulty() { return bakery::testing::replaced(bakery::testing::gemm(), "init_count=2", "init_count=3"); }

bool has_fixes(const Snapshots& snapshots) {
  const auto& findings = snapshots.analysis().findings;
  return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) { return !finding.fixes.empty(); });
}

TEST(Snapshots, FixesAreLeftOutWhereNobodyShowsThem) {
  Snapshots with, without(nullptr, Snapshots::Fixes::left_out);
  for (Snapshots* one : {&with, &without}) {
    one->submit("gemm.cake", faulty());
    ASSERT_TRUE(QTest::qWaitFor([&] { return !one->busy(); }, 60000));
    if (one == &without) EXPECT_FALSE(one->fixing());
    ASSERT_TRUE(QTest::qWaitFor([&] { return !one->fixing(); }, 60000));
    EXPECT_GT(one->analysis().count(Severity::error), 0u);
    EXPECT_EQ(has_fixes(*one), one == &with);
  }
}

// The fixes of an older text arrive when those of a newer one are still looked for.
TEST(Snapshots, AnOlderAnswerDoesNotEndTheSearchOfANewer) {
  std::atomic<int> analysed = 0;
  Snapshots snapshots([&](std::string name, std::string text, const AnalysisOptions& options) {
    auto analysis = analyse(std::move(name), std::move(text), options);
    ++analysed;
    return analysis;
  });
  QElapsedTimer clock;
  clock.start();
  snapshots.submit("gemm.cake", faulty());
  ASSERT_TRUE(QTest::qWaitFor([&] { return !snapshots.busy() && !snapshots.fixing(); }, 60000));
  const auto longer = std::chrono::milliseconds(2 * clock.elapsed() + 100);
  snapshots.submit("gemm.cake", faulty() + "\n");
  std::this_thread::sleep_for(longer);  // its fixes wait to be shown
  snapshots.submit("gemm.cake", faulty() + "\n\n");
  while (analysed < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !snapshots.busy() && !snapshots.fixing(); }, 60000));
  EXPECT_TRUE(has_fixes(snapshots));
}

TEST(Snapshots, EndsWhileWorking) {
  QElapsedTimer clock;
  clock.start();
  {
    Snapshots snapshots(slow);
    snapshots.submit("a.cake", synthetic::text());
    QTest::qWait(10);
  }
  EXPECT_LT(clock.elapsed(), 300);
}

}  // namespace
