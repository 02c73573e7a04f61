// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for (const Op& op : facts.schedule.ops) {
    if (op.barrier == kNone) continue;
    const Barrier& barrier = facts.schedule.barriers[op.barrier];
    const bool waits = operation(op.code).barrier == BarrierAction::wait;
    const std::vector<Index>& declared = waits ? barrier.consumers : barrier.producers;
    if (std::find(declared.begin(), declared.end(), op.role) != declared.end()) continue;
    std::string names;
    for (Index role : declared) names += (names.empty() ? "" : ", ") + facts.role(role);
    Finding& finding = out.report(op.span, "`" + facts.role(op.role) + "` " + (waits ? "waits" : "arrives") + " on `" + barrier.name +
                                               "` but is not declared as its " + (waits ? "consumer" : "producer"));
    finding.role = facts.role(op.role);
    finding.resource = barrier.name;
    finding.expected = names;
    finding.declared = facts.role(op.role);
    finding.related.push_back({barrier.span, "", barrier.name, {}, "`" + barrier.name + "` is declared here"});
  }
}

}  // namespace

const Rule rule_SCHED_001 = {
    "SCHED-001", Gate::schedule, Severity::error, Confidence::proved, 1,
    "a role that is not declared on the barrier",
    "only declared producers arrive on a barrier and only declared consumers wait on it",
    "The declaration is what makes a hand-off visible, and what the count is checked against. A stray arrival completes a\n"
    "phase for somebody else; a stray wait misses or steals completions.\n"
    "Source: checks.md M9.",
    "M5, M9, R12",
    "full = lm.barrier(count=2, prod=[load], cons=[mma], init_count=1)\n"
    "with store: lm.wait(full, stage=0)",
    "Add the role to `prod=` or `cons=`, or use a barrier of its own.",
    check,
};

}  // namespace bakery
