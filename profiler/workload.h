// SPDX-License-Identifier: Apache-2.0
// A request's tensors on the device and the values its outputs must have.
#pragma once

#include <string>
#include <vector>

#include "core_ir/machine/tensors.h"
#include "profiler/compare.h"
#include "profiler/device.h"

namespace bakery {

// Throws cuda::Failure of kind `request` if the tensors make no sense, alone or to the oracle.
void check_tensors(const RunRequest& request);

class Workload {
 public:
  // Fills the inputs and makes the expected values.
  Workload(const DeviceContext& context, const RunRequest& request, const ProgressSink& progress);

  const RunTensor& tensor(const std::string& name) const;
  cuda::DevicePtr address(const std::string& name) const;
  const std::string& reference() const { return reference_; }

  void poison_outputs() const;
  // Reads all outputs back.
  std::vector<OutputCheck> compare_outputs(double rtol, double atol, int max_mismatches) const;

 private:
  struct Item {
    RunTensor spec;
    DeviceBuffer buffer;  // guards around the tensor
    size_t bytes = 0;     // of the tensor
    Expected expected;    // of an output
  };
  const Item& item(const std::string& name) const;
  void upload(const RunTensor& spec);
  void expect_from_host(const RunRequest& request);
  void expect_from_device(const RunRequest& request);
  int64_t changed_guards(const Item& item) const;

  const DeviceContext& context_;
  std::vector<Item> items_;
  std::vector<GlobalTensor> inputs_;  // on the host, while the oracle needs them
  std::string reference_;
};

// The workload of the request; that of the last request if tensors and oracle are the same.
const Workload& workload_of(const DeviceContext& context, const RunRequest& request, const ProgressSink& progress);

}  // namespace bakery
