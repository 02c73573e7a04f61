// SPDX-License-Identifier: Apache-2.0
#include "profiler/nvml.h"

#include <chrono>

#include "profiler/cuda_api.h"

namespace bakery {
namespace {

struct Nvml {
  int (*init)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*by_uuid)(const char*, void**) = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;
  int (*power)(void*, unsigned*) = nullptr;                       // may be missing
  int (*throttle)(void*, unsigned long long*) = nullptr;          // may be missing
  std::string path, error;
  bool usable = false;
};

constexpr int kSmClock = 1;  // NVML_CLOCK_SM

template <class F>
void load(const cuda::Library& library, F& function, const char* name) {
  function = reinterpret_cast<F>(library.symbol(name));
}

const Nvml& nvml() {
  static const Nvml api = [] {
    Nvml api;
    const cuda::Library library = cuda::open_library({"libnvidia-ml.so.1"}, {"/usr/lib/wsl/lib"});
    api.path = library.path;
    api.error = library.error;
    if (!library.handle) return api;
    load(library, api.init, "nvmlInit_v2");
    load(library, api.driver_version, "nvmlSystemGetDriverVersion");
    load(library, api.by_uuid, "nvmlDeviceGetHandleByUUID");
    load(library, api.clock, "nvmlDeviceGetClockInfo");
    load(library, api.power, "nvmlDeviceGetPowerUsage");
    load(library, api.throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
    if (!api.init || !api.driver_version || !api.by_uuid || !api.clock) {
      api.error = api.path + " is too old";
    } else if (const int result = api.init(); result != 0) {
      api.error = "nvmlInit_v2 answered " + std::to_string(result);
    } else {
      api.usable = true;
    }
    return api;
  }();
  return api;
}

}  // namespace

LibraryProbe probe_nvml() {
  const Nvml& api = nvml();
  LibraryProbe probe{api.usable, api.path, "", api.error};
  char version[96] = "";
  if (api.usable && api.driver_version(version, sizeof version) == 0) probe.version = version;
  return probe;
}

ClockSampler::ClockSampler(const CudaDevice& device) {
  const Nvml& api = nvml();
  void* handle = nullptr;
  if (!api.usable || device.uuid.empty() || api.by_uuid(device.uuid.c_str(), &handle) != 0) return;
  thread_ = std::thread([this, handle] { sample(handle); });
}

void ClockSampler::sample(void* device) {
  const Nvml& api = nvml();
  while (!done_) {
    unsigned value = 0;
    if (api.clock(device, kSmClock, &value) == 0) sm_mhz_.push_back(static_cast<int>(value));
    if (api.power && api.power(device, &value) == 0) watts_.push_back(static_cast<int>(value / 1000));
    unsigned long long reasons = 0;
    if (api.throttle && api.throttle(device, &reasons) == 0) throttle_ |= reasons;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void ClockSampler::stop() {
  done_ = true;
  if (thread_.joinable()) thread_.join();
}

}  // namespace bakery
