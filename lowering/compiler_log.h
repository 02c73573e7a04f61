// SPDX-License-Identifier: Apache-2.0
// Reads what NVRTC and ptxas say of a compilation. Text in, values out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bakery {

struct CompilerMessage {
  enum class Level : uint8_t { error, warning, info };
  Level level = Level::info;
  std::string code;       // "C7508", "177-D"; empty: none
  std::string text;       // without code and place
  std::string function;   // mangled, where it is named
  std::string file;       // as `#line` wrote it
  uint32_t line = 0;      // of `file`; 0: unknown
  uint32_t ptx_line = 0;  // where ptxas placed it
};

struct FunctionResources {
  std::string name;       // mangled
  bool entry = false;
  int registers = -1, barriers = -1;  // -1: not reported
  int64_t stack_bytes = 0, spill_stores = 0, spill_loads = 0;
  int64_t static_shared = 0;
};

struct CompilerLog {
  std::vector<CompilerMessage> messages;
  std::vector<FunctionResources> functions;

  const FunctionResources* function(std::string_view name) const;
  int errors() const;
};

// ptxas counts lines of the PTX; with `-lineinfo` its `.loc` directives lead back. `schedule` is the
// file name of the `#line` directives: of a chain of inlined calls, the innermost line in that file
// is taken, else the outermost one.
CompilerLog read_compiler_log(std::string_view log, std::string_view ptx, std::string_view schedule);

struct SourceLine {
  std::string file;
  uint32_t line = 0;      // 0: unknown
};
SourceLine source_of_ptx_line(std::string_view ptx, uint32_t ptx_line, std::string_view schedule);

// What a remark of ptxas costs; nothing for harmless ones. They are only info lines, and the
// compilation succeeds.
struct PtxasRemark {
  const char* code;
  const char* consequence;  // "`setmaxnreg` is ignored"
  const char* remedy;
};
const PtxasRemark* find_remark(std::string_view code);

}  // namespace bakery
