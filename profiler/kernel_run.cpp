// SPDX-License-Identifier: Apache-2.0
#include "profiler/kernel_run.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "profiler/cupti.h"
#include "profiler/flush.h"
#include "profiler/launch.h"
#include "profiler/nvml.h"
#include "profiler/workload.h"

namespace bakery {
namespace {

using Clock = std::chrono::steady_clock;
using cuda::Failure;

double since_ms(Clock::time_point begin) { return std::chrono::duration<double, std::milli>(Clock::now() - begin).count(); }

std::string driver_text(const cuda::Driver& api) {
  const LibraryProbe nvml = probe_nvml();
  return (nvml.version.empty() ? "" : nvml.version + ", ") + "CUDA " + cuda::version_text(api.version);
}

// Left as it is until the process ends: freeing what a kernel that hangs uses would wait for the kernel.
template <class T>
void abandon(std::unique_ptr<T> thing) {
  static std::vector<std::unique_ptr<T>>& kept = *new std::vector<std::unique_ptr<T>>;
  kept.push_back(std::move(thing));
}

// Everything that a launched kernel needs to exist.
struct Prepared {
  const DeviceContext* context = nullptr;
  const Workload* workload = nullptr;
  std::unique_ptr<Launch> launch;
};

Prepared prepare(const RunRequest& request, const ProgressSink& progress, RunAnswer& answer) {
  const auto begin = Clock::now();
  Prepared out;
  const cuda::Driver& api = cuda::driver();
  answer.device = choose_device(list_devices(api), request.manifest.target, request.device);
  answer.driver_version = driver_text(api);
  out.context = &device_context(answer.device);
  out.workload = &workload_of(*out.context, request, progress);
  out.launch = std::make_unique<Launch>(*out.context, request, *out.workload);
  answer.reference = out.workload->reference();
  answer.launch = out.launch->facts();
  answer.prepare_ms = since_ms(begin);
  return out;
}

// A launched kernel did not end as it should.
void record_failure(const Failure& failure, Prepared& prepared, RunAnswer& answer) {
  answer.failure = failure.error();
  answer.hangs = prepared.launch->hangs();
  answer.ended = true;
  const bool late = failure.error().kind == WorkerErrorKind::timeout;
  answer.verdict = !answer.hangs.empty() ? RunVerdict::hang : late ? RunVerdict::timed_out : RunVerdict::failed;
  abandon(std::move(prepared.launch));
}

// Whether the kernel failed rather than the call that says so: errors that lose the context. 701 and
// 720 are about the launch itself.
bool lost_context(const Failure& failure) {
  const WorkerError& error = failure.error();
  return error.kind == WorkerErrorKind::timeout ||
         (error.kind == WorkerErrorKind::cuda && error.code >= 700 && error.code < 800 && error.code != 701 && error.code != 720);
}

void compare(const RunRequest& request, const Workload& workload, RunAnswer& answer) {
  answer.outputs = workload.compare_outputs(request.rtol, request.atol, request.max_mismatches);
  const bool correct = std::all_of(answer.outputs.begin(), answer.outputs.end(), [](const OutputCheck& check) { return check.correct(); });
  answer.verdict = correct ? RunVerdict::correct : RunVerdict::mismatch;
}

// CUDA events around each sample.
class EventTimes {
 public:
  EventTimes(const DeviceContext& context, int samples) : context_(context), events_(static_cast<size_t>(samples) * 2) {
    for (cuda::Event& event : events_) BAKERY_CU(context.api(), cuEventCreate, &event, 0u);
  }
  ~EventTimes() {
    for (const cuda::Event event : events_) context_.api().cuEventDestroy(event);
  }
  void record(size_t i) const { BAKERY_CU(context_.api(), cuEventRecord, events_[i], context_.stream()); }
  std::vector<double> take() const {
    std::vector<double> out;
    for (size_t i = 0; i + 1 < events_.size(); i += 2) {
      float ms = 0;
      BAKERY_CU(context_.api(), cuEventElapsedTime, &ms, events_[i], events_[i + 1]);
      out.push_back(ms);
    }
    return out;
  }

