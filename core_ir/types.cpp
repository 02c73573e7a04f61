// SPDX-License-Identifier: Apache-2.0
#include "core_ir/types.h"

#include <bit>
#include <cmath>

namespace bakery {
namespace {

constexpr DTypeInfo kTypes[] = {
    {DType::bf16, "bf16", 2, true}, {DType::f16, "f16", 2, true},   {DType::f32, "f32", 4, true},
    {DType::tf32, "tf32", 4, true}, {DType::e4m3, "e4m3", 1, true}, {DType::e5m2, "e5m2", 1, true},
    {DType::i8, "i8", 1, false},    {DType::u8, "u8", 1, false},    {DType::i32, "i32", 4, false},
    {DType::u32, "u32", 4, false},  {DType::boolean, "bool", 1, false},
};

// Rounds to `mantissa` explicit bits with the smallest normal exponent `min_exponent`.
float round_mantissa(float value, int mantissa, int min_exponent, float largest) {
  if (!std::isfinite(value) || value == 0) return value;
  const int exponent = std::max(std::ilogb(value), min_exponent);
  const double unit = std::ldexp(1.0, exponent - mantissa);
  const double rounded = std::nearbyint(value / unit) * unit;
  if (std::fabs(rounded) > largest) return std::copysign(INFINITY, value);
  return static_cast<float>(rounded);
}

}  // namespace

const DTypeInfo& info(DType dtype) { return kTypes[static_cast<int>(dtype)]; }

std::optional<DType> find_dtype(std::string_view name) {
  for (const DTypeInfo& type : kTypes)
    if (name == type.name) return type.dtype;
  return std::nullopt;
}

uint16_t bf16_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

float bf16_value(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

float round_to(DType dtype, float value) {
  switch (dtype) {
    case DType::bf16: return bf16_value(bf16_bits(value));
    case DType::f16: return round_mantissa(value, 10, -14, 65504.0f);
    case DType::tf32: return round_mantissa(value, 10, -126, 3.4028235e38f);
    case DType::e4m3: return round_mantissa(value, 3, -6, 448.0f);
    case DType::e5m2: return round_mantissa(value, 2, -14, 57344.0f);
    default: return value;
  }
}

}  // namespace bakery
