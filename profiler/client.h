// SPDX-License-Identifier: Apache-2.0
// The side that asks. The worker is a child process in a group of its own; whatever becomes of it,
// a call ends with a status, and the next call starts a new one if need be.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "profiler/messages.h"

namespace bakery {

enum class Outcome : uint8_t {
  answered,
  refused,           // the worker answered with an error: see CallStatus::error
  not_started,       // the program can't be run
  version_mismatch,  // of the protocol or the build
  crashed,           // ended by a signal
  exited,            // ended without an answer
  timed_out,
  garbage,           // what it writes are no messages
  truncated,         // ended within a message
  cancelled,
};
const char* to_string(Outcome outcome);

struct CallStatus {
  Outcome outcome = Outcome::answered;
  std::string message;      // a sentence, of anything but `answered`
  WorkerError error;        // of `refused`
  int signal = 0;           // of `crashed`, or that ended it within a message
  int exit_code = 0;        // of `exited`
  std::string noise;        // lines on its stdout that are no messages
  std::string stderr_tail;  // the last of what it wrote there during the call

  bool ok() const { return outcome == Outcome::answered; }
};

template <class T>
struct Reply {
  CallStatus status;
  T value{};  // if status.ok()
};

struct CallOptions {
  double timeout_s = 120;  // of the whole call, the start apart
  std::stop_token stop;
  std::function<void(const Progress&)> progress;
};

struct WorkerCommand {
  std::vector<std::string> argv;  // {"bakery", "worker"}, {"ssh", "HOST", "bakery", "worker"}
  double start_timeout_s = 30;    // until its hello
};

// This machine's worker: the `bakery` that runs, or lies beside the program that runs, or of $PATH.
WorkerCommand local_worker();

// One worker process at a time. Not for several threads at once.
class WorkerClient {
 public:
  explicit WorkerClient(WorkerCommand command);
  ~WorkerClient();  // ends the worker
  WorkerClient(const WorkerClient&) = delete;
  WorkerClient& operator=(const WorkerClient&) = delete;

  Reply<ProbeAnswer> probe(const CallOptions& options = {});
  Reply<CompileAnswer> compile(const CompileRequest& request, const CallOptions& options = {});
  Reply<RunAnswer> run(const RunRequest& request, const CallOptions& options = {});
  Reply<BenchAnswer> bench(const BenchRequest& request, const CallOptions& options = {});

  // Any message and its answer.
  CallStatus call(const Message& request, const CallOptions& options, Message& answer);

  const Hello& hello() const;  // of the last worker that started
  bool running() const;
  int pid() const;             // of the child, 0: none
  void stop();

 private:
  struct Process;
  template <class T>
  Reply<T> ask(const Message& request, const CallOptions& options);

  WorkerCommand command_;
  std::unique_ptr<Process> process_;
  Hello hello_;
  int64_t last_id_ = 0;
};

}  // namespace bakery
