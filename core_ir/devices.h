// SPDX-License-Identifier: Apache-2.0
// A typical device of each target: how many SMs share a grid. A target fixes what one SM has, not how
// many there are; a probe of the device at hand is better where there is one.
#pragma once

#include "core_ir/targets.h"

namespace bakery {

struct ReferenceDevice {
  TargetId target;
  const char* name;
  int sms;
  const char* source;
};

inline constexpr ReferenceDevice kReferenceDevices[] = {
    {TargetId::sm_80, "A100", 108, "NVIDIA A100 Tensor Core GPU architecture whitepaper"},
    {TargetId::sm_89, "L40S", 142, "NVIDIA Ada GPU architecture whitepaper"},
    {TargetId::sm_90a, "H200", 132, "NVIDIA H100 Tensor Core GPU architecture whitepaper (SXM5); probed on an H200"},
    {TargetId::sm_100a, "B200", 148, "multiProcessorCount of a B200, as NVIDIA's deviceQuery prints it"},
    {TargetId::sm_120a, "RTX 5090", 170, "NVIDIA RTX Blackwell GPU architecture whitepaper"},
    {TargetId::sm_121a, "DGX Spark", 48, "6144 CUDA cores (DGX Spark data sheet), 128 an SM"},
};

// nullptr: not known.
constexpr const ReferenceDevice* reference_device(TargetId target) {
  for (const ReferenceDevice& device : kReferenceDevices)
    if (device.target == target) return &device;
  return nullptr;
}

}  // namespace bakery
