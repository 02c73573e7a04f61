// SPDX-License-Identifier: Apache-2.0
// The run-time compiler, found at run time. It is known to crash on some inputs: only the worker calls it.
#pragma once

#include <string>
#include <vector>

#include "profiler/messages.h"

namespace bakery {

LibraryProbe probe_nvrtc(std::vector<int>* targets = nullptr);

// Throws cuda::Failure of kind `missing` if there is no NVRTC.
CompileAnswer compile(const CompileRequest& request);

}  // namespace bakery
