// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cuda/ptx_text.h"

#include <charconv>
#include <map>
#include <optional>
#include <tuple>

namespace bakery::views {

namespace {

using Loc = std::tuple<uint32_t, uint32_t, uint32_t>;  // file, line, column

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::optional<uint32_t> take_uint(std::string_view& text) {
  text = without_blanks(text);
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

std::optional<Loc> take_place(std::string_view& text) {
  const auto file = take_uint(text);
  const auto line = file ? take_uint(text) : std::nullopt;
  const auto column = line ? take_uint(text) : std::nullopt;
  return column ? std::optional(Loc{*file, *line, *column}) : std::nullopt;
}

bool names(std::string_view path, std::string_view file) {
  return !file.empty() && (path == file || (path.ends_with(file) && path[path.size() - file.size() - 1] == '/'));
}

// What a file number of the PTX is.
enum class FileKind : uint8_t { other, schedule, cuda };

template <class Use>
void each_line(std::string_view text, Use use) {
  uint32_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    use(++number, text.substr(begin, end - begin));
    begin = end + 1;
  }
}

std::map<uint32_t, FileKind> files_of(std::string_view ptx, std::string_view schedule, std::string_view cuda) {
  std::map<uint32_t, FileKind> files;
  each_line(ptx, [&](uint32_t, std::string_view line) {
    line = without_blanks(line);
    if (!line.starts_with(".file")) return;
    line.remove_prefix(5);
    const auto number = take_uint(line);
    const size_t open = line.find('"'), close = line.rfind('"');
    if (!number || open == std::string_view::npos || close <= open) return;
    const std::string_view path = line.substr(open + 1, close - open - 1);
    files[*number] = names(path, schedule) ? FileKind::schedule : names(path, cuda) ? FileKind::cuda : FileKind::other;
  });
  return files;
}

}  // namespace

PtxText make_ptx_text(std::string_view ptx, std::string_view schedule_file, std::string_view cuda_file, bool directives) {
  const std::map<uint32_t, FileKind> files = files_of(ptx, schedule_file, cuda_file);
  const auto kind = [&](const Loc& loc) {
    const auto it = files.find(std::get<0>(loc));
    return it == files.end() ? FileKind::other : it->second;
  };
  PtxText result;
  PtxText::Line here;
  std::map<Loc, PtxText::Line> seen;  // what an inlined caller's own `.loc` said
  bool debug = false;
  each_line(ptx, [&](uint32_t number, std::string_view line) {
    const std::string_view text = without_blanks(line);
    bool hidden = false;
    if (text.starts_with(".loc")) {
      std::string_view rest = text.substr(4);
      const auto at = take_place(rest);
      const size_t inlined = rest.find("inlined_at");
      std::optional<Loc> caller;
      if (inlined != std::string_view::npos) {
        rest.remove_prefix(inlined + 10);
        caller = take_place(rest);
      }
      here = {};
      if (at) {
        if (kind(*at) == FileKind::schedule) here.schedule = std::get<1>(*at);
        else if (caller && kind(*caller) == FileKind::schedule) here.schedule = std::get<1>(*caller);
        else if (caller && seen.contains(*caller)) here = seen[*caller];
        if (here.schedule == 0 && here.cuda == 0) {
          const Loc& outer = caller ? *caller : *at;
          if (kind(outer) == FileKind::cuda) here.cuda = std::get<1>(outer);
        }
        seen[*at] = here;
      }
      hidden = true;
    } else if (text == "}" || text.starts_with(".visible") || text.starts_with(".func")) {
      here = {};
    } else if (text.starts_with(".file")) {
      hidden = true;
    } else if (text.starts_with(".section")) {
      debug = true;  // until its closing brace
    }
    if (debug) {
      hidden = true;
      here = {};
      if (text == "}") debug = false;
    }
    if (hidden && !directives) return;
    PtxText::Line shown = text.empty() || text.starts_with(".loc") ? PtxText::Line{} : here;
    shown.ptx = number;
    if (!result.lines.empty()) result.text += '\n';
    result.text += line;
    result.lines.push_back(shown);
  });
  return result;
}

}  // namespace bakery::views
