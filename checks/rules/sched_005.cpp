// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for_each_observation(facts, Observed::lapped_waiter, [&](int sample, const Trace& trace, const Observation& seen) {
    if (&seen != first_slip(facts)) return;
    const std::string at = facts.where(trace, seen.subject.iteration);
    Finding& finding = out.report(facts.op_span(seen.subject.op),
                                  "`" + facts.barrier_stage(seen.barrier, seen.stage) + "` can complete " + std::to_string(seen.completion + 1) +
                                      " times before " + (seen.subject.warp == 0 ? "`" : "another warp of `") + facts.role(seen.subject.role) + "` has waited for completion " +
                                      std::to_string(seen.completion) + (at.empty() ? "" : " at " + at) + in_sample(facts, sample));
    describe_barrier(facts, sample, trace, seen, finding);
    finding.expected = "at most one completion ahead of the waiter";
  });
}

}  // namespace

const Rule rule_SCHED_005 = {
    "SCHED-005", Gate::schedule, Severity::error, Confidence::refuted, 1,
    "a lapped waiter",
    "each consumer's wait for a completion happens before the last arrival of the next one",
    "A waiter sees the parity of a phase. If the barrier can complete again before it looked, it sees the old parity, waits\n"
    "for a completion that has passed, or takes the second one for the first.\n"
    "Source: PTX ISA, mbarrier.test_wait: only the current and the immediately preceding phase can be awaited; checks.md M4.",
    "M2, M4, R13",
    "with load: a_s.tma_load(A, …, stage=0, barrier=full)  # twice, without waiting for the release",
    "Let the producer wait (on an empty barrier) for the consumer before it completes the stage again.",
    check,
};

}  // namespace bakery
