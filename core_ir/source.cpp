// SPDX-License-Identifier: Apache-2.0
#include "core_ir/source.h"

#include <algorithm>

namespace bakery {

SourceText::SourceText(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (uint32_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
}

std::string_view SourceText::slice(Span span) const {
  const uint32_t size = static_cast<uint32_t>(text_.size());
  const uint32_t begin = std::min(span.begin, size);
  const uint32_t end = std::clamp(span.end, begin, size);
  return std::string_view(text_).substr(begin, end - begin);
}

Span SourceText::line_span(uint32_t line) const {
  const uint32_t size = static_cast<uint32_t>(text_.size());
  if (line == 0 || line > line_count()) return {size, size};
  const uint32_t begin = line_starts_[line - 1];
  uint32_t end = line < line_count() ? line_starts_[line] - 1 : size;
  if (end > begin && text_[end - 1] == '\r') --end;
  return {begin, end};
}

std::string_view SourceText::line(uint32_t line) const { return slice(line_span(line)); }

Position SourceText::position(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(text_.size()));
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const uint32_t line = static_cast<uint32_t>(next - line_starts_.begin());
  return {line, offset - line_starts_[line - 1] + 1};
}

uint32_t SourceText::offset(Position position) const {
  if (position.line == 0) return 0;
  if (position.line > line_count()) return static_cast<uint32_t>(text_.size());
  const uint64_t wanted = uint64_t{line_starts_[position.line - 1]} + position.column - 1;
  const uint32_t limit = position.line < line_count() ? line_starts_[position.line] - 1
                                                      : static_cast<uint32_t>(text_.size());
  return static_cast<uint32_t>(std::min<uint64_t>(wanted, limit));
}

size_t find_invalid_utf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    const auto byte = static_cast<unsigned char>(text[i]);
    size_t length = byte < 0x80 ? 1 : (byte >> 5) == 6 ? 2 : (byte >> 4) == 14 ? 3 : (byte >> 3) == 30 ? 4 : 0;
    if (length == 0 || i + length > text.size()) return i;
    uint32_t code = length == 1 ? byte : byte & (0x7F >> length);
    for (size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next >> 6) != 2) return i;
      code = code << 6 | (next & 0x3F);
    }
    const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < smallest[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return i;
    i += length;
  }
  return std::string_view::npos;
}

}  // namespace bakery
