// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for (const View& view : facts.schedule.views) {
    const Pool& pool = facts.schedule.pools[view.pool];
    const int64_t end = view.offset + view.bytes();
    if (end <= pool.bytes) continue;
    Finding& finding = out.report(view.stage_span.end != 0 && view.offset + view.stage_bytes() <= pool.bytes ? view.stage_span : view.offset_span,
                                  "`" + view.name + "` ends at byte " + std::to_string(end) + ", but `" + pool.name + "` has " +
                                      std::to_string(pool.bytes) + " bytes");
    finding.resource = view.name;
    finding.expected = "at most " + std::to_string(pool.bytes) + " bytes";
    finding.declared = std::to_string(view.offset) + " + " + std::to_string(view.stages) + " x " + std::to_string(view.stage_bytes()) +
                       " = " + std::to_string(end) + " bytes";
    finding.related.push_back({pool.span, "", pool.name, {}, "the pool is declared here"});
  }
}

}  // namespace

const Rule rule_SAFE_004 = {
    "SAFE-004", Gate::safety, Severity::error, Confidence::proved, 1,
    "a view leaves its pool",
    "every access lies inside its declared memory",
    "A view's bytes are offset … offset + stages x stage size. Behind the pool lie the barriers, so a view that leaves it\n"
    "overwrites them.\n"
    "Source: checks.md S2.",
    "S2, R1",
    "pool = lm.smem(1024)\n"
    "a_s = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16)",
    "Make the pool larger, or the view shallower or smaller.",
    check,
};

}  // namespace bakery
