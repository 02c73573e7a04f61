// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_index.h"

#include <algorithm>

namespace bakery::views {

TimelineIndex::TimelineIndex(const Timeline& timeline, const std::vector<uint8_t>* kept) : event_bar_(timeline.events.size(), kNoBar) {
  rows_.resize(timeline.lanes.size());
  for (size_t l = 0; l < timeline.lanes.size(); ++l) {
    const Lane& lane = timeline.lanes[l];
    std::vector<std::vector<uint32_t>> order(std::max<size_t>(1, lane.rows));
    if (order.size() == 1) order[0].reserve(lane.bar_count);
    for (uint32_t b = lane.first_bar; b < lane.first_bar + lane.bar_count; ++b) {
      const Bar& bar = timeline.bars[b];
      if (kept && !(*kept)[b]) continue;
      order[std::min<size_t>(bar.row, order.size() - 1)].push_back(b);
      if (bar.event >= event_bar_.size()) continue;
      uint32_t& known = event_bar_[bar.event];
      if (known == kNoBar) known = b;
      else if (lane.kind == LaneKind::role &&
               timeline.lanes[lane_of_bar(timeline, known)].kind != LaneKind::role)
        known = b;
    }
    for (auto& row : order) rows_[l].emplace_back(timeline.bars, std::move(row));
  }
  if (kept) return;
  by_from_ = by_to_ = timeline.edges;
  std::stable_sort(by_from_.begin(), by_from_.end(), [](auto& a, auto& b) { return a.from < b.from; });
  std::stable_sort(by_to_.begin(), by_to_.end(), [](auto& a, auto& b) { return a.to < b.to; });
}

uint32_t TimelineIndex::lane_of_bar(const Timeline& timeline, uint32_t bar) const {
  for (uint32_t l = 0; l < timeline.lanes.size(); ++l) {
    const Lane& lane = timeline.lanes[l];
    if (bar >= lane.first_bar && bar - lane.first_bar < lane.bar_count) return l;
  }
  return 0;
}

std::span<const TimelineEdge> TimelineIndex::edges_from(uint32_t event) const {
  const auto [first, last] = std::equal_range(by_from_.begin(), by_from_.end(), TimelineEdge{event, 0},
                                              [](auto& a, auto& b) { return a.from < b.from; });
  return {first, last};
}

std::span<const TimelineEdge> TimelineIndex::edges_to(uint32_t event) const {
  const auto [first, last] = std::equal_range(by_to_.begin(), by_to_.end(), TimelineEdge{0, event},
                                              [](auto& a, auto& b) { return a.to < b.to; });
  return {first, last};
}

size_t TimelineIndex::memory() const {
  size_t bytes = event_bar_.capacity() * sizeof(uint32_t) +
                 (by_from_.capacity() + by_to_.capacity()) * sizeof(TimelineEdge);
  for (const auto& lane : rows_)
    for (const Pyramid& row : lane) bytes += row.memory();
  return bytes;
}

}  // namespace bakery::views
