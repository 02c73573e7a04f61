// SPDX-License-Identifier: GPL-3.0-or-later
// Bars of one lane row, summarised 4:1 level by level, so that a frame costs about its width and
// not its number of bars.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core_ir/machine/timeline.h"

namespace bakery::views {

// How a piece is painted. Later ones win when several bars fall into one pixel.
enum class Fill : uint8_t {
  phase_even, phase_odd, phase_both, working, transfer, full, filling, draining, in_use, waiting, stuck,
  count_,
};
using FillSet = uint16_t;

constexpr FillSet bit(Fill fill) { return static_cast<FillSet>(1u << static_cast<unsigned>(fill)); }
Fill fill_of(const Bar& bar);
Fill dominant(FillSet fills);
const char* name(Fill fill);

// Horizontal mapping in device pixels.
struct Viewport {
  double begin = 0;
  double steps_per_pixel = 1;
  int width = 0;
  double x(double time) const { return (time - begin) / steps_per_pixel; }
  double time(double x) const { return begin + x * steps_per_pixel; }
  double end() const { return time(width); }
};

class Pyramid {
 public:
  struct Cell {
    int64_t begin = 0, end = 0;
    int64_t covered = 0;  // sum of the bars' lengths
    FillSet fills = 0;
  };

  Pyramid() = default;
  // `order`: indices into `bars`, sorted by begin, not overlapping.
  Pyramid(const std::vector<Bar>& bars, std::vector<uint32_t> order);

  size_t size() const { return order_.size(); }
  const std::vector<uint32_t>& order() const { return order_; }
  const std::vector<std::vector<Cell>>& levels() const { return levels_; }
  size_t memory() const;

  // Calls on_column(column, fills) for what is at most one pixel wide and on_bar(bar, x0, x1) for
  // the rest; columns may repeat. Every visible bar is in one of the calls.
  template <class OnColumn, class OnBar>
  void walk(const std::vector<Bar>& bars, const Viewport& view, OnColumn on_column, OnBar on_bar) const {
    if (levels_.empty()) return;
    const size_t top = levels_.size() - 1;
    for (size_t i = 0; i < levels_[top].size(); ++i) descend(bars, view, top, i, on_column, on_bar);
  }

 private:
  static constexpr size_t kFan = 4;

  static double column(const Viewport& view, int64_t time) { return std::floor(view.x(static_cast<double>(time))); }

  template <class OnColumn, class OnBar>
  void descend(const std::vector<Bar>& bars, const Viewport& view, size_t level, size_t index, OnColumn& on_column,
               OnBar& on_bar) const {
    const Cell& cell = levels_[level][index];
    const double first = column(view, cell.begin);
    const double last = std::max(first, std::ceil(view.x(static_cast<double>(cell.end))) - 1);
    if (last < 0 || first >= view.width) return;
    if (first == last) {
      on_column(static_cast<int>(first), cell.fills);
      return;
    }
    if (level > 0) {
      const size_t end = std::min(levels_[level - 1].size(), (index + 1) * kFan);
      for (size_t i = index * kFan; i < end; ++i) descend(bars, view, level - 1, i, on_column, on_bar);
      return;
    }
    const size_t end = std::min(order_.size(), (index + 1) * kFan);
    for (size_t i = index * kFan; i < end; ++i) {
      const Bar& bar = bars[order_[i]];
      const double x0 = column(view, bar.begin);
      const double x1 = std::max(x0 + 1, column(view, bar.end));
      if (x1 <= 0 || x0 >= view.width) continue;
      if (x1 - x0 <= 1) on_column(static_cast<int>(x0), bit(fill_of(bar)));
      else on_bar(order_[i], std::max(x0, -1.0), std::min(x1, view.width + 1.0));
    }
  }

  std::vector<uint32_t> order_;
  std::vector<std::vector<Cell>> levels_;  // level 0: four bars a cell
};

}  // namespace bakery::views
