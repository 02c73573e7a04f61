// SPDX-License-Identifier: Apache-2.0
// One device, its memory and its kernels. Everything throws cuda::Failure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "profiler/cuda_api.h"
#include "profiler/messages.h"

namespace bakery {

using ProgressSink = std::function<void(const Progress&)>;

// What the driver tells of all devices, without making a context.
std::vector<CudaDevice> list_devices(const cuda::Driver& api);

// Of "sm_90a": major 9, minor 0. False: no such target name.
bool target_capability(const std::string& target, int& major, int& minor);

// The device a request for `target` runs on: `wanted`, or the first of exactly that capability if
// that is below 0. Otherwise fails with kind `device` and says what was found.
CudaDevice choose_device(const std::vector<CudaDevice>& devices, const std::string& target, int wanted);

class DeviceContext {
 public:
  // The device's primary context, made current, and a stream.
  DeviceContext(const cuda::Driver& api, const CudaDevice& device);
  DeviceContext(const DeviceContext&) = delete;
  DeviceContext& operator=(const DeviceContext&) = delete;

  const cuda::Driver& api() const { return api_; }
  const CudaDevice& device() const { return device_; }
  cuda::Stream stream() const { return stream_; }
  void make_current() const;

  // Waits for the stream. Fails with kind `timeout` if it takes longer than that, with kind `cuda` if
  // something on it failed.
  void wait(double timeout_s, const char* what) const;

 private:
  const cuda::Driver& api_;
  CudaDevice device_;
  cuda::Context context_ = nullptr;
  cuda::Stream stream_ = nullptr;
};

// The device's context in this process, made at the first call, current afterwards.
DeviceContext& device_context(const CudaDevice& device);

class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(const DeviceContext& context, size_t bytes, const std::string& what);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  cuda::DevicePtr address() const { return address_; }
  size_t size() const { return size_; }
  void write(const void* from, size_t bytes, size_t offset = 0) const;
  void read(void* to, size_t bytes, size_t offset = 0) const;
  void fill(uint8_t byte, size_t bytes, size_t offset = 0) const;  // on the stream

 private:
  const DeviceContext* context_ = nullptr;
  cuda::DevicePtr address_ = 0;
  size_t size_ = 0;
};

// Host memory that the device sees and that outlives a context that was lost.
class PinnedBuffer {
 public:
  PinnedBuffer(const DeviceContext& context, size_t bytes);
  ~PinnedBuffer();
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;

  void* host() const { return host_; }
  cuda::DevicePtr device() const { return device_; }

 private:
  const DeviceContext& context_;
  void* host_ = nullptr;
  cuda::DevicePtr device_ = 0;
};

class Kernel {
 public:
  Kernel(const DeviceContext& context, const std::vector<uint8_t>& cubin, const std::string& name);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  int attribute(int which) const;
  void allow_shared(int64_t bytes) const;  // dynamic, above 48 KiB as well
  int ctas_per_sm(int threads, int64_t shared_bytes) const;
  // `arguments`: one pointer a parameter.
  void launch(int grid_x, int grid_y, int threads, int64_t shared_bytes, void** arguments) const;

 private:
  const DeviceContext& context_;
  cuda::Module module_ = nullptr;
  cuda::Function function_ = nullptr;
  std::string name_;
};

}  // namespace bakery
