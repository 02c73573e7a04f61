// SPDX-License-Identifier: GPL-3.0-or-later
// Runs from recorded worker sessions: what each ending becomes, how fast a cancel is, what is kept.
#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include <filesystem>
#include <fstream>

#include "profiler/store/store.h"
#include "tests/views/run_sessions.h"

using namespace bakery;
using namespace bakery::views;
using namespace bakery::run_sessions;

namespace {

struct Running {
  Scratch scratch;
  Runner runner;

  explicit Running(const std::string& session) : runner(replay(session)) {}

  const RunResult& finish() {
    EXPECT_TRUE(QTest::qWaitFor([&] { return !runner.busy(); }, 20000));
    return *runner.result();
  }
  const RunResult& run(RunOrder order) {
    EXPECT_TRUE(runner.run(std::move(order)));
    return finish();
  }
  RunOrder gemm() { return order(scratch.schedule(good_gemm())); }
  RunOrder broken() { return order(scratch.schedule(broken_gemm())); }
};

TEST(Runner, CorrectRunIsTimedOnACleanBuild) {
  Running r("window_correct");
  QSignalSpy progress(&r.runner, &Runner::progressed);
  QSignalSpy recorded(&r.runner, &Runner::recorded);
  RunOrder order = r.gemm();
  order.options.time = true;
  const RunResult& result = r.run(order);
  ASSERT_EQ(result.state, RunState::correct) << result.message.toStdString();
  ASSERT_EQ(result.run.checked.size(), 1u);
  ASSERT_EQ(result.run.timed.size(), 1u);
  EXPECT_TRUE(result.run.kernel.lowered.manifest.bounded_waits);
  EXPECT_FALSE(result.run.clean_kernel.lowered.manifest.bounded_waits) << "what is timed has plain waits";
  EXPECT_GT(result.run.timed[0].run.bench.median_ms, 0);
  EXPECT_EQ(result.run.compiled.registers, 168);
  EXPECT_GE(progress.count(), 4);
  EXPECT_EQ(recorded.count(), 1);
  const auto store = Store::open(result.store_path);
  ASSERT_TRUE(store);
  const auto rows = store->history(10);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].kind, "bench");
  EXPECT_EQ(rows[1].kind, "run");
  EXPECT_EQ(rows[1].candidate, result.analysis->hash);
}

TEST(Runner, MismatchNamesElementTileAndRole) {
  Running r("window_mismatch");
  const RunResult& result = r.run(r.gemm());
  ASSERT_EQ(result.state, RunState::wrong);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].id, "NUM-001");
  EXPECT_EQ(result.findings[0].role, "mma");
  EXPECT_EQ(result.run.checked[0].run.run.outputs[0].first.size(), 2u);
  EXPECT_TRUE(result.run.timed.empty()) << "wrong values are not timed";
}

TEST(Runner, HangIsToldOnScheduleLinesWithBothSidesForetold) {
  Running r("window_hang");
  RunOrder order = r.broken();
  order.options.unchecked = true;
  const RunResult& result = r.run(order);
  ASSERT_EQ(result.state, RunState::wrong) << result.message.toStdString();
  ASSERT_EQ(result.findings.size(), 2u);
  for (const Finding& finding : result.findings) {
    EXPECT_EQ(finding.id, "NUM-003");
    EXPECT_NE(finding.expected.find("said before the run"), std::string::npos) << finding.role << " is foretold";
  }
  EXPECT_EQ(result.findings[0].role, "load");
  EXPECT_EQ(result.findings[0].resource, "empty");
}

TEST(Runner, ARejectedScheduleIsRefusedByName) {
  Running r("window_correct");
  const RunResult& result = r.run(r.broken());
  EXPECT_EQ(result.state, RunState::refused);
  EXPECT_TRUE(result.message.contains(QStringLiteral("SCHED-003"))) << result.message.toStdString();
  EXPECT_FALSE(result.recorded);
}

