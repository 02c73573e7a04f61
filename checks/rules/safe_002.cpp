// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  const auto& roles = facts.schedule.roles;
  for (size_t a = 0; a < roles.size(); ++a)
    for (size_t b = a + 1; b < roles.size(); ++b) {
      std::vector<int> shared;
      std::set_intersection(roles[a].warps.begin(), roles[a].warps.end(), roles[b].warps.begin(), roles[b].warps.end(),
                            std::back_inserter(shared));
      if (shared.empty()) continue;
      Finding& finding = out.report(roles[b].warps_span, "`" + roles[b].name + "` and `" + roles[a].name + "` both own warp " +
                                                             std::to_string(shared.front()));
      finding.role = roles[b].name;
      finding.resource = roles[b].name;
      finding.declared = std::to_string(shared.size()) + " shared " + (shared.size() == 1 ? "warp" : "warps");
      finding.related.push_back({roles[a].warps_span, roles[a].name, roles[a].name, {}, "`" + roles[a].name + "` owns it here"});
    }
}

}  // namespace

const Rule rule_SAFE_002 = {
    "SAFE-002", Gate::safety, Severity::error, Confidence::proved, 1,
    "a warp in two roles",
    "every warp belongs to at most one role",
    "A warp executes one program. Two roles that share a warp would need both bodies at once.\n"
    "Source: checks.md S1; a CTA has at most 32 warps (CUDA programming guide).",
    "S1, R5",
    "load = lm.role(warps=[0])\n"
    "mma = lm.role(warps=range(0, 4))",
    "Give each role its own warps.",
    check,
};

}  // namespace bakery
