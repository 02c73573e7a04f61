// SPDX-License-Identifier: Apache-2.0
// From an analysis to a kernel: lowered, compiled, run and timed through a worker. Every answer of a
// compiler or a device becomes findings on schedule lines.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/session/analysis.h"
#include "app/session/contract.h"
#include "core_ir/lowered.h"
#include "profiler/client.h"
#include "profiler/store/store.h"

namespace bakery {

struct KernelOptions {
  bool unchecked = false;      // waive refutations; nothing of it is timed or recorded
  bool bounded_waits = false;  // waits give up and file a record
};

struct LoweredKernel {
  bool lowered_ok = false;
  Lowered lowered;
  std::string code_hash;          // of the CUDA text
  std::vector<Finding> findings;  // what stands in the way, if it was not lowered
};

LoweredKernel make_kernel(const Analysis& analysis, const KernelOptions& options = {});

// How a CTA fills an SM of the target, and a grid the device.
struct Occupancy {
  int ctas_per_sm = 0;
  const char* limit = "";         // "shared memory", "registers", "threads", "tensor memory"
  int64_t shared_per_sm = 0;
};
Occupancy occupancy(const Target& target, int threads, int registers, int64_t shared_bytes, int64_t tensor_columns);

struct CompiledKernel {
  CallStatus status;
  CompileAnswer answer;
  int registers = 0, barriers = 0;
  int64_t spill_stores = 0, spill_loads = 0, stack = 0;
  Occupancy occupancy;
  std::vector<Finding> findings;  // PTXAS-: errors, serialised MMAs, ignored budgets, spills
  bool ok() const { return status.ok() && answer.ok; }
};

CompiledKernel compile_kernel(WorkerClient& worker, const Analysis& analysis, const LoweredKernel& kernel, const CallOptions& options = {});

struct RunOptions {
  bool time = false;              // bench as well: spans with the L2 flushed
  bool allow_events = false;
  int samples = 40;
  std::optional<InputDistribution> distribution;  // in place of the contract's
  double timeout_s = 20;
};

struct KernelRun {
  CallStatus status;
  RunAnswer run;
  BenchAnswer bench;              // if it was timed
  bool timed = false;
  std::string shape;              // "M=128, N=256, K=64"
  std::vector<Finding> findings;  // NUM-
  bool correct() const { return status.ok() && run.verdict == RunVerdict::correct; }
};

KernelRun run_kernel(WorkerClient& worker, const Analysis& analysis, const Contract& contract, const ShapeRow& row, const LoweredKernel& kernel,
                     const CompiledKernel& compiled, const RunOptions& options, const CallOptions& call = {});

// The CTA that computes a tile of the grid, -1: unknown.
int64_t cta_of_tile(const Analysis& analysis, const Contract& contract, const ShapeRow& row, const std::vector<int64_t>& tile, int grid);

// ---- records -----------------------------------------------------------------------------

StoredCandidate candidate_of(const Analysis& analysis, const std::string& author = "person");
StoredRun record_of(const char* kind, const Analysis& analysis, const Contract& contract, const LoweredKernel& kernel, const KernelRun& run);
// One line of JSON, as resources/docs/receipts.md describes it.
std::string receipt(const Analysis& analysis, const Contract& contract, const ShapeRow& row, const LoweredKernel& kernel, const KernelRun& run,
                    const char* case_name, const std::string& peer, double peer_span_ms, int64_t run_id);

}  // namespace bakery
