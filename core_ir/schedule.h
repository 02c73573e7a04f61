// SPDX-License-Identifier: Apache-2.0
// A schedule after building: typed resources, roles, and per-role bodies. A value: copy it,
// compare it, send it to a worker. Everything refers by index into the vectors below.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core_ir/finding.h"
#include "core_ir/operations.h"
#include "core_ir/source.h"
#include "core_ir/syntax.h"
#include "core_ir/targets.h"
#include "core_ir/types.h"

namespace bakery {

using Index = uint32_t;
inline constexpr Index kNone = UINT32_MAX;

// ---- run-time scalar expressions ------------------------------------------------------

enum class ExprKind : uint8_t {
  constant,   // value
  symbol,     // a: Symbol
  slot,       // a: pipeline, value: 0 current, -1 previous
  add, sub, mul, floor_div, ceil_div, mod, min, max,
  eq, ne, lt, le, gt, ge, logical_and, logical_or, logical_not, negate,
};

struct Expr {
  ExprKind kind = ExprKind::constant;
  Index a = kNone, b = kNone;  // operands
  int64_t value = 0;
  bool operator==(const Expr&) const = default;
};
using ExprId = Index;

enum class SymbolKind : uint8_t { parameter, loop, local };

struct Symbol {
  SymbolKind kind = SymbolKind::parameter;
  std::string name;
  Span span;
};

// ---- resources ------------------------------------------------------------------------

enum class ParamKind : uint8_t { tensor_map, scalar };

struct Parameter {
  std::string name;
  ParamKind kind = ParamKind::scalar;
  DType dtype = DType::i32;  // of a scalar
  int rank = 0;              // of a tensor map
  Index symbol = kNone;      // of a scalar
  Span span;
  bool used = false;
};

struct Tunable {
  std::string name;
  int64_t value = 0;
  std::vector<int64_t> choices;
  Span span, value_span;
};

struct Pool {
  std::string name;
  int64_t bytes = 0;
  Span span;
};

struct View {
  std::string name;
  Index pool = kNone;
  int64_t offset = 0;
  std::vector<int64_t> shape;   // outermost first
  DType dtype = DType::bf16;
  int stages = 1;
  bool staged = false;          // `stage=` was written
  std::optional<int> swizzle;   // as written; 0 is a promise too
  std::string alias;            // declared alias group, empty: none
  Span span, offset_span, shape_span, stage_span, swizzle_span;

  int64_t elements() const;
  int64_t stage_bytes() const;
  int64_t bytes() const { return stage_bytes() * stages; }
  int64_t row_bytes() const;    // innermost row
  int64_t rows() const;         // all outer dimensions together
};

struct Tmem {
  std::string name;
  int64_t cols = 0, width = 0;
  std::vector<int64_t> shape;
  DType dtype = DType::f32;
  Span span;
};

struct Fragment {
  std::string name;
  std::vector<int64_t> shape;
  DType dtype = DType::f32;
  Index role = kNone;
  Span span;
};

struct Role {
  std::string name;
  std::vector<int> warps;       // ascending
  int regs = 0;                 // 0: not written
  Span span, warps_span, regs_span, body_span;
  std::vector<Index> body;      // Stmt

  bool whole_warpgroups() const;
  int agents() const;           // warpgroups if whole and aligned, else warps
};

struct Pipeline {
  std::string name;
  int stages = 0;
  Span span, stages_span;
};

struct Barrier {
  std::string name;
  int count = 1;                // stages
  int64_t init_count = 1;
  std::vector<Index> producers, consumers;  // roles
  Index pipeline = kNone;
  bool free = false;
  Span span, count_span, init_span;
};

struct TileSpace {
  std::vector<ExprId> extents;  // outermost first
  std::string order = "linear"; // linear, grouped
  int64_t group = 1;
  ExprId grid = kNone;
  Span span;
};

struct Assumption {
  ExprId condition = kNone;
  std::string text;
  Span span;
};

// ---- bodies ---------------------------------------------------------------------------

// A rectangle of a view stage, a tensor-memory range or a fragment.
struct Region {
  Space space = Space::none;
  Index resource = kNone;
  ExprId stage = kNone;         // views only; kNone: unstaged
  int64_t row = 0, rows = 0, col = 0, cols = 0;
  Span span;
};

// A register-tile value; children are tile indices.
enum class TileKind : uint8_t { fragment, scalar, cast, add, sub, mul, div, min, max, exp2, negate };

struct Tile {
  TileKind kind = TileKind::fragment;
  Region region;                // of `fragment` (Space::fragment), or a view read (Space::shared)
  ExprId scalar = kNone;
  double number = 0;            // of a literal scalar
  bool is_number = false;
  DType dtype = DType::f32;
  int64_t rows = 0, cols = 0;
  Index a = kNone, b = kNone;
};

// One executed operation. Which fields are in use follows from its row in the operations table.
struct Op {
  OpCode code = OpCode::wait;
  Span span;
  Span barrier_span, stage_span, init_span;
  Index role = kNone;
  ExprId when = kNone;
  Index barrier = kNone;
  ExprId stage = kNone;         // of the barrier
  Index param = kNone;          // tensor map
  std::vector<ExprId> coords;   // innermost first
  Region dst, a, b;
  Index value = kNone;          // Tile
  ExprId init = kNone;
  int pending = 0;
};

enum class StmtKind : uint8_t { op, loop, tile_loop, when, let, advance };

struct Stmt {
  StmtKind kind = StmtKind::op;
  Span span;
  Index op = kNone;             // op
  Index tiles = kNone;          // tile_loop: TileSpace
  std::vector<Index> symbols;   // loop: 1, tile_loop: one a dimension, let/advance: 1 (may be absent)
  ExprId lo = kNone, hi = kNone, step = kNone;  // loop
  ExprId value = kNone;         // when: condition; let: value
  Index pipeline = kNone;       // advance
  int unroll = 0;
  std::vector<Index> body;
};

struct Schedule {
  std::string name;
  std::string declared_target;  // of the decorator, empty: none
  Span span, name_span, target_span;
  std::vector<Expr> exprs;
  std::vector<Symbol> symbols;
  std::vector<Parameter> params;
  std::vector<Tunable> tunables;
  std::vector<Pool> pools;
  std::vector<View> views;
  std::vector<Tmem> tmems;
  std::vector<Fragment> fragments;
  std::vector<Role> roles;
  std::vector<Pipeline> pipelines;
  std::vector<Barrier> barriers;
  std::vector<TileSpace> tile_spaces;
  std::vector<Assumption> assumptions;
  std::vector<Tile> tiles;
  std::vector<Op> ops;
  std::vector<Stmt> stmts;
  bool complete = false;        // built without LANG- errors

  // Bytes behind the pools that the compiler owns: barriers, 8 bytes each, and the TMEM address.
  int64_t hidden_bytes() const;
  int64_t pool_bytes() const;
  int threads() const;          // of the CTA: whole warps up to the highest named one
  std::string text(ExprId expr) const;  // as a person would write it
  std::string resource_name(const Region& region) const;
};

struct BuildOptions {
  std::vector<std::pair<std::string, int64_t>> tunables;  // values that a contract pins
};

struct Built {
  Schedule schedule;
  std::vector<Finding> findings;  // LANG-
};

// Builds the first function decorated with `@cake.schedule(...)`. Never fails; errors are findings.
Built build(const SourceText& source, const Tree& tree, const BuildOptions& options = {});

}  // namespace bakery
