// SPDX-License-Identifier: Apache-2.0
// `bakery worker`: the process that compiles, launches and times. See protocol.h and messages.h.
#pragma once

#include <string>

namespace bakery {

struct WorkerOptions {
  std::string replay;  // answer from this session instead of a device
  std::string record;  // write the session there
};

// Answers requests on stdin until it ends. Takes stdout for itself: what else is written there goes
// to stderr. Returns the exit code: 0, 2 if a file can't be used.
int worker_main(const WorkerOptions& options);

// The words after `worker`: [--replay FILE] [--record FILE].
int worker_main(int argc, const char* const* argv);

}  // namespace bakery
