// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for_each_observation(facts, Observed::never_produced, [&](int sample, const Trace& trace, const Observation& seen) {
    const Barrier& barrier = facts.schedule.barriers[seen.barrier];
    std::string producers;
    for (Index role : barrier.producers) producers += (producers.empty() ? "`" : ", `") + facts.role(role) + "`";
    const std::string at = facts.where(trace, seen.subject.iteration);
    Finding& finding = out.report(
        facts.op_span(seen.subject.op),
        "`" + facts.role(seen.subject.role) + "` waits for completion " + std::to_string(seen.completion) + " of `" +
            facts.barrier_stage(seen.barrier, seen.stage) + "`" + (at.empty() ? "" : " at " + at) + ", but " + producers +
            (seen.producible == 0 ? std::string(barrier.producers.size() > 1 ? " never complete it" : " never completes it")
                                  : std::string(barrier.producers.size() > 1 ? " complete it only " : " completes it only ") + std::to_string(seen.producible) +
                                                                    (seen.producible == 1 ? " time" : " times")) +
            in_sample(facts, sample));
    describe_barrier(facts, sample, trace, seen, finding);
    finding.expected = std::to_string(seen.expected) + (seen.expected == 1 ? " arrival" : " arrivals");
    finding.declared = std::to_string(seen.arrived) + (seen.arrived == 1 ? " arrival" : " arrivals");
  });
}

}  // namespace

const Rule rule_SCHED_003 = {
    "SCHED-003", Gate::schedule, Severity::error, Confidence::refuted, 1,
    "a wait for a completion that is never produced",
    "every awaited completion is produced",
    "Over the whole run the producers make fewer arrivals on this stage than the wait needs, whatever the order of events:\n"
    "an arrival is missing, skipped by its condition, or `init_count` asks for more than there are.\n"
    "Source: checks.md M1, M5; PTX ISA, mbarrier phase completion.",
    "M1, M5, R12, R13",
    "lm.arrive(empty, stage=s, when=(k > 0))  # never for the last k",
    "Add the missing arrival (after the loop, say), make its condition agree with the wait's, or correct `init_count`.",
    check,
};

}  // namespace bakery
