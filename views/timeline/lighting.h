// SPDX-License-Identifier: GPL-3.0-or-later
// What the shared focus lights on a timeline.
#pragma once

#include <cstdint>
#include <vector>

#include "views/common/focus.h"

namespace bakery::views {

struct Lighting {
  std::vector<uint8_t> lanes;               // by lane
  std::vector<std::vector<uint32_t>> bars;  // by lane, ascending
  uint32_t event = kNoEvent;                // selected
  bool any() const { return event != kNoEvent || !bars.empty(); }
};

Lighting light(const Snapshot& snapshot, const FocusState& focus);

}  // namespace bakery::views
