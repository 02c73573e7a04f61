// SPDX-License-Identifier: Apache-2.0
// The driver's release and the device's clocks while kernels run, where NVML is there.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "profiler/messages.h"

namespace bakery {

LibraryProbe probe_nvml();   // version: that of the driver, "580.95.05"

// Reads clocks, power and throttle reasons every 10 ms until it ends. Never fails: what is not
// available stays empty.
class ClockSampler {
 public:
  explicit ClockSampler(const CudaDevice& device);
  ~ClockSampler() { stop(); }

  void stop();
  const std::vector<int>& sm_mhz() const { return sm_mhz_; }  // after stop()
  const std::vector<int>& watts() const { return watts_; }
  uint64_t throttle() const { return throttle_; }

 private:
  void sample(void* device);

  std::vector<int> sm_mhz_, watts_;
  uint64_t throttle_ = 0;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

}  // namespace bakery
