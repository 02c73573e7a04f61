// SPDX-License-Identifier: Apache-2.0
#include "profiler/cupti.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "profiler/cuda_api.h"

namespace bakery {
namespace {

using cuda::Failure;

constexpr int kConcurrentKernel = 10;  // CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
constexpr size_t kBufferBytes = size_t{4} << 20;

// Where CUpti_ActivityKernel10 keeps them; CUpti_ActivityKernel9 of CUDA 12 has them at the same places.
constexpr size_t kBeginAt = 16, kEndAt = 24, kCorrelationAt = 92, kNameAt = 104;

using BufferRequested = void (*)(uint8_t** buffer, size_t* size, size_t* max_records);
using BufferCompleted = void (*)(cuda::Context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid);

struct Cupti {
  int (*version)(uint32_t*) = nullptr;
  int (*result_string)(int, const char**) = nullptr;
  int (*register_callbacks)(BufferRequested, BufferCompleted) = nullptr;
  int (*enable)(int) = nullptr;
  int (*disable)(int) = nullptr;
  int (*flush_all)(uint32_t) = nullptr;
  int (*next_record)(uint8_t*, size_t, uint8_t**) = nullptr;
  int (*dropped)(cuda::Context, uint32_t, size_t*) = nullptr;
  std::string path;

  void check(int result, const char* call) const {
    if (result == 0) return;
    const char* name = nullptr;
    if (result_string(result, &name) != 0 || !name) name = "unknown error";
    const bool denied = result == 35 || result == 40 || result == 41;  // privileges, virtualised, confidential computing
    const std::string more = result == 39 ? "; another profiler is at work" : "";
    throw Failure({denied ? WorkerErrorKind::permission : WorkerErrorKind::cuda,
                   std::string(call) + " answered " + std::to_string(result) + ", " + name + more, call, result, name});
  }
};

template <class F>
void load(const cuda::Library& library, F& function, const char* name) {
  function = reinterpret_cast<F>(library.symbol(name));
  if (!function) cuda::fail(WorkerErrorKind::missing, library.path + " has no `" + name + "`");
}

Cupti load_cupti() {
  const cuda::Library library = cuda::open_library({"libcupti.so.13", "libcupti.so.12", "libcupti.so"}, cuda::toolkit_folders());
  if (!library.handle) cuda::fail(WorkerErrorKind::missing, "there is no CUPTI: " + library.error);
  Cupti api;
  api.path = library.path;
  load(library, api.version, "cuptiGetVersion");
  load(library, api.result_string, "cuptiGetResultString");
  load(library, api.register_callbacks, "cuptiActivityRegisterCallbacks");
  load(library, api.enable, "cuptiActivityEnable");
  load(library, api.disable, "cuptiActivityDisable");
  load(library, api.flush_all, "cuptiActivityFlushAll");
  load(library, api.next_record, "cuptiActivityGetNextRecord");
  load(library, api.dropped, "cuptiActivityGetNumDroppedRecords");
  return api;
}

const Cupti& cupti() {
  static const Cupti api = load_cupti();
  return api;
}

// CUPTI hands buffers back from a thread of its own.
std::mutex records_mutex;
std::vector<KernelSpan> records;
size_t dropped_records = 0;

template <class T>
T field(const uint8_t* record, size_t offset) {
  T value;
  std::memcpy(&value, record + offset, sizeof value);
  return value;
}

void buffer_requested(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(64, kBufferBytes));
  *size = *buffer ? kBufferBytes : 0;
  *max_records = 0;
}

void buffer_completed(cuda::Context context, uint32_t stream, uint8_t* buffer, size_t, size_t valid) {
  const std::lock_guard lock(records_mutex);
  uint8_t* record = nullptr;
  while (valid > 0 && cupti().next_record(buffer, valid, &record) == 0) {
    if (field<int32_t>(record, 0) != kConcurrentKernel) continue;
    const auto* name = field<const char*>(record, kNameAt);
    records.push_back({name ? name : "", field<uint64_t>(record, kBeginAt), field<uint64_t>(record, kEndAt), field<uint32_t>(record, kCorrelationAt)});
  }
  size_t dropped = 0;
  if (cupti().dropped(context, stream, &dropped) == 0) dropped_records += dropped;
  std::free(buffer);
}

}  // namespace

LibraryProbe probe_cupti() {
  LibraryProbe probe;
  try {
    uint32_t version = 0;
    cupti().check(cupti().version(&version), "cuptiGetVersion");
    probe.found = true;
    probe.path = cupti().path;
    probe.version = std::to_string(version);
  } catch (const Failure& failure) {
    probe.error = failure.what();
  }
  return probe;
}

SpanRecorder::SpanRecorder() {
  const Cupti& api = cupti();
  static bool registered = false;
  if (!registered) api.check(api.register_callbacks(buffer_requested, buffer_completed), "cuptiActivityRegisterCallbacks");
  registered = true;
  {
    const std::lock_guard lock(records_mutex);
    records.clear();
    dropped_records = 0;
  }
  api.check(api.enable(kConcurrentKernel), "cuptiActivityEnable");
  enabled_ = true;
}

SpanRecorder::~SpanRecorder() {
  if (enabled_) cupti().disable(kConcurrentKernel);
}

std::vector<KernelSpan> SpanRecorder::take() {
  const Cupti& api = cupti();
  api.check(api.flush_all(0), "cuptiActivityFlushAll");
  api.check(api.disable(kConcurrentKernel), "cuptiActivityDisable");
  enabled_ = false;
  api.check(api.flush_all(1), "cuptiActivityFlushAll");  // buffers that are not full
  const std::lock_guard lock(records_mutex);
  if (dropped_records > 0) cuda::fail(WorkerErrorKind::internal, "CUPTI dropped " + std::to_string(dropped_records) + " records");
  std::vector<KernelSpan> out = std::move(records);
  records.clear();
  std::sort(out.begin(), out.end(), [](const KernelSpan& a, const KernelSpan& b) { return a.begin_ns < b.begin_ns; });
  return out;
}

std::vector<double> span_times(const std::vector<KernelSpan>& spans, const std::string& kernel, size_t samples) {
  std::vector<double> out;
  std::map<std::string, int> others;
  for (const KernelSpan& span : spans) {
    if (span.name != kernel) {
      ++others[span.name];
      continue;
    }
    if (span.begin_ns == 0 || span.end_ns <= span.begin_ns)
      cuda::fail(WorkerErrorKind::internal, "CUPTI's record of a sample has no time: " + std::to_string(span.begin_ns) + " to " + std::to_string(span.end_ns) + " ns");
    out.push_back(static_cast<double>(span.end_ns - span.begin_ns) * 1e-6);
  }
  if (out.size() == samples) return out;
  std::string text = "CUPTI recorded " + std::to_string(out.size()) + " launches of `" + kernel + "`, not " + std::to_string(samples);
  for (const auto& [name, count] : others) text += "; " + std::to_string(count) + " of `" + name + "`";
  cuda::fail(WorkerErrorKind::internal, text);
}

}  // namespace bakery
