// SPDX-License-Identifier: Apache-2.0
// How the tiles of a grid fill a device, round by round.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/session/analysis.h"
#include "core_ir/devices.h"

namespace bakery {

struct Waves {
  int64_t tiles = 0;         // 0: not known
  std::string missing;       // scalar parameters without a value: "N, K"
  const ReferenceDevice* device = nullptr;  // of the target; nullptr: none is known
  int64_t resident = 0;      // CTAs at once; 0: not known, or none fits an SM
  int64_t rounds = 0;
  int64_t last = 0;          // tiles of the last round

  bool known() const { return rounds > 0; }
  double count() const { return static_cast<double>(tiles) / static_cast<double>(resident); }
  double used() const { return count() / static_cast<double>(rounds); }  // share of the rounds
};

// Of the first tile space, with these values of the scalar parameters. A grid that the tile space
// declares is the most that is resident.
Waves waves_of(const Analysis& analysis, const std::vector<std::pair<std::string, int64_t>>& values, int ctas_per_sm);

}  // namespace bakery
