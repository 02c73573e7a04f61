// SPDX-License-Identifier: Apache-2.0
// Ctrl-C as a stop request.
#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace bakery {

// While it lives, the first SIGINT or SIGTERM asks the token to stop; the second one, or two seconds
// in which nobody heeded the first, ends the process. Make it before any other thread, so that all of them leave these signals to it.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace bakery
