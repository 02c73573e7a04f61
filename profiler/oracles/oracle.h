// SPDX-License-Identifier: Apache-2.0
// Oracles: what a kernel must compute, as one plain f64 function each. They share no code with the
// machine or the generated kernels. A new oracle is one file and one line in oracle.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bakery {

struct OracleTensor {
  std::vector<int64_t> shape;  // outermost first
  std::vector<double> values;  // row-major, without gaps
};

struct OracleParameter {
  const char* name;
  int rank;
  bool output;
  const char* doc;
};

struct Oracle {
  const char* name;
  const char* doc;
  std::span<const OracleParameter> parameters;
  // `tensors`: by parameter. Outputs come with their shape; their values are set. Returns what is wrong
  // with the shapes, in one sentence, or nothing.
  std::string (*compute)(std::vector<OracleTensor>& tensors);
};

std::span<const Oracle* const> oracles();
const Oracle* find_oracle(std::string_view name);

extern const Oracle gemm_bf16_oracle;

}  // namespace bakery
