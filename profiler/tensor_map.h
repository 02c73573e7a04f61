// SPDX-License-Identifier: Apache-2.0
// A tensor map's numbers, in the order and units that cuTensorMapEncodeTiled wants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/cuda_api.h"
#include "profiler/messages.h"

namespace bakery {

struct TensorMapNumbers {
  int type = 0, swizzle = 0;
  uint32_t rank = 0;
  std::vector<uint64_t> extents;          // elements, innermost first
  std::vector<uint64_t> strides;          // bytes, of all but the innermost
  std::vector<uint32_t> box;              // elements, innermost first
  std::vector<uint32_t> element_strides;  // all 1

  std::string text() const;               // "bf16 [64 x 128], strides [128], box [64 x 64], swizzle 128"
};

// Checks the hardware's rules, so that a rejection says which; throws cuda::Failure of kind `request`.
TensorMapNumbers tensor_map_numbers(const TensorMapSpec& spec, const RunTensor& tensor);

cuda::TensorMap encode_tensor_map(const cuda::Driver& api, const TensorMapSpec& spec, const RunTensor& tensor, cuda::DevicePtr address);

}  // namespace bakery
