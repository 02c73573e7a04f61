// SPDX-License-Identifier: Apache-2.0
// Trace expansion: a schedule with its run-time scalars substituted, as one list of steps a role.
// Loops run their full trip counts; scalars are chosen so that the trips are telling.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core_ir/schedule.h"

namespace bakery {

// Values for every scalar parameter, and what one CTA sees of the tile space.
struct Sample {
  std::vector<int64_t> scalars;  // by Parameter index; 0 for tensor maps
  int64_t cta = 0;
  int64_t grid = 1;              // CTAs
  std::string text;              // "M=128, N=256, K=320, grid=1"
};

struct Step {
  uint32_t op = 0;               // into Schedule::ops
  uint32_t iteration = 0;        // into Trace::iterations
  int32_t stage = -1;            // barrier stage
  int32_t dst_stage = -1, a_stage = -1, b_stage = -1;
  uint32_t coords = 0;           // into RoleTrace::coords, of `Op::coords` length
  int64_t fill_bytes = 0;        // > 0: first copy of a fill; posts one arrival and these bytes
  int32_t init = 0;              // value of `init=`
};

// One loop variable's value; the enclosing loops' values follow by `parent`. Entry 0 is "no loop".
struct Iteration {
  uint32_t parent = 0;
  Index symbol = kNone;
  int64_t value = 0;
};

// A slot or stage that does not exist, found while expanding.
struct TraceProblem {
  enum Kind : uint8_t { negative_use, stage_out_of_range } kind = negative_use;
  uint32_t op = 0;
  uint32_t iteration = 0;
  int64_t value = 0;   // the use, or the stage
  int64_t limit = 0;   // stages
  Index resource = 0;  // pipeline, barrier or view
  Space space = Space::none;  // shared: a view; none: a barrier or pipeline
};

struct RoleTrace {
  std::vector<Step> steps;
  std::vector<int64_t> coords;
};

struct Trace {
  std::vector<RoleTrace> roles;  // by Role index
  std::vector<Iteration> iterations;
  size_t step_count = 0;         // of all roles
  bool truncated = false;        // the step limit was reached
  bool stopped = false;
  std::vector<TraceProblem> problems;  // at most one an operation and kind
};

// Coordinates of the n-th tile in the order of the space, outermost first.
std::vector<int64_t> tile_coordinates(const TileSpace& space, const std::vector<int64_t>& extents, int64_t tile);

Trace expand(const Schedule& schedule, const Sample& sample, size_t step_limit, std::stop_token stop = {});

struct SampleSet {
  std::vector<Sample> samples;
  std::vector<std::string> assumptions;  // printed in the verdict
  std::vector<Coverage> coverage;        // what the samples leave out
};

// Scalars that give every loop trips of 0, 1, S-1, S, S+1, 2S+1 where its domain allows, remainders
// 0, 1 and the largest, and 1, 2 and 3 tiles a CTA.
SampleSet choose_samples(const Schedule& schedule);

// Runs the integer expression with the sample's parameters only; nullopt if it needs more.
std::optional<int64_t> evaluate(const Schedule& schedule, ExprId expr, const Sample& sample);

}  // namespace bakery
