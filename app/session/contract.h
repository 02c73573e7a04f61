// SPDX-License-Identifier: Apache-2.0
// The workload contract: shapes, tensors, oracle and tolerance that a schedule is held to. A TOML file:
//
//   schedule = "../schedules/gemm.cake"   # from the contract's folder
//   target = "sm_90a"
//   oracle = "gemm_bf16"
//   [shapes]                              # one list a scalar parameter; the n-th values are the n-th shape
//   M = [128, 136]
//   N = [256, 264]
//   K = [64, 72]
//   [held_out]                            # optional, as [shapes]: never seen while tuning
//   [tensors.A]                           # named as the schedule's parameter and the oracle's operand
//   dtype = "bf16"
//   shape = ["M", "K"]                    # outermost first: numbers, parameters, products ("2*M")
//   strides = ["K", 1]                    # optional, in elements; row-major without gaps if left out
//   distribution = "normal"               # of an input: normal, uniform, ones, integers
//   seed = 1                              # optional
//   [tensors.C]
//   dtype = "bf16"
//   shape = ["M", "N"]
//   output = true                         # poisoned with NaN before the run
//   [tolerance]                           # |got - expected| <= atol + rtol * |expected|
//   rtol = 0.00390625
//   atol = 0.001
//   [tunables]                            # optional: one value pins, a list limits
//   stages = [3, 4]
//   [budget]                              # optional: candidates, gpu_seconds, wall_seconds, tokens
//   candidates = 100
//
// A key that is not listed here is an error.
//
// Choosing a tolerance: rounding the f32 sum to bf16 moves it by at most 2^-8 of itself (8 significant bits),
// which is rtol. A sum of K products in f32 is off by about 2^-24 * sqrt(K) times its largest partial sum,
// which does not shrink where the total cancels; atol covers that: 1e-3 is ample for unit normal inputs up to
// K = 1024, 1e-2 up to K = 8192, also for tensor cores that truncate after each instruction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/session/analysis.h"
#include "core_ir/machine/tensors.h"
#include "core_ir/types.h"
#include "profiler/oracles/oracle.h"

namespace bakery {

struct ContractError {
  uint32_t line = 0;    // 1-based; 0: the file as a whole
  uint32_t column = 0;  // 1-based, in bytes
  std::string message;
};

enum class Distribution : uint8_t { normal, uniform, ones, integers };

// A product of a number and scalar parameters.
struct Extent {
  int64_t factor = 1;
  std::vector<uint32_t> parameters;  // into Contract::parameters
};

struct TensorSpec {
  std::string name;
  DType dtype = DType::bf16;
  std::vector<Extent> shape;    // outermost first
  std::vector<Extent> strides;  // empty: row-major without gaps
  Distribution distribution = Distribution::normal;
  uint64_t seed = 0;
  bool output = false;
  uint32_t line = 0, column = 0;
};

struct ShapeRow {
  std::vector<int64_t> values;  // by Contract::parameters
  uint32_t line = 0, column = 0;
};

struct TunableLimit {
  std::string name;
  std::vector<int64_t> values;  // one: pinned
  uint32_t line = 0, column = 0;
};

struct Budget {
  std::optional<int64_t> candidates, tokens;
  std::optional<double> gpu_seconds, wall_seconds;
};

struct Contract {
  std::string file;
  std::string hash;             // of the file's text
  std::string schedule;         // as written
  std::string target;
  const Oracle* oracle = nullptr;
  std::vector<std::string> parameters;
  std::vector<ShapeRow> shapes, held_out;
  std::vector<TensorSpec> tensors;
  double rtol = 0, atol = 0;
  std::vector<TunableLimit> tunables;
  Budget budget;

  std::string schedule_path() const;  // from the current folder
  std::string text(const ShapeRow& row) const;  // "M=128, N=256, K=64"
  const TensorSpec* tensor(std::string_view name) const;
  int64_t extent(const Extent& extent, const ShapeRow& row) const;
  std::vector<int64_t> shape(const TensorSpec& tensor, const ShapeRow& row) const;
  std::vector<int64_t> strides(const TensorSpec& tensor, const ShapeRow& row) const;
  int64_t tensor_bytes(const ShapeRow& row) const;  // of all tensors together
  // Target and pinned tunables, for analyse().
  AnalysisOptions analysis_options() const;
};

struct ContractResult {
  std::optional<Contract> contract;   // set if there are no errors
  std::vector<ContractError> errors;  // by position
};

// Largest contract file, and largest total of one shape's tensors.
inline constexpr size_t kMaxContractBytes = size_t{1} << 20;
inline constexpr int64_t kMaxTensorBytes = int64_t{4} << 30;

ContractResult parse_contract(std::string file_name, std::string_view text);
ContractResult read_contract(const std::string& path);

// What keeps a text from the TOML parser: bytes that are not UTF-8, and what toml++ cannot be trusted with.
std::optional<ContractError> toml_obstacle(std::string_view text);

// "file:line:column: message", as compilers write it.
std::string to_text(const std::string& file, const ContractError& error);

// The tensor of one shape: an input holds its distribution's values, the same ones on every machine, an
// output is poisoned.
GlobalTensor make_tensor(const Contract& contract, const TensorSpec& tensor, const ShapeRow& row);

}  // namespace bakery
