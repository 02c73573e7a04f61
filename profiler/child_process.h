// SPDX-License-Identifier: Apache-2.0
// A child in its own process group, with its three standard descriptors in our hands.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace bakery {

class ChildProcess {
 public:
  ChildProcess() = default;
  ~ChildProcess() { kill(); }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Empty, or why it could not be started.
  std::string start(const std::vector<std::string>& argv);

  int input() const { return input_; }    // a socket, does not block
  int output() const { return output_; }  // pipes, do not block
  int errors() const { return errors_; }
  pid_t pid() const { return pid_; }

  void close_input();
  // Waits for its end, at most so long; then, if it lives, kills it. Ends its whole group. Returns
  // the status as of waitpid, -1 if there is none; `killed`: that it was us.
  int finish(double patience_s, bool& killed);
  void kill();

 private:
  pid_t pid_ = 0;
  int input_ = -1, output_ = -1, errors_ = -1;
};

}  // namespace bakery
