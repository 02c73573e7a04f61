// SPDX-License-Identifier: GPL-3.0-or-later
// Loop iterations of a timeline. Roles count theirs apart; here equal loop values are one iteration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core_ir/machine/timeline.h"

namespace bakery::views {

struct Iterations {
  std::vector<uint32_t> number;          // by Timeline::iterations, into `values`
  std::vector<std::vector<LoopValue>> values;  // in order of first appearance; 0 is "no loop"
};

Iterations number_iterations(const Timeline& timeline);
// True when `inner` has all values of `outer`: it is the same iteration or one inside.
bool within(const std::vector<LoopValue>& inner, const std::vector<LoopValue>& outer);
std::string to_text(const std::vector<LoopValue>& values);  // "m=0, k=3"

}  // namespace bakery::views
