// SPDX-License-Identifier: Apache-2.0
// The values of input tensors: a function of name, seed and element number, the same on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "core_ir/machine/tensors.h"

namespace bakery {

enum class InputDistribution : uint8_t { normal, uniform, ones, integers };
const char* to_string(InputDistribution distribution);
bool find_distribution(std::string_view name, InputDistribution& out);

// normal: mean 0, deviation 1; uniform: [-1, 1); integers: -4 to 4.
float input_value(InputDistribution distribution, uint64_t stream, int64_t element);
// Tensors differ under one seed.
uint64_t input_stream(std::string_view name, uint64_t seed);

// Fills the tensor, on all cores if it is large.
void fill_input(GlobalTensor& tensor, std::string_view name, InputDistribution distribution, uint64_t seed);

// Calls work(begin, end) for consecutive parts of [0, count), each on a core. Parts are never
// smaller than `grain`; their number is at most that of the cores.
void in_parallel(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& work);

}  // namespace bakery
