// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for (size_t s = 0; s < facts.runs.size(); ++s)
    for (const TraceProblem& problem : facts.runs[s].trace.problems) {
      const Op& op = facts.schedule.ops[problem.op];
      const std::string at = facts.where(facts.runs[s].trace, problem.iteration);
      const bool negative = problem.kind == TraceProblem::negative_use;
      const std::string resource = negative ? facts.schedule.pipelines[problem.resource].name
                                   : problem.space == Space::shared ? facts.schedule.views[problem.resource].name
                                                                    : facts.schedule.barriers[problem.resource].name;
      Finding& finding = out.report(op.stage_span.end == 0 ? op.span : op.stage_span,
                                    negative ? "`" + facts.role(op.role) + "` asks `" + resource + "` for use " + std::to_string(problem.value) +
                                                   (at.empty() ? "" : " at " + at) + ", before its first"
                                             : "`" + resource + "` has no stage " + std::to_string(problem.value) + (at.empty() ? "" : " at " + at));
      finding.message += in_sample(facts, static_cast<int>(s));
      finding.role = facts.role(op.role);
      finding.resource = resource;
      finding.iteration = facts.iteration(facts.runs[s].trace, problem.iteration);
      finding.sample = static_cast<int>(s);
      finding.expected = negative ? "use 0 or later" : "0 … " + std::to_string(problem.limit - 1);
      finding.declared = std::to_string(problem.value);
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
