// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for_each_observation(facts, Observed::over_arrival, [&](int sample, const Trace& trace, const Observation& seen) {
    if (&seen != first_slip(facts)) return;
    const std::string at = facts.where(trace, seen.subject.iteration);
    Finding& finding = out.report(facts.op_span(seen.subject.op),
                                  "`" + facts.role(seen.subject.role) + "` arrives on `" + facts.barrier_stage(seen.barrier, seen.stage) + "`" +
                                      (at.empty() ? "" : " at " + at) + " without being ordered after completion " +
                                      std::to_string(seen.completion) + ": it can be one arrival too many for it" + in_sample(facts, sample));
    describe_barrier(facts, sample, trace, seen, finding);
    const Barrier& barrier = facts.schedule.barriers[seen.barrier];
    finding.expected = std::to_string(barrier.init_count) + (barrier.init_count == 1 ? " arrival" : " arrivals") + " a completion";
    int agents = 0;
    for (Index role : barrier.producers) agents += facts.schedule.roles[role].agents();
    finding.declared = std::to_string(agents) + (agents == 1 ? " arriving agent" : " arriving agents");
  });
}

}  // namespace

const Rule rule_SCHED_004 = {
    "SCHED-004", Gate::schedule, Severity::error, Confidence::refuted, 1,
    "an arrival too many",
    "a completion gets exactly `init_count` arrivals, each ordered after the completion before",
    "An arrival that is not ordered after the previous completion can be counted towards it: the barrier then completes too\n"
    "early for one side and the phases of the two sides drift apart. `init_count` counts agents: warpgroups of a role that is\n"
    "made of whole ones, else warps.\n"
    "Source: checks.md M5; PTX ISA, mbarrier arrival count.",
    "M4, M5, R12",
    "empty = lm.barrier(count=4, prod=[mma], cons=[load], init_count=1)  # mma is two warpgroups",
    "Set `init_count` to the number of arriving agents, or wait for the previous completion before arriving.",
    check,
};

}  // namespace bakery
