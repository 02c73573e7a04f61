// SPDX-License-Identifier: GPL-3.0-or-later
// What an operation touches, as its fields say.
#pragma once

#include <vector>

#include "core_ir/schedule.h"

namespace bakery::views {

// Calls `use(region, write)` for every place that an operation touches.
template <class Use>
void each_region(const Schedule& schedule, const Op& op, Use use) {
  use(op.dst, true);
  use(op.a, false);
  use(op.b, false);
  std::vector<Index> open;
  if (op.value != kNone) open.push_back(op.value);
  while (!open.empty()) {
    const Tile& tile = schedule.tiles[open.back()];
    open.pop_back();
    if (tile.kind == TileKind::fragment) use(tile.region, false);
    for (const Index child : {tile.a, tile.b})
      if (child != kNone) open.push_back(child);
  }
}

}  // namespace bakery::views
