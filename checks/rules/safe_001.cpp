// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for_each_observation(facts, Observed::deadlock, [&](int sample, const Trace& trace, const Observation& seen) {
    const std::string at = facts.where(trace, seen.subject.iteration);
    std::string message = "`" + facts.role(seen.subject.role) + "` waits for completion " + std::to_string(seen.completion) + " of `" +
                          facts.barrier_stage(seen.barrier, seen.stage) + "`";
    if (!at.empty()) message += " at " + at;
    for (const Party& party : seen.cycle) {
      if (party.role == seen.subject.role) continue;
      const Op& op = facts.schedule.ops[party.op];
      message += ", while `" + facts.role(party.role) + "` waits for `" + facts.barrier_stage(op.barrier, party.stage) + "`";
    }
    if (seen.cycle.size() == 1) message += ", whose arrival comes later in the same role";
    Finding& finding = out.report(facts.op_span(seen.subject.op), message + in_sample(facts, sample));
    describe_barrier(facts, sample, trace, seen, finding);
    finding.expected = std::to_string(seen.expected) + (seen.expected == 1 ? " arrival" : " arrivals");
    finding.declared = std::to_string(seen.arrived) + (seen.arrived == 1 ? " arrival" : " arrivals") + " when all roles are stuck";
  });
}

}  // namespace

const Rule rule_SAFE_001 = {
    "SAFE-001", Gate::safety, Severity::error, Confidence::refuted, 1,
    "roles wait for each other",
    "every wait is released in every order of events",
    "Each stuck role waits for an arrival that another stuck role would make later. Barriers form a marked graph (every\n"
    "arrival belongs to one completion), so if the canonical order gets stuck, every order does.\n"
    "Source: PTX ISA, mbarrier; checks.md S5.",
    "S5, R13",
    "with load: lm.wait(b); lm.arrive(a)\n"
    "with mma:  lm.wait(a); lm.arrive(b)",
    "Break the cycle: arrive before waiting, declare the barrier `free=True` if its slots start free, or make the ring deeper.",
    check,
};

}  // namespace bakery
