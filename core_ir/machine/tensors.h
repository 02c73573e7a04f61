// SPDX-License-Identifier: Apache-2.0
// Elements as the bytes that the device holds, and tensors in global memory.
#pragma once

#include <cstdint>
#include <vector>

#include "core_ir/types.h"

namespace bakery {

// The stored element at `bytes`. Integers beyond 2^24 lose their low bits.
float decode(DType dtype, const uint8_t* bytes);

// Stores `value` rounded to nearest even; 8-bit floats and integers saturate, as `cvt` does.
void encode(DType dtype, float value, uint8_t* bytes);

struct GlobalTensor {
  DType dtype = DType::bf16;
  std::vector<int64_t> shape;    // outermost first
  std::vector<int64_t> strides;  // in elements
  std::vector<uint8_t> bytes;

  // Bytes are 0. Strides default to row-major without gaps.
  static GlobalTensor zeros(DType dtype, std::vector<int64_t> shape, std::vector<int64_t> strides = {});

  // Every byte 0xFF: NaN in each floating type, and so seen in whatever reads it.
  void poison();

  int64_t elements() const;       // of the shape
  int64_t storage() const;        // elements of the allocation, gaps included
  // Place in the allocation of the n-th element in row-major order.
  int64_t offset(int64_t element) const;
  // Index of the n-th element, outermost first.
  std::vector<int64_t> index(int64_t element) const;

  float get(int64_t offset) const;
  void set(int64_t offset, float value);
};

}  // namespace bakery
