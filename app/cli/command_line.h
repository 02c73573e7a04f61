// SPDX-License-Identifier: Apache-2.0
// From words to a call of the command table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/commands.h"

namespace bakery {

// Either a call to run, or a result that is already there (help, wrong use).
struct CommandLine {
  CommandCall call;
  std::optional<CommandResult> result;
};

CommandLine read_command_line(const std::vector<std::string>& words);

}  // namespace bakery
