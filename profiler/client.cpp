// SPDX-License-Identifier: Apache-2.0
#include "profiler/client.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "profiler/child_process.h"

namespace bakery {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kStderrTail = size_t{64} << 10;
constexpr double kPatience = 2;  // for the end of a worker whose stdout has closed

constexpr const char* kOutcomes[] = {"answered", "refused", "not started", "version mismatch", "crashed",
                                     "exited", "timed out", "garbage", "truncated", "cancelled"};

std::string quoted_tail(const std::string& text) {
  std::string tail = text.substr(text.size() > 300 ? text.size() - 300 : 0);
  while (!tail.empty() && tail.back() == '\n') tail.pop_back();
  return tail;
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

}  // namespace

const char* to_string(Outcome outcome) { return kOutcomes[static_cast<int>(outcome)]; }

WorkerCommand local_worker() {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::path self = fs::read_symlink("/proc/self/exe", code);
  if (!code) {
    if (self.filename() == "bakery") return {{self.string(), "worker"}};
    const fs::path beside = self.parent_path() / "bakery";
    if (fs::exists(beside, code)) return {{beside.string(), "worker"}};
  }
  return {{"bakery", "worker"}};
}

// ---- one worker and its stream --------------------------------------------------------

struct WorkerClient::Process {
  ChildProcess child;
  MessageReader reader;
  std::string outgoing;
  std::string errors;  // of this call
  bool output_open = true, errors_open = true;

  enum class Event : uint8_t { message, ended, broken, timed_out, cancelled };

  void send(const Message& message) { outgoing += frame(message); }

  // The next message, or why there is none.
  Event next(Message& out, Clock::time_point deadline, const std::stop_token& stop) {
    while (true) {
      const MessageReader::Status status = reader.next(out);
      if (status == MessageReader::Status::message) return Event::message;
      if (status == MessageReader::Status::broken) return Event::broken;
      if (!output_open) return Event::ended;
      if (stop.stop_requested()) return Event::cancelled;
      const auto now = Clock::now();
      if (now >= deadline) return Event::timed_out;
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - now).count() + 1;
      wait(static_cast<int>(std::min<int64_t>(left, 20)));
    }
  }

  void wait(int milliseconds) {
    pollfd fds[3] = {{child.output(), POLLIN, 0},
                     {errors_open ? child.errors() : -1, POLLIN, 0},
                     {outgoing.empty() ? -1 : child.input(), POLLOUT, 0}};
    if (poll(fds, 3, milliseconds) <= 0) return;
    if (fds[1].revents) errors_open = drain(child.errors(), [&](std::string_view data) { keep_errors(data); });
    if (fds[0].revents) output_open = drain(child.output(), [&](std::string_view data) { reader.feed(data); });
    if (fds[2].revents) flush();
  }

  template <class F>
  static bool drain(int fd, const F& use) {
    char buffer[65536];
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n > 0) use(std::string_view(buffer, static_cast<size_t>(n)));
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
  }

  void keep_errors(std::string_view data) {
    errors.append(data);
    if (errors.size() > kStderrTail) errors.erase(0, errors.size() - kStderrTail);
  }

  void flush() {
    const ssize_t n = ::send(child.input(), outgoing.data(), outgoing.size(), MSG_NOSIGNAL);
    if (n > 0) outgoing.erase(0, static_cast<size_t>(n));
    // A worker that reads no more will show its end on its stdout.
    if (n < 0 && errno != EAGAIN && errno != EINTR) outgoing.clear();
  }

  // What it still says on stderr.
  void drain_errors() {
    for (int i = 0; errors_open && i < 64; ++i) {
      pollfd fd{child.errors(), POLLIN, 0};
      if (poll(&fd, 1, 20) <= 0) return;
      errors_open = drain(child.errors(), [&](std::string_view data) { keep_errors(data); });
    }
  }

  void describe_end(CallStatus& status, double patience_s) {
    drain_errors();
    bool killed = false;
    const int end = child.finish(patience_s, killed);
    if (killed || end == -1) return;
    if (WIFSIGNALED(end)) status.signal = WTERMSIG(end);
    if (WIFEXITED(end)) status.exit_code = WEXITSTATUS(end);
  }
};

namespace {

std::string ending(const CallStatus& status) {
  if (status.signal != 0) return std::string("was ended by signal ") + std::to_string(status.signal) + " (" + strsignal(status.signal) + ")";
  return "ended with exit code " + std::to_string(status.exit_code);
}

}  // namespace

// ---- calls ----------------------------------------------------------------------------

WorkerClient::WorkerClient(WorkerCommand command) : command_(std::move(command)) {}

WorkerClient::~WorkerClient() { stop(); }

void WorkerClient::stop() {
  if (!process_) return;
  process_->child.close_input();
  bool killed = false;
  process_->child.finish(0.3, killed);
  process_.reset();
}

bool WorkerClient::running() const { return process_ != nullptr; }
int WorkerClient::pid() const { return process_ ? process_->child.pid() : 0; }
const Hello& WorkerClient::hello() const { return hello_; }

