// SPDX-License-Identifier: Apache-2.0
#include "profiler/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>

#include "profiler/cuda_api.h"
#include "profiler/device_probe.h"
#include "profiler/kernel_run.h"
#include "profiler/messages.h"
#include "profiler/nvrtc.h"
#include "profiler/replay.h"

namespace bakery {
namespace {

// A private descriptor for messages; descriptor 1 then leads to stderr, where the printf of kernels
// and the chatter of libraries go.
int take_stdout() {
  const int out = fcntl(1, F_DUPFD_CLOEXEC, 3);
  dup2(2, 1);
  return out;
}

// Ends the process once nobody can read its answers any more: whoever asked may have been killed, and
// a kernel that hangs would keep the device.
void watch(int out) {
  std::thread([out] {
    const pid_t parent = getppid();
    while (true) {
      pollfd fd{out, 0, 0};
      poll(&fd, 1, 200);
      if (fd.revents & (POLLERR | POLLHUP | POLLNVAL)) _exit(1);
      if (getppid() != parent) _exit(1);
    }
  }).detach();
}

class Channel {
 public:
  explicit Channel(int fd) : fd_(fd) {}

  void write(std::string_view raw) {
    const std::lock_guard lock(mutex_);
    if (!write_all(fd_, raw)) _exit(1);
  }
  void send(const Message& message) { write(frame(message)); }

 private:
  int fd_;
  std::mutex mutex_;
};

struct Result {
  Message answer;
  bool ended = false;  // the context is lost: answer and go
};

Result handle(const Message& request, const std::string& type, const ProgressSink& progress) {
  if (type == "probe") return {encode(probe())};
  if (type == "compile") {
    CompileRequest compile_request;
    decode(request, compile_request);
    return {encode(compile(compile_request))};
  }
  if (type == "run") {
    RunRequest run_request;
    decode(request, run_request);
    const RunAnswer answer = run_kernel(run_request, progress);
    return {encode(answer), answer.ended};
  }
  if (type == "bench") {
    BenchRequest bench_request;
    decode(request, bench_request);
    const BenchAnswer answer = bench_kernel(bench_request, progress);
    return {encode(answer), answer.run.ended};
  }
  return {encode(WorkerError{WorkerErrorKind::request, "no request is called `" + type + "`"})};
}

Result handle_safely(const Message& request, const Envelope& head, const ProgressSink& progress) {
  try {
    return handle(request, head.type, progress);
  } catch (const cuda::Failure& failure) {
    const WorkerErrorKind kind = failure.error().kind;
    return {encode(failure.error()), kind == WorkerErrorKind::cuda || kind == WorkerErrorKind::timeout};
  } catch (const std::bad_alloc&) {
    return {encode(WorkerError{WorkerErrorKind::request, "the worker's memory is exhausted"})};
  } catch (const std::exception& error) {
    return {encode(WorkerError{WorkerErrorKind::request, error.what()})};
  }
}

int serve(Channel& channel, SessionRecorder& recorder, ReplaySession* replay) {
  if (replay) {
    channel.write(replay->before_hello());
    channel.send(replay->hello());
  } else {
    channel.send(encode(Hello{kProtocolVersion, build_id(), BAKERY_VERSION}));
  }
  MessageReader reader;
  Message request;
  while (true) {
    const MessageReader::Status status = read_message(0, reader, request);
    if (status == MessageReader::Status::need_more) return 0;
    if (status == MessageReader::Status::broken) {
      channel.send(encode(WorkerError{WorkerErrorKind::request, "the input can't be understood: " + reader.problem()}));
      return 2;
    }
    const Envelope head = envelope(request);
    if (head.type == "hello") continue;  // the client compares, and leaves if it must
    if (replay) {
      replay->answer(request, [&](std::string_view raw) { channel.write(raw); });
      continue;
    }
    recorder.request(request);
    const auto send = [&](const Message& message) {
      recorder.answer(message);
      channel.send(with_id(message, head.id));
    };
    const Result result = handle_safely(request, head, [&](const Progress& progress) { send(encode(progress)); });
    send(result.answer);
    recorder.end_request();
    if (result.ended) _exit(0);  // not through the driver's clean-up, which may wait for a kernel that hangs
  }
}

int refuse(const std::string& why) {
  std::fprintf(stderr, "bakery: %s\n", why.c_str());
  return 2;
}

}  // namespace

int worker_main(const WorkerOptions& options) {
  ReplaySession replay;
  SessionRecorder recorder;
  if (!options.replay.empty())
    if (const std::string why = replay.load(options.replay); !why.empty()) return refuse(why);
  if (!options.record.empty())
    if (const std::string why = recorder.open(options.record); !why.empty()) return refuse(why);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);  // compilers are known to crash
  signal(SIGPIPE, SIG_IGN);
  const int out = take_stdout();
  if (out < 0) return refuse("the worker has no stdout");
  watch(out);
  Channel channel(out);
  return serve(channel, recorder, options.replay.empty() ? nullptr : &replay);
}

int worker_main(int argc, const char* const* argv) {
  WorkerOptions options;
  for (int i = 0; i < argc; ++i) {
    const std::string_view word = argv[i];
    if ((word == "--replay" || word == "--record") && i + 1 < argc)
      (word == "--replay" ? options.replay : options.record) = argv[++i];
    else
      return refuse("`worker` takes `--replay FILE` and `--record FILE`, not `" + std::string(word) + "`");
  }
  return worker_main(options);
}

}  // namespace bakery
