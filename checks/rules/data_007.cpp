// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for_each_observation(facts, Observed::register_in_flight, [&](int sample, const Trace& trace, const Observation& seen) {
    const std::string at = facts.where(trace, seen.subject.iteration);
    Finding& finding = out.report(facts.op_span(seen.subject.op),
                                  "`" + facts.role(seen.subject.role) + "` touches `" + facts.slot(seen.space, seen.resource, -1) + "`" +
                                      (at.empty() ? "" : " at " + at) + " before an `mma_wait` covers its last MMA" + in_sample(facts, sample));
    describe_conflict(facts, sample, trace, seen, finding);
    finding.expected = "`lm.mma_wait(pending=0)` before the use";
  });
}

}  // namespace

const Rule rule_DATA_007 = {
    "DATA-007", Gate::data, Severity::error, Confidence::refuted, 1,
    "an accumulator touched while its MMA runs",
    "registers of an MMA are touched after an `mma_wait` covers it",
    "wgmma writes its accumulator registers asynchronously. Reading or changing them before `wgmma.wait_group` covers the\n"
    "group gives arbitrary values; the compiler may only notice by serialising every MMA.\n"
    "Source: PTX ISA, wgmma; checks.md H13, D3.",
    "H13, D3, R16",
    "lm.mma(acc, a_s[s], b_s[s], init=True)\n"
    "c_s.store(lm.cast(acc, lm.bf16), stage=0)",
    "Put `lm.mma_wait(pending=0)` between the last MMA and the use of its accumulator.",
    check,
};

}  // namespace bakery
