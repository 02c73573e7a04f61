// SPDX-License-Identifier: Apache-2.0
#include "profiler/device.h"

#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <thread>
#include <utility>

namespace bakery {

using cuda::Failure;

namespace {

std::string uuid_text(const unsigned char (&bytes)[16]) {
  std::string out = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char text[4];
    std::snprintf(text, sizeof text, "%02x", bytes[i]);
    out += text;
    if (i == 3 || i == 5 || i == 7 || i == 9) out += '-';
  }
  return out;
}

}  // namespace

std::vector<CudaDevice> list_devices(const cuda::Driver& api) {
  std::vector<CudaDevice> out;
  int count = 0;
  BAKERY_CU(api, cuDeviceGetCount, &count);
  for (int i = 0; i < count; ++i) {
    cuda::Device handle = 0;
    BAKERY_CU(api, cuDeviceGet, &handle, i);
    const auto attribute = [&](int which) {
      int value = 0;
      return api.cuDeviceGetAttribute(&value, which, handle) == cuda::kSuccess ? value : 0;  // newer drivers drop clocks
    };
    CudaDevice device;
    device.index = i;
    char name[256] = "";
    BAKERY_CU(api, cuDeviceGetName, name, sizeof name, handle);
    device.name = name;
    unsigned char uuid[16] = {};
    if (api.cuDeviceGetUuid(uuid, handle) == cuda::kSuccess) device.uuid = uuid_text(uuid);
    size_t memory = 0;
    BAKERY_CU(api, cuDeviceTotalMem, &memory, handle);
    device.memory_bytes = static_cast<int64_t>(memory);
    device.major = attribute(cuda::kCapabilityMajor);
    device.minor = attribute(cuda::kCapabilityMinor);
    device.sms = attribute(cuda::kMultiprocessorCount);
    device.l2_bytes = attribute(cuda::kL2CacheSize);
    device.shared_per_cta = attribute(cuda::kMaxSharedPerBlockOptin);
    device.shared_per_sm = attribute(cuda::kMaxSharedPerSm);
    device.clock_khz = attribute(cuda::kClockRate);
    device.memory_clock_khz = attribute(cuda::kMemoryClockRate);
    device.ecc = attribute(cuda::kEccEnabled) != 0;
    out.push_back(std::move(device));
  }
  return out;
}

bool target_capability(const std::string& target, int& major, int& minor) {
  if (!target.starts_with("sm_")) return false;
  int number = 0;
  size_t i = 3;
  for (; i < target.size() && target[i] >= '0' && target[i] <= '9' && i < 7; ++i) number = number * 10 + (target[i] - '0');
  if (number < 10 || target.size() - i > 1) return false;  // at most one letter: sm_90a
  major = number / 10;
  minor = number % 10;
  return true;
}

CudaDevice choose_device(const std::vector<CudaDevice>& devices, const std::string& target, int wanted) {
  int major = 0, minor = 0;
  if (!target_capability(target, major, minor)) cuda::fail(WorkerErrorKind::request, "`" + target + "` is no target");
  std::string found;
  for (const CudaDevice& device : devices) {
    if (device.major == major && device.minor == minor && (wanted < 0 || wanted == device.index)) return device;
    found += (found.empty() ? "" : ", ") + std::to_string(device.index) + ": " + device.text();
  }
  const std::string which = wanted < 0 ? "a device" : "device " + std::to_string(wanted) + " to be one";
  cuda::fail(WorkerErrorKind::device, "`" + target + "` needs " + which + " of compute capability " + std::to_string(major) + "." +
                                          std::to_string(minor) + "; found " + (found.empty() ? "none" : found));
}

// ---- context --------------------------------------------------------------------------

DeviceContext::DeviceContext(const cuda::Driver& api, const CudaDevice& device) : api_(api), device_(device) {
  cuda::Device handle = 0;
  BAKERY_CU(api, cuDeviceGet, &handle, device.index);
  BAKERY_CU(api, cuDevicePrimaryCtxRetain, &context_, handle);
  make_current();
  // Not a non-blocking one: copies on the default stream and this stream must wait for one another.
  BAKERY_CU(api, cuStreamCreate, &stream_, 0u);
}

void DeviceContext::make_current() const { BAKERY_CU(api_, cuCtxSetCurrent, context_); }

