// SPDX-License-Identifier: Apache-2.0
// What lowering hands to the compiler, to the worker and to the views.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core_ir/types.h"

namespace bakery {

// One tensor map a (tensor, view) pair. Extents and strides come with the tensor at launch.
struct TensorMapSpec {
  std::string tensor;            // the schedule's parameter
  std::string view;
  int rank = 0;
  DType dtype = DType::bf16;
  std::vector<int64_t> box;      // elements, innermost first
  int swizzle = 0;               // span in bytes: 0, 32, 64, 128
};

struct KernelParameter {
  enum class Kind : uint8_t { tensor_map, scalar, faults, trace };
  Kind kind = Kind::scalar;
  std::string name;              // the C++ parameter
  int map = -1;                  // into LaunchManifest::maps
  int scalar = -1;               // into Schedule::params
  DType dtype = DType::i32;
};

// Names behind the numbers of a fault record.
struct BarrierInfo {
  std::string name;
  int stages = 1;
  int64_t init_count = 0;        // as written, in agents
  int64_t arrivals = 0;          // as initialised, in threads
  int64_t offset = 0;            // bytes from the shared-memory base
};

struct RoleInfo {
  std::string name;
  std::vector<int> warps;
  int registers = 0;
};

struct LaunchManifest {
  std::string schedule, hash, target, kernel, file;
  int threads = 0;
  int64_t shared_bytes = 0;      // dynamic, with the slack for 1024-byte alignment
  bool bounded_waits = false;
  std::vector<TensorMapSpec> maps;
  std::vector<KernelParameter> params;
  std::vector<RoleInfo> roles;
  std::vector<BarrierInfo> barriers;
  std::string tiles;             // the tile count as text, empty: one CTA
  std::vector<std::string> assumptions;
  std::vector<std::string> waived;  // refutations that were waived, by id and message
};

// Lines are 1-based. Several CUDA lines may come from one schedule line.
struct LineMap {
  struct Entry {
    uint32_t cuda_line = 0;
    uint32_t schedule_line = 0;
    int32_t op = -1;             // into Schedule::ops
  };
  std::vector<Entry> entries;    // by cuda_line

  uint32_t schedule_line(uint32_t cuda_line) const;           // 0: none
  std::vector<uint32_t> cuda_lines(uint32_t schedule_line) const;
};

struct Lowered {
  std::string cuda;
  LineMap lines;
  LaunchManifest manifest;
};

// The fault record of a bounded wait, as the kernel writes it: 32 bytes, one slot a warp.
struct WaitFault {
  uint32_t claimed = 0, role = 0, barrier = 0, stage = 0, parity = 0, line = 0, cta = 0, completion = 0;
};
static_assert(sizeof(WaitFault) == 32);

std::string to_json(const LaunchManifest& manifest);

}  // namespace bakery
