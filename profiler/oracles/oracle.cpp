// SPDX-License-Identifier: Apache-2.0
#include "profiler/oracles/oracle.h"

namespace bakery {
namespace {

constexpr const Oracle* kOracles[] = {&gemm_bf16_oracle};

}  // namespace

std::span<const Oracle* const> oracles() { return kOracles; }

const Oracle* find_oracle(std::string_view name) {
  for (const Oracle* oracle : kOracles)
    if (name == oracle->name) return oracle;
  return nullptr;
}

}  // namespace bakery
