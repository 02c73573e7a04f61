// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/lane_layout.h"

#include <algorithm>
#include <cstddef>

namespace bakery::views {

namespace {

constexpr int kGroupHeight = 22;
constexpr int kPadding = 3;  // above and below a lane's rows
constexpr LaneKind kKinds[] = {LaneKind::role, LaneKind::engine, LaneKind::barrier, LaneKind::slot};

int row_height(LaneKind kind) {
  switch (kind) {
    case LaneKind::role: return 20;
    case LaneKind::engine: return 17;
    case LaneKind::barrier: return 28;
    case LaneKind::slot: return 17;
  }
  return 20;
}

// Lanes of a kind as the person ordered them.
std::vector<uint32_t> ordered(const Timeline& timeline, const LaneArrangement& arrangement, LaneKind kind) {
  std::vector<uint32_t> lanes;
  for (uint32_t l = 0; l < timeline.lanes.size(); ++l)
    if (timeline.lanes[l].kind == kind) lanes.push_back(l);
  if (arrangement.order.empty()) return lanes;
  const auto place = [&](uint32_t l) {
    return std::find(arrangement.order.begin(), arrangement.order.end(), timeline.lanes[l].name) - arrangement.order.begin();
  };
  std::stable_sort(lanes.begin(), lanes.end(), [&](uint32_t a, uint32_t b) { return place(a) < place(b); });
  return lanes;
}

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

const char* group_title(LaneKind kind) {
  switch (kind) {
    case LaneKind::role: return "Roles";
    case LaneKind::engine: return "Engines";
    case LaneKind::barrier: return "Barriers";
    case LaneKind::slot: return "Ring slots";
  }
  return "";
}

void LaneArrangement::move(const Timeline& timeline, uint32_t lane, int direction) {
  const Lane& moved = timeline.lanes[lane];
  std::vector<std::string> names;
  for (const LaneKind kind : kKinds)
    for (const uint32_t l : ordered(timeline, *this, kind)) names.push_back(timeline.lanes[l].name);
  const auto lane_named = [&](const std::string& name) {
    return std::find_if(timeline.lanes.begin(), timeline.lanes.end(), [&](const Lane& l) { return l.name == name; });
  };
  const auto at = std::find(names.begin(), names.end(), moved.name) - names.begin();
  for (std::ptrdiff_t other = at + direction; other >= 0 && other < static_cast<std::ptrdiff_t>(names.size()); other += direction) {
    const std::string& name = names[static_cast<size_t>(other)];
    if (lane_named(name)->kind != moved.kind) return;
    if (hidden.contains(name) || pinned.contains(name) != pinned.contains(moved.name)) continue;
    std::swap(names[static_cast<size_t>(at)], names[static_cast<size_t>(other)]);
    order = std::move(names);
    return;
  }
}

LaneLayout lay_out(const Timeline& timeline, const LaneArrangement& arrangement, const std::vector<uint8_t>& left_out) {
  LaneLayout layout;
  const auto add_title = [&](bool pinned, LaneKind kind) {
    layout.rows.push_back({true, pinned, kind, 0, layout.height, kGroupHeight, kGroupHeight});
    layout.height += kGroupHeight;
  };
  const auto add_lanes = [&](LaneKind kind, bool pinned) {
    bool titled = pinned && !layout.rows.empty();
    for (const uint32_t l : ordered(timeline, arrangement, kind)) {
      const Lane& lane = timeline.lanes[l];
      if (arrangement.pinned.contains(lane.name) != pinned || arrangement.hidden.contains(lane.name)) continue;
      if (l < left_out.size() && left_out[l]) continue;
      if (!titled) add_title(pinned, kind);
      titled = true;
      if (!pinned && arrangement.collapsed[static_cast<size_t>(kind)]) continue;
      const auto factor = arrangement.height.find(lane.name);
      const int unit = row_height(kind) * (factor == arrangement.height.end() ? 1 : factor->second);
      const int height = std::max<int>(1, lane.rows) * unit + 2 * kPadding;
      layout.rows.push_back({false, pinned, kind, l, layout.height, height, unit});
      layout.height += height;
    }
  };
  for (const LaneKind kind : kKinds) add_lanes(kind, true);
  for (const LaneKind kind : kKinds) add_lanes(kind, false);
  return layout;
}

}  // namespace bakery::views