CallStatus WorkerClient::call(const Message& request, const CallOptions& options, Message& answer) {
  using Event = Process::Event;
  CallStatus status;
  // Whatever ends a call without an answer ends the worker too.
  const auto give_up = [&](Outcome outcome, const std::string& message, double patience_s = 0) {
    status.outcome = outcome;
    if (process_) {
      process_->describe_end(status, patience_s);
      status.noise = process_->reader.noise();
      status.stderr_tail = process_->errors;
    }
    process_.reset();
    status.message = message;
    return status;
  };
  const auto no_message = [&](Event event, const std::string& doing, double timeout_s) {
    const Process& process = *process_;
    if (event == Event::cancelled) return give_up(Outcome::cancelled, "cancelled while " + doing);
    if (event == Event::broken) return give_up(Outcome::garbage, "the worker writes what are no messages: " + process.reader.problem());
    const bool noisy = process.reader.noise_bytes() > 0, inside = process.reader.mid_message();
    if (event == Event::timed_out) {
      std::string text = "the worker gave no answer within " + seconds_text(timeout_s) + " while " + doing + " and was ended";
      if (inside) text += "; a message had begun";
      if (noisy) text += "; it wrote what are no messages: " + quoted_tail(process.reader.noise());
      return give_up(Outcome::timed_out, text);
    }
    give_up(Outcome::exited, "", kPatience);
    if (inside) status.outcome = Outcome::truncated;
    else if (status.signal != 0) status.outcome = Outcome::crashed;
    else if (noisy) status.outcome = Outcome::garbage;
    status.message = "the worker " + ending(status) + (inside ? " within a message" : "") + " while " + doing;
    if (status.outcome == Outcome::garbage) status.message += "; it wrote what are no messages: " + quoted_tail(status.noise);
    if (!status.stderr_tail.empty()) status.message += "; its last words: " + quoted_tail(status.stderr_tail);
    return status;
  };

  // One that has ended since the last call (a lost context, a closed connection) is replaced.
  if (process_) process_->wait(0);
  if (process_ && !process_->output_open) stop();
  if (!process_) {
    process_ = std::make_unique<Process>();
    if (const std::string why = process_->child.start(command_.argv); !why.empty()) {
      process_.reset();
      return give_up(Outcome::not_started, why);
    }
    process_->send(encode(Hello{kProtocolVersion, build_id(), BAKERY_VERSION}));
    Message first;
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(command_.start_timeout_s));
    const Event event = process_->next(first, deadline, options.stop);
    if (event != Event::message) {
      no_message(event, "starting", command_.start_timeout_s);
      if (status.outcome == Outcome::exited && status.exit_code == 127) status.outcome = Outcome::not_started;
      return status;
    }
    try {
      hello_ = {};
      if (envelope(first).type != "hello") return give_up(Outcome::garbage, "the worker's first message is no hello");
      decode(first, hello_);
    } catch (const std::exception& error) {
      return give_up(Outcome::garbage, std::string("the worker's hello can't be read: ") + error.what());
    }
    if (hello_.protocol != kProtocolVersion)
      return give_up(Outcome::version_mismatch, "the worker speaks protocol " + std::to_string(hello_.protocol) + ", this program " +
                                                    std::to_string(kProtocolVersion) + "; use the same build on both sides");
    if (hello_.build != build_id())
      return give_up(Outcome::version_mismatch, "the worker is build " + hello_.build + ", this program " + build_id() +
                                                    "; use the same build on both sides");
  }

  Process& process = *process_;
  process.errors.clear();
  const int64_t id = ++last_id_;
  process.send(with_id(request, id));
  const std::string doing = "working on `" + envelope(request).type + "`";
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.timeout_s));
  while (true) {
    const Event event = process.next(answer, deadline, options.stop);
    if (event != Event::message) return no_message(event, doing, options.timeout_s);
    try {
      const Envelope head = envelope(answer);
      if (head.type == "progress" && head.id == id) {
        Progress progress;
        decode(answer, progress);
        if (options.progress) options.progress(progress);
        continue;
      }
      if (head.id != id || (head.type != "answer" && head.type != "error")) continue;
      if (head.type == "error") {
        decode(answer, status.error);
        status.outcome = Outcome::refused;
        status.message = status.error.message;
      }
      status.noise = process.reader.noise();
      process.wait(0);
      status.stderr_tail = process.errors;
      // After a failed call the context may be lost.
      if (status.error.kind == WorkerErrorKind::cuda || status.error.kind == WorkerErrorKind::timeout) stop();
      return status;
    } catch (const std::exception& error) {
      return give_up(Outcome::garbage, std::string("the worker's answer can't be read: ") + error.what());
    }
  }
}

template <class T>
Reply<T> WorkerClient::ask(const Message& request, const CallOptions& options) {
  Reply<T> reply;
  Message answer;
  reply.status = call(request, options, answer);
  if (!reply.status.ok()) return reply;
  try {
    decode(answer, reply.value);
  } catch (const std::exception& error) {
    reply.status.outcome = Outcome::garbage;
    reply.status.message = std::string("the worker's answer can't be read: ") + error.what();
  }
  return reply;
}

Reply<ProbeAnswer> WorkerClient::probe(const CallOptions& options) { return ask<ProbeAnswer>(encode_probe(), options); }

Reply<CompileAnswer> WorkerClient::compile(const CompileRequest& request, const CallOptions& options) {
  return ask<CompileAnswer>(encode(request), options);
}

Reply<RunAnswer> WorkerClient::run(const RunRequest& request, const CallOptions& options) {
  Reply<RunAnswer> reply = ask<RunAnswer>(encode(request), options);
  if (reply.value.ended) stop();
  return reply;
}

Reply<BenchAnswer> WorkerClient::bench(const BenchRequest& request, const CallOptions& options) {
  Reply<BenchAnswer> reply = ask<BenchAnswer>(encode(request), options);
  if (reply.value.run.ended) stop();
  return reply;
}

}  // namespace bakery
