// SPDX-License-Identifier: Apache-2.0
// A schedule at a contract's shapes on a device: lowered, compiled, run, compared, timed, recorded. What
// `bakery run` and the window do.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/session/kernel.h"

namespace bakery {

struct ContractRunOptions {
  bool unchecked = false;      // waive refutations; then nothing is timed
  bool time = false;           // what is correct is built again with plain waits, and timed
  bool allow_events = false;
  bool held_out = false;
  std::optional<size_t> shape;                                   // only that one of the contract's rows
  std::vector<InputDistribution> distributions;                  // empty: the contract's own
  std::string author = "person", parent;                         // of the stored candidate
};

// What is done now; `done` of `all` shapes are through.
struct RunProgress {
  const char* stage = "";      // "analyse", "lower", "compile", "run", "time"
  std::string text;
  size_t done = 0, all = 0;
};

struct ShapeRun {
  ShapeRow row;
  std::string distribution;    // "" as the contract says
  KernelRun run;
  int64_t stored = 0;          // its number in the store, 0: not there
};

struct ContractRun {
  LoweredKernel kernel;        // waits give up after their time
  CompiledKernel compiled;
  std::vector<ShapeRun> checked;
  LoweredKernel clean_kernel;  // plain waits; only of a timed run
  CompiledKernel clean_compiled;
  std::vector<ShapeRun> timed;
  CallStatus status;           // of the call that got no answer; what came before it is kept
  std::string note;            // of the store

  bool lowered() const { return kernel.lowered_ok; }
  bool correct() const;        // every shape ran and agrees
  std::vector<Finding> findings() const;  // of the runs
};

// The analysis is of the contract's options. Nothing is thrown for what a compiler, a device or a store
// does. Stops at the first call that gets no answer.
ContractRun run_contract(WorkerClient& worker, const Analysis& analysis, const Contract& contract, const std::string& store_path,
                         const ContractRunOptions& options, const std::function<void(const RunProgress&)>& progress = {}, std::stop_token stop = {});

}  // namespace bakery
