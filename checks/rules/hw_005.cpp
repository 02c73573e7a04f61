// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for (const View& view : facts.schedule.views) {
    const Op* user = nullptr;
    for (const Op& op : facts.schedule.ops)
      if (op.param != kNone && ((op.dst.space == Space::shared && &facts.schedule.views[op.dst.resource] == &view) ||
                                (op.a.space == Space::shared && &facts.schedule.views[op.a.resource] == &view)))
        user = &op;
    const auto report = [&](Span span, std::string message, std::string expected, std::string declared) {
      Finding& finding = out.report(span, std::move(message));
      finding.resource = view.name;
      finding.expected = std::move(expected);
      finding.declared = std::move(declared);
      if (user) {
        finding.role = facts.role(user->role);
        finding.related.push_back({user->span, finding.role, view.name, {}, "copied by `" + std::string(operation(user->code).spelling) + "` here"});
      }
    };
    if (view.swizzle && *view.swizzle > 0 && view.row_bytes() > *view.swizzle) {
      report(view.swizzle_span, "a row of `" + view.name + "` has " + std::to_string(view.row_bytes()) + " bytes, longer than its swizzle span",
             "rows of at most " + std::to_string(*view.swizzle) + " bytes", std::to_string(view.row_bytes()));
      continue;
    }
    if (!user) continue;
    if (view.row_bytes() % 16 != 0) {
      report(view.shape_span, "a row of `" + view.name + "` has " + std::to_string(view.row_bytes()) + " bytes", "a multiple of 16",
             std::to_string(view.row_bytes()));
      continue;
    }
    for (size_t d = 0; d < view.shape.size(); ++d) {
      const bool inner = d + 1 == view.shape.size();
      // A long row without a swizzle promise is split into panels of 128 bytes.
      const int64_t extent = inner && !view.swizzle ? std::min<int64_t>(view.shape[d], 128 / info(view.dtype).bytes) : view.shape[d];
      if (extent <= 256) continue;
      report(view.shape_span, "dimension " + std::to_string(d) + " of the box `" + view.name + "` has " + std::to_string(extent) + " elements",
             "at most 256", std::to_string(extent));
      break;
    }
  }
}

}  // namespace

const Rule rule_HW_005 = {
    "HW-005", Gate::hardware, Severity::error, Confidence::proved, 1,
    "a box that TMA cannot copy",
    "a view that TMA fills or stores is a legal box",
    "A box has 1 to 5 dimensions of 1 to 256 elements, its inner row is a multiple of 16 bytes, and with a swizzle the row\n"
    "is no longer than the swizzle's span. Without `swizzle=` lowering splits a longer row into panels of one span each.\n"
    "Source: CUDA driver API, cuTensorMapEncodeTiled.",
    "H7, R2, R10",
    "a_s = pool.view(offset=0, shape=(128, 64), dtype=lm.bf16, swizzle=64)",
    "Make the inner row equal to the swizzle's span (64 bf16 elements for 128), or leave `swizzle=` out.",
    check,
};

}  // namespace bakery
