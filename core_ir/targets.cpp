// SPDX-License-Identifier: Apache-2.0
#include "core_ir/targets.h"

namespace bakery {

// Shared memory: CUDA programming guide, compute capability table (opt-in limit per CTA).
const std::vector<Target>& targets() {
  static const std::vector<Target> table = {
      {TargetId::sm_80, "sm_80", "A100", 166912, 0, "mma.sync", false},
      {TargetId::sm_89, "sm_89", "L40S, RTX 6000 Ada", 101376, 0, "mma.sync", false},
      {TargetId::sm_90a, "sm_90a", "H100, H200", 232448, 0, "wgmma", true},
      {TargetId::sm_100a, "sm_100a", "B200", 232448, 512, "tcgen05", true},
      {TargetId::sm_103a, "sm_103a", "B300", 232448, 512, "tcgen05", true},
      {TargetId::sm_120a, "sm_120a", "RTX 5090, RTX PRO 6000", 101376, 0, "mma.sync", true},
      {TargetId::sm_121a, "sm_121a", "DGX Spark", 101376, 0, "mma.sync", true},
  };
  return table;
}

const Target* find_target(std::string_view name) {
  for (const Target& target : targets())
    if (name == target.name) return &target;
  return nullptr;
}

bool contains(TargetSet set, TargetId id) { return (set & bit(id)) != 0; }

}  // namespace bakery
