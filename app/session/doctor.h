// SPDX-License-Identifier: Apache-2.0
// What a worker's probe means for a person: what is there, what is missing, what mends it.
#pragma once

#include <string>
#include <vector>

#include "profiler/client.h"

namespace bakery {

struct DoctorLine {
  const char* name;      // "worker", "driver", "device", "sm_90a", "nvrtc", "cupti", "cupti records"
  bool ok = false;
  std::string what;
  std::string remedy;    // if not ok
};

std::vector<DoctorLine> examine(const Reply<ProbeAnswer>& probe);

// The first line without which nothing runs; nullptr: runs are possible.
const DoctorLine* obstacle(const std::vector<DoctorLine>& lines);

// The doctor's remedy for what a worker's answer says is missing; empty: it is something else.
std::string remedy_of(const CallStatus& status);

}  // namespace bakery
