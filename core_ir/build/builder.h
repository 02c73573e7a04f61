// SPDX-License-Identifier: Apache-2.0
// Inside of build(): evaluates the compile-time program and records resources and role bodies.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core_ir/schedule.h"

namespace bakery::building {

enum class ValueKind : uint8_t {
  poison,  // the result of an error; silences what follows from it
  none, integer, floating, boolean, string, dtype, sequence, range,
  scalar,     // run-time scalar: expr
  module_lm, module_cake, parameter, pool, view, region, tmem, tile, role, pipeline, barrier, tiles, loop, function,
  method,     // bound method: receiver kind in `base`, name in `text`
};

struct Value {
  ValueKind kind = ValueKind::poison;
  int64_t integer = 0;   // also dtype and boolean; range: lo
  int64_t hi = 0, step = 1;
  double number = 0;
  std::string text;
  Index index = kNone;   // resource, expr or function
  bool is_bool = false;  // of a scalar
  bool is_float = false; // of a scalar
  ExprId lo_expr = kNone, hi_expr = kNone, step_expr = kNone;  // loop
  int unroll = 0;
  Region region;         // region, and a fragment's tile
  std::shared_ptr<std::vector<Value>> items;
  std::shared_ptr<Value> base;
};

struct Argument {
  NodeId node = kNoNode;  // the value's expression
  Value value;
  bool present() const { return node != kNoNode; }
};

struct Scope {
  std::map<std::string, Value, std::less<>> names;
  bool barrier_to_assignment = false;  // a run-time block: outer names cannot be rebound
  bool function = false;               // assignments stay in it
  size_t parent = 0;                   // scope that lookups go on in
};

class Builder {
 public:
  Builder(const SourceText& source, const Tree& tree, const BuildOptions& options)
      : source_(source), tree_(tree), options_(options) {}
  Built run();

 private:
  // statements.cpp
  void build_function(NodeId function);
  void parameters(NodeId function);
  void block(NodeId block);
  void statement(NodeId node);
  void assign(NodeId node);
  void bind_name(NodeId target, Value value);
  void with(NodeId node);
  void role_body(NodeId node, Index role);
  void for_loop(NodeId node);
  void device_loop(NodeId node, const Value& loop);
  void tile_loop(NodeId node, const Value& tiles);
  void if_else(NodeId node);
  void call_function(NodeId call, const Value& function);
  void loop_block(Stmt stmt, const std::vector<std::pair<std::string, Value>>& names, NodeId body);
  bool spend();

  // expressions.cpp
  Value evaluate(NodeId node);
  Value name(NodeId node);
  Value attribute(NodeId node);
  Value call(NodeId node);
  Value subscript(NodeId node);
  Value binary(NodeId node);
  Value unary(NodeId node);
  Value arithmetic(NodeId node, Operator op, const Value& a, const Value& b);
  Value tile_arithmetic(NodeId node, Operator op, const Value& a, const Value& b);
  Value scalar_value(ExprId expr, bool is_bool);
  ExprId expr(ExprKind kind, Index a = kNone, Index b = kNone, int64_t value = 0);
  ExprId constant(int64_t value) { return expr(ExprKind::constant, kNone, kNone, value); }
  ExprId to_expr(const Value& value);  // of integer, boolean or scalar
  Index tile_of(const Value& value, NodeId node);
  std::optional<std::pair<int64_t, int64_t>> slice_bounds(NodeId node, int64_t extent);

  // declarations.cpp
  Value module_call(NodeId node, const std::string& name);
  Value method_call(NodeId node, const Value& method);
  Value declare_smem(NodeId node);
  Value declare_view(NodeId node, Index pool);
  Value declare_tmem(NodeId node);
  Value declare_role(NodeId node);
  Value declare_pipeline(NodeId node);
  Value declare_barrier(NodeId node);
  Value declare_tunable(NodeId node);
  Value declare_fragment(NodeId node);
  Value declare_tiles(NodeId node);
  Value declare_range(NodeId node);
  Value pipeline_call(NodeId node, const Value& pipeline, const std::string& name);
  Value assume(NodeId node);
  Value min_max(NodeId node, bool maximum);
  Value cast(NodeId node);
  Value exp2(NodeId node);
  Value operation_call(NodeId node, const Operation& operation, const Value& self);

  // arguments
  std::vector<Argument> arguments(NodeId call, std::string_view spelling, std::span<const Operand> operands);
  std::optional<int64_t> integer(const Argument& argument, std::string_view what, int64_t lo, int64_t hi);
  std::optional<std::vector<int64_t>> shape(const Argument& argument);
  std::optional<DType> dtype(const Argument& argument);
  std::vector<Index> roles(const Argument& argument);
  std::optional<Region> stage_region(const Argument& argument, std::string_view what);
  ExprId condition(const Argument& argument);
  Index local_symbol(const std::string& name, Span span);

  Value error(const char* id, Span span, std::string message, std::string expected = {}, std::string declared = {});
  void near_miss(std::string& message, std::string_view name, const std::vector<std::string>& choices) const;
  Value* find(std::string_view name);
  Scope& push_scope();
  Stmt& emit(Stmt stmt);
  const Node& node(NodeId id) const { return tree_[id]; }
  Span span(NodeId id) const { return tree_[id].span; }
  std::string text(NodeId id) const { return std::string(source_.slice(tree_[id].span)); }

  const SourceText& source_;
  const Tree& tree_;
  const BuildOptions& options_;
  Schedule schedule_;
  std::vector<Finding> findings_;
  std::vector<Scope> scopes_;
  std::vector<std::vector<Index>*> blocks_;  // innermost statement list of the role body
  std::unordered_map<uint64_t, std::vector<ExprId>> expr_index_;
  std::vector<int> expr_depth_, expr_parts_; // by ExprId
  bool depth_reported_ = false;
  Index role_ = kNone;                       // whose body is being built
  std::string binding_;                      // name that the current declaration is bound to
  Span binding_span_;
  int call_depth_ = 0;
  int64_t budget_ = 200000;                  // statements built, unrolled ones included
  bool budget_reported_ = false;
};

// Largest value of any size, offset, count or shape; keeps products inside int64.
inline constexpr int64_t kMaxSize = int64_t{1} << 31;

const char* kind_name(ValueKind kind);

}  // namespace bakery::building
