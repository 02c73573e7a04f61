// SPDX-License-Identifier: GPL-3.0-or-later
// PTX as it is shown, and which of its lines stand for which lines of the schedule and of the CUDA.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bakery::views {

// All lines are 1-based; 0: none.
struct PtxText {
  struct Line {
    uint32_t ptx = 0;       // in the whole file
    uint32_t schedule = 0;
    uint32_t cuda = 0;      // outside of what the schedule says: the generated line itself
  };
  std::string text;
  std::vector<Line> lines;  // by shown line
};

// Reads `.loc` and `.file`. Without `directives` the debug information itself is left out.
PtxText make_ptx_text(std::string_view ptx, std::string_view schedule_file, std::string_view cuda_file, bool directives);

}  // namespace bakery::views
