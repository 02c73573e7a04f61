// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for_each_observation(facts, Observed::under_arrival, [&](int sample, const Trace& trace, const Observation& seen) {
    const Barrier& barrier = facts.schedule.barriers[seen.barrier];
    Finding& finding = out.report(seen.subject.op == kNone ? barrier.span : facts.op_span(seen.subject.op),
                                  "completion " + std::to_string(seen.completion) + " of `" + facts.barrier_stage(seen.barrier, seen.stage) +
                                      "` has " + std::to_string(seen.arrived) + " of " + std::to_string(seen.expected) +
                                      " arrivals when all roles have ended" + in_sample(facts, sample));
    describe_barrier(facts, sample, trace, seen, finding);
    finding.expected = std::to_string(seen.expected) + (seen.expected == 1 ? " arrival" : " arrivals");
    finding.declared = std::to_string(seen.arrived) + (seen.arrived == 1 ? " arrival" : " arrivals");
  });
}

}  // namespace

const Rule rule_SCHED_007 = {
    "SCHED-007", Gate::schedule, Severity::error, Confidence::refuted, 1,
    "a completion begun but never finished",
    "at exit no completion is half arrived",
    "Arrivals that never add up to `init_count` leave the barrier in the middle of a phase: a producer is missing, or the\n"
    "count is too high. The next tile or launch of the same ring would start shifted.\n"
    "Source: checks.md M5, M8.",
    "M5, R12",
    "done = lm.barrier(count=1, prod=[a, b], cons=[c], init_count=2)  # only a arrives",
    "Let every producer arrive, or correct `init_count`.",
    check,
};

}  // namespace bakery
