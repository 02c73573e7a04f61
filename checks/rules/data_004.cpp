// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for_each_observation(facts, Observed::write_conflict, [&](int sample, const Trace& trace, const Observation& seen) {
    const bool inside = seen.subject.role == seen.other.role && seen.subject.warp != seen.other.warp;
    if (inside && seen.space == Space::shared) return;  // SAFE-003
    const std::string at = facts.where(trace, seen.subject.iteration);
    const std::string before = facts.where(trace, seen.other.iteration);
    const Index other = seen.other_resource == kNone ? seen.resource : seen.other_resource;
    Finding& finding = out.report(facts.op_span(seen.subject.op),
                                  action(facts, seen.subject.op, seen.space, seen.resource, seen.slot) + (at.empty() ? "" : " at " + at) +
                                      " and nothing orders that after this write: " + action(facts, seen.other.op, seen.space, other, seen.slot) +
                                      (before.empty() ? "" : " of " + before) + in_sample(facts, sample));
    describe_conflict(facts, sample, trace, seen, finding);
    finding.declared = "no order between the two";
  });
}

}  // namespace

const Rule rule_DATA_004 = {
    "DATA-004", Gate::data, Severity::error, Confidence::refuted, 1,
    "two writes that nothing orders",
    "two writes of the same bytes are ordered",
    "If nothing orders two writes, either of them can be the last one. Two copies into one slot need the consumer's release\n"
    "between them.\n"
    "Source: checks.md D2.",
    "D2",
    "a_s.tma_load(A, coords=(0, 0), stage=0, barrier=full)\n"
    "a_s.tma_load(A, coords=(64, 0), stage=0, barrier=full)",
    "Fill another stage, or wait for the slot's release before the second write.",
    check,
};

}  // namespace bakery
