// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for (Index b = 0; b < facts.schedule.barriers.size(); ++b) {
    const Barrier& barrier = facts.schedule.barriers[b];
    bool used = false;
    for (const Op& op : facts.schedule.ops) used |= op.barrier == b;
    if (!used) continue;  // a hint says so
    for (const bool waits : {false, true})
      for (Index role : waits ? barrier.consumers : barrier.producers) {
        bool found = false;
        for (const Op& op : facts.schedule.ops)
          found |= op.barrier == b && op.role == role && (operation(op.code).barrier == BarrierAction::wait) == waits;
        if (found) continue;
        Finding& finding = out.report(barrier.span, "`" + facts.role(role) + "` is declared as a " + (waits ? "consumer" : "producer") + " of `" +
                                                        barrier.name + "` but never " + (waits ? "waits on it" : "arrives on it"));
        finding.role = facts.role(role);
        finding.resource = barrier.name;
        finding.expected = waits ? "a wait on `" + barrier.name + "` in `" + facts.role(role) + "`"
                                 : "an arrival on `" + barrier.name + "` in `" + facts.role(role) + "`";
        finding.declared = "none";
        for (const Op& op : facts.schedule.ops)
          if (op.barrier == b) {
            finding.related.push_back({op.span, facts.role(op.role), barrier.name, {}, "`" + facts.role(op.role) + "` uses it here"});
            break;
          }
      }
  }
}

}  // namespace

const Rule rule_SCHED_002 = {
    "SCHED-002", Gate::schedule, Severity::error, Confidence::proved, 1,
    "a declared hand-off that is missing",
    "every declared producer arrives and every declared consumer waits",
    "A producer without any arrival can never complete a phase; a consumer without any wait does not follow the hand-off\n"
    "it was declared for.\n"
    "Source: checks.md M1, M9.",
    "M1, M9, R12",
    "empty = lm.barrier(count=2, prod=[mma], cons=[load], init_count=1)  # mma never arrives",
    "Add the arrival or the wait, or take the role out of the declaration.",
    check,
};

}  // namespace bakery