 private:
  const DeviceContext& context_;
  std::vector<cuda::Event> events_;
};

// CUPTI, or why it can't be used.
std::unique_ptr<SpanRecorder> open_recorder(const BenchRequest& request, std::string& note) {
  try {
    return std::make_unique<SpanRecorder>();
  } catch (const Failure& failure) {
    if (request.allow_events) {
      note = failure.what();
      return nullptr;
    }
    WorkerError error = failure.error();
    error.message = "CUPTI can't time the kernel, and timing with events was not asked for: " + error.message;
    throw Failure(error);
  }
}

void check_request(const BenchRequest& request) {
  if (request.samples < 1 || request.samples > 10000 || request.warmups < 0 || request.warmups > 10000)
    cuda::fail(WorkerErrorKind::request, "samples are 1 to 10000, warm-ups 0 to 10000");
  if (!request.run.manifest.waived.empty())
    cuda::fail(WorkerErrorKind::request, "a schedule whose findings were waived is not timed: " + request.run.manifest.waived.front());
}

void warm_up(const BenchRequest& request, Prepared& prepared, L2Flush& flush) {
  for (int i = 0; i < request.warmups; ++i) {
    flush.start();
    prepared.launch->start();
  }
  prepared.context->wait(request.run.timeout_s, "warming up");
}

// All samples are queued at once, so that the device never idles between them.
void time_samples(const BenchRequest& request, Prepared& prepared, L2Flush& flush, BenchAnswer& answer) {
  const std::unique_ptr<SpanRecorder> recorder = open_recorder(request, answer.note);
  std::optional<EventTimes> events;
  if (!recorder) events.emplace(*prepared.context, request.samples);
  ClockSampler clocks(prepared.context->device());
  for (int i = 0; i < request.samples; ++i) {
    flush.start();
    if (events) events->record(static_cast<size_t>(2 * i));
    prepared.launch->start();
    if (events) events->record(static_cast<size_t>(2 * i + 1));
  }
  prepared.context->wait(request.run.timeout_s, "timing");
  clocks.stop();
  answer.sm_mhz = clocks.sm_mhz();
  answer.watts = clocks.watts();
  answer.throttle = clocks.throttle();
  answer.clock = recorder ? "cupti" : "events";
  answer.span_ms = recorder ? span_times(recorder->take(), request.run.manifest.kernel, static_cast<size_t>(request.samples)) : events->take();
  summarise(answer);
}

}  // namespace

RunAnswer run_kernel(const RunRequest& request, const ProgressSink& progress) {
  RunAnswer answer;
  Prepared prepared = prepare(request, progress, answer);
  const auto begin = Clock::now();
  for (int i = 0; i < std::max(1, request.repeats) && answer.verdict == RunVerdict::correct; ++i) {
    prepared.workload->poison_outputs();
    progress({"running"});
    prepared.launch->start();
    ++answer.launches;
    try {
      prepared.context->wait(request.timeout_s, "the kernel");
    } catch (const Failure& failure) {
      record_failure(failure, prepared, answer);
      break;
    }
    progress({"comparing"});
    compare(request, *prepared.workload, answer);
  }
  answer.run_ms = since_ms(begin);
  return answer;
}

BenchAnswer bench_kernel(const BenchRequest& request, const ProgressSink& progress) {
  check_request(request);
  BenchAnswer answer;
  Prepared prepared = prepare(request.run, progress, answer.run);
  auto flush = std::make_unique<L2Flush>(*prepared.context, request.flush, request.flush_bytes);
  answer.flush_bytes = request.flush == FlushKind::none ? 0 : flush->bytes();
  const auto begin = Clock::now();
  const char* doing = "warming up";
  try {
    prepared.workload->poison_outputs();
    progress({doing});
    warm_up(request, prepared, *flush);
    progress({doing = "timing"});
    time_samples(request, prepared, *flush, answer);
  } catch (const Failure& failure) {
    if (!lost_context(failure)) throw;
    record_failure(failure, prepared, answer.run);
    abandon(std::move(flush));
    return answer;
  }
  answer.run.launches = request.warmups + request.samples;
  if (request.check) compare(request.run, *prepared.workload, answer.run);
  answer.run.run_ms = since_ms(begin);
  return answer;
}

}  // namespace bakery
