// SPDX-License-Identifier: Apache-2.0
// `bakery`: the command table on a command line.
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "agent_panel/harness/run_command.h"
#include "app/cli/command_line.h"
#include "app/cli/interrupt.h"
#include "app/session/kernel_commands.h"

namespace bakery {
namespace {

CommandResult answer(const std::vector<std::string>& words) {
  CommandLine line = read_command_line(words);
  if (line.result) return *line.result;
  Interrupt interrupt;
  return run_command(line.call, interrupt.token());
}

int show(const CommandResult& result) {
  if (!result.error.empty()) std::fprintf(stderr, "bakery: %s\n", result.error.c_str());
  errno = 0;
  const size_t written = std::fwrite(result.output.data(), 1, result.output.size(), stdout);
  if (written == result.output.size() && std::fflush(stdout) == 0) return result.exit_code;
  std::fprintf(stderr, "bakery: can't write to stdout: %s\n", std::strerror(errno));
  return kWrongUse;
}

}  // namespace
}  // namespace bakery

int main(int argc, char** argv) {
  try {
    // The child process that owns the GPU; it speaks a protocol of its own.
    if (argc > 1 && std::strcmp(argv[1], "worker") == 0) return bakery::serve_worker(argc - 2, argv + 2);
    return bakery::show(bakery::answer({argv + (argc > 0 ? 1 : 0), argv + argc}));
  } catch (const std::exception& error) {
    return bakery::show(bakery::our_fault(false, error.what()));
  }
}
