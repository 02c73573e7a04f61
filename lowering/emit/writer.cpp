// SPDX-License-Identifier: Apache-2.0
#include "lowering/emit/writer.h"

#include <algorithm>

namespace bakery {
namespace lowering {
namespace {

std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 32) out += c;
  }
  return out + "\"";
}

}  // namespace

Lowered Writer::finish(const std::string& schedule_file, const std::string& cuda_file) const {
  Lowered lowered;
  uint32_t number = 1;
  bool in_schedule = false;
  uint32_t next = 0;  // what the compiler would call the next line, inside of the schedule
  const auto emit = [&](const std::string& text) {
    lowered.cuda += text;
    lowered.cuda += '\n';
    ++number;
    ++next;
  };
  for (const Line& line : lines_) {
    const bool neutral = line.text.find_first_not_of(" {}") == std::string::npos;
    if (line.schedule_line != 0) {
      if (!in_schedule || next != line.schedule_line) emit(cat("#line ", line.schedule_line, " ", quoted(schedule_file)));
      in_schedule = true;
      next = line.schedule_line;
      lowered.lines.entries.push_back({number, line.schedule_line, line.op});
    } else if (in_schedule && !neutral) {
      emit(cat("#line ", number + 1, " ", quoted(cuda_file)));
      in_schedule = false;
    }
    emit(line.text);
  }
  return lowered;
}

}  // namespace lowering

uint32_t LineMap::schedule_line(uint32_t cuda_line) const {
  const auto it = std::lower_bound(entries.begin(), entries.end(), cuda_line,
                                   [](const Entry& entry, uint32_t line) { return entry.cuda_line < line; });
  return it != entries.end() && it->cuda_line == cuda_line ? it->schedule_line : 0;
}

std::vector<uint32_t> LineMap::cuda_lines(uint32_t schedule_line) const {
  std::vector<uint32_t> found;
  for (const Entry& entry : entries)
    if (entry.schedule_line == schedule_line) found.push_back(entry.cuda_line);
  return found;
}

}  // namespace bakery
