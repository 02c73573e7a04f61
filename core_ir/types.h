// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace bakery {

enum class DType : uint8_t { bf16, f16, f32, tf32, e4m3, e5m2, i8, u8, i32, u32, boolean };

struct DTypeInfo {
  DType dtype;
  const char* name;  // as written after `lm.`
  int bytes;
  bool floating;
};

const DTypeInfo& info(DType dtype);
std::optional<DType> find_dtype(std::string_view name);

// Round-to-nearest-even of an f32 to the type and back.
float round_to(DType dtype, float value);
uint16_t bf16_bits(float value);
float bf16_value(uint16_t bits);

}  // namespace bakery
