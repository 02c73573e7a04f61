// SPDX-License-Identifier: Apache-2.0
#include "lowering/compiler_log.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace bakery {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return out;
}

// Removes a leading number.
template <class T>
std::optional<T> take_number(std::string_view& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// The number before `what`, as in "896 bytes spill stores".
template <class T>
std::optional<T> number_before(std::string_view text, std::string_view what) {
  const size_t at = text.find(what);
  if (at == std::string_view::npos) return std::nullopt;
  size_t begin = at;
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  std::string_view digits = text.substr(begin, at - begin);
  return take_number<T>(digits);
}

// The first 'name' in single quotes.
std::string quoted(std::string_view text) {
  const size_t begin = text.find('\'');
  if (begin == std::string_view::npos) return {};
  const size_t end = text.find('\'', begin + 1);
  return end == std::string_view::npos ? std::string() : std::string(text.substr(begin + 1, end - begin - 1));
}

// The name in "… function 'k'": setmaxnreg and instructions are quoted too.
std::string quoted_function(std::string_view text) {
  const size_t at = text.rfind("function '");
  return at == std::string_view::npos ? std::string() : quoted(text.substr(at));
}

// ---- .loc and .file of the PTX ---------------------------------------------------------

struct Loc {
  uint32_t file = 0, line = 0, column = 0;
  bool operator==(const Loc&) const = default;
};

struct LocLine {
  Loc at;
  std::optional<Loc> inlined_at;
};

std::optional<Loc> take_loc(std::string_view& text) {
  Loc loc;
  for (uint32_t* field : {&loc.file, &loc.line, &loc.column}) {
    text = trim(text);
    const auto number = take_number<uint32_t>(text);
    if (!number) return std::nullopt;
    *field = *number;
  }
  return loc;
}

std::optional<LocLine> read_loc(std::string_view line) {
  line = trim(line);
  if (!take_prefix(line, ".loc")) return std::nullopt;
  const auto at = take_loc(line);
  if (!at) return std::nullopt;
  LocLine out{*at, std::nullopt};
  const size_t inlined = line.find("inlined_at");
  if (inlined == std::string_view::npos) return out;
  std::string_view rest = line.substr(inlined + 10);
  out.inlined_at = take_loc(rest);
  return out;
}

std::map<uint32_t, std::string> read_files(const std::vector<std::string_view>& lines) {
  std::map<uint32_t, std::string> out;
  for (std::string_view line : lines) {
    line = trim(line);
    if (!take_prefix(line, ".file")) continue;
    line = trim(line);
    const auto number = take_number<uint32_t>(line);
    const size_t begin = line.find('"');
    const size_t end = line.find('"', begin == std::string_view::npos ? begin : begin + 1);
    if (number && end != std::string_view::npos) out[*number] = line.substr(begin + 1, end - begin - 1);
  }
  return out;
}

// The compiler puts its working directory before relative names.
bool is_file(const std::string& path, std::string_view name) {
  return path == name || (!name.empty() && path.size() > name.size() && path.ends_with(name) && path[path.size() - name.size() - 1] == '/');
}

class PtxMap {
 public:
  PtxMap(std::string_view ptx, std::string_view schedule) : lines_(split_lines(ptx)), files_(read_files(lines_)), schedule_(schedule) {}

  SourceLine find(uint32_t ptx_line) const {
    size_t at = std::min<size_t>(ptx_line, lines_.size());
    std::optional<LocLine> loc;
    while (at > 0 && !loc) loc = read_loc(lines_[--at]);
    if (!loc) return {};
    Loc place = loc->at;
    // Outwards along the inlined calls. A caller that was inlined itself has its own .loc above.
    for (int depth = 0; depth < 16 && !in_schedule(place) && loc && loc->inlined_at; ++depth) {
      place = *loc->inlined_at;
      loc = caller(place, at);
    }
    const auto file = files_.find(place.file);
    if (in_schedule(place)) return {schedule_, place.line};
    return {file == files_.end() ? std::string() : file->second, place.line};
  }

 private:
  bool in_schedule(const Loc& loc) const {
    const auto file = files_.find(loc.file);
    return file != files_.end() && is_file(file->second, schedule_);
  }

  std::optional<LocLine> caller(const Loc& place, size_t before) const {
    while (before > 0) {
      const auto loc = read_loc(lines_[--before]);
      if (loc && loc->at == place) return loc;
    }
    return std::nullopt;
  }

  std::vector<std::string_view> lines_;
  std::map<uint32_t, std::string> files_;
  std::string schedule_;
};

// ---- the log ---------------------------------------------------------------------------

using Level = CompilerMessage::Level;

// "error", "fatal", "warning", "info" and their padding, up to the colon.
std::optional<Level> take_level(std::string_view& text) {
  text = trim(text);
  std::optional<Level> level;
  if (take_prefix(text, "error") || take_prefix(text, "fatal")) level = Level::error;
  else if (take_prefix(text, "warning")) level = Level::warning;
  else if (take_prefix(text, "info")) level = Level::info;
  if (!level) return std::nullopt;
  text = trim(text);
  if (!take_prefix(text, ":")) return std::nullopt;
  text = trim(text);
  return level;
}

class LogReader {
 public:
  LogReader(std::string_view ptx, std::string_view schedule) : map_(ptx, schedule), schedule_(schedule) {}

  void line(std::string_view text) {
    if (text.starts_with("ptxas")) ptxas(text.substr(5));
    else if (text.find(" bytes stack frame") != std::string_view::npos) frame(text);  // without a prefix under nvcc
    else front_end(text);
  }
  CompilerLog take() { return std::move(log_); }

 private:
  // "gemm.cake(12): error: text", "gemm.cake(12): warning #177-D: text"
  void front_end(std::string_view text) {
    const size_t colon = text.find("): ");
    if (colon == std::string_view::npos) return;
    const size_t open = text.rfind('(', colon);
    if (open == std::string_view::npos || open == 0) return;
    std::string_view digits = text.substr(open + 1, colon - open - 1);
    const auto number = take_number<uint32_t>(digits);
    if (!number || !digits.empty()) return;
    CompilerMessage message;
    message.file = text.substr(0, open);
    if (is_file(message.file, schedule_)) message.file = schedule_;
    message.line = *number;
    std::string_view rest = text.substr(colon + 3);
    take_prefix(rest, "catastrophic ");
    if (take_prefix(rest, "error")) message.level = Level::error;
    else if (take_prefix(rest, "warning")) message.level = Level::warning;
    else if (!take_prefix(rest, "remark") && !take_prefix(rest, "note")) return;
    if (take_prefix(rest, " #")) {
      const size_t end = rest.find(':');
      message.code = rest.substr(0, end);
      rest.remove_prefix(std::min(end, rest.size()));
    }
    if (!take_prefix(rest, ":")) return;
    message.text = trim(rest);
    log_.messages.push_back(std::move(message));
  }

  void ptxas(std::string_view text) {
    uint32_t ptx_line = 0;
    text = trim(text);
    // " application ptx input, line 32; error   : text", or a file's name instead
    if (const size_t at = text.find(", line "); at != std::string_view::npos && text.find(';', at) != std::string_view::npos) {
      text.remove_prefix(at + 7);
      ptx_line = take_number<uint32_t>(text).value_or(0);
      take_prefix(text, ";");
    }
    if (text.find(" bytes stack frame") != std::string_view::npos) return frame(text);
    const auto level = take_level(text);
    if (!level || resources(text)) return;
    CompilerMessage message{*level};
    if (text.starts_with("(C")) {
      const size_t end = text.find(')');
      message.code = text.substr(1, end == std::string_view::npos ? end : end - 1);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    message.text = trim(text);
    message.function = quoted_function(text);
    if (const size_t around = text.find("around line "); around != std::string_view::npos) {
      std::string_view digits = text.substr(around + 12);
      ptx_line = take_number<uint32_t>(digits).value_or(0);
    }
    message.ptx_line = ptx_line;
    if (ptx_line > 0) {
      SourceLine source = map_.find(ptx_line);
      message.file = std::move(source.file);
      message.line = source.line;
    }
    log_.messages.push_back(std::move(message));
  }

  FunctionResources& resources_of(const std::string& name) {
    for (FunctionResources& function : log_.functions)
      if (function.name == name) return function;
    log_.functions.push_back({name});
    return log_.functions.back();
  }

  // The resource report; false: the line is none of it.
  bool resources(std::string_view text) {
    if (text.starts_with("Compiling entry function")) {
      entry_ = quoted(text);
      resources_of(entry_).entry = true;
      return true;
    }
    if (take_prefix(text, "Function properties for ")) {
      function_ = trim(text);
      return true;
    }
    if (text.starts_with("Used ")) {
      FunctionResources& function = resources_of(entry_);
      function.registers = number_before<int>(text, " registers").value_or(-1);
      function.barriers = number_before<int>(text, " barriers").value_or(0);
      function.static_shared = number_before<int64_t>(text, " bytes smem").value_or(0);
      return true;
    }
    return text.starts_with("Compile time") || text.find(" bytes gmem") != std::string_view::npos;
  }

  void frame(std::string_view text) {
    FunctionResources& function = resources_of(function_.empty() ? entry_ : function_);
    function.stack_bytes = number_before<int64_t>(text, " bytes stack frame").value_or(0);
    function.spill_stores = number_before<int64_t>(text, " bytes spill stores").value_or(0);
    function.spill_loads = number_before<int64_t>(text, " bytes spill loads").value_or(0);
  }

  PtxMap map_;
  std::string schedule_;
  CompilerLog log_;
  std::string entry_, function_;
};

constexpr PtxasRemark kRemarks[] = {
    {"C7504", "`setmaxnreg` is ignored", "compile the kernel as one unit, without calls to what another unit defines"},
    {"C7508", "`setmaxnreg` is ignored", "give the kernel `__launch_bounds__(threads, 1)`, so that its registers at entry are known"},
    {"C7509", "all `wgmma` are serialised", "call nothing that another unit defines"},
    {"C7510", "all `wgmma` are serialised", "keep a pipeline's `wgmma` and waits in one function: inline every helper"},
    {"C7511", "all `wgmma` are serialised", "leave the accumulator alone between the `mma` and its wait"},
    {"C7512", "all `wgmma` are serialised", "mend what the remark names between the first fence and the wait"},
    {"C7513", "all `wgmma` are serialised", "mend what the remark names between the first fence and the wait"},
    {"C7514", "all `wgmma` are serialised", "choose accumulators by constants, not by run-time indices"},
    {"C7515", "all `wgmma` are serialised", "mend what the remark names between the first fence and the wait"},
    {"C7516", "all `wgmma` are serialised", "mend what the remark names between the first fence and the wait"},
    {"C7517", "the compiler inserts a wait of its own", "wait for the `mma` before its accumulator is read"},
    {"C7518", "all `wgmma` are serialised", "mend what the remark names between the first fence and the wait"},
    {"C7519", "the compiler inserts a fence of its own", "fence before each batch of `wgmma`, and pin the accumulator around it"},
    {"C7602", "the kernel has too few registers for its `wgmma`", "raise the role's register budget or split the accumulator"},
};

}  // namespace

const FunctionResources* CompilerLog::function(std::string_view name) const {
  for (const FunctionResources& function : functions)
    if (function.name == name) return &function;
  return nullptr;
}

int CompilerLog::errors() const {
  return static_cast<int>(std::count_if(messages.begin(), messages.end(), [](const CompilerMessage& m) { return m.level == Level::error; }));
}

CompilerLog read_compiler_log(std::string_view log, std::string_view ptx, std::string_view schedule) {
  LogReader reader(ptx, schedule);
  for (const std::string_view line : split_lines(log)) reader.line(line);
  return reader.take();
}

SourceLine source_of_ptx_line(std::string_view ptx, uint32_t ptx_line, std::string_view schedule) {
  return PtxMap(ptx, schedule).find(ptx_line);
}

const PtxasRemark* find_remark(std::string_view code) {
  for (const PtxasRemark& remark : kRemarks)
    if (code == remark.code) return &remark;
  return nullptr;
}

}  // namespace bakery
