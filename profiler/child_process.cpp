// SPDX-License-Identifier: Apache-2.0
#include "profiler/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

extern char** environ;

namespace bakery {
namespace {

void close_fd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

// Gives up its descriptors at the end of a scope, unless they were moved out (set to -1).
struct Descriptors {
  int input[2] = {-1, -1}, output[2] = {-1, -1}, errors[2] = {-1, -1};

  ~Descriptors() {
    for (int* pair : {input, output, errors})
      for (int i = 0; i < 2; ++i) close_fd(pair[i]);
  }
  // A socket for the input: writing to a child that has ended must not raise SIGPIPE here.
  bool open() {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) == 0 && pipe2(output, O_CLOEXEC) == 0 &&
           pipe2(errors, O_CLOEXEC) == 0;
  }
};

int spawn(const std::vector<std::string>& argv, const Descriptors& fds, pid_t& pid) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fds.input[1], 0);
  posix_spawn_file_actions_adddup2(&actions, fds.output[1], 1);
  posix_spawn_file_actions_adddup2(&actions, fds.errors[1], 2);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  const int result = posix_spawnp(&pid, words[0], &actions, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return result;
}

int take(int& fd) {
  const int taken = fd;
  fd = -1;
  fcntl(taken, F_SETFL, fcntl(taken, F_GETFL) | O_NONBLOCK);
  return taken;
}

}  // namespace

std::string ChildProcess::start(const std::vector<std::string>& argv) {
  kill();
  if (argv.empty() || argv[0].empty()) return "there is no command to start it with";
  Descriptors fds;
  if (!fds.open()) return std::string("can't make its pipes: ") + std::strerror(errno);
  pid_t pid = 0;
  if (const int result = spawn(argv, fds, pid); result != 0) return "can't start `" + argv[0] + "`: " + std::strerror(result);
  pid_ = pid;
  input_ = take(fds.input[0]);
  output_ = take(fds.output[0]);
  errors_ = take(fds.errors[0]);
  return {};
}

void ChildProcess::close_input() { close_fd(input_); }

int ChildProcess::finish(double patience_s, bool& killed) {
  using Clock = std::chrono::steady_clock;
  killed = false;
  if (pid_ <= 0) return -1;
  const auto end = Clock::now() + std::chrono::duration<double>(patience_s);
  siginfo_t info{};
  // Not reaped yet: until then the group's number can't belong to anyone else.
  while (true) {
    info.si_pid = 0;
    if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR) break;
    if (info.si_pid != 0) break;
    if (Clock::now() >= end) {
      killed = true;
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ::kill(-pid_, SIGKILL);
  int status = -1;
  while (waitpid(pid_, &status, 0) < 0)
    if (errno != EINTR) {
      status = -1;
      break;
    }
  pid_ = 0;
  close_fd(input_);
  close_fd(output_);
  close_fd(errors_);
  return status;
}

void ChildProcess::kill() {
  bool killed = false;
  finish(0, killed);
}

}  // namespace bakery
