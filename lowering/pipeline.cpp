// SPDX-License-Identifier: Apache-2.0
#include "lowering/lower.h"
#include "lowering/plan.h"

namespace bakery {
namespace lowering {
namespace {

struct NamedPass {
  PassInfo info;
  Pass run;
};

constexpr NamedPass kPasses[] = {
    {{"limits", "refuses what this target's emitters cannot say"}, plan_limits},
    {{"names", "C++ names for parameters and variables"}, plan_names},
    {{"layout", "view offsets, swizzle and panels; barriers and hidden slots behind the pools"}, plan_layout},
    {{"roles", "who is elected, register changes, ids of the role barriers"}, plan_roles},
    {{"barriers", "arrival counts in threads"}, plan_barriers},
    {{"fills", "copies that share one arrival and one byte count"}, plan_fills},
    {{"maps", "one tensor map a tensor and view"}, plan_maps},
    {{"manifest", "what the launcher needs"}, plan_manifest},
};

}  // namespace
}  // namespace lowering

std::vector<PassInfo> lowering_passes() {
  std::vector<PassInfo> infos;
  for (const lowering::NamedPass& pass : lowering::kPasses) infos.push_back(pass.info);
  infos.push_back({"emit", "the CUDA text and its line map"});
  return infos;
}

LowerResult lower(const CheckedSchedule& checked, const LowerOptions& options) {
  lowering::Plan plan(checked, options);
  for (const lowering::NamedPass& pass : lowering::kPasses) pass.run(plan);
  LowerResult result;
  if (plan.findings.empty()) result.lowered = lowering::emit(plan);
  result.findings = std::move(plan.findings);
  return result;
}

}  // namespace bakery
