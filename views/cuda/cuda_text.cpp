// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cuda/cuda_text.h"

#include <algorithm>
#include <string_view>

namespace bakery::views {

namespace {

bool uses(const Schedule& schedule, const Op& op, const FocusState& focus) {
  const auto named = [](const auto& items, Index index, const std::string& name) {
    return !name.empty() && index < items.size() && items[index].name == name;
  };
  if (named(schedule.barriers, op.barrier, focus.barrier)) return true;
  for (const Region* region : {&op.dst, &op.a, &op.b})
    if (region->space == Space::shared && named(schedule.views, region->resource, focus.buffer)) return true;
  return focus.barrier.empty() && focus.buffer.empty() && named(schedule.roles, op.role, focus.role);
}

}  // namespace

uint32_t CudaText::schedule_line(uint32_t shown) const {
  return shown >= 1 && shown <= lines.size() ? lines[shown - 1].schedule : 0;
}

std::vector<uint32_t> CudaText::shown_lines(uint32_t first, uint32_t last) const {
  std::vector<uint32_t> found;
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines[i].schedule != 0 && lines[i].schedule >= first && lines[i].schedule <= last)
      found.push_back(static_cast<uint32_t>(i + 1));
  return found;
}

CudaText make_cuda_text(const Lowered& lowered, bool line_directives) {
  CudaText result;
  const std::string_view all = lowered.cuda;
  auto entry = lowered.lines.entries.begin();
  uint32_t number = 0;
  for (size_t begin = 0; begin < all.size();) {
    const size_t end = std::min(all.find('\n', begin), all.size());
    const std::string_view line = all.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    while (entry != lowered.lines.entries.end() && entry->cuda_line < number) ++entry;
    if (!line_directives && line.starts_with("#line ")) continue;
    CudaText::Line shown{number, 0, -1};
    if (entry != lowered.lines.entries.end() && entry->cuda_line == number) {
      shown.schedule = entry->schedule_line;
      shown.op = entry->op;
    }
    if (!result.lines.empty()) result.text += '\n';
    result.text += line;
    result.lines.push_back(shown);
  }
  return result;
}

uint32_t carry_line(const Analysis& from, const Analysis& to, uint32_t line) {
  if (&from == &to || line < 1 || line > from.source.line_count()) return line;
  const uint32_t begin = from.source.line_span(line).begin;
  return to.source.position(shift_offset(from.source.text(), to.source.text(), begin)).line;
}

std::vector<uint32_t> lit_lines(const CudaText& text, const Analysis& made_from, const Analysis& shown, const FocusState& focus) {
  if (focus.empty()) return {};
  uint32_t first = 1, last = 0;
  if (const auto lines = lines_of(shown.source, focus)) {
    first = carry_line(shown, made_from, lines->first);
    last = carry_line(shown, made_from, lines->second);
  }
  // A resource as a whole, not one place of it, is wherever it is used.
  const bool whole = focus.event == kNoEvent && focus.finding < 0;
  const Schedule& schedule = made_from.schedule;
  std::vector<uint32_t> found;
  for (size_t i = 0; i < text.lines.size(); ++i) {
    const CudaText::Line& line = text.lines[i];
    const bool here = line.schedule != 0 && line.schedule >= first && line.schedule <= last;
    const bool used = whole && line.op >= 0 && static_cast<size_t>(line.op) < schedule.ops.size() &&
                      uses(schedule, schedule.ops[line.op], focus);
    if (here || used) found.push_back(static_cast<uint32_t>(i + 1));
  }
  return found;
}

}  // namespace bakery::views
