// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for_each_observation(facts, Observed::missing_fence, [&](int sample, const Trace& trace, const Observation& seen) {
    const std::string at = facts.where(trace, seen.subject.iteration);
    const Index other = seen.other_resource == kNone ? seen.resource : seen.other_resource;
    Finding& finding = out.report(facts.op_span(seen.subject.op),
                                  action(facts, seen.subject.op, seen.space, seen.resource, seen.slot) + (at.empty() ? "" : " at " + at) +
                                      " through the async proxy, but no `lm.fence_proxy` follows the ordinary write before its release: " +
                                      action(facts, seen.other.op, seen.space, other, seen.slot) + in_sample(facts, sample));
    describe_conflict(facts, sample, trace, seen, finding);
    finding.expected = "`lm.fence_proxy()` by the writers, before their release";
    finding.declared = "no fence";
  });
}

}  // namespace

const Rule rule_DATA_005 = {
    "DATA-005", Gate::data, Severity::error, Confidence::refuted, 1,
    "a missing proxy fence",
    "ordinary writes are fenced before an async access sees them",
    "TMA, wgmma and tcgen05 read shared memory through the async proxy, which does not see ordinary writes until the writing\n"
    "thread has executed `fence.proxy.async` and then released them. A fence after the release, or by a thread that did not\n"
    "write, orders nothing.\n"
    "Source: PTX ISA, async proxy; checks.md D5.",
    "D5, R15",
    "c_s.store(tile, stage=0)\n"
    "lm.sync()\n"
    "c_s.tma_store(C, coords=(0, 0), stage=0)",
    "Put `lm.fence_proxy()` after the writes and before the `lm.sync()` or `lm.arrive` that releases them.",
    check,
};

}  // namespace bakery
