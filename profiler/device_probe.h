// SPDX-License-Identifier: Apache-2.0
// What this machine has for compiling, running and timing, and what it lacks.
#pragma once

#include <string>
#include <vector>

#include "profiler/messages.h"

namespace bakery {

// Looks; in the worker only. Never fails: what is not there is the answer.
ProbeAnswer probe();

struct MissingThing {
  std::string what;   // "driver", "device", "NVRTC", "CUPTI", "NVML"
  std::string for_;   // what can't be done without it
  std::string why;    // what was found instead
  std::string mend;   // the one command or step that mends it
};

// Of a probe's answer, for kernels of this target.
std::vector<MissingThing> missing_things(const ProbeAnswer& probe, const std::string& target);

// The path of a program of $PATH, or "".
std::string find_program(const std::string& name);

}  // namespace bakery
