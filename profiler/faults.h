// SPDX-License-Identifier: Apache-2.0
// Reads what stuck warps wrote before they gave up: one slot a warp, in order of CTAs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core_ir/lowered.h"
#include "profiler/messages.h"

namespace bakery {

// The claimed slots of `slots`, by CTA, then warp.
std::vector<HangRecord> read_faults(std::span<const WaitFault> slots, const LaunchManifest& manifest);

// All records of one wait: same role, barrier, stage, completion and line.
struct HangGroup {
  HangRecord first;
  int ctas = 0, warps = 0;  // how many are stuck there
};
// Most CTAs first; equal ones by role, barrier, stage.
std::vector<HangGroup> group_hangs(const std::vector<HangRecord>& hangs);

// "`mma` (line 33) waits for completion 2 of `full[1]` (parity 0): 132 CTAs, first CTA 0, warp 4".
std::string to_text(const HangGroup& group);

}  // namespace bakery
