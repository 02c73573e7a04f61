// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "checks/rule.h"

namespace bakery {
namespace {

// One wrong slot is used by several operations of a role: the first of them speaks for all.
struct First {
  size_t sample;
  const TraceProblem* problem;
  std::set<Index> also;
};

void check(const Facts& facts, Reporter& out) {
  std::map<Index, First> by_role;
  for (size_t s = 0; s < facts.runs.size(); ++s)
    for (const TraceProblem& problem : facts.runs[s].trace.problems) {
      const auto [it, fresh] = by_role.try_emplace(facts.schedule.ops[problem.op].role, First{s, &problem, {}});
      if (!fresh && problem.op != it->second.problem->op) it->second.also.insert(problem.op);
    }
  for (const auto& [role, first] : by_role) {
    const TraceProblem& problem = *first.problem;
    const Trace& trace = facts.runs[first.sample].trace;
    const Op& op = facts.schedule.ops[problem.op];
    const std::string at = facts.where(trace, problem.iteration);
    const bool negative = problem.kind == TraceProblem::negative_use;
    const std::string resource = negative ? facts.schedule.pipelines[problem.resource].name
                                 : problem.space == Space::shared ? facts.schedule.views[problem.resource].name
                                                                  : facts.schedule.barriers[problem.resource].name;
    Finding& finding = out.report(op.stage_span.end == 0 ? op.span : op.stage_span,
                                  negative ? "`" + facts.role(role) + "` asks `" + resource + "` for use " + std::to_string(problem.value) +
                                                 (at.empty() ? "" : " at " + at) + ", before its first"
                                           : "`" + resource + "` has no stage " + std::to_string(problem.value) + (at.empty() ? "" : " at " + at));
    finding.message += in_sample(facts, static_cast<int>(first.sample));
    finding.role = facts.role(role);
    finding.resource = resource;
    finding.iteration = facts.iteration(trace, problem.iteration);
    finding.sample = static_cast<int>(first.sample);
    finding.expected = negative ? "use 0 or later" : "0 … " + std::to_string(problem.limit - 1);
    finding.declared = std::to_string(problem.value);
    for (Index other : first.also)
      finding.related.push_back({facts.op_span(other), finding.role, "", {}, "a slot that does not exist here too"});
  }
}

}  // namespace

const Rule rule_SCHED_008 = {
    "SCHED-008", Gate::schedule, Severity::error, Confidence::refuted, 1,
    "a slot that does not exist",
    "every stage lies in its ring, and every use comes after the first `next`",
    "A pipeline's counter starts before the first use: `previous()` then has no slot. A stage outside of 0 … S-1 would\n"
    "address another barrier or another buffer.\n"
    "Source: language.md, counters; checks.md M3.",
    "M3, S2",
    "lm.arrive(empty, stage=pipe.previous())  # also at the first use",
    "Guard the first iteration (`when=(k > 0)`), or keep the stage below the ring's depth.",
    check,
};

}  // namespace bakery
