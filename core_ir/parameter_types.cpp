// SPDX-License-Identifier: Apache-2.0
#include "core_ir/parameter_types.h"

namespace bakery {
namespace {

constexpr ParameterType kParameterTypes[] = {
    {"tma1d", 1, DType::i32, "a tensor map of rank 1"},
    {"tma2d", 2, DType::i32, "a tensor map of rank 2"},
    {"tma3d", 3, DType::i32, "a tensor map of rank 3"},
    {"tma4d", 4, DType::i32, "a tensor map of rank 4"},
    {"tma5d", 5, DType::i32, "a tensor map of rank 5"},
    {"i32", 0, DType::i32, "a signed integer, given at launch"},
    {"u32", 0, DType::u32, "an unsigned integer, given at launch"},
    {"f32", 0, DType::f32, "a number, given at launch"},
    {"bool", 0, DType::boolean, "a condition, given at launch"},
};

}  // namespace

std::span<const ParameterType> parameter_types() { return kParameterTypes; }

const ParameterType* find_parameter_type(std::string_view name) {
  for (const ParameterType& type : kParameterTypes)
    if (name == type.name) return &type;
  return nullptr;
}

}  // namespace bakery
