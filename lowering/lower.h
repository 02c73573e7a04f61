// SPDX-License-Identifier: Apache-2.0
// From a checked schedule to CUDA text, its line map and its launch manifest. The same input gives
// the same bytes.
#pragma once

#include <string>

#include "core_ir/checked_schedule.h"
#include "core_ir/finding.h"
#include "core_ir/lowered.h"

namespace bakery {

struct LowerOptions {
  bool bounded_waits = false;  // waits give up after a while, file a fault record and trap
};

struct LowerResult {
  Lowered lowered;
  std::vector<Finding> findings;  // LOWER- : what this target's emitters cannot say; then `cuda` is empty
};

LowerResult lower(const CheckedSchedule& checked, const LowerOptions& options = {});

// For documents and views: the passes in order, with what each one decides.
struct PassInfo {
  const char* name;
  const char* summary;
};
std::vector<PassInfo> lowering_passes();

}  // namespace bakery
