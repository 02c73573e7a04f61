// SPDX-License-Identifier: Apache-2.0
// Launches a generated kernel: to compare its outputs, or to time it.
#pragma once

#include "profiler/device.h"
#include "profiler/messages.h"

namespace bakery {

// Both throw cuda::Failure if the kernel could not be launched; what becomes of a launched one is an
// answer. After an answer with `ended` the process can do no more.
RunAnswer run_kernel(const RunRequest& request, const ProgressSink& progress);
BenchAnswer bench_kernel(const BenchRequest& request, const ProgressSink& progress);

}  // namespace bakery
