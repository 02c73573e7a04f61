// SPDX-License-Identifier: Apache-2.0
#include "profiler/oracles/oracle.h"

namespace bakery {
namespace {

constexpr OracleParameter kParameters[] = {
    {"A", 2, false, "M x K"},
    {"B", 2, false, "N x K"},
    {"C", 2, true, "M x N"},
};

std::string compute(std::vector<OracleTensor>& tensors) {
  if (tensors.size() != 3) return "it takes `A`, `B` and `C`";
  const OracleTensor &a = tensors[0], &b = tensors[1];
  OracleTensor& c = tensors[2];
  if (a.shape.size() != 2 || b.shape.size() != 2 || c.shape.size() != 2) return "`A`, `B` and `C` are matrices";
  const int64_t M = a.shape[0], N = b.shape[0], K = a.shape[1];
  if (b.shape[1] != K) return "the rows of `A` and `B` differ in length";
  if (c.shape[0] != M || c.shape[1] != N) return "`C` has a row for each row of `A` and a column for each row of `B`";
  c.values.assign(static_cast<size_t>(M * N), 0.0);
  for (int64_t m = 0; m < M; ++m) {
    for (int64_t n = 0; n < N; ++n) {
      const double *x = a.values.data() + m * K, *y = b.values.data() + n * K;
      double sum = 0;
      for (int64_t k = 0; k < K; ++k) sum += x[k] * y[k];
      c.values[static_cast<size_t>(m * N + n)] = sum;
    }
  }
  return {};
}

}  // namespace

const Oracle gemm_bf16_oracle{
    "gemm_bf16",
    "C = A * B^T: the product of two row-major matrices, in f64. The kernel reads bf16, accumulates in f32 "
    "and rounds the result to bf16; the contract's tolerance covers both roundings.",
    kParameters,
    compute,
};

}  // namespace bakery
