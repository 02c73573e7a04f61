// SPDX-License-Identifier: Apache-2.0
// Every element of an output against what it must be.
#pragma once

#include <cstdint>
#include <vector>

#include "core_ir/machine/tensors.h"
#include "profiler/messages.h"

namespace bakery {

// Row-major, without gaps; one of the two is filled.
struct Expected {
  std::vector<double> f64;
  std::vector<float> f32;

  double at(int64_t element) const {
    const auto i = static_cast<size_t>(element);
    return f64.empty() ? static_cast<double>(f32[i]) : f64[i];
  }
  size_t size() const { return f64.empty() ? f32.size() : f64.size(); }
};

// `got` was poisoned with 0xFF before the run: an element of only such bytes counts as unwritten, and
// bytes between the elements must still be poison. An element is right if
// |got - expected| <= atol + rtol * |expected|.
OutputCheck compare_output(const RunTensor& tensor, const GlobalTensor& got, const Expected& expected, double rtol, double atol,
                           int max_mismatches);

}  // namespace bakery