TEST(Runner, WorkerThatDiesIsAStateAndTheNextRunWorks) {
  Running r("window_crash");
  const RunResult& result = r.run(r.gemm());
  EXPECT_EQ(result.state, RunState::failed);
  EXPECT_EQ(result.run.status.outcome, Outcome::crashed);
  EXPECT_TRUE(result.message.contains(QStringLiteral("signal 11"))) << result.message.toStdString();
  ASSERT_TRUE(result.recorded) << "a run that died is in the history";
  EXPECT_EQ(Store::open(result.store_path)->history(1).at(0).status, "crashed");
  // Its session starts again with a new worker.
  EXPECT_EQ(r.run(r.gemm()).run.status.outcome, Outcome::crashed);
}

TEST(Runner, CancelEndsTheWorkerWithinASecond) {
  Running r("window_slow");
  ASSERT_TRUE(r.runner.run(r.gemm()));
  ASSERT_TRUE(QTest::qWaitFor([&] { return std::string(r.runner.progress().stage) == "run" && r.runner.progress().text.find("running") != std::string::npos; }, 10000));
  EXPECT_FALSE(r.runner.run(r.gemm())) << "one at a time";
  QElapsedTimer clock;
  clock.start();
  r.runner.cancel();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !r.runner.busy(); }, 5000));
  EXPECT_LT(clock.elapsed(), 1000);
  EXPECT_EQ(r.runner.result()->state, RunState::cancelled);
  EXPECT_TRUE(r.runner.result()->run.compiled.ok()) << "what came before the cancel is kept";
}

TEST(Runner, CancelWhileTheDeviceIsLookedFor) {
  Scratch scratch;
  const std::string slow = scratch.file("slow.jsonl", "{\"session\":1}\n{\"on\":\"probe\",\"steps\":[{\"sleep\":60}]}\n");
  Runner runner(replay_file(slow));
  runner.look_for_device();
  ASSERT_TRUE(runner.run(order(scratch.schedule(good_gemm()))));
  QElapsedTimer clock;
  clock.start();
  QTest::qWait(200);
  runner.cancel();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !runner.busy(); }, 5000));
  EXPECT_LT(clock.elapsed(), 1200);
  EXPECT_EQ(runner.result()->state, RunState::cancelled);
}

TEST(Runner, ItsEndDoesNotWaitForARun) {
  QElapsedTimer clock;
  {
    Running r("window_slow");
    ASSERT_TRUE(r.runner.run(r.gemm()));
    ASSERT_TRUE(QTest::qWaitFor([&] { return std::string(r.runner.progress().stage) == "run"; }, 10000));
    clock.start();
  }
  EXPECT_LT(clock.elapsed(), 1500);
}

TEST(Runner, NoDeviceSaysWhatIsMissingAndWhatMendsIt) {
  Running r("window_no_device");
  QSignalSpy changed(&r.runner, &Runner::device_changed);
  EXPECT_EQ(r.runner.device().state, DeviceState::looking);
  r.runner.look_for_device();
  ASSERT_TRUE(changed.wait(10000));
  EXPECT_EQ(r.runner.device().state, DeviceState::missing);
  EXPECT_TRUE(r.runner.device().text.contains(QStringLiteral("libcuda.so.1 is not installed"))) << r.runner.device().text.toStdString();
  EXPECT_FALSE(r.runner.device().remedy.isEmpty());
  const RunResult& result = r.run(r.gemm());
  EXPECT_EQ(result.state, RunState::missing);
  EXPECT_FALSE(result.remedy.isEmpty());
  ASSERT_TRUE(r.runner.simulate(r.gemm()));
  EXPECT_EQ(r.finish().state, RunState::correct) << "the reference machine needs no device";
}

TEST(Runner, DeviceIsNamed) {
  Running r("window_correct");
  QSignalSpy changed(&r.runner, &Runner::device_changed);
  r.runner.look_for_device();
  ASSERT_TRUE(changed.wait(10000));
  EXPECT_EQ(r.runner.device().state, DeviceState::ready);
  EXPECT_EQ(r.runner.device().name, QStringLiteral("H200"));
}

