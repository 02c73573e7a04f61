// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/lane_layout.h"

#include <algorithm>

namespace bakery::views {

namespace {
constexpr int kGroupHeight = 22;
constexpr int kPadding = 3;  // above and below a lane's rows
}  // namespace

const LaneRow* LaneLayout::at(int y) const {
  for (const LaneRow& row : rows)
    if (y >= row.y && y < row.y + row.height) return &row;
  return nullptr;
}

const LaneRow* LaneLayout::of_lane(uint32_t lane) const {
  for (const LaneRow& row : rows)
    if (!row.group && row.lane == lane) return &row;
  return nullptr;
}

int row_height(LaneKind kind) {
  switch (kind) {
    case LaneKind::role: return 20;
    case LaneKind::engine: return 17;
    case LaneKind::barrier: return 28;
    case LaneKind::slot: return 17;
  }
  return 20;
}

const char* group_title(LaneKind kind) {
  switch (kind) {
    case LaneKind::role: return "Roles";
    case LaneKind::engine: return "Engines";
    case LaneKind::barrier: return "Barriers";
    case LaneKind::slot: return "Ring slots";
  }
  return "";
}

LaneLayout lay_out(const Timeline& timeline, const std::array<bool, 4>& collapsed) {
  LaneLayout layout;
  for (const LaneKind kind : {LaneKind::role, LaneKind::engine, LaneKind::barrier, LaneKind::slot}) {
    bool titled = false;
    for (uint32_t l = 0; l < timeline.lanes.size(); ++l) {
      const Lane& lane = timeline.lanes[l];
      if (lane.kind != kind) continue;
      if (!titled) {
        layout.rows.push_back({true, kind, 0, layout.height, kGroupHeight});
        layout.height += kGroupHeight;
        titled = true;
      }
      if (collapsed[static_cast<size_t>(kind)]) continue;
      const int height = std::max<int>(1, lane.rows) * row_height(kind) + 2 * kPadding;
      layout.rows.push_back({false, kind, l, layout.height, height});
      layout.height += height;
    }
  }
  return layout;
}

}  // namespace bakery::views
