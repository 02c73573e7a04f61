// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA driver that the worker uses, found at run time: nothing here needs a toolkit
// to build nor a driver to start. Names and values are those of cuda.h (checked against 13.0).
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/messages.h"

namespace bakery::cuda {

using Result = int;
using Device = int;
using DevicePtr = uint64_t;
struct ContextTag;
struct ModuleTag;
struct FunctionTag;
struct StreamTag;
struct EventTag;
using Context = ContextTag*;
using Module = ModuleTag*;
using Function = FunctionTag*;
using Stream = StreamTag*;
using Event = EventTag*;

inline constexpr Result kSuccess = 0;
inline constexpr Result kNoDevice = 100;
inline constexpr Result kNotReady = 600;

// CUdevice_attribute
inline constexpr int kMaxThreadsPerBlock = 1;
inline constexpr int kClockRate = 13;  // kHz
inline constexpr int kMultiprocessorCount = 16;
inline constexpr int kEccEnabled = 32;
inline constexpr int kPciBusId = 33;
inline constexpr int kPciDeviceId = 34;
inline constexpr int kMemoryClockRate = 36;  // kHz
inline constexpr int kL2CacheSize = 38;
inline constexpr int kPciDomainId = 50;
inline constexpr int kCapabilityMajor = 75;
inline constexpr int kCapabilityMinor = 76;
inline constexpr int kMaxSharedPerSm = 81;
inline constexpr int kMaxSharedPerBlockOptin = 97;

// CUfunction_attribute
inline constexpr int kFunctionMaxThreads = 0;
inline constexpr int kFunctionSharedBytes = 1;
inline constexpr int kFunctionLocalBytes = 3;
inline constexpr int kFunctionRegisters = 4;
inline constexpr int kFunctionMaxDynamicShared = 8;

// cuMemHostAlloc flags
inline constexpr unsigned kHostPortable = 1;
inline constexpr unsigned kHostDeviceMap = 2;

// CUtensorMapDataType, CUtensorMapSwizzle and the two others that are always the same
inline constexpr int kMapUint8 = 0, kMapUint32 = 2, kMapInt32 = 3, kMapFloat16 = 6, kMapFloat32 = 7,
                     kMapBfloat16 = 9, kMapTfloat32 = 11;
inline constexpr int kSwizzleNone = 0, kSwizzle32 = 1, kSwizzle64 = 2, kSwizzle128 = 3;
inline constexpr int kInterleaveNone = 0;
inline constexpr int kL2Promotion256 = 3;
inline constexpr int kFillZeros = 0;

struct alignas(128) TensorMap {
  uint64_t opaque[16] = {};
};
static_assert(sizeof(TensorMap) == 128);

struct LaunchConfig {
  unsigned grid_x = 1, grid_y = 1, grid_z = 1;
  unsigned block_x = 1, block_y = 1, block_z = 1;
  unsigned shared_bytes = 0;
  Stream stream = nullptr;
  void* attributes = nullptr;
  unsigned attribute_count = 0;
};
static_assert(sizeof(LaunchConfig) == 56 && offsetof(LaunchConfig, shared_bytes) == 24 &&
              offsetof(LaunchConfig, stream) == 32 && offsetof(LaunchConfig, attribute_count) == 48);

// F(member, symbol, parameters). The symbols are those that cuda.h's macros lead to.
#define BAKERY_CUDA_FUNCTIONS(F)                                                                    \
  F(cuInit, "cuInit", (unsigned))                                                                   \
  F(cuDriverGetVersion, "cuDriverGetVersion", (int*))                                               \
  F(cuGetErrorName, "cuGetErrorName", (Result, const char**))                                       \
  F(cuGetErrorString, "cuGetErrorString", (Result, const char**))                                   \
  F(cuDeviceGetCount, "cuDeviceGetCount", (int*))                                                   \
  F(cuDeviceGet, "cuDeviceGet", (Device*, int))                                                     \
  F(cuDeviceGetName, "cuDeviceGetName", (char*, int, Device))                                       \
  F(cuDeviceGetUuid, "cuDeviceGetUuid_v2", (void*, Device))                                         \
  F(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int*, int, Device))                              \
  F(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (size_t*, Device))                                     \
  F(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (Context*, Device))                       \
  F(cuCtxSetCurrent, "cuCtxSetCurrent", (Context))                                                  \
  F(cuCtxSynchronize, "cuCtxSynchronize", ())                                                       \
  F(cuStreamCreate, "cuStreamCreate", (Stream*, unsigned))                                          \
  F(cuStreamQuery, "cuStreamQuery", (Stream))                                                       \
  F(cuEventCreate, "cuEventCreate", (Event*, unsigned))                                             \
  F(cuEventRecord, "cuEventRecord", (Event, Stream))                                                \
  F(cuEventElapsedTime, "cuEventElapsedTime", (float*, Event, Event))                               \
  F(cuEventDestroy, "cuEventDestroy_v2", (Event))                                                   \
  F(cuMemGetInfo, "cuMemGetInfo_v2", (size_t*, size_t*))                                            \
  F(cuMemAlloc, "cuMemAlloc_v2", (DevicePtr*, size_t))                                              \
  F(cuMemFree, "cuMemFree_v2", (DevicePtr))                                                         \
  F(cuMemHostAlloc, "cuMemHostAlloc", (void**, size_t, unsigned))                                   \
  F(cuMemFreeHost, "cuMemFreeHost", (void*))                                                        \
  F(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", (DevicePtr*, void*, unsigned))       \
  F(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (DevicePtr, const void*, size_t))                              \
  F(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void*, DevicePtr, size_t))                                    \
  F(cuMemsetD8Async, "cuMemsetD8Async", (DevicePtr, unsigned char, size_t, Stream))                 \
  F(cuModuleLoadData, "cuModuleLoadData", (Module*, const void*))                                   \
  F(cuModuleUnload, "cuModuleUnload", (Module))                                                     \
  F(cuModuleGetFunction, "cuModuleGetFunction", (Function*, Module, const char*))                   \
  F(cuFuncGetAttribute, "cuFuncGetAttribute", (int*, int, Function))                                \
  F(cuFuncSetAttribute, "cuFuncSetAttribute", (Function, int, int))                                 \
  F(cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor",     \
    (int*, Function, int, size_t))                                                                  \
  F(cuLaunchKernelEx, "cuLaunchKernelEx", (const LaunchConfig*, Function, void**, void**))          \
  F(cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled",                                               \
    (TensorMap*, int type, uint32_t rank, void* address, const uint64_t* dims,                      \
     const uint64_t* strides, const uint32_t* box, const uint32_t* element_strides, int interleave, \
     int swizzle, int l2_promotion, int fill))

// What went wrong, ready for the answer.
class Failure : public std::runtime_error {
 public:
  explicit Failure(WorkerError error) : std::runtime_error(error.message), error_(std::move(error)) {}
  const WorkerError& error() const { return error_; }

 private:
  WorkerError error_;
};

[[noreturn]] void fail(WorkerErrorKind kind, const std::string& message);

struct Driver {
#define BAKERY_DECLARE(member, symbol, parameters) Result(*member) parameters = nullptr;
  BAKERY_CUDA_FUNCTIONS(BAKERY_DECLARE)
#undef BAKERY_DECLARE
  std::string path;
  int version = 0;  // 13000: 13.0

  std::string name(Result result) const;  // "CUDA_ERROR_INVALID_VALUE"
  // Throws a Failure that names the call, the code and its name.
  void check(Result result, const char* call, const std::string& about = {}) const;
};

// A library opened at run time, never closed.
struct Library {
  void* handle = nullptr;
  std::string path;   // of the file, as far as the loader tells
  std::string error;  // why not, if there is no handle
  void* symbol(const char* name) const;
};

// The first of `names` that loads: alone, then in each of `folders`.
Library open_library(const std::vector<std::string>& names, const std::vector<std::string>& folders);

// Where a toolkit keeps its libraries: $CUDA_HOME, $CUDA_PATH and the usual places.
std::vector<std::string> toolkit_folders();

// Loads and initialises the driver once. Throws a Failure of kind `missing` that says what is not there.
const Driver& driver();
// For tests: driver() is this one from now on.
void use_driver(Driver driver);

std::string version_text(int version);  // 13000 -> "13.0"

}  // namespace bakery::cuda

// A driver call that must succeed: BAKERY_CU(api, cuMemFree, pointer).
#define BAKERY_CU(api, call, ...) (api).check((api).call(__VA_ARGS__), #call)
