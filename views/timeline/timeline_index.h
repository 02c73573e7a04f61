// SPDX-License-Identifier: GPL-3.0-or-later
// Look-ups over one timeline, built once when it arrives.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core_ir/machine/timeline.h"
#include "views/timeline/pyramid.h"

namespace bakery::views {

inline constexpr uint32_t kNoBar = UINT32_MAX;

class TimelineIndex {
 public:
  TimelineIndex() = default;
  // `kept`: by bar, those that are in it; nullptr: all.
  explicit TimelineIndex(const Timeline& timeline, const std::vector<uint8_t>* kept = nullptr);

  size_t rows_count() const { return rows_.size(); }
  const std::vector<Pyramid>& rows(uint32_t lane) const { return rows_[lane]; }
  uint32_t lane_of_bar(const Timeline& timeline, uint32_t bar) const;
  // The bar on a role's lane, else the first other one; kNoBar: none.
  uint32_t bar_of_event(uint32_t event) const { return event < event_bar_.size() ? event_bar_[event] : kNoBar; }

  std::span<const TimelineEdge> edges_from(uint32_t event) const;
  std::span<const TimelineEdge> edges_to(uint32_t event) const;
  size_t memory() const;

 private:
  std::vector<std::vector<Pyramid>> rows_;  // by lane, by row
  std::vector<uint32_t> event_bar_;
  std::vector<TimelineEdge> by_from_, by_to_;
};

}  // namespace bakery::views
