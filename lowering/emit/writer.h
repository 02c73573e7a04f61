// SPDX-License-Identifier: Apache-2.0
// Lines of CUDA with their schedule lines; `#line` where the compiler could not tell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core_ir/lowered.h"

namespace bakery::lowering {

template <class... Parts>
std::string cat(const Parts&... parts) {
  std::string text;
  const auto add = [&](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>) text += std::to_string(part);
    else text += part;
  };
  (add(parts), ...);
  return text;
}

class Writer {
 public:
  void line(std::string_view text = {}) { put(text, 0, -1); }
  void open(std::string_view text) {
    line(text);
    ++depth_;
  }
  void close(std::string_view text = "}") {
    --depth_;
    line(text);
  }
  // From an operation or loop of the schedule.
  void from(uint32_t schedule_line, int32_t op, std::string_view text) { put(text, schedule_line, op); }
  void open_from(uint32_t schedule_line, int32_t op, std::string_view text) {
    put(text, schedule_line, op);
    ++depth_;
  }
  void indent() { ++depth_; }
  void outdent() { --depth_; }
  void append(const Writer& other) { lines_.insert(lines_.end(), other.lines_.begin(), other.lines_.end()); }

  // The text with `#line` directives, and the map of the final line numbers.
  Lowered finish(const std::string& schedule_file, const std::string& cuda_file) const;

 private:
  struct Line {
    std::string text;
    uint32_t schedule_line;
    int32_t op;
  };
  void put(std::string_view text, uint32_t schedule_line, int32_t op) {
    lines_.push_back({text.empty() ? std::string() : std::string(static_cast<size_t>(depth_) * 2, ' ') + std::string(text), schedule_line, op});
  }

  std::vector<Line> lines_;
  int depth_ = 0;
};

}  // namespace bakery::lowering
