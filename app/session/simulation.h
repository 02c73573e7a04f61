// SPDX-License-Identifier: Apache-2.0
// A contract's shapes on the reference machine: every output element against the oracle.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/session/analysis.h"
#include "app/session/contract.h"
#include "checks/rule.h"
#include "core_ir/finding.h"

namespace bakery {

// One output element that differs.
struct ValueMismatch {
  std::string tensor;
  std::vector<int64_t> index;    // outermost first
  double expected = 0, got = 0;  // got is NaN if nothing wrote it
  bool written = false;
  int64_t cta = -1;              // who wrote it last
  std::string role;
  Index op = kNone;
  std::vector<LoopValue> tile;   // loop values of that write, outermost first
};

struct ShapeResult {
  std::string text;              // "M=136, N=264, K=72"
  std::vector<std::pair<std::string, int64_t>> scalars;
  bool correct = false;
  int64_t checked = 0;           // output elements, all of them
  int64_t mismatches = 0;        // beyond the tolerance, never written ones included
  int64_t unwritten = 0;
  double max_abs_error = 0;      // over the written elements that are not NaN
  double max_rel_error = 0;      // over those whose expected magnitude exceeds atol
  int64_t tiles = 0, ctas = 0;
  size_t steps = 0;
  bool stuck = false;
  std::vector<ValueMismatch> first;   // at most 8, and 2 of one store
  std::vector<std::string> observations;  // what the machine saw, in words
  double milliseconds = 0;
};

struct SimulationResult {
  std::vector<ContractError> errors;  // contract and schedule do not fit, or too large: nothing ran
  std::vector<ShapeResult> shapes;
  std::vector<Finding> findings;      // NUM-, one a place in the source, at the first shape that shows it
  bool stopped = false;

  bool agrees() const;                // every shape ran and agrees with the oracle
};

// Before each shape: its place among `shapes` and its text.
using SimulationProgress = std::function<void(size_t shape, size_t shapes, const std::string& text)>;

// The analysis need not be accepted, only built: values are a reading of any schedule.
SimulationResult simulate(const Analysis& analysis, const Contract& contract, std::stop_token stop = {},
                          const SimulationProgress& progress = {});

// Explanations of the NUM- findings, for `bakery explain`. They need a run, so they are not in the list
// of rules that a check goes through.
std::span<const Rule* const> numerical_rules();
const Rule* find_numerical_rule(std::string_view id);

std::string to_text(const Analysis& analysis, const Contract& contract, const SimulationResult& result);
std::string to_json(const Analysis& analysis, const Contract& contract, const SimulationResult& result);

}  // namespace bakery
