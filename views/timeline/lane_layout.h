// SPDX-License-Identifier: GPL-3.0-or-later
// Where lanes and their group titles are, from the top, and how a person arranged them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core_ir/machine/timeline.h"

namespace bakery::views {

struct LaneRow {
  bool group = false;
  bool pinned = false;
  LaneKind kind = LaneKind::role;
  uint32_t lane = 0;  // of lanes
  int y = 0, height = 0;
  int unit = 0;       // height of one stacked row inside the lane
};

struct LaneLayout {
  std::vector<LaneRow> rows;
  int height = 0;

  const LaneRow* at(int y) const;
  const LaneRow* of_lane(uint32_t lane) const;
};

// By lane name, so that it outlives an edit of the text.
struct LaneArrangement {
  std::array<bool, 4> collapsed{};  // by kind
  std::set<std::string> pinned, hidden;
  std::map<std::string, int> height;  // 2 or 4 times
  std::vector<std::string> order;     // lanes of one kind stand as here; others behind
  bool operator==(const LaneArrangement&) const = default;

  // Moves a lane past its neighbour of the same kind that is in sight.
  void move(const Timeline& timeline, uint32_t lane, int direction);
};

const char* group_title(LaneKind kind);
// `left_out`: by lane, for a filter; may be empty.
LaneLayout lay_out(const Timeline& timeline, const LaneArrangement& arrangement, const std::vector<uint8_t>& left_out = {});

}  // namespace bakery::views
