// SPDX-License-Identifier: Apache-2.0
// A driver whose device is this process: memory is host memory, and kernels are host functions by name.
// It lets everything around a launch be tested where there is no GPU.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "profiler/cuda_api.h"

namespace bakery::fake {

struct Launched {
  cuda::LaunchConfig config;
  void** arguments;
};

struct State {
  std::map<std::string, std::function<void(const Launched&)>> kernels;
  std::vector<CudaDevice> devices = {{0, "NVIDIA Fake", "", 9, 0, 4}};
  cuda::Result after_launch = cuda::kSuccess;  // what the stream answers once a kernel has failed
  cuda::Result stream = cuda::kSuccess;
  int ctas_per_sm = 1, registers = 168, max_threads = 1024;
  int64_t allocations = 0, launches = 0, frees_after_failure = 0;
};
inline State state;

// A tensor map's place and extents, as the fake encoder keeps them.
struct Map {
  uint8_t* address;
  uint64_t extents[2], stride;
};

inline cuda::Driver driver() {
  cuda::Driver d;
  using cuda::Result;
  d.version = 13000;
  d.cuGetErrorName = [](Result r, const char** out) -> Result {
    *out = r == 719 ? "CUDA_ERROR_LAUNCH_FAILED" : r == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER";
    return 0;
  };
  d.cuGetErrorString = [](Result, const char** out) -> Result { return *out = "as told", 0; };
  d.cuDeviceGetCount = [](int* out) -> Result { return *out = static_cast<int>(state.devices.size()), 0; };
  d.cuDeviceGet = [](cuda::Device* out, int i) -> Result { return *out = i, 0; };
  d.cuDeviceGetName = [](char* out, int n, cuda::Device i) -> Result {
    return std::snprintf(out, static_cast<size_t>(n), "%s", state.devices[static_cast<size_t>(i)].name.c_str()), 0;
  };
  d.cuDeviceGetUuid = [](void* out, cuda::Device) -> Result { return std::memset(out, 0, 16), 0; };
  d.cuDeviceTotalMem = [](size_t* out, cuda::Device) -> Result { return *out = size_t{1} << 30, 0; };
  d.cuDeviceGetAttribute = [](int* out, int which, cuda::Device i) -> Result {
    const CudaDevice& device = state.devices[static_cast<size_t>(i)];
    *out = which == cuda::kCapabilityMajor ? device.major : which == cuda::kCapabilityMinor ? device.minor
           : which == cuda::kMultiprocessorCount ? device.sms : which == cuda::kMaxSharedPerBlockOptin ? 232448 : 0;
    return 0;
  };
  d.cuDevicePrimaryCtxRetain = [](cuda::Context* out, cuda::Device) -> Result { return *out = nullptr, 0; };
  d.cuCtxSetCurrent = [](cuda::Context) -> Result { return 0; };
  d.cuCtxSynchronize = []() -> Result { return state.stream; };
  d.cuStreamCreate = [](cuda::Stream* out, unsigned) -> Result { return *out = nullptr, 0; };
  d.cuStreamQuery = [](cuda::Stream) -> Result { return state.stream; };
  d.cuEventCreate = [](cuda::Event* out, unsigned) -> Result { return *out = nullptr, 0; };
  d.cuEventRecord = [](cuda::Event, cuda::Stream) -> Result { return state.stream == cuda::kNotReady ? 0 : state.stream; };
  d.cuEventElapsedTime = [](float* out, cuda::Event, cuda::Event) -> Result { return *out = 0.25f, 0; };
  d.cuEventDestroy = [](cuda::Event) -> Result { return 0; };
  d.cuMemAlloc = [](cuda::DevicePtr* out, size_t n) -> Result {
    void* p = std::aligned_alloc(1024, (n + 1023) & ~size_t{1023});
    ++state.allocations;
    return *out = reinterpret_cast<cuda::DevicePtr>(p), p ? 0 : 2;
  };
  d.cuMemFree = [](cuda::DevicePtr p) -> Result {
    state.frees_after_failure += state.stream != cuda::kSuccess;
    return std::free(reinterpret_cast<void*>(p)), 0;
  };
  d.cuMemHostAlloc = [](void** out, size_t n, unsigned) -> Result { return *out = std::malloc(n), 0; };
  d.cuMemFreeHost = [](void* p) -> Result {
    state.frees_after_failure += state.stream != cuda::kSuccess;
    return std::free(p), 0;
  };
  d.cuMemHostGetDevicePointer = [](cuda::DevicePtr* out, void* p, unsigned) -> Result { return *out = reinterpret_cast<cuda::DevicePtr>(p), 0; };
  d.cuMemcpyHtoD = [](cuda::DevicePtr to, const void* from, size_t n) -> Result { return std::memcpy(reinterpret_cast<void*>(to), from, n), 0; };
  d.cuMemcpyDtoH = [](void* to, cuda::DevicePtr from, size_t n) -> Result { return std::memcpy(to, reinterpret_cast<void*>(from), n), 0; };
  d.cuMemsetD8Async = [](cuda::DevicePtr p, unsigned char byte, size_t n, cuda::Stream) -> Result {
    return std::memset(reinterpret_cast<void*>(p), byte, n), 0;
  };
  d.cuModuleLoadData = [](cuda::Module* out, const void*) -> Result { return *out = nullptr, 0; };
  d.cuModuleUnload = [](cuda::Module) -> Result { return state.frees_after_failure += state.stream != cuda::kSuccess, 0; };
  d.cuModuleGetFunction = [](cuda::Function* out, cuda::Module, const char* name) -> Result {
    const auto it = state.kernels.find(name);
    if (it == state.kernels.end()) return 500;
    return *out = reinterpret_cast<cuda::Function>(&it->second), 0;
  };
  d.cuFuncGetAttribute = [](int* out, int which, cuda::Function) -> Result {
    return *out = which == cuda::kFunctionRegisters ? state.registers : which == cuda::kFunctionMaxThreads ? state.max_threads : 0, 0;
  };
  d.cuFuncSetAttribute = [](cuda::Function, int, int value) -> Result { return value <= 232448 ? 0 : 1; };
  d.cuOccupancyMaxActiveBlocksPerMultiprocessor = [](int* out, cuda::Function, int, size_t) -> Result { return *out = state.ctas_per_sm, 0; };
  d.cuTensorMapEncodeTiled = [](cuda::TensorMap* out, int, uint32_t, void* address, const uint64_t* extents, const uint64_t* strides, const uint32_t*,
                                const uint32_t*, int, int, int, int) -> Result {
    const Map map{static_cast<uint8_t*>(address), {extents[0], extents[1]}, strides[0]};
    return std::memcpy(static_cast<void*>(out), &map, sizeof map), 0;
  };
  d.cuLaunchKernelEx = [](const cuda::LaunchConfig* config, cuda::Function function, void** arguments, void**) -> Result {
    if (state.stream != cuda::kSuccess && state.stream != cuda::kNotReady) return state.stream;
    ++state.launches;
    (*reinterpret_cast<std::function<void(const Launched&)>*>(function))({*config, arguments});
    state.stream = state.after_launch;
    return 0;
  };
  return d;
}

}  // namespace bakery::fake
