// SPDX-License-Identifier: Apache-2.0
#include "core_ir/machine/tensors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace bakery {
namespace {

// Layout of a float narrower than 32 bits.
struct Narrow {
  int exponent_bits;
  int mantissa_bits;
  bool infinity;  // the largest exponent means infinity or NaN; else only its last code is NaN
};
constexpr Narrow kF16{5, 10, true}, kE4M3{4, 3, false}, kE5M2{5, 2, true};

float from_narrow(Narrow type, uint32_t bits) {
  const uint32_t mantissa_mask = (1u << type.mantissa_bits) - 1, exponent_mask = (1u << type.exponent_bits) - 1;
  const int bias = static_cast<int>(exponent_mask >> 1);
  const uint32_t mantissa = bits & mantissa_mask, exponent = bits >> type.mantissa_bits & exponent_mask;
  const float sign = bits >> (type.mantissa_bits + type.exponent_bits) & 1 ? -1.0f : 1.0f;
  if (exponent == exponent_mask) {
    if (type.infinity && mantissa == 0) return sign * std::numeric_limits<float>::infinity();
    if (type.infinity || mantissa == mantissa_mask) return std::numeric_limits<float>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), 1 - bias - type.mantissa_bits);
  return sign * std::ldexp(static_cast<float>(mantissa + mantissa_mask + 1),
                           static_cast<int>(exponent) - bias - type.mantissa_bits);
}

// `value` is already rounded to the type.
uint32_t to_narrow(Narrow type, float value) {
  const uint32_t mantissa_mask = (1u << type.mantissa_bits) - 1, exponent_mask = (1u << type.exponent_bits) - 1;
  const int bias = static_cast<int>(exponent_mask >> 1);
  const uint32_t sign = std::signbit(value) ? 1u << (type.mantissa_bits + type.exponent_bits) : 0;
  if (std::isnan(value)) return sign | exponent_mask << type.mantissa_bits | mantissa_mask;
  if (std::isinf(value)) return sign | exponent_mask << type.mantissa_bits;
  if (value == 0) return sign;
  const int exponent = std::max(std::ilogb(value), 1 - bias);
  const auto mantissa = static_cast<uint32_t>(std::ldexp(std::fabs(value), type.mantissa_bits - exponent));
  if (mantissa <= mantissa_mask) return sign | mantissa;  // subnormal
  return sign | static_cast<uint32_t>(exponent + bias) << type.mantissa_bits | (mantissa & mantissa_mask);
}

float saturated(DType dtype, float value, float largest) {
  return std::isnan(value) ? value : std::clamp(round_to(dtype, value), -largest, largest);
}

template <typename Int>
void encode_integer(float value, uint8_t* bytes) {
  using Limits = std::numeric_limits<Int>;
  Int stored = 0;
  const double rounded = std::nearbyint(static_cast<double>(value));
  if (!std::isnan(rounded))
    stored = static_cast<Int>(std::clamp(rounded, static_cast<double>(Limits::min()), static_cast<double>(Limits::max())));
  std::memcpy(bytes, &stored, sizeof stored);
}

template <typename T>
T read(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

}  // namespace

float decode(DType dtype, const uint8_t* bytes) {
  switch (dtype) {
    case DType::bf16: return bf16_value(read<uint16_t>(bytes));
    case DType::f16: return from_narrow(kF16, read<uint16_t>(bytes));
    case DType::f32:
    case DType::tf32: return read<float>(bytes);
    case DType::e4m3: return from_narrow(kE4M3, *bytes);
    case DType::e5m2: return from_narrow(kE5M2, *bytes);
    case DType::i8: return read<int8_t>(bytes);
    case DType::u8:
    case DType::boolean: return *bytes;
    case DType::i32: return static_cast<float>(read<int32_t>(bytes));
    case DType::u32: return static_cast<float>(read<uint32_t>(bytes));
  }
  return 0;
}

void encode(DType dtype, float value, uint8_t* bytes) {
  switch (dtype) {
    case DType::bf16: {
      const uint16_t bits = bf16_bits(value);
      std::memcpy(bytes, &bits, sizeof bits);
      break;
    }
    case DType::f16: {
      const auto bits = static_cast<uint16_t>(to_narrow(kF16, round_to(dtype, value)));
      std::memcpy(bytes, &bits, sizeof bits);
      break;
    }
    case DType::f32:
    case DType::tf32: {
      const float rounded = round_to(dtype, value);
      std::memcpy(bytes, &rounded, sizeof rounded);
      break;
    }
    case DType::e4m3: *bytes = static_cast<uint8_t>(to_narrow(kE4M3, saturated(dtype, value, 448.0f))); break;
    case DType::e5m2: *bytes = static_cast<uint8_t>(to_narrow(kE5M2, saturated(dtype, value, 57344.0f))); break;
    case DType::i8: encode_integer<int8_t>(value, bytes); break;
    case DType::u8: encode_integer<uint8_t>(value, bytes); break;
    case DType::i32: encode_integer<int32_t>(value, bytes); break;
    case DType::u32: encode_integer<uint32_t>(value, bytes); break;
    case DType::boolean: *bytes = value != 0; break;
  }
}

GlobalTensor GlobalTensor::zeros(DType dtype, std::vector<int64_t> shape, std::vector<int64_t> strides) {
  GlobalTensor tensor{dtype, std::move(shape), std::move(strides), {}};
  if (tensor.strides.empty()) {
    tensor.strides.assign(tensor.shape.size(), 1);
    for (size_t d = tensor.shape.size(); d-- > 1;) tensor.strides[d - 1] = tensor.strides[d] * tensor.shape[d];
  }
  tensor.bytes.assign(static_cast<size_t>(tensor.storage() * info(dtype).bytes), 0);
  return tensor;
}

void GlobalTensor::poison() { std::fill(bytes.begin(), bytes.end(), uint8_t{0xFF}); }

int64_t GlobalTensor::elements() const {
  int64_t product = 1;
  for (int64_t extent : shape) product *= extent;
  return product;
}

int64_t GlobalTensor::storage() const {
  if (elements() == 0) return 0;
  int64_t last = 0;
  for (size_t d = 0; d < shape.size(); ++d) last += (shape[d] - 1) * strides[d];
  return last + 1;
}

int64_t GlobalTensor::offset(int64_t element) const {
  int64_t at = 0;
  for (size_t d = shape.size(); d-- > 0;) {
    at += element % shape[d] * strides[d];
    element /= shape[d];
  }
  return at;
}

std::vector<int64_t> GlobalTensor::index(int64_t element) const {
  std::vector<int64_t> at(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    at[d] = element % shape[d];
    element /= shape[d];
  }
  return at;
}

float GlobalTensor::get(int64_t offset) const { return decode(dtype, bytes.data() + offset * info(dtype).bytes); }

void GlobalTensor::set(int64_t offset, float value) { encode(dtype, value, bytes.data() + offset * info(dtype).bytes); }

}  // namespace bakery
