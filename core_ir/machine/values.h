// SPDX-License-Identifier: Apache-2.0
// The values reading of the machine: the tile arithmetic of every CTA of a grid, on the events that
// safety and timing see.
//
// An asynchronous operation takes effect when it is issued; whether something could have seen it
// earlier or later is what the machine's race observations say. Shared memory is held as bytes, row-major
// inside of each stage, so that views that overlap spoil one another. What nothing has written is NaN.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core_ir/machine/machine.h"
#include "core_ir/machine/tensors.h"
#include "core_ir/machine/trace.h"
#include "core_ir/schedule.h"

namespace bakery {

// One store to global memory.
struct Writer {
  int64_t cta = 0;
  Index role = kNone;
  Index op = kNone;
  std::vector<LoopValue> iteration;  // outermost first
};

struct GridObservation {
  Observation observation;
  int64_t cta = 0;                   // the first one that saw it
  std::vector<LoopValue> iteration;  // of its subject
};

struct GridRun {
  int64_t tiles = 0;                 // 0: the schedule has no tile space
  int64_t grid = 0;                  // CTAs
  size_t steps = 0;
  std::vector<Writer> writers;
  // By Parameter, then by place in the tensor's allocation: who wrote the element last, an index into
  // `writers`, or -1. Empty for parameters that the schedule never stores to.
  std::vector<std::vector<int32_t>> written;
  std::vector<GridObservation> observations;  // one a kind and pair of operations
  std::vector<TraceProblem> problems;
  bool stuck = false;
  bool stopped = false;
  std::string refused;               // why nothing was computed; empty: it was
};

struct GridOptions {
  int64_t resident = 2;              // CTAs that run at once; few, so that each visits several tiles
  size_t step_limit = 500'000;       // of one CTA
  double work_limit = 2e10;          // multiplications and additions of the whole grid
  std::stop_token stop;
  std::function<void(int64_t cta, int64_t grid)> progress;  // before each CTA
};

// What a grid would do, without doing it.
struct GridPlan {
  int64_t tiles = 0;                 // 0: the schedule has no tile space
  int64_t grid = 0;                  // CTAs
  double work = 0;                   // multiplications and additions, taking each CTA for the first one
  std::string refused;               // why it cannot be run; empty: it can
};
GridPlan plan_grid(const Schedule& schedule, const std::vector<int64_t>& scalars, const GridOptions& options = {});

// Runs every CTA, one after another, on `tensors`: by Parameter, with the rank of its tensor map;
// scalars have an empty one. `scalars`: as in Sample.
GridRun simulate_grid(const Schedule& schedule, const std::vector<int64_t>& scalars,
                      std::vector<GlobalTensor>& tensors, const GridOptions& options = {});

}  // namespace bakery
