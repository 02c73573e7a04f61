// SPDX-License-Identifier: Apache-2.0
#include "profiler/faults.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace bakery {

std::vector<HangRecord> read_faults(std::span<const WaitFault> slots, const LaunchManifest& manifest) {
  const uint32_t warps = static_cast<uint32_t>(std::max(1, (manifest.threads + 31) / 32));
  std::vector<HangRecord> out;
  for (size_t i = 0; i < slots.size(); ++i) {
    const WaitFault& slot = slots[i];
    if (slot.claimed == 0) continue;
    HangRecord hang;
    hang.cta = static_cast<uint32_t>(i) / warps;
    hang.warp = static_cast<uint32_t>(i) % warps;
    hang.stage = slot.stage;
    hang.parity = slot.parity;
    hang.line = slot.line;
    hang.completion = slot.completion;
    // A record may be torn if the kernel died while it was written: names only for numbers that are.
    if (slot.role < manifest.roles.size()) {
      hang.role = static_cast<int>(slot.role);
      hang.role_name = manifest.roles[slot.role].name;
    }
    if (slot.barrier < manifest.barriers.size()) {
      hang.barrier = static_cast<int>(slot.barrier);
      hang.barrier_name = manifest.barriers[slot.barrier].name;
    }
    out.push_back(std::move(hang));
  }
  return out;
}

std::vector<HangGroup> group_hangs(const std::vector<HangRecord>& hangs) {
  std::map<std::tuple<int, int, uint32_t, uint32_t, uint32_t>, std::pair<HangGroup, std::set<uint32_t>>> groups;
  for (const HangRecord& hang : hangs) {
    auto& [group, ctas] = groups[{hang.role, hang.barrier, hang.stage, hang.completion, hang.line}];
    if (group.warps++ == 0) group.first = hang;
    ctas.insert(hang.cta);
    group.ctas = static_cast<int>(ctas.size());
  }
  std::vector<HangGroup> out;
  for (auto& [key, value] : groups) out.push_back(std::move(value.first));
  std::stable_sort(out.begin(), out.end(), [](const HangGroup& a, const HangGroup& b) { return a.ctas > b.ctas; });
  return out;
}

std::string to_text(const HangGroup& group) {
  const HangRecord& hang = group.first;
  const auto name = [](const std::string& name, const char* what) { return name.empty() ? std::string("an unknown ") + what : "`" + name + "`"; };
  std::string barrier = name(hang.barrier_name, "barrier");
  if (!hang.barrier_name.empty()) barrier.insert(barrier.size() - 1, "[" + std::to_string(hang.stage) + "]");
  return name(hang.role_name, "role") + " (line " + std::to_string(hang.line) + ") waits for completion " + std::to_string(hang.completion) +
         " of " + barrier + " (parity " + std::to_string(hang.parity) + "): " + std::to_string(group.ctas) +
         (group.ctas == 1 ? " CTA" : " CTAs") + ", first CTA " + std::to_string(hang.cta) + ", warp " + std::to_string(hang.warp);
}

}  // namespace bakery
