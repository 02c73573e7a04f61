// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for (const View& view : facts.schedule.views) {
    bool async = false;
    for (const Op& op : facts.schedule.ops) {
      for (const Effect& effect : operation(op.code).effects) {
        const std::string_view name = effect.operand;
        const Region& region = name == "a" || (name == "self" && op.dst.space == Space::none) ? op.a : name == "b" ? op.b : op.dst;
        async |= effect.proxy == Proxy::async && region.space == Space::shared && &facts.schedule.views[region.resource] == &view;
      }
    }
    int64_t needed = async ? 128 : 16;
    if (async) needed = view.swizzle ? std::max(128, *view.swizzle * 8) : view.row_bytes() >= 128 ? 1024 : std::max<int64_t>(128, view.row_bytes() * 8);
    const bool stages_fit = view.stages == 1 || view.stage_bytes() % needed == 0;
    if (view.offset % needed == 0 && stages_fit) continue;
    const bool offset = view.offset % needed != 0;
    Finding& finding = out.report(offset ? view.offset_span : view.shape_span,
                                  "`" + view.name + "` starts at byte " + std::to_string(offset ? view.offset : view.offset + view.stage_bytes()) +
                                      (offset ? "" : " in stage 1") + ", but needs multiples of " + std::to_string(needed));
    finding.resource = view.name;
    finding.expected = "a multiple of " + std::to_string(needed);
    finding.declared = std::to_string(offset ? view.offset : view.stage_bytes());
  }
}

}  // namespace

const Rule rule_HW_006 = {
    "HW-006", Gate::hardware, Severity::error, Confidence::proved, 1,
    "a misaligned view",
    "every stage of a view starts where its accesses need it",
    "TMA needs 128-byte aligned shared memory. A swizzle pattern repeats every 256, 512 or 1024 bytes (span 32, 64, 128),\n"
    "and TMA, wgmma and tcgen05 agree on it only if every stage starts at a multiple of that.\n"
    "Source: PTX ISA, swizzling modes and matrix descriptors; hardware.md 3.",
    "H8, H12, R3",
    "a_s = pool.view(offset=512, shape=(128, 64), dtype=lm.bf16, stage=4, swizzle=128)",
    "Move the view to a multiple of 1024 bytes and keep its stages multiples of 1024.",
    check,
};

}  // namespace bakery