TEST(Runner, SimulationIsRecordedApartFromMeasurements) {
  Running r("window_correct");
  ASSERT_TRUE(r.runner.simulate(r.gemm()));
  const RunResult& result = r.finish();
  ASSERT_EQ(result.state, RunState::correct) << result.message.toStdString();
  EXPECT_TRUE(result.simulated);
  ASSERT_EQ(result.simulation.shapes.size(), 1u);
  const auto rows = Store::open(result.store_path)->history(10);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].kind, "simulate");
  for (const StoredFigure& figure : rows[0].figures) EXPECT_EQ(figure.name.find("span"), std::string::npos);
  ASSERT_TRUE(r.runner.simulate(r.broken()));
  EXPECT_EQ(r.finish().state, RunState::correct) << "a rejected schedule is simulated, too; this shape has one lap";
}

TEST(Runner, CandidatesKnowWhatTheyWereMadeFrom) {
  Running r("window_correct");
  ASSERT_TRUE(r.runner.simulate(r.gemm()));
  const std::string first = r.finish().analysis->hash;
  RunOrder changed = r.gemm();
  changed.text.replace(changed.text.find("choices=[3, 4]"), 14, "choices=[4]");
  ASSERT_TRUE(r.runner.simulate(changed));
  const std::string second = r.finish().analysis->hash;
  ASSERT_NE(first, second);
  const auto store = Store::open(r.runner.result()->store_path);
  EXPECT_EQ(store->candidate(second)->parent, first);
  EXPECT_EQ(store->candidate(first)->parent, "");
}

TEST(Runner, AStoreThatCannotBeWrittenLosesNoResult) {
  Running r("window_correct");
  const RunOrder order = r.gemm();
  std::filesystem::create_directories(Store::path_for(order.file));  // a folder in its place
  const RunResult& result = r.run(order);
  EXPECT_EQ(result.state, RunState::correct) << result.message.toStdString();
  EXPECT_NE(result.note.find("no store"), std::string::npos);
  EXPECT_FALSE(result.recorded);
}

TEST(Runner, BadContractsAndTargetsAreRefused) {
  Running r("window_correct");
  RunOrder order = r.gemm();
  order.contract = r.scratch.file("bad.toml", "oracle = \"no_such\"\n");
  EXPECT_EQ(r.run(order).state, RunState::refused);
  EXPECT_TRUE(r.runner.result()->message.contains(QStringLiteral("bad.toml")));
  order = r.gemm();
  order.target = "sm_100a";
  EXPECT_EQ(r.run(order).state, RunState::refused);
  EXPECT_TRUE(r.runner.result()->message.contains(QStringLiteral("sm_100a")));
  order = r.gemm();
  order.text = "def (";
  EXPECT_EQ(r.run(order).state, RunState::refused);
}

// Sessions that were recorded on a GPU (tests/gpu/record.sh), where there are any.
TEST(Runner, RecordedSessionsEndAsTheirNamesSay) {
  size_t seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(BAKERY_SOURCE_DIR) + "/tests/fixtures/sessions")) {
    const std::string name = entry.path().stem().string();
    const bool by_hand = name == "window_correct" || name == "window_mismatch" || name == "window_hang";
    if (!by_hand && name.rfind("recorded_", 0) != 0) continue;
    ++seen;
    Running r(name);
    const bool correct = name.find("correct") != std::string::npos;
    const bool timed = name.find("timed") != std::string::npos;
    RunOrder order = correct || timed ? r.gemm() : r.broken();
    order.options.unchecked = !(correct || timed);
    order.options.time = timed;
    const RunResult& result = r.run(order);
    EXPECT_EQ(result.state, correct || timed ? RunState::correct : RunState::wrong) << name << ": " << result.message.toStdString();
    if (name.find("hang") != std::string::npos) {
      EXPECT_TRUE(std::any_of(result.findings.begin(), result.findings.end(), [](const Finding& f) { return f.id == "NUM-003" && !f.role.empty(); })) << name;
    }
  }
  EXPECT_GE(seen, 3u);
}

}  // namespace
