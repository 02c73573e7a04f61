// SPDX-License-Identifier: GPL-3.0-or-later
// Generated CUDA as it is shown, and which of its lines stand for which lines of the schedule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core_ir/lowered.h"
#include "views/common/focus.h"

namespace bakery::views {

// All lines are 1-based.
struct CudaText {
  struct Line {
    uint32_t cuda = 0;      // in the whole file
    uint32_t schedule = 0;  // 0: none
    int32_t op = -1;
  };
  std::string text;
  std::vector<Line> lines;  // by shown line

  uint32_t schedule_line(uint32_t shown) const;
  std::vector<uint32_t> shown_lines(uint32_t first, uint32_t last) const;  // of these schedule lines
};

// Without `line_directives` the `#line` lines are left out, and the numbers of the file stay.
CudaText make_cuda_text(const Lowered& lowered, bool line_directives);

// Shown lines that the focus lights: those of its lines in the text, and for a barrier, buffer or
// role as a whole those of the operations that use it. The CUDA was made from `made_from`.
std::vector<uint32_t> lit_lines(const CudaText& text, const Analysis& made_from, const Analysis& shown, const FocusState& focus);

// The line of `to` where a line of `from` is now.
uint32_t carry_line(const Analysis& from, const Analysis& to, uint32_t line);

}  // namespace bakery::views
