// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  if (!facts.target || facts.schedule.pools.empty()) return;
  const int64_t pools = facts.schedule.pool_bytes(), hidden = facts.schedule.hidden_bytes();
  if (pools + hidden <= facts.target->shared_bytes) return;
  const Pool& pool = facts.schedule.pools.back();
  Finding& finding = out.report(pool.span, "shared memory comes to " + std::to_string(pools + hidden) + " bytes, but `" +
                                               facts.target->name + "` has " + std::to_string(facts.target->shared_bytes));
  finding.resource = pool.name;
  finding.expected = "at most " + std::to_string(facts.target->shared_bytes) + " bytes";
  finding.declared = std::to_string(pools) + " bytes of pools and " + std::to_string(hidden) + " of barriers";
}

}  // namespace

const Rule rule_HW_003 = {
    "HW-003", Gate::hardware, Severity::error, Confidence::proved, 1,
    "too much shared memory",
    "pools and the compiler's area fit the target's shared memory",
    "The opt-in limit of dynamic shared memory per CTA is 166912 B on sm_80, 232448 B on sm_90a, sm_100a and sm_103a, and\n"
    "101376 B on sm_89, sm_120a and sm_121a. Barriers (8 B a stage) and the TMEM address lie behind the pools.\n"
    "Source: CUDA programming guide, compute capabilities.",
    "H2, R1",
    "pool = lm.smem(262144)",
    "Use fewer stages, smaller tiles, or views that share bytes in an alias group.",
    check,
};

}  // namespace bakery
