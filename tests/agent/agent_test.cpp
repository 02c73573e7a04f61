// SPDX-License-Identifier: Apache-2.0
// The built-in agent tells what it does, proposes what a check has confirmed, and stops when told.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>

#include "agent_panel/harness/agent.h"
#include "app/session/commands.h"
#include "tests/unit/gemm_source.h"

namespace bakery {
namespace {

using testing::gemm;
using testing::replaced;
using Kind = AgentEvent::Kind;

std::vector<AgentEvent> run(const AgentRequest& request, std::stop_token stop = {}) {
  std::vector<AgentEvent> events;
  run_agent(request, std::move(stop), [&](const AgentEvent& event) { events.push_back(event); });
  return events;
}

std::vector<AgentEvent> of(const std::vector<AgentEvent>& events, Kind kind) {
  std::vector<AgentEvent> some;
  std::copy_if(events.begin(), events.end(), std::back_inserter(some), [&](const AgentEvent& e) { return e.kind == kind; });
  return some;
}

std::string two_faults() { return replaced(replaced(gemm(), "                lm.fence_proxy()\n", ""), "init_count=2", "init_count=3"); }

TEST(Agent, RepairsEachFaultWithAProposalThatACheckConfirms) {
  const std::vector<AgentEvent> events = run({.file_name = "gemm.cake", .text = two_faults()});
  const auto proposals = of(events, Kind::proposal);
  ASSERT_EQ(proposals.size(), 2u);
  int errors = static_cast<int>(analyse("gemm.cake", two_faults())->count(Severity::error));
  for (const AgentEvent& proposal : proposals) {
    EXPECT_EQ(proposal.evidence.errors_before, errors);
    errors = static_cast<int>(analyse("gemm.cake", proposal.text)->count(Severity::error));
    EXPECT_EQ(proposal.evidence.errors_after, errors);
    EXPECT_FALSE(proposal.evidence.finding.empty());
    EXPECT_FALSE(proposal.evidence.fixed.empty());
    EXPECT_TRUE(proposal.evidence.added.empty());
    EXPECT_NE(proposal.evidence.hash_before, proposal.evidence.hash_after);
  }
  EXPECT_EQ(proposals.back().analysis->source.text(), proposals.back().text);
  const Schedule repaired = analyse("gemm.cake", proposals.back().text)->schedule;
  EXPECT_GT(repaired.hidden_bytes(), 0);
  EXPECT_EQ(proposals.back().evidence.smem_after, repaired.pool_bytes() + repaired.hidden_bytes());
  EXPECT_EQ(errors, 0);
  EXPECT_EQ(events.back().kind, Kind::finished);
  EXPECT_EQ(events.back().end, AgentEnd::done) << events.back().message;

  Review review(two_faults());
  for (const AgentEvent& proposal : proposals) review.propose(proposal.text, proposal.evidence);
  EXPECT_EQ(review.hunks().size(), 2u);
  ASSERT_TRUE(review.accept_all());
  EXPECT_EQ(analyse("gemm.cake", review.text())->verdict, Verdict::accepted);
}

TEST(Agent, EveryToolCallIsAnsweredAndEveryStepEnds) {
  const std::vector<AgentEvent> events = run({.file_name = "gemm.cake", .text = two_faults()});
  std::map<int, int> calls;
  for (const AgentEvent& event : of(events, Kind::tool)) {
    calls[event.tool.id] += event.tool.answered ? 10 : 1;
    EXPECT_TRUE(find_command(event.tool.name) != nullptr) << event.tool.name;
    EXPECT_EQ(event.tool.answer.empty(), !event.tool.answered) << event.tool.name;
    EXPECT_GE(event.tool.step, 0);
  }
  EXPECT_GE(calls.size(), 5u);
  for (const auto& [id, count] : calls) EXPECT_EQ(count, 11) << id;
  const auto plans = of(events, Kind::plan);
  EXPECT_GE(plans.back().plan.size(), 3u);
  for (const PlanStep& step : plans.back().plan) EXPECT_EQ(step.state, StepState::done) << step.title;
}

TEST(Agent, RepairsOnlyTheFindingItWasAskedFor) {
  const auto before = analyse("gemm.cake", two_faults());
  const Finding& last = *std::find_if(before->findings.rbegin(), before->findings.rend(), [](const Finding& f) { return f.severity == Severity::error; });
  const std::vector<AgentEvent> events = run({.goal = AgentGoal::repair_one, .file_name = "gemm.cake", .text = two_faults(), .finding = last});
  const auto proposals = of(events, Kind::proposal);
  ASSERT_EQ(proposals.size(), 1u);
  EXPECT_EQ(proposals[0].evidence.finding, last.id);
}

TEST(Agent, NothingToRepairIsSaidNotProposed) {
  const std::vector<AgentEvent> events = run({.file_name = "gemm.cake", .text = gemm()});
  EXPECT_TRUE(of(events, Kind::proposal).empty());
  EXPECT_EQ(events.back().end, AgentEnd::nothing);
  const std::vector<AgentEvent> empty = run({.file_name = "x.cake", .text = ""});
  EXPECT_EQ(empty.back().kind, Kind::finished);
}

TEST(Agent, TheBudgetEndsTheRun) {
  AgentRequest request{.file_name = "gemm.cake", .text = two_faults()};
  request.budget.analyses = 5;
  const std::vector<AgentEvent> events = run(request);
  EXPECT_EQ(events.back().end, AgentEnd::out_of_budget);
  EXPECT_EQ(events.back().analyses, 5);
}

TEST(Agent, TheBudgetCountsAnalysesOnly) {
  const std::vector<AgentEvent> events = run({.file_name = "gemm.cake", .text = two_faults()});
  int analyses = 1;  // the first check
  for (const AgentEvent& event : of(events, Kind::tool))
    if (event.tool.name == "fix" && event.tool.answered) analyses += std::stoi(event.tool.answer);  // "23 candidates checked"
  EXPECT_GT(analyses, 2);
  EXPECT_EQ(events.back().analyses, analyses);
}

TEST(Agent, ExploresTunablesAndRanksByLogicalSteps) {
  for (const char* wrong : {"2", "3", "4"}) {
    const std::string text = replaced(replaced(gemm(), "choices=[3, 4]", "choices=[2, 3, 4]"), "\"stages\", 4", std::string("\"stages\", ") + wrong);
    const std::vector<AgentEvent> events = run({.goal = AgentGoal::explore, .file_name = "gemm.cake", .text = text});
    const auto before = analyse("gemm.cake", text);
    int64_t best = before->timeline.end;
    for (int64_t stages : {2, 3, 4}) {
      AnalysisOptions options;
      options.tunables = {{"stages", stages}};
      const auto one = analyse("gemm.cake", text, options);
      if (one->count(Severity::error) == 0) best = std::min(best, one->timeline.end);
    }
    const auto proposals = of(events, Kind::proposal);
    ASSERT_EQ(proposals.size(), best < before->timeline.end ? 1u : 0u) << wrong << ": " << before->timeline.end << ", best " << best;
    for (const AgentEvent& proposal : proposals) EXPECT_EQ(proposal.evidence.steps_after, best);
  }
  EXPECT_EQ(run({.goal = AgentGoal::explore, .file_name = "x.cake", .text = "x = 1\n"}).back().end, AgentEnd::nothing);
}

TEST(Agent, StopsWithinASecondAndKeepsItsProposals) {
  std::string text = testing::read_repo_file("tests/fixtures/gemm_four_faults.cake");
  std::mutex mutex;
  std::condition_variable wake;
  bool found = false, finished = false;
  std::vector<AgentEvent> events;
  {
    AgentRun run({.file_name = "gemm.cake", .text = text}, [&](const AgentEvent& event) {
      const std::lock_guard lock(mutex);
      events.push_back(event);
      found = found || (event.kind == Kind::tool && event.tool.name == "fix" && event.tool.answer.find("@@") != std::string::npos);
      finished = finished || event.kind == Kind::finished;
      wake.notify_all();
    });
    std::unique_lock lock(mutex);
    ASSERT_TRUE(wake.wait_for(lock, std::chrono::seconds(60), [&] { return found; }));
    const auto asked = std::chrono::steady_clock::now();
    run.stop();
    ASSERT_TRUE(wake.wait_for(lock, std::chrono::seconds(10), [&] { return finished; }));
    EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(1));
  }
  EXPECT_GE(of(events, Kind::proposal).size(), 1u) << "what was found is kept";
  EXPECT_LT(of(events, Kind::proposal).size(), 4u);
  EXPECT_EQ(events.back().end, AgentEnd::stopped) << events.back().message;
}

}  // namespace
}  // namespace bakery
