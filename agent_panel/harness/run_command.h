// SPDX-License-Identifier: Apache-2.0
// Runs any Qt-free command of the table: those of app/session and those of the built-in agent.
#pragma once

#include "app/session/commands.h"

namespace bakery {

CommandResult run_command(const CommandCall& call, std::stop_token stop = {});

}  // namespace bakery
