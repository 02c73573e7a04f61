// SPDX-License-Identifier: Apache-2.0
// Runs a program to its end, for tests of the command line.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace bakery {

inline std::string read_all(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_all(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// A folder of its own that goes with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "bakery-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string file(const std::string& name, const std::string& text) const {
    write_all(path_ / name, text);
    return *this / name;
  }

 private:
  std::filesystem::path path_;
};

struct Finished {
  int code = -1;    // exit code
  int signal = 0;   // that ended it; 0: none
  std::string output, error;
  double seconds = 0;
};

// `interrupt_after`: sends SIGINT so many seconds after the start; 0: never. A program that runs
// for longer than `limit` seconds is killed.
inline Finished run_program(const std::vector<std::string>& words, double interrupt_after = 0, double limit = 60) {
  const TemporaryFolder folder;
  const std::string out = folder / "out", err = folder / "err";
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    const int o = ::open(out.c_str(), O_WRONLY | O_CREAT, 0600), e = ::open(err.c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(o, 1);
    ::dup2(e, 2);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  Finished done;
  int status = 0;
  bool interrupted = interrupt_after == 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!interrupted && done.seconds > interrupt_after) {
      ::kill(child, SIGINT);
      interrupted = true;
    }
    if (done.seconds > limit) ::kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (WIFEXITED(status)) done.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) done.signal = WTERMSIG(status);
  done.output = read_all(out);
  done.error = read_all(err);
  return done;
}

}  // namespace bakery
