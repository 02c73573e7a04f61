// SPDX-License-Identifier: GPL-3.0-or-later
// A stretch of time on some lanes, and what happens in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "views/common/snapshots.h"
#include "views/timeline/iterations.h"

namespace bakery::views {

struct Area {
  int64_t begin = 0, end = 0;    // half-open, in steps
  std::vector<uint32_t> lanes;   // ascending
  bool operator==(const Area&) const = default;
};

struct AreaTotals {
  struct Named {
    std::string name;
    int64_t steps = 0;
  };
  std::vector<Named> busy;           // role and engine lanes
  std::vector<Named> wait_by_barrier;
  std::vector<Named> wait_by_role;
  int64_t engine_busy = 0;           // steps in which some engine is busy
  int64_t overlapped = 0;            // and some role works meanwhile
  int64_t bytes = 0;                 // of transfers that end here
  size_t iterations = 0;             // touched by role bars
  size_t bars = 0;

  int overlap_percent() const { return engine_busy == 0 ? 0 : static_cast<int>(100 * overlapped / engine_busy); }
};

AreaTotals total(const Snapshot& snapshot, const Iterations& iterations, const Area& area);

}  // namespace bakery::views
