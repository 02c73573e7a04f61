// SPDX-License-Identifier: Apache-2.0
// A generated kernel with its arguments, ready to be launched again and again.
#pragma once

#include <memory>
#include <vector>

#include "profiler/device.h"
#include "profiler/messages.h"
#include "profiler/workload.h"

namespace bakery {

class Launch {
 public:
  // Loads the cubin, plans the grid and binds the manifest's parameters: tensor maps of the workload's
  // tensors, scalars by name, the fault slots.
  Launch(const DeviceContext& context, const RunRequest& request, const Workload& workload);
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  const LaunchFacts& facts() const { return facts_; }
  void start();
  // What stuck warps wrote; readable in a lost context too.
  std::vector<HangRecord> hangs() const;

 private:
  void plan(const RunRequest& request);
  void bind(const RunRequest& request, const Workload& workload);

  const DeviceContext& context_;
  LaunchManifest manifest_;
  Kernel kernel_;
  LaunchFacts facts_;
  size_t slots_ = 0;
  std::unique_ptr<PinnedBuffer> faults_;
  std::vector<cuda::TensorMap> maps_;
  std::vector<uint64_t> words_;   // the other parameters' values
  std::vector<void*> arguments_;  // into maps_ and words_
};

// The bits of a scalar parameter. Throws cuda::Failure if the request has no value for it, or too large a one.
uint64_t scalar_bits(const RunRequest& request, const KernelParameter& parameter);

}  // namespace bakery
