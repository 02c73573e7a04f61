// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/iterations.h"

#include <algorithm>
#include <unordered_map>

namespace bakery::views {

Iterations number_iterations(const Timeline& timeline) {
  Iterations result;
  result.values.emplace_back();
  std::unordered_map<std::string, uint32_t> known{{"", 0}};
  std::vector<uint8_t> used(timeline.iterations.size(), 0);
  result.number.assign(timeline.iterations.size(), 0);
  std::string key;
  for (const TimelineEvent& event : timeline.events) {
    if (event.iteration >= used.size() || used[event.iteration]) continue;
    used[event.iteration] = 1;
    key.clear();
    for (const LoopValue& value : timeline.iterations[event.iteration]) {
      key += value.name;
      key += '=';
      key += std::to_string(value.value);
      key += ',';
    }
    const auto [it, fresh] = known.emplace(key, static_cast<uint32_t>(result.values.size()));
    if (fresh) result.values.push_back(timeline.iterations[event.iteration]);
    result.number[event.iteration] = it->second;
  }
  return result;
}

bool within(const std::vector<LoopValue>& inner, const std::vector<LoopValue>& outer) {
  return std::all_of(outer.begin(), outer.end(), [&](const LoopValue& wanted) {
    return std::any_of(inner.begin(), inner.end(),
                       [&](const LoopValue& value) { return value.value == wanted.value && value.name == wanted.name; });
  });
}

std::string to_text(const std::vector<LoopValue>& values) {
  std::string text;
  for (const LoopValue& value : values) text += (text.empty() ? "" : ", ") + value.name + "=" + std::to_string(value.value);
  return text;
}

}  // namespace bakery::views
