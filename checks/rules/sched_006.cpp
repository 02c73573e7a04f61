// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for_each_observation(facts, Observed::unawaited, [&](int sample, const Trace& trace, const Observation& seen) {
    const Barrier& barrier = facts.schedule.barriers[seen.barrier];
    Span span = barrier.span;
    Index wait = kNone;
    for (Index i = 0; i < facts.schedule.ops.size(); ++i) {
      const Op& op = facts.schedule.ops[i];
      if (op.barrier == seen.barrier && op.role == seen.subject.role && operation(op.code).barrier == BarrierAction::wait) wait = i;
    }
    if (wait != kNone) span = facts.op_span(wait);
    Finding& finding = out.report(span, "`" + facts.role(seen.subject.role) + "` ends after " + std::to_string(seen.expected) + " of " +
                                            std::to_string(seen.arrived) + " completions of `" + facts.barrier_stage(seen.barrier, seen.stage) + "`" +
                                            in_sample(facts, sample));
    describe_barrier(facts, sample, trace, seen, finding);
    finding.expected = "at least " + std::to_string(seen.arrived - 1) + " awaited";
    finding.declared = std::to_string(seen.expected) + " awaited";
  });
}

}  // namespace

const Rule rule_SCHED_006 = {
    "SCHED-006", Gate::schedule, Severity::error, Confidence::refuted, 1,
    "completions that a consumer leaves unawaited",
    "at exit a consumer has left at most one completion of a stage unawaited",
    "A consumer that waits less often than the barrier completes has skipped hand-offs: what it used was not what it waited\n"
    "for, or the roles disagree about their trip counts.\n"
    "Source: checks.md M1.",
    "M1, M4, R13",
    "for k in lm.range(0, n): a_s.tma_load(…, barrier=full)   # load\n"
    "for k in lm.range(0, n - 2): lm.wait(full, stage=0)     # mma",
    "Wait once for every completion; give both roles the same loop bounds.",
    check,
};

}  // namespace bakery
