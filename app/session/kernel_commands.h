// SPDX-License-Identifier: Apache-2.0
// The commands that lower, compile, run and time, and those that read the record.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "app/session/commands.h"

namespace bakery {

std::span<const std::pair<const char*, CommandRunner>> kernel_runners();

// `bakery worker`: the words after it. Answers requests on stdin until it ends.
int serve_worker(int argc, const char* const* argv);

}  // namespace bakery
