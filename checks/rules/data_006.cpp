// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for_each_observation(facts, Observed::uninitialised, [&](int sample, const Trace& trace, const Observation& seen) {
    const std::string at = facts.where(trace, seen.subject.iteration);
    const bool accumulates = seen.space != Space::shared;
    Finding& finding = out.report(facts.op_span(seen.subject.op),
                                  "`" + facts.role(seen.subject.role) + "` " + (accumulates ? "uses the value of `" : "reads `") +
                                      facts.slot(seen.space, seen.resource, seen.slot) + "`" + (at.empty() ? "" : " at " + at) +
                                      ", which nothing has written" + in_sample(facts, sample));
    describe_conflict(facts, sample, trace, seen, finding);
    finding.expected = accumulates ? "a first MMA with `init=` true" : "a write of the slot before this read";
  });
}

}  // namespace

const Rule rule_DATA_006 = {
    "DATA-006", Gate::data, Severity::error, Confidence::refuted, 1,
    "a read of what nothing has written",
    "memory and accumulators are written before they are read",
    "Shared memory, tensor memory and registers hold garbage at launch. The first MMA of an accumulation must overwrite\n"
    "(`init=`), and a slot must be filled before it is used.\n"
    "Source: checks.md D12.",
    "D12",
    "lm.mma(acc, a_s[s], b_s[s], init=False)  # acc has no value yet",
    "Pass `init=(k == 0)` for the first MMA of an accumulation; fill the slot first.",
    check,
};

}  // namespace bakery
