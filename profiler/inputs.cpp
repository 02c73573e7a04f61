// SPDX-License-Identifier: Apache-2.0
#include "profiler/inputs.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace bakery {
namespace {

constexpr const char* kNames[] = {"normal", "uniform", "ones", "integers"};

uint64_t mix(uint64_t state) {  // splitmix64
  state += 0x9e3779b97f4a7c15u;
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
  state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
  return state ^ (state >> 31);
}

double unit(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }  // [0, 1)

}  // namespace

const char* to_string(InputDistribution distribution) { return kNames[static_cast<int>(distribution)]; }

bool find_distribution(std::string_view name, InputDistribution& out) {
  for (int i = 0; i < 4; ++i)
    if (name == kNames[i]) {
      out = static_cast<InputDistribution>(i);
      return true;
    }
  return false;
}

uint64_t input_stream(std::string_view name, uint64_t seed) {
  uint64_t stream = mix(seed);
  for (const char c : name) stream = mix(stream ^ static_cast<unsigned char>(c));
  return stream;
}

float input_value(InputDistribution distribution, uint64_t stream, int64_t element) {
  const uint64_t at = stream + 2 * static_cast<uint64_t>(element);
  switch (distribution) {
    case InputDistribution::normal: {  // Box-Muller
      const double radius = std::sqrt(-2 * std::log1p(-unit(mix(at))));
      return static_cast<float>(radius * std::cos(6.283185307179586 * unit(mix(at + 1))));
    }
    case InputDistribution::uniform: return static_cast<float>(2 * unit(mix(at)) - 1);
    case InputDistribution::ones: return 1;
    case InputDistribution::integers: return static_cast<float>(static_cast<double>(mix(at) % 9) - 4);
  }
  return 0;
}

void fill_input(GlobalTensor& tensor, std::string_view name, InputDistribution distribution, uint64_t seed) {
  const uint64_t stream = input_stream(name, seed);
  in_parallel(tensor.elements(), 1 << 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) tensor.set(tensor.offset(i), input_value(distribution, stream, i));
  });
}

void in_parallel(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& work) {
  const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const int64_t parts = std::clamp<int64_t>(count / std::max<int64_t>(grain, 1), 1, cores);
  std::exception_ptr failure;
  std::mutex mutex;
  const auto guarded = [&](int64_t part) {
    try {
      work(count * part / parts, count * (part + 1) / parts);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int64_t part = 1; part < parts; ++part) threads.emplace_back(guarded, part);
    guarded(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace bakery
