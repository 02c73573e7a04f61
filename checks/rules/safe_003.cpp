// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for (Observed kind : {Observed::read_before_write, Observed::overwrite_in_use, Observed::write_conflict})
    for_each_observation(facts, kind, [&](int sample, const Trace& trace, const Observation& seen) {
      if (seen.space != Space::shared || seen.subject.role != seen.other.role || seen.subject.warp == seen.other.warp) return;
      const std::string at = facts.where(trace, seen.subject.iteration);
      const Index other = seen.other_resource == kNone ? seen.resource : seen.other_resource;
      Finding& finding = out.report(
          facts.op_span(seen.subject.op),
          action(facts, seen.subject.op, seen.space, seen.resource, seen.slot) + (at.empty() ? "" : " at " + at) +
              " while another warp of `" + facts.role(seen.other.role) + "` may still be at `" +
              operation(facts.schedule.ops[seen.other.op].code).spelling + "` on `" + facts.slot(seen.space, other, seen.slot) +
              "`; no `lm.sync` lies between" + in_sample(facts, sample));
      describe_conflict(facts, sample, trace, seen, finding);
      finding.expected = "`lm.sync()` between the two";
    });
}

}  // namespace

const Rule rule_SAFE_003 = {
    "SAFE-003", Gate::safety, Severity::error, Confidence::refuted, 1,
    "warps of one role race",
    "warps of one role meet before one uses what another wrote, or overwrites what another still uses",
    "The warps of a role run on their own. What is executed once a role (TMA, bulk stores, `store_wait`) is done by its\n"
    "first warp: the others know nothing of it until they meet in `lm.sync()`.\n"
    "Source: checks.md D7; PTX ISA, an operation of one thread orders only that thread's accesses.",
    "D1, D2, D7, R25",
    "c_s.store(tile, stage=0)\n"
    "lm.fence_proxy()\n"
    "c_s.tma_store(C, coords=(0, 0), stage=0)",
    "Put `lm.sync()` between the two uses.",
    check,
};

}  // namespace bakery
