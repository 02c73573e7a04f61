// SPDX-License-Identifier: Apache-2.0
// Empties the L2 between samples, by touching a buffer of at least twice its size.
#pragma once

#include <memory>

#include "profiler/device.h"

namespace bakery {

class L2Flush {
 public:
  // write: a memset, which leaves dirty lines; read: a sweep, which leaves clean ones.
  L2Flush(const DeviceContext& context, FlushKind kind, int64_t bytes);

  void start();  // on the stream
  int64_t bytes() const { return static_cast<int64_t>(buffer_.size()); }

 private:
  FlushKind kind_;
  DeviceBuffer buffer_;
  std::unique_ptr<Kernel> sweep_;
  int ctas_ = 0;
};

}  // namespace bakery
