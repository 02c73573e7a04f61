// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  if (facts.runs.empty()) return;
  for (Index i = 0; i < facts.schedule.ops.size(); ++i) {
    const Op& op = facts.schedule.ops[i];
    if (!operation(op.code).fence) continue;
    bool executed = false, useful = false;
    for (const SampleRun& sample : facts.runs) {
      executed |= sample.run.executed[i] != 0;
      useful |= sample.run.fence_useful[i] != 0;
    }
    if (!executed || useful) continue;
    Finding& finding = out.report(op.span, "this fence orders nothing: `" + facts.role(op.role) + "` has made no ordinary shared-memory writes before it");
    finding.role = facts.role(op.role);
    finding.resource = op.role == kNone ? "" : facts.role(op.role);
  }
}

}  // namespace

const Rule rule_HINT_002 = {
    "HINT-002", Gate::hint, Severity::hint, Confidence::likely, 1,
    "a fence that orders nothing",
    "a proxy fence follows ordinary writes",
    "`lm.fence_proxy` orders this thread's earlier ordinary writes before async accesses. Where both sides go through the\n"
    "async proxy (TMA fills, MMA reads), the barrier already orders them and the fence only costs time.\n"
    "Source: PTX ISA: the completion of a bulk copy carries the fence; checks.md N12.",
    "D5",
    "lm.wait(full, stage=s)\n"
    "lm.fence_proxy()\n"
    "lm.mma(acc, a_s[s], b_s[s], init=True)",
    "Take the fence out.",
    check,
};

}  // namespace bakery
