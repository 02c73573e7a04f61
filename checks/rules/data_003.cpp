// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for_each_observation(facts, Observed::overwrite_in_use, [&](int sample, const Trace& trace, const Observation& seen) {
    const bool inside = seen.subject.role == seen.other.role && seen.subject.warp != seen.other.warp;
    if (inside && seen.space == Space::shared) return;  // SAFE-003
    const std::string at = facts.where(trace, seen.subject.iteration);
    const std::string before = facts.where(trace, seen.other.iteration);
    const Index other = seen.other_resource == kNone ? seen.resource : seen.other_resource;
    Finding& finding = out.report(facts.op_span(seen.subject.op),
                                  action(facts, seen.subject.op, seen.space, seen.resource, seen.slot) + (at.empty() ? "" : " at " + at) +
                                      " while this may still run: " + action(facts, seen.other.op, seen.space, other, seen.slot) +
                                      (before.empty() ? "" : " of " + before) + in_sample(facts, sample));
    describe_conflict(facts, sample, trace, seen, finding);
    finding.declared = "no order between the two";
  });
}

}  // namespace

const Rule rule_DATA_003 = {
    "DATA-003", Gate::data, Severity::error, Confidence::refuted, 1,
    "a slot overwritten while in use",
    "bytes are overwritten after all earlier accesses to them are complete",
    "Before a slot is filled again, every reader must be done with it: an asynchronous reader (wgmma, a bulk store) is done\n"
    "only when an `mma_wait` or `store_wait` covers it, and the writer knows that only through a barrier.\n"
    "Source: checks.md D2; PTX ISA, wgmma.wait_group, cp.async.bulk.wait_group.read.",
    "D2, R13, R25",
    "lm.mma(acc, a_s[s], b_s[s], init=False)\n"
    "lm.arrive(empty, stage=s)   # no lm.mma_wait before the release",
    "Put `lm.mma_wait` (or `lm.store_wait`) before the release, and a wait on the empty barrier before the next fill.",
    check,
};

}  // namespace bakery
