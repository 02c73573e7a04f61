// SPDX-License-Identifier: Apache-2.0
// Source text and positions. Offsets and columns count UTF-8 bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bakery {

// Half-open range of byte offsets into one SourceText.
struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool operator==(const Span&) const = default;
  bool contains(uint32_t offset) const { return offset >= begin && offset < end; }
};

// 1-based line and 1-based byte column.
struct Position {
  uint32_t line = 1;
  uint32_t column = 1;
  bool operator==(const Position&) const = default;
};

class SourceText {
 public:
  SourceText() : SourceText("", "") {}
  SourceText(std::string name, std::string text);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  std::string_view slice(Span span) const;
  uint32_t line_count() const { return static_cast<uint32_t>(line_starts_.size()); }
  // Text of a 1-based line without its newline; empty past the end.
  std::string_view line(uint32_t line) const;
  // Span of a 1-based line without its newline.
  Span line_span(uint32_t line) const;
  Position position(uint32_t offset) const;
  uint32_t offset(Position position) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<uint32_t> line_starts_;
};

// Offset of the first byte that is not UTF-8, or npos.
size_t find_invalid_utf8(std::string_view text);

}  // namespace bakery
