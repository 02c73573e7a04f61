// SPDX-License-Identifier: Apache-2.0
// Who waits for whom, on real schedules that get stuck.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "app/session/wait_graph.h"
#include "tests/unit/gemm_source.h"

namespace bakery {
namespace {

namespace fs = std::filesystem;
using testing::gemm;
using testing::read_repo_file;
using testing::replaced;

struct Stuck {
  std::shared_ptr<const Analysis> analysis;
  const Finding* finding = nullptr;
  Timeline timeline;
  WaitGraph graph;
  Replay replay;
};

// The first finding about a barrier wait that was seen in a stuck run.
Stuck stuck(const std::string& text) {
  Stuck s;
  s.analysis = analyse("test.cake", text);
  for (const Finding& finding : s.analysis->findings) {
    if (finding.id != "SAFE-001" && finding.id != "SCHED-003") continue;
    s.finding = &finding;
    s.timeline = timeline_of(*s.analysis, finding);
    s.graph = wait_graph(*s.analysis, s.timeline, finding.sample);
    s.replay = replay_of(*s.analysis, s.timeline, finding.sample, finding);
    break;
  }
  return s;
}

std::string all_lines(const Stuck& s) {
  std::string text;
  for (const std::string& line : to_lines(*s.analysis, s.graph)) text += line + "\n";
  return text;
}

const WaitEdge* edge(const WaitGraph& graph, WaitCause cause) {
  for (const WaitEdge& edge : graph.edges)
    if (edge.cause == cause) return &edge;
  return nullptr;
}

std::string rule(const char* name) { return read_repo_file(std::string("tests/corpus/rules/") + name + ".cake"); }

TEST(WaitGraph, TwoRolesThatWaitForEachOtherAreACycle) {
  const Stuck s = stuck(rule("SAFE-001/bad_cycle"));
  ASSERT_TRUE(s.finding);
  ASSERT_EQ(s.graph.waits.size(), 2u);
  EXPECT_EQ(s.graph.cycle, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(all_lines(s),
            "line 11: `left` waits for completion 1 of `to_left`: `right` arrives on `to_left` only later, on line 16\n"
            "line 15: `right` waits for completion 1 of `to_right`: `left` arrives on `to_right` only later, on line 12\n"
            "the wait goes round: `left` -> `right` -> `left`\n");
}

TEST(WaitGraph, ARoleMayWaitForItself) {
  const Stuck s = stuck(rule("SAFE-001/bad_own_arrival"));
  ASSERT_TRUE(s.finding);
  ASSERT_EQ(s.graph.cycle.size(), 1u);
  EXPECT_EQ(s.graph.waits[s.graph.cycle[0]].role, 0u);
}

TEST(WaitGraph, ARingThatIsTooShallowIsACycleOverTwoBarriers) {
  const Stuck s = stuck(rule("SAFE-001/bad_ring_too_shallow"));
  ASSERT_TRUE(s.finding);
  std::set<std::string> barriers;
  for (const uint32_t wait : s.graph.cycle) barriers.insert(s.analysis->schedule.barriers[s.graph.waits[wait].barrier].name);
  EXPECT_EQ(barriers, (std::set<std::string>{"full", "empty"})) << all_lines(s);
}

TEST(WaitGraph, ASkippedArrivalIsNamedWithItsConditionAndIteration) {
  const Stuck s = stuck(rule("SCHED-003/bad_condition"));
  ASSERT_TRUE(s.finding);
  const WaitEdge* skipped = edge(s.graph, WaitCause::skipped);
  ASSERT_TRUE(skipped) << all_lines(s);
  EXPECT_EQ(s.analysis->source.position(skipped->span.begin).line, 25u);
  EXPECT_NE(skipped->text.find("i < (n - 3)"), std::string::npos) << skipped->text;
  ASSERT_EQ(skipped->iteration.size(), 1u);
  EXPECT_EQ(skipped->iteration[0].name, "i");
  // The arrival that the wait needs: of the same slot, two laps before.
  EXPECT_EQ(skipped->iteration[0].value + 2, s.finding->iteration[0].second) << all_lines(s);
}

TEST(WaitGraph, ACountThatIsTooHighIsTold) {
  const Stuck s = stuck(rule("SCHED-003/bad_count"));
  ASSERT_TRUE(s.finding);
  const WaitEdge* count = edge(s.graph, WaitCause::short_count);
  ASSERT_TRUE(count) << all_lines(s);
  EXPECT_EQ(s.analysis->source.position(count->span.begin).line, 9u);
}

TEST(WaitGraph, AnArrivalOnAnotherStageIsTold) {
  const Stuck s = stuck(rule("SCHED-003/bad_other_stage"));
  ASSERT_TRUE(s.finding);
  EXPECT_TRUE(edge(s.graph, WaitCause::other_stage)) << all_lines(s);
}

TEST(WaitGraph, AProducerThatEndsTooEarlyIsTold) {
  const Stuck s = stuck(rule("SCHED-003/bad_bounds"));
  ASSERT_TRUE(s.finding);
  const WaitEdge* few = edge(s.graph, WaitCause::too_few);
  ASSERT_TRUE(few) << all_lines(s);
  EXPECT_EQ(s.analysis->schedule.roles[few->role].name, "load");
}

TEST(WaitGraph, ADeletedArrivalLeavesAnAbsentProducer) {
  // The rules tell it without a run; the run is stuck all the same.
  Stuck s;
  s.analysis = analyse("test.cake", replaced(rule("SAFE-001/bad_cycle"), "lm.arrive(to_right)", "lm.wait(to_left)"));
  s.graph = wait_graph(*s.analysis, s.analysis->timeline, s.analysis->timeline_sample);
  const WaitEdge* absent = edge(s.graph, WaitCause::absent);
  ASSERT_TRUE(absent) << all_lines(s);
  EXPECT_EQ(s.analysis->schedule.roles[absent->role].name, "left");
  EXPECT_EQ(s.analysis->source.position(absent->span.begin).line, 6u);
}

TEST(WaitGraph, ADeletedReleaseOfTheGemmLeavesTheOneOnAnotherStage) {
  const Stuck s = stuck(replaced(gemm(), "lm.arrive(empty, stage=pipe.previous(), when=(k > 0))", "lm.mma_wait(pending=1)"));
  ASSERT_TRUE(s.finding);
  EXPECT_TRUE(edge(s.graph, WaitCause::other_stage)) << all_lines(s);
  EXPECT_TRUE(edge(s.graph, WaitCause::later)) << all_lines(s);
}

TEST(WaitGraph, TheGemmWithAMissingReleaseSaysWhichOneIsSkipped) {
  const Stuck s = stuck(read_repo_file("tests/fixtures/gemm_missing_arrive.cake"));
  ASSERT_TRUE(s.finding);
  const WaitEdge* skipped = edge(s.graph, WaitCause::skipped);
  ASSERT_TRUE(skipped) << all_lines(s);
  EXPECT_NE(skipped->text.find("k > 0"), std::string::npos) << skipped->text;
  EXPECT_EQ(skipped->iteration.back().name, "k");
  EXPECT_EQ(skipped->iteration.back().value, 0);
}

TEST(WaitGraph, ARunThatEndsHasNone) {
  const auto analysis = analyse("gemm.cake", gemm());
  EXPECT_TRUE(wait_graph(*analysis, analysis->timeline, analysis->timeline_sample).empty());
  EXPECT_TRUE(wait_graph(*analysis, analysis->timeline, -1).empty());
  EXPECT_TRUE(wait_graph(*analysis, analysis->timeline, 1000).empty());
}

// Every stuck finding of the corpus: all waits have a cause, and all chains end.
TEST(WaitGraph, HoldsForTheWholeCorpus) {
  size_t checked = 0;
  for (const auto& entry : fs::recursive_directory_iterator(std::string(BAKERY_SOURCE_DIR) + "/tests/corpus")) {
    if (entry.path().extension() != ".cake" || !entry.path().filename().string().starts_with("bad_")) continue;
    const Stuck s = stuck(read_repo_file(fs::relative(entry.path(), BAKERY_SOURCE_DIR).string()));
    if (!s.finding) continue;
    ++checked;
    const std::string name = entry.path().string() + "\n" + all_lines(s);
    ASSERT_FALSE(s.graph.empty()) << name;
    std::set<uint32_t> explained;
    bool dead_end = false;
    for (const WaitEdge& edge : s.graph.edges) {
      explained.insert(edge.from);
      dead_end |= edge.to == UINT32_MAX;
      EXPECT_FALSE(edge.text.empty()) << name;
      EXPECT_GT(edge.span.end, edge.span.begin) << name;
      if (edge.cause == WaitCause::later) {
        const Op& op = s.analysis->schedule.ops[edge.op];
        EXPECT_EQ(op.barrier, s.graph.waits[edge.from].barrier) << name;
        EXPECT_EQ(op.role, s.graph.waits[edge.to].role) << name;
      }
    }
    EXPECT_EQ(explained.size(), s.graph.waits.size()) << name;
    EXPECT_TRUE(dead_end || !s.graph.cycle.empty()) << name;
    EXPECT_EQ(s.finding->id == "SAFE-001", !dead_end) << name;
    for (size_t i = 0; i < s.graph.cycle.size(); ++i) {
      const uint32_t from = s.graph.cycle[i], to = s.graph.cycle[(i + 1) % s.graph.cycle.size()];
      EXPECT_TRUE(std::any_of(s.graph.edges.begin(), s.graph.edges.end(),
                              [&](const WaitEdge& e) { return e.from == from && e.to == to; }))
          << name;
    }
    ASSERT_FALSE(s.replay.empty()) << name;
    EXPECT_TRUE(s.replay.steps.back().blocked) << name;
    EXPECT_FALSE(s.replay.graph.empty()) << name;
    EXPECT_NE(to_text(*s.analysis, *s.finding).find("  because: "), std::string::npos) << name;
    const auto because = nlohmann::json::parse(to_json(*s.analysis, *s.finding)).at("because");
    EXPECT_EQ(because.get<std::vector<std::string>>(), to_lines(*s.analysis, s.replay.graph)) << name;
  }
  EXPECT_GE(checked, 8u);
}

// Every finding with a witness can be replayed, and of a race the two accesses are steps.
TEST(Replay, EveryWitnessOfTheCorpusHasSteps) {
  size_t races = 0, others = 0;
  for (const auto& entry : fs::recursive_directory_iterator(std::string(BAKERY_SOURCE_DIR) + "/tests/corpus")) {
    if (entry.path().extension() != ".cake" || !entry.path().filename().string().starts_with("bad_")) continue;
    const auto analysis = analyse("test.cake", read_repo_file(fs::relative(entry.path(), BAKERY_SOURCE_DIR).string()));
    for (const Finding& finding : analysis->findings) {
      if (!replayable(finding)) continue;
      const Timeline timeline = timeline_of(*analysis, finding);
      const Replay replay = replay_of(*analysis, timeline, finding.sample, finding);
      const std::string name = entry.path().string() + " " + finding.id + " " + finding.message;
      if (replay.empty()) continue;
      ++others;
      for (size_t i = 0; i < replay.steps.size(); ++i) {
        ASSERT_LT(replay.steps[i].event, timeline.events.size()) << name;
        EXPECT_EQ(replay.steps[i].blocked, timeline.events[replay.steps[i].event].blocked) << name;
        EXPECT_FALSE(replay.steps[i].text.empty()) << name;
      }
      if (finding.declared != "no order between the two") continue;
      ++races;
      const auto has = [&](uint32_t event) {
        return std::any_of(replay.steps.begin(), replay.steps.end(), [&](const ReplayStep& step) { return step.event == event; });
      };
      EXPECT_TRUE(has(replay.first_access) && has(replay.second_access)) << name;
      EXPECT_NE(replay.first_access, replay.second_access) << name;
    }
  }
  EXPECT_GE(races, 5u);
  EXPECT_GE(others, 20u);
}

}  // namespace
}  // namespace bakery
