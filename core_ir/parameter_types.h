// SPDX-License-Identifier: Apache-2.0
// The types of a schedule's parameters: what may stand after `LM.`.
#pragma once

#include <span>
#include <string_view>

#include "core_ir/types.h"

namespace bakery {

struct ParameterType {
  const char* name;     // "tma2d"
  int rank;             // of a tensor map; 0: a scalar
  DType dtype;          // of a scalar
  const char* summary;
};

std::span<const ParameterType> parameter_types();
const ParameterType* find_parameter_type(std::string_view name);

}  // namespace bakery