void DeviceContext::wait(double timeout_s, const char* what) const {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto deadline = begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_s));
  while (true) {
    const cuda::Result result = api_.cuStreamQuery(stream_);
    if (result == cuda::kSuccess) {
      api_.check(api_.cuCtxSynchronize(), "cuCtxSynchronize", what);  // at once; CUPTI completes its records here
      return;
    }
    if (result != cuda::kNotReady) api_.check(result, "cuStreamQuery", what);
    const auto now = Clock::now();
    if (now > deadline) {
      char text[160];
      std::snprintf(text, sizeof text, "%s did not end within %.3g s", what, timeout_s);
      cuda::fail(WorkerErrorKind::timeout, text);
    }
    if (now - begin > std::chrono::milliseconds(2)) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

DeviceContext& device_context(const CudaDevice& device) {
  static std::map<int, std::unique_ptr<DeviceContext>> contexts;
  std::unique_ptr<DeviceContext>& context = contexts[device.index];
  if (!context) context = std::make_unique<DeviceContext>(cuda::driver(), device);
  context->make_current();
  return *context;
}

// ---- memory ---------------------------------------------------------------------------

DeviceBuffer::DeviceBuffer(const DeviceContext& context, size_t bytes, const std::string& what) : context_(&context), size_(bytes) {
  const cuda::Driver& api = context.api();
  api.check(api.cuMemAlloc(&address_, bytes), "cuMemAlloc_v2", std::to_string(bytes) + " bytes for " + what);
}

DeviceBuffer::~DeviceBuffer() {
  if (address_ != 0) context_->api().cuMemFree(address_);  // fails in a lost context
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(address_, other.address_);
  std::swap(size_, other.size_);
  return *this;
}

void DeviceBuffer::write(const void* from, size_t bytes, size_t offset) const {
  BAKERY_CU(context_->api(), cuMemcpyHtoD, address_ + offset, from, bytes);
}

void DeviceBuffer::read(void* to, size_t bytes, size_t offset) const {
  BAKERY_CU(context_->api(), cuMemcpyDtoH, to, address_ + offset, bytes);
}

void DeviceBuffer::fill(uint8_t byte, size_t bytes, size_t offset) const {
  if (bytes > 0) BAKERY_CU(context_->api(), cuMemsetD8Async, address_ + offset, byte, bytes, context_->stream());
}

PinnedBuffer::PinnedBuffer(const DeviceContext& context, size_t bytes) : context_(context) {
  BAKERY_CU(context.api(), cuMemHostAlloc, &host_, bytes, cuda::kHostPortable | cuda::kHostDeviceMap);
  BAKERY_CU(context.api(), cuMemHostGetDevicePointer, &device_, host_, 0u);
}

PinnedBuffer::~PinnedBuffer() { context_.api().cuMemFreeHost(host_); }

// ---- kernels --------------------------------------------------------------------------

Kernel::Kernel(const DeviceContext& context, const std::vector<uint8_t>& cubin, const std::string& name) : context_(context), name_(name) {
  const cuda::Driver& api = context.api();
  if (cubin.empty()) cuda::fail(WorkerErrorKind::request, "the request has no cubin");
  BAKERY_CU(api, cuModuleLoadData, &module_, cubin.data());
  const cuda::Result result = api.cuModuleGetFunction(&function_, module_, name.c_str());
  if (result != cuda::kSuccess) {
    api.cuModuleUnload(module_);
    api.check(result, "cuModuleGetFunction", "`" + name + "`");
  }
}

Kernel::~Kernel() { context_.api().cuModuleUnload(module_); }

int Kernel::attribute(int which) const {
  int value = 0;
  BAKERY_CU(context_.api(), cuFuncGetAttribute, &value, which, function_);
  return value;
}

void Kernel::allow_shared(int64_t bytes) const {
  const cuda::Driver& api = context_.api();
  api.check(api.cuFuncSetAttribute(function_, cuda::kFunctionMaxDynamicShared, static_cast<int>(bytes)), "cuFuncSetAttribute",
            std::to_string(bytes) + " bytes of dynamic shared memory; the device has " + std::to_string(context_.device().shared_per_cta) + " a CTA");
}

int Kernel::ctas_per_sm(int threads, int64_t shared_bytes) const {
  int ctas = 0;
  BAKERY_CU(context_.api(), cuOccupancyMaxActiveBlocksPerMultiprocessor, &ctas, function_, threads, static_cast<size_t>(shared_bytes));
  return ctas;
}

void Kernel::launch(int grid_x, int grid_y, int threads, int64_t shared_bytes, void** arguments) const {
  const cuda::Driver& api = context_.api();
  cuda::LaunchConfig config;
  config.grid_x = static_cast<unsigned>(grid_x);
  config.grid_y = static_cast<unsigned>(grid_y);
  config.block_x = static_cast<unsigned>(threads);
  config.shared_bytes = static_cast<unsigned>(shared_bytes);
  config.stream = context_.stream();
  api.check(api.cuLaunchKernelEx(&config, function_, arguments, nullptr), "cuLaunchKernelEx",
            "`" + name_ + "`, " + std::to_string(grid_x) + " x " + std::to_string(grid_y) + " CTAs of " + std::to_string(threads) + " threads, " +
                std::to_string(shared_bytes) + " bytes of shared memory");
}

}  // namespace bakery
