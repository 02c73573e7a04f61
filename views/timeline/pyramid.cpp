// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/pyramid.h"

#include <bit>

namespace bakery::views {

Fill fill_of(const Bar& bar) {
  switch (bar.state) {
    case BarState::working: return Fill::working;
    case BarState::waiting: return Fill::waiting;
    case BarState::stuck: return Fill::stuck;
    case BarState::transfer: return Fill::transfer;
    case BarState::phase: return bar.number % 2 == 0 ? Fill::phase_even : Fill::phase_odd;
    case BarState::filling: return Fill::filling;
    case BarState::full: return Fill::full;
    case BarState::in_use: return Fill::in_use;
    case BarState::draining: return Fill::draining;
  }
  return Fill::working;
}

Fill dominant(FillSet fills) {
  const FillSet phases = bit(Fill::phase_even) | bit(Fill::phase_odd);
  if (fills == phases) return Fill::phase_both;
  return fills ? static_cast<Fill>(std::bit_width(fills) - 1) : Fill::phase_even;
}

const char* name(Fill fill) {
  switch (fill) {
    case Fill::phase_even: return "even completion";
    case Fill::phase_odd: return "odd completion";
    case Fill::phase_both: return "both parities";
    case Fill::working: return "working";
    case Fill::transfer: return "engine busy";
    case Fill::full: return "full";
    case Fill::filling: return "filling";
    case Fill::draining: return "draining";
    case Fill::in_use: return "in use";
    case Fill::waiting: return "waiting";
    case Fill::stuck: return "stuck";
    case Fill::count_: break;
  }
  return "";
}

Pyramid::Pyramid(const std::vector<Bar>& bars, std::vector<uint32_t> order) : order_(std::move(order)) {
  if (order_.empty()) return;
  const auto group = [](size_t count, auto&& cell_at) {
    std::vector<Cell> level((count + kFan - 1) / kFan);
    for (size_t i = 0; i < count; ++i) {
      const Cell part = cell_at(i);
      Cell& cell = level[i / kFan];
      if (i % kFan == 0) {
        cell = part;
        continue;
      }
      cell.begin = std::min(cell.begin, part.begin);
      cell.end = std::max(cell.end, part.end);
      cell.covered += part.covered;
      cell.fills |= part.fills;
    }
    return level;
  };
  levels_.push_back(group(order_.size(), [&](size_t i) {
    const Bar& bar = bars[order_[i]];
    return Cell{bar.begin, bar.end, bar.end - bar.begin, bit(fill_of(bar))};
  }));
  while (levels_.back().size() > kFan) {
    const std::vector<Cell>& below = levels_.back();
    levels_.push_back(group(below.size(), [&below](size_t i) { return below[i]; }));
  }
}

size_t Pyramid::memory() const {
  size_t bytes = order_.capacity() * sizeof(uint32_t);
  for (const auto& level : levels_) bytes += level.capacity() * sizeof(Cell);
  return bytes;
}

}  // namespace bakery::views
