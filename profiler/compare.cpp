// SPDX-License-Identifier: Apache-2.0
#include "profiler/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "profiler/inputs.h"

namespace bakery {
namespace {

constexpr uint8_t kPoison = 0xFF;

bool is_poison(const GlobalTensor& tensor, int64_t offset) {
  const auto bytes = static_cast<size_t>(info(tensor.dtype).bytes);
  const uint8_t* at = tensor.bytes.data() + static_cast<size_t>(offset) * bytes;
  return std::all_of(at, at + bytes, [](uint8_t byte) { return byte == kPoison; });
}

struct Part {
  int64_t mismatches = 0, unwritten = 0;
  double max_abs = 0, max_rel = 0;
  std::vector<int64_t> first;
};

Part compare_part(const GlobalTensor& got, const Expected& expected, int64_t begin, int64_t end, double rtol, double atol, size_t keep) {
  Part part;
  const bool floating = info(got.dtype).floating;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t offset = got.offset(i);
    const double value = got.get(offset), want = expected.at(i);
    const double error = std::abs(value - want);
    if (error <= atol + rtol * std::abs(want)) {
      part.max_abs = std::max(part.max_abs, error);
      if (std::abs(want) > 1e-6) part.max_rel = std::max(part.max_rel, error / std::abs(want));
      continue;
    }
    ++part.mismatches;
    // An integer may well be all ones; a NaN is never a result that was asked for.
    if (floating && is_poison(got, offset)) ++part.unwritten;
    if (error == error) {
      part.max_abs = std::max(part.max_abs, error);
      if (std::abs(want) > 1e-6) part.max_rel = std::max(part.max_rel, error / std::abs(want));
    }
    if (part.first.size() < keep) part.first.push_back(i);
  }
  return part;
}

int64_t changed_gaps(const GlobalTensor& got) {
  if (got.storage() == got.elements()) return 0;
  std::vector<bool> used(static_cast<size_t>(got.storage()));
  for (int64_t i = 0; i < got.elements(); ++i) used[static_cast<size_t>(got.offset(i))] = true;
  const auto bytes = static_cast<size_t>(info(got.dtype).bytes);
  int64_t changed = 0;
  for (size_t i = 0; i < used.size(); ++i)
    for (size_t j = 0; j < bytes && !used[i]; ++j) changed += got.bytes[i * bytes + j] != kPoison;
  return changed;
}

}  // namespace

OutputCheck compare_output(const RunTensor& tensor, const GlobalTensor& got, const Expected& expected, double rtol, double atol,
                           int max_mismatches) {
  OutputCheck check;
  check.name = tensor.name;
  check.elements = got.elements();
  std::mutex mutex;
  std::map<int64_t, Part> parts;
  in_parallel(got.elements(), 1 << 16, [&](int64_t begin, int64_t end) {
    Part part = compare_part(got, expected, begin, end, rtol, atol, static_cast<size_t>(std::max(0, max_mismatches)));
    const std::lock_guard lock(mutex);
    parts[begin] = std::move(part);
  });
  for (const auto& [begin, part] : parts) {
    check.mismatches += part.mismatches;
    check.unwritten += part.unwritten;
    check.max_abs = std::max(check.max_abs, part.max_abs);
    check.max_rel = std::max(check.max_rel, part.max_rel);
    for (const int64_t element : part.first) {
      if (check.first.size() >= static_cast<size_t>(max_mismatches)) break;
      Mismatch mismatch;
      mismatch.index = got.index(element);
      if (tensor.tile.size() == mismatch.index.size())
        for (size_t d = 0; d < tensor.tile.size(); ++d) mismatch.tile.push_back(mismatch.index[d] / std::max<int64_t>(1, tensor.tile[d]));
      mismatch.expected = expected.at(element);
      mismatch.got = got.get(got.offset(element));
      mismatch.unwritten = info(got.dtype).floating && is_poison(got, got.offset(element));
      check.first.push_back(std::move(mismatch));
    }
  }
  check.outside_bytes = changed_gaps(got);
  return check;
}

}  // namespace bakery
