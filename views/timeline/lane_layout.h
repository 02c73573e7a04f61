// SPDX-License-Identifier: GPL-3.0-or-later
// Where lanes and their group titles are, from the top. Logical pixels.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core_ir/machine/timeline.h"

namespace bakery::views {

struct LaneRow {
  bool group = false;
  LaneKind kind = LaneKind::role;
  uint32_t lane = 0;  // of lanes
  int y = 0, height = 0;
};

struct LaneLayout {
  std::vector<LaneRow> rows;
  int height = 0;

  const LaneRow* at(int y) const;
  const LaneRow* of_lane(uint32_t lane) const;
};

// Height of one stacked row inside a lane.
int row_height(LaneKind kind);
const char* group_title(LaneKind kind);
LaneLayout lay_out(const Timeline& timeline, const std::array<bool, 4>& collapsed);

}  // namespace bakery::views
