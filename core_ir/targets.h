// SPDX-License-Identifier: Apache-2.0
// Exact targets and their limits. A schedule for one target runs on that target only.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace bakery {

enum class TargetId : uint8_t { sm_80, sm_89, sm_90a, sm_100a, sm_103a, sm_120a, sm_121a };

using TargetSet = uint8_t;
constexpr TargetSet bit(TargetId id) { return static_cast<TargetSet>(1u << static_cast<int>(id)); }
inline constexpr TargetSet kAllTargets = 0x7F;
inline constexpr TargetSet kHopper = bit(TargetId::sm_90a);
inline constexpr TargetSet kDatacenterBlackwell = bit(TargetId::sm_100a) | bit(TargetId::sm_103a);
inline constexpr TargetSet kFrom90 =
    kHopper | kDatacenterBlackwell | bit(TargetId::sm_120a) | bit(TargetId::sm_121a);

struct Target {
  TargetId id;
  const char* name;
  const char* gpus;
  int64_t shared_bytes;      // opt-in limit per CTA
  int64_t tmem_columns;      // 0: no tensor memory
  const char* tensor_path;   // "wgmma", "tcgen05", "mma.sync"
  bool register_budgets;     // setmaxnreg
};

const std::vector<Target>& targets();
const Target* find_target(std::string_view name);
bool contains(TargetSet set, TargetId id);

}  // namespace bakery
