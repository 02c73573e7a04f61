// SPDX-License-Identifier: Apache-2.0
// When kernels began and ended on the device, as CUPTI's activity records say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/messages.h"

namespace bakery {

struct KernelSpan {
  std::string name;  // mangled
  uint64_t begin_ns = 0, end_ns = 0;
  uint32_t correlation = 0;
};

LibraryProbe probe_cupti();

class SpanRecorder {
 public:
  // Begins to record; throws cuda::Failure of kind `missing`, `permission` or `cuda` if it can't.
  SpanRecorder();
  ~SpanRecorder();  // ends it
  SpanRecorder(const SpanRecorder&) = delete;
  SpanRecorder& operator=(const SpanRecorder&) = delete;

  // Ends it. The kernels so far, by their begin; all of them must have ended.
  std::vector<KernelSpan> take();

 private:
  bool enabled_ = false;
};

// The spans of `kernel` in milliseconds. Throws cuda::Failure of kind `internal` if there are not
// exactly `samples`, or one of them has no time.
std::vector<double> span_times(const std::vector<KernelSpan>& spans, const std::string& kernel, size_t samples);

}  // namespace bakery
