// SPDX-License-Identifier: Apache-2.0
// C = A * B^T in plain f32 on the device: expected values where the f64 oracle would take minutes. It
// shares nothing with generated kernels: no tensor cores, no TMA, no barriers but __syncthreads.
#pragma once

#include <string>
#include <vector>

#include "profiler/device.h"

namespace bakery {

struct DeviceTensor {
  const RunTensor* spec = nullptr;
  cuda::DevicePtr address = 0;
};

// The CUDA text for operands of these types, "" if they are not supported.
std::string gemm_reference_text(DType a, DType b);

// Row-major, without gaps, not rounded.
std::vector<float> gemm_reference(const DeviceContext& context, const DeviceTensor& a, const DeviceTensor& b, double timeout_s);

// Runs it on a small shape with ragged edges and compares it with the f64 oracle. Returns the largest
// error; throws cuda::Failure of kind `internal` if it is more than the rounding of f32 explains.
double test_gemm_reference(const DeviceContext& context, DType a, DType b);

}  // namespace bakery
