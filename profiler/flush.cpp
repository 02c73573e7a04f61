// SPDX-License-Identifier: Apache-2.0
#include "profiler/flush.h"

#include <algorithm>

#include "profiler/nvrtc.h"

namespace bakery {
namespace {

constexpr int kThreads = 512;

// Reads every line; the store never happens, but the compiler can't know.
constexpr const char* kSweep = R"(
extern "C" __global__ void bakery_l2_sweep(uint4* data, unsigned long long count) {
  unsigned sum = 0;
  for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * (unsigned long long)blockDim.x) {
    const uint4 v = data[i];
    sum |= v.x | v.y | v.z | v.w;
  }
  if (sum == 0x12345678u) data[0].x = sum;
}
)";

size_t buffer_bytes(const DeviceContext& context, FlushKind kind, int64_t bytes) {
  if (kind == FlushKind::none) return 16;
  return static_cast<size_t>(std::max(bytes, 2 * context.device().l2_bytes)) & ~size_t{15};
}

}  // namespace

L2Flush::L2Flush(const DeviceContext& context, FlushKind kind, int64_t bytes)
    : kind_(kind), buffer_(context, buffer_bytes(context, kind, bytes), "flushing the L2") {
  buffer_.fill(0, buffer_.size());
  if (kind != FlushKind::read) return;
  CompileRequest request;
  request.cuda = kSweep;
  request.file = "bakery_l2_sweep.cu";
  request.target = "sm_" + std::to_string(context.device().major * 10 + context.device().minor);
  const CompileAnswer answer = compile(request);
  if (!answer.ok) cuda::fail(WorkerErrorKind::internal, "the L2 sweep does not compile: " + answer.log);
  sweep_ = std::make_unique<Kernel>(context, answer.cubin, "bakery_l2_sweep");
  ctas_ = context.device().sms * 4;
}

void L2Flush::start() {
  if (kind_ == FlushKind::write) buffer_.fill(1, buffer_.size());
  if (!sweep_) return;
  cuda::DevicePtr data = buffer_.address();
  uint64_t count = buffer_.size() / 16;
  void* arguments[] = {&data, &count};
  sweep_->launch(ctas_, 1, kThreads, 0, arguments);
}

}  // namespace bakery
