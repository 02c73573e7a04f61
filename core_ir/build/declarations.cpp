// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "core_ir/build/builder.h"

namespace bakery::building {
namespace {

Value resource(ValueKind kind, Index index) {
  Value value;
  value.kind = kind;
  value.index = index;
  return value;
}

}  // namespace

std::vector<Argument> Builder::arguments(NodeId call, std::string_view spelling, std::span<const Operand> operands) {
  std::vector<Argument> bound(operands.size());
  const std::string shown(spelling);
  bool failed = false;
  size_t positional = 0;
  for (uint32_t i = 1; i < node(call).child_count; ++i) {
    const NodeId argument = tree_.child(call, i);
    NodeId value = argument;
    size_t slot = operands.size();
    if (node(argument).kind == NodeKind::keyword) {
      value = tree_.child(argument, 0);
      for (size_t k = 0; k < operands.size(); ++k)
        if (node(argument).text == operands[k].name) slot = k;
      if (slot == operands.size()) {
        std::string message = "`" + shown + "` has no argument `" + node(argument).text + "`";
        std::vector<std::string> names;
        for (const Operand& operand : operands) names.emplace_back(operand.name);
        near_miss(message, node(argument).text, names);
        error("LANG-003", node(argument).name_span, std::move(message));
        evaluate(value);
        failed = true;
        continue;
      }
    } else {
      slot = positional++;
      if (slot >= operands.size()) {
        error("LANG-003", span(argument), "`" + shown + "` takes at most " + std::to_string(operands.size()) + " arguments");
        failed = true;
        continue;
      }
    }
    if (bound[slot].present()) {
      error("LANG-003", span(argument), "`" + std::string(operands[slot].name) + "` is given twice");
      failed = true;
      continue;
    }
    bound[slot].node = value;
    bound[slot].value = evaluate(value);
    failed |= bound[slot].value.kind == ValueKind::poison;
  }
  for (size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].required && !bound[k].present() && !failed) {
      error("LANG-003", span(call), "`" + shown + "` needs `" + operands[k].name + "`", operands[k].doc);
      failed = true;
    }
  }
  if (failed) return {};
  return bound;
}

std::optional<int64_t> Builder::integer(const Argument& argument, std::string_view what, int64_t lo, int64_t hi) {
  const Value& value = argument.value;
  if (value.kind == ValueKind::poison) return std::nullopt;
  if (value.kind == ValueKind::scalar) {
    error("LANG-004", span(argument.node), std::string(what) + " must be known while building");
    return std::nullopt;
  }
  if (value.kind != ValueKind::integer) {
    error("LANG-004", span(argument.node), std::string(what) + " must be an integer", {}, kind_name(value.kind));
    return std::nullopt;
  }
  if (value.integer < lo || value.integer > hi) {
    error("LANG-004", span(argument.node), std::string(what) + " is out of range",
          std::to_string(lo) + " … " + std::to_string(hi), std::to_string(value.integer));
    return std::nullopt;
  }
  return value.integer;
}

std::optional<std::vector<int64_t>> Builder::shape(const Argument& argument) {
  const Value& value = argument.value;
  if (value.kind == ValueKind::poison) return std::nullopt;
  std::vector<int64_t> extents;
  bool fits = value.kind == ValueKind::sequence && !value.items->empty() && value.items->size() <= 5;
  __int128 product = 1;
  if (fits) {
    for (const Value& item : *value.items) {
      fits &= item.kind == ValueKind::integer && item.integer >= 1;
      if (!fits) break;
      extents.push_back(item.integer);
      product *= item.integer;
      fits &= product <= kMaxSize;
    }
  }
  if (!fits) {
    error("LANG-004", span(argument.node), "a shape is 1 to 5 positive constants, outermost first, below 2^31 elements",
          "`shape=(128, 64)`", text(argument.node));
    return std::nullopt;
  }
  return extents;
}

std::optional<DType> Builder::dtype(const Argument& argument) {
  if (argument.value.kind == ValueKind::poison) return std::nullopt;
  if (argument.value.kind != ValueKind::dtype) {
    error("LANG-004", span(argument.node), "an element type is needed", "`lm.bf16`, `lm.f32` …", text(argument.node));
    return std::nullopt;
  }
  return static_cast<DType>(argument.value.integer);
}

std::vector<Index> Builder::roles(const Argument& argument) {
  std::vector<Index> found;
  const Value& value = argument.value;
  if (value.kind == ValueKind::role) return {value.index};
  if (value.kind == ValueKind::sequence) {
    for (const Value& item : *value.items) {
      if (item.kind != ValueKind::role) {
        error("LANG-004", span(argument.node), "a list of roles is needed", "`prod=[load]`", text(argument.node));
        return {};
      }
      if (std::find(found.begin(), found.end(), item.index) == found.end()) found.push_back(item.index);
    }
  }
  if (found.empty() && value.kind != ValueKind::poison)
    error("LANG-004", span(argument.node), "at least one role is needed", "`prod=[load]`", text(argument.node));
  return found;
}

ExprId Builder::condition(const Argument& argument) {
  const ExprId id = to_expr(argument.value);
  if (id == kNone && argument.value.kind != ValueKind::poison)
    error("LANG-004", span(argument.node), "a condition over run-time scalars is needed", {}, kind_name(argument.value.kind));
  return id;
}

Index Builder::local_symbol(const std::string& name, Span where) {
  schedule_.symbols.push_back({SymbolKind::local, name, where});
  return static_cast<Index>(schedule_.symbols.size() - 1);
}

Value Builder::method_call(NodeId id, const Value& method) {
  const Value& base = *method.base;
  const NodeId callee = tree_.child(id, 0);
  if (base.kind == ValueKind::module_lm) return module_call(id, method.text);
  if (base.kind == ValueKind::pool) {
    if (method.text == "view") return declare_view(id, base.index);
  } else if (base.kind == ValueKind::view) {
    if (const Operation* op = find_operation(Receiver::view, method.text)) return operation_call(id, *op, base);
  } else if (base.kind == ValueKind::pipeline) {
    if (method.text == "next" || method.text == "current" || method.text == "previous")
      return pipeline_call(id, base, method.text);
  }
  std::string message = std::string(kind_name(base.kind)) + " has no operation `" + method.text + "`";
  std::vector<std::string> choices = {"view", "next", "current", "previous"};
  for (const Operation& op : operations())
    if (op.receiver == Receiver::view) choices.emplace_back(op.spelling);
  near_miss(message, method.text, choices);
  return error("LANG-002", node(callee).name_span, std::move(message));
}

Value Builder::module_call(NodeId id, const std::string& name) {
  struct Entry {
    const char* name;
    Value (Builder::*declare)(NodeId);
    bool resource;  // stands outside of role bodies
  };
  static constexpr Entry kEntries[] = {
      {"smem", &Builder::declare_smem, true},       {"tmem", &Builder::declare_tmem, true},
      {"role", &Builder::declare_role, true},       {"pipeline", &Builder::declare_pipeline, true},
      {"barrier", &Builder::declare_barrier, true}, {"tunable", &Builder::declare_tunable, true},
      {"assume", &Builder::assume, true},           {"tiles", &Builder::declare_tiles, true},
      {"frag", &Builder::declare_fragment, false},  {"range", &Builder::declare_range, false},
      {"cast", &Builder::cast, false},              {"exp2", &Builder::exp2, false},
  };
  for (const Entry& entry : kEntries) {
    if (name != entry.name) continue;
    if (entry.resource && role_ != kNone)
      return error("LANG-005", span(tree_.child(id, 0)), "`lm." + name + "` stands outside of role bodies");
    return (this->*entry.declare)(id);
  }
  if (name == "min" || name == "max") return min_max(id, name == "max");
  if (name == "cdiv") {
    const auto args = arguments(id, "lm.cdiv", find_declaration("lm.cdiv")->operands);
    if (args.empty()) return {};
    const auto divisor = integer(args[1], "the divisor", 1, kMaxSize);
    if (!divisor) return {};
    const Value& a = args[0].value;
    if (a.kind == ValueKind::integer) {
      Value value;
      value.kind = ValueKind::integer;
      value.integer = a.integer / *divisor + (a.integer % *divisor > 0);
      return value;
    }
    const ExprId numerator = to_expr(a);
    if (numerator == kNone) return error("LANG-004", span(args[0].node), "`lm.cdiv` takes integers");
    return scalar_value(expr(ExprKind::ceil_div, numerator, constant(*divisor)), false);
  }
  if (name == "when")
    return error("LANG-005", span(id), "`lm.when(...)` opens a block", "`with lm.when(condition):`");
  if (const Operation* op = find_operation(Receiver::module, name)) return operation_call(id, *op, {});

  std::string message = "unknown operation `lm." + name + "`";
  std::vector<std::string> choices;
  for (const Operation& op : operations())
    if (op.receiver == Receiver::module && op.code != OpCode::compute) choices.emplace_back(op.spelling);
  for (const Declaration& declaration : declarations())
    if (std::string_view(declaration.spelling).starts_with("lm.")) choices.emplace_back(declaration.spelling + 3);
  near_miss(message, name, choices);
  for (uint32_t i = 1; i < node(id).child_count; ++i) {
    const NodeId argument = tree_.child(id, i);
    evaluate(node(argument).kind == NodeKind::keyword ? tree_.child(argument, 0) : argument);
  }
  return error("LANG-002", node(tree_.child(id, 0)).name_span, std::move(message));
}

Value Builder::declare_smem(NodeId id) {
  Pool pool{binding_, 0, span(id)};
  const auto args = arguments(id, "lm.smem", find_declaration("lm.smem")->operands);
  if (args.empty()) return {};
  const auto bytes = integer(args[0], "the pool's size", 1, kMaxSize);
  if (!bytes) return {};
  pool.bytes = *bytes;
  schedule_.pools.push_back(std::move(pool));
  return resource(ValueKind::pool, static_cast<Index>(schedule_.pools.size() - 1));
}

Value Builder::declare_view(NodeId id, Index pool) {
  View view;
  view.name = binding_;
  view.pool = pool;
  view.span = span(id);
  if (role_ != kNone) return error("LANG-005", span(tree_.child(id, 0)), "views stand outside of role bodies");
  const auto args = arguments(id, "pool.view", find_declaration("pool.view")->operands);
  if (args.empty()) return {};
  const auto offset = integer(args[0], "`offset`", 0, kMaxSize);
  const auto extents = shape(args[1]);
  const auto type = dtype(args[2]);
  if (!offset || !extents || !type) return {};
  view.offset = *offset;
  view.shape = *extents;
  view.dtype = *type;
  view.offset_span = span(args[0].node);
  view.shape_span = span(args[1].node);
  if (args[3].present()) {
    const auto stages = integer(args[3], "`stage`", 1, 1024);
    if (!stages) return {};
    view.stages = static_cast<int>(*stages);
    view.staged = true;
    view.stage_span = span(args[3].node);
  }
  if (args[4].present()) {
    const auto swizzle = integer(args[4], "`swizzle`", 0, 128);
    if (!swizzle) return {};
    if (*swizzle != 0 && *swizzle != 32 && *swizzle != 64 && *swizzle != 128)
      return error("LANG-004", span(args[4].node), "there is no such swizzle", "0, 32, 64 or 128", std::to_string(*swizzle));
    view.swizzle = static_cast<int>(*swizzle);
    view.swizzle_span = span(args[4].node);
  }
  if (args[5].present()) {
    if (args[5].value.kind != ValueKind::string)
      return error("LANG-004", span(args[5].node), "an alias group is a string");
    view.alias = args[5].value.text;
  }
  schedule_.views.push_back(std::move(view));
  return resource(ValueKind::view, static_cast<Index>(schedule_.views.size() - 1));
}

Value Builder::declare_tmem(NodeId id) {
  Tmem tmem;
  tmem.name = binding_;
  tmem.span = span(id);
  const auto args = arguments(id, "lm.tmem", find_declaration("lm.tmem")->operands);
  if (args.empty()) return {};
  const auto cols = integer(args[0], "`cols`", 0, kMaxSize);
  const auto width = integer(args[1], "`width`", 1, kMaxSize);
  const auto extents = shape(args[2]);
  const auto type = dtype(args[3]);
  if (!cols || !width || !extents || !type) return {};
  tmem.cols = *cols;
  tmem.width = *width;
  tmem.shape = *extents;
  tmem.dtype = *type;
  schedule_.tmems.push_back(std::move(tmem));
  return resource(ValueKind::tmem, static_cast<Index>(schedule_.tmems.size() - 1));
}

Value Builder::declare_role(NodeId id) {
  Role role;
  role.name = binding_;
  role.span = span(id);
  const auto args = arguments(id, "lm.role", find_declaration("lm.role")->operands);
  if (args.empty()) return {};
  role.warps_span = span(args[0].node);
  const Value& warps = args[0].value;
  if (warps.kind == ValueKind::range) {
    for (int64_t w = warps.integer; (warps.step > 0 ? w < warps.hi : w > warps.hi) && role.warps.size() < 4096; w += warps.step)
      role.warps.push_back(static_cast<int>(std::clamp<int64_t>(w, -1, 1 << 20)));
  } else if (warps.kind == ValueKind::sequence) {
    for (const Value& warp : *warps.items) {
      if (warp.kind != ValueKind::integer)
        return error("LANG-004", span(args[0].node), "warp indices are constants", "`warps=[0]` or `warps=range(4, 12)`");
      role.warps.push_back(static_cast<int>(std::clamp<int64_t>(warp.integer, -1, 1 << 20)));
    }
  } else {
    return error("LANG-004", span(args[0].node), "warps are a list or a range", "`warps=[0]` or `warps=range(4, 12)`",
                 text(args[0].node));
  }
  std::sort(role.warps.begin(), role.warps.end());
  if (role.warps.empty()) return error("LANG-004", span(args[0].node), "a role needs at least one warp");
  if (std::adjacent_find(role.warps.begin(), role.warps.end()) != role.warps.end())
    return error("LANG-004", span(args[0].node), "a warp is listed twice");
  if (role.warps.front() < 0 || role.warps.back() > 31)
    return error("LANG-004", span(args[0].node), "warp indices run from 0 to 31", "at most 32 warps a CTA",
                 std::to_string(role.warps.front()) + " … " + std::to_string(role.warps.back()));
  if (args[1].present()) {
    const auto regs = integer(args[1], "`regs`", 1, kMaxSize);
    if (!regs) return {};
    role.regs = static_cast<int>(*regs);
    role.regs_span = span(args[1].node);
  }
  schedule_.roles.push_back(std::move(role));
  return resource(ValueKind::role, static_cast<Index>(schedule_.roles.size() - 1));
}

Value Builder::declare_pipeline(NodeId id) {
  Pipeline pipeline;
  pipeline.name = binding_;
  pipeline.span = span(id);
  const auto args = arguments(id, "lm.pipeline", find_declaration("lm.pipeline")->operands);
  if (args.empty()) return {};
  const auto stages = integer(args[0], "`stages`", 1, 1024);
  if (!stages) return {};
  pipeline.stages = static_cast<int>(*stages);
  pipeline.stages_span = span(args[0].node);
  schedule_.pipelines.push_back(std::move(pipeline));
  return resource(ValueKind::pipeline, static_cast<Index>(schedule_.pipelines.size() - 1));
}

Value Builder::declare_barrier(NodeId id) {
  Barrier barrier;
  barrier.name = binding_;
  barrier.span = span(id);
  const auto args = arguments(id, "lm.barrier", find_declaration("lm.barrier")->operands);
  if (args.empty()) return {};
  const auto count = integer(args[0], "`count`", 1, 1024);
  // The range of mbarrier.init: PTX ISA, mbarrier object.
  const auto init = integer(args[3], "`init_count`", 1, (1 << 20) - 1);
  barrier.producers = roles(args[1]);
  barrier.consumers = roles(args[2]);
  if (!count || !init || barrier.producers.empty() || barrier.consumers.empty()) return {};
  barrier.count = static_cast<int>(*count);
  barrier.init_count = *init;
  barrier.count_span = span(args[0].node);
  barrier.init_span = span(args[3].node);
  if (args[4].present()) {
    if (args[4].value.kind != ValueKind::pipeline)
      return error("LANG-004", span(args[4].node), "a pipeline is needed", {}, kind_name(args[4].value.kind));
    barrier.pipeline = args[4].value.index;
  }
  if (args[5].present()) {
    if (args[5].value.kind != ValueKind::boolean)
      return error("LANG-004", span(args[5].node), "`free` is `True` or `False`");
    barrier.free = args[5].value.integer != 0;
  }
  schedule_.barriers.push_back(std::move(barrier));
  return resource(ValueKind::barrier, static_cast<Index>(schedule_.barriers.size() - 1));
}

Value Builder::declare_tunable(NodeId id) {
  const auto args = arguments(id, "lm.tunable", find_declaration("lm.tunable")->operands);
  if (args.empty()) return {};
  if (args[0].value.kind != ValueKind::string) return error("LANG-004", span(args[0].node), "a tunable's name is a string");
  Tunable tunable;
  tunable.name = args[0].value.text;
  tunable.span = span(id);
  const auto value = integer(args[1], "a tunable's value", std::numeric_limits<int32_t>::min(), kMaxSize);
  if (!value) return {};
  tunable.value = *value;
  tunable.value_span = span(args[1].node);
  if (args[2].present()) {
    if (args[2].value.kind != ValueKind::sequence) return error("LANG-004", span(args[2].node), "choices are a list");
    for (const Value& choice : *args[2].value.items) {
      if (choice.kind != ValueKind::integer) return error("LANG-004", span(args[2].node), "choices are integers");
      tunable.choices.push_back(choice.integer);
    }
  }
  for (const Tunable& other : schedule_.tunables)
    if (other.name == tunable.name) return error("LANG-004", span(args[0].node), "tunable `" + tunable.name + "` is declared twice");
  for (const auto& [name, pinned] : options_.tunables)
    if (name == tunable.name) tunable.value = pinned;
  if (!tunable.choices.empty() &&
      std::find(tunable.choices.begin(), tunable.choices.end(), tunable.value) == tunable.choices.end())
    return error("LANG-004", span(args[1].node), "`" + tunable.name + "` is not one of its choices", text(args[2].node),
                 std::to_string(tunable.value));
  Value result;
  result.kind = ValueKind::integer;
  result.integer = tunable.value;
  schedule_.tunables.push_back(std::move(tunable));
  return result;
}

Value Builder::declare_fragment(NodeId id) {
  if (role_ == kNone) return error("LANG-005", span(tree_.child(id, 0)), "`lm.frag` stands inside of a role body");
  const std::string name = binding_;
  const auto args = arguments(id, "lm.frag", find_declaration("lm.frag")->operands);
  if (args.empty()) return {};
  const auto extents = shape(args[0]);
  const auto type = dtype(args[1]);
  if (!extents || !type) return {};
  if (extents->size() != 2) return error("LANG-004", span(args[0].node), "a register tile has rows and columns");
  if (name.empty()) return error("LANG-005", span(id), "a register tile needs a name", "`acc = lm.frag(...)`");
  Value value;
  value.kind = ValueKind::tile;
  value.text = "fragment";
  value.region.space = Space::fragment;
  value.region.resource = static_cast<Index>(schedule_.fragments.size());
  value.region.rows = (*extents)[0];
  value.region.cols = (*extents)[1];
  value.region.span = span(id);
  schedule_.fragments.push_back({name, *extents, *type, role_, span(id)});
  Tile tile;
  tile.region = value.region;
  tile.dtype = *type;
  tile.rows = (*extents)[0];
  tile.cols = (*extents)[1];
  value.index = static_cast<Index>(schedule_.tiles.size());
  schedule_.tiles.push_back(tile);
  return value;
}

Value Builder::declare_tiles(NodeId id) {
  TileSpace space;
  space.span = span(id);
  bool failed = false;
  for (uint32_t i = 1; i < node(id).child_count; ++i) {
    const NodeId argument = tree_.child(id, i);
    if (node(argument).kind != NodeKind::keyword) {
      const Value value = evaluate(argument);
      const ExprId extent = to_expr(value);
      if (extent == kNone && value.kind != ValueKind::poison) error("LANG-004", span(argument), "a tile count is an integer");
      failed |= extent == kNone;
      space.extents.push_back(extent);
      continue;
    }
    const std::string& key = node(argument).text;
    Argument bound{tree_.child(argument, 0), evaluate(tree_.child(argument, 0))};
    if (key == "order") {
      if (bound.value.kind != ValueKind::string || (bound.value.text != "linear" && bound.value.text != "grouped"))
        return error("LANG-004", span(bound.node), "there is no such order", "\"linear\" or \"grouped\"", text(bound.node));
      space.order = bound.value.text;
    } else if (key == "group") {
      const auto group = integer(bound, "`group`", 1, kMaxSize);
      if (!group) return {};
      space.group = *group;
    } else if (key == "grid") {
      space.grid = condition(bound);
      failed |= space.grid == kNone;
    } else {
      error("LANG-003", node(argument).name_span, "`lm.tiles` has no argument `" + key + "`");
      failed = true;
    }
  }
  if (failed) return {};
  if (space.extents.empty() || space.extents.size() > 3)
    return error("LANG-003", span(id), "`lm.tiles` takes 1 to 3 tile counts, outermost first");
  if (space.order == "grouped" && space.extents.size() != 2)
    return error("LANG-004", span(id), "`order=\"grouped\"` takes two tile counts");
  schedule_.tile_spaces.push_back(std::move(space));
  return resource(ValueKind::tiles, static_cast<Index>(schedule_.tile_spaces.size() - 1));
}

Value Builder::declare_range(NodeId id) {
  const auto args = arguments(id, "lm.range", find_declaration("lm.range")->operands);
  if (args.empty()) return {};
  Value value;
  value.kind = ValueKind::loop;
  value.lo_expr = to_expr(args[0].value);
  value.hi_expr = to_expr(args[1].value);
  value.step_expr = args[2].present() ? to_expr(args[2].value) : constant(1);
  if (value.lo_expr == kNone || value.hi_expr == kNone || value.step_expr == kNone)
    return error("LANG-004", span(id), "loop bounds are integers");
  if (args[2].present() && args[2].value.kind == ValueKind::integer && args[2].value.integer <= 0)
    return error("LANG-004", span(args[2].node), "the step must be positive");
  if (args[2].present() && args[2].value.kind == ValueKind::scalar)
    return error("LANG-004", span(args[2].node), "the step must be known while building");
  if (args[3].present()) {
    const auto unroll = integer(args[3], "`unroll`", 1, 1024);
    if (!unroll) return {};
    value.unroll = static_cast<int>(*unroll);
  }
  return value;
}

Value Builder::pipeline_call(NodeId id, const Value& pipeline, const std::string& name) {
  if (node(id).child_count > 1) return error("LANG-003", span(id), "`" + name + "` takes no arguments");
  if (role_ == kNone) return error("LANG-005", span(id), "a pipeline's counter belongs to a role; use it in a body");
  if (name != "next") return scalar_value(expr(ExprKind::slot, pipeline.index, kNone, name == "current" ? 0 : -1), false);
  Stmt stmt;
  stmt.kind = StmtKind::advance;
  stmt.span = span(id);
  stmt.pipeline = pipeline.index;
  const Index symbol = local_symbol(binding_.empty() ? "slot" : binding_, span(id));
  stmt.symbols = {symbol};
  emit(std::move(stmt));
  return scalar_value(expr(ExprKind::symbol, symbol), false);
}

Value Builder::assume(NodeId id) {
  for (uint32_t i = 1; i < node(id).child_count; ++i) {
    const NodeId argument = tree_.child(id, i);
    if (node(argument).kind == NodeKind::keyword) return error("LANG-003", span(argument), "`lm.assume` takes conditions");
    const Value value = evaluate(argument);
    if (value.kind == ValueKind::poison) return {};
    if ((value.kind == ValueKind::boolean || value.kind == ValueKind::integer) && value.integer == 0)
      return error("LANG-004", span(argument), "this assumption is false");
    const ExprId made = to_expr(value);
    if (made == kNone) return error("LANG-004", span(argument), "a condition over scalars is needed");
    schedule_.assumptions.push_back({made, text(argument), span(argument)});
  }
  Value none;
  none.kind = ValueKind::none;
  return none;
}

Value Builder::min_max(NodeId id, bool maximum) {
  const char* name = maximum ? "lm.max" : "lm.min";
  const auto args = arguments(id, name, find_declaration(name)->operands);
  if (args.empty()) return {};
  const Value &a = args[0].value, &b = args[1].value;
  if (a.kind == ValueKind::tile || b.kind == ValueKind::tile) {
    Value value = tile_arithmetic(id, Operator::add, a, b);
    if (value.kind == ValueKind::tile) schedule_.tiles[value.index].kind = maximum ? TileKind::max : TileKind::min;
    return value;
  }
  if (a.kind == ValueKind::integer && b.kind == ValueKind::integer) {
    Value value = a;
    value.integer = maximum ? std::max(a.integer, b.integer) : std::min(a.integer, b.integer);
    return value;
  }
  const ExprId x = to_expr(a), y = to_expr(b);
  if (x == kNone || y == kNone) return error("LANG-004", span(id), std::string("`") + name + "` takes two integers or tiles");
  return scalar_value(expr(maximum ? ExprKind::max : ExprKind::min, x, y), false);
}

Value Builder::cast(NodeId id) {
  const auto args = arguments(id, "lm.cast", find_declaration("lm.cast")->operands);
  if (args.empty()) return {};
  const auto type = dtype(args[1]);
  if (!type) return {};
  if (args[0].value.kind != ValueKind::tile)
    return error("LANG-004", span(args[0].node), "`lm.cast` takes a register tile", {}, kind_name(args[0].value.kind));
  Tile tile = schedule_.tiles[args[0].value.index];
  const Index inner = args[0].value.index;
  tile = Tile{TileKind::cast, {}, kNone, 0, false, *type, tile.rows, tile.cols, inner, kNone};
  tile.region.span = span(id);
  Value value;
  value.kind = ValueKind::tile;
  value.index = static_cast<Index>(schedule_.tiles.size());
  schedule_.tiles.push_back(tile);
  return value;
}

Value Builder::exp2(NodeId id) {
  const auto args = arguments(id, "lm.exp2", find_declaration("lm.exp2")->operands);
  if (args.empty()) return {};
  if (args[0].value.kind != ValueKind::tile)
    return error("LANG-004", span(args[0].node), "`lm.exp2` takes a register tile", {}, kind_name(args[0].value.kind));
  const Tile inner = schedule_.tiles[args[0].value.index];
  if (inner.dtype != DType::f32) return error("LANG-004", span(args[0].node), "`lm.exp2` takes f32 tiles");
  Tile tile{TileKind::exp2, {}, kNone, 0, false, DType::f32, inner.rows, inner.cols, args[0].value.index, kNone};
  tile.region.span = span(id);
  Value value;
  value.kind = ValueKind::tile;
  value.index = static_cast<Index>(schedule_.tiles.size());
  schedule_.tiles.push_back(tile);
  return value;
}

std::optional<Region> Builder::stage_region(const Argument& argument, std::string_view what) {
  const Value& value = argument.value;
  if (value.kind == ValueKind::region) return value.region;
  if (value.kind == ValueKind::view) {
    const View& view = schedule_.views[value.index];
    if (!view.staged) {
      Region region;
      region.space = Space::shared;
      region.resource = value.index;
      region.rows = view.rows();
      region.cols = view.shape.back();
      region.span = span(argument.node);
      return region;
    }
    error("LANG-004", span(argument.node), "`" + view.name + "` has stages", "`" + view.name + "[s]`", view.name);
    return std::nullopt;
  }
  error("LANG-004", span(argument.node), std::string(what) + " is a shared-memory view", {}, kind_name(value.kind));
  return std::nullopt;
}

Value Builder::operation_call(NodeId id, const Operation& found, const Value& self) {
  const Operation* operation = &found;
  const bool is_mma = std::string_view(operation->spelling) == "mma";
  std::string spelling = "lm." + std::string(operation->spelling);
  if (operation->receiver == Receiver::view) spelling = schedule_.views[self.index].name + "." + operation->spelling;
  if (role_ == kNone)
    return error("LANG-005", span(id), "`" + spelling + "` stands inside of a role body", "`with role:`");
  const auto args = arguments(id, spelling, operation->operands);
  if (args.empty() && !operation->operands.empty()) return {};
  if (operation->operands.empty() && node(id).child_count > 1)
    return error("LANG-003", span(id), "`" + spelling + "` takes no arguments");

  Op op;
  op.role = role_;
  op.span = span(id);
  bool failed = false;
  Region accumulator;
  const auto staged = [&](const char* name, const std::string& resource, bool has_stages, int stages) {
    for (size_t k = 0; k < operation->operands.size(); ++k) {
      if (std::string_view(operation->operands[k].name) != "stage") continue;
      if (!args[k].present()) {
        if (has_stages) {
          error("LANG-003", span(id), "`" + spelling + "` needs `stage=`: `" + resource + "` has " + std::to_string(stages) + " stages");
          failed = true;
        }
        return static_cast<ExprId>(kNone);
      }
      const ExprId stage = to_expr(args[k].value);
      op.stage_span = span(args[k].node);
      if (stage == kNone) {
        error("LANG-004", span(args[k].node), "a stage is an integer");
        failed = true;
      } else if (args[k].value.kind == ValueKind::integer && (args[k].value.integer < 0 || args[k].value.integer >= stages)) {
        error("LANG-004", span(args[k].node), "`" + resource + "` has no stage " + std::to_string(args[k].value.integer),
              "0 … " + std::to_string(stages - 1));
        failed = true;
      }
      return stage;
    }
    (void)name;
    return static_cast<ExprId>(kNone);
  };

  for (size_t k = 0; k < operation->operands.size(); ++k) {
    if (!args[k].present()) continue;
    const Operand& operand = operation->operands[k];
    const Value& value = args[k].value;
    const std::string_view name = operand.name;
    switch (operand.kind) {
      case OperandKind::barrier:
        op.barrier_span = span(args[k].node);
        if (value.kind != ValueKind::barrier) {
          error("LANG-004", span(args[k].node), "`" + spelling + "` takes a barrier", {}, kind_name(value.kind));
          failed = true;
        } else {
          op.barrier = value.index;
        }
        break;
      case OperandKind::tensor_map:
        if (value.kind != ValueKind::parameter) {
          error("LANG-004", span(args[k].node), "`" + spelling + "` takes a tensor map", "a parameter of type `LM.tma2d`",
                kind_name(value.kind));
          failed = true;
        } else {
          op.param = value.index;
        }
        break;
      case OperandKind::coords: {
        if (value.kind != ValueKind::sequence) {
          error("LANG-004", span(args[k].node), "coordinates are a tuple, innermost first", {}, kind_name(value.kind));
          failed = true;
          break;
        }
        for (const Value& item : *value.items) {
          const ExprId coordinate = to_expr(item);
          if (coordinate == kNone) {
            error("LANG-004", span(args[k].node), "a coordinate is an integer", {}, kind_name(item.kind));
            failed = true;
          }
          op.coords.push_back(coordinate);
        }
        break;
      }
      case OperandKind::condition: {
        const ExprId made = condition(args[k]);
        failed |= made == kNone;
        (name == "when" ? op.when : op.init) = made;
        if (name == "init") op.init_span = span(args[k].node);
        break;
      }
      case OperandKind::constant: {
        const auto pending = integer(args[k], "`pending`", 0, 63);
        if (pending) op.pending = static_cast<int>(*pending);
        failed |= !pending;
        break;
      }
      case OperandKind::tile:
        op.value = tile_of(value, args[k].node);
        failed |= op.value == kNone;
        break;
      case OperandKind::accumulator:
        if (value.kind == ValueKind::tmem) {
          const Tmem& tmem = schedule_.tmems[value.index];
          accumulator.space = Space::tensor;
          accumulator.resource = value.index;
          accumulator.rows = tmem.shape.front();
          accumulator.cols = tmem.shape.back();
        } else if (value.kind == ValueKind::tile && value.text == "fragment") {
          accumulator = value.region;
        } else {
          error("LANG-004", span(args[k].node), "an accumulator is a register fragment or a tensor-memory range", {},
                kind_name(value.kind));
          failed = true;
        }
        accumulator.span = span(args[k].node);
        break;
      case OperandKind::view_stage: {
        const auto region = stage_region(args[k], name == "a" ? "operand A" : "operand B");
        failed |= !region;
        if (region) (name == "a" ? op.a : op.b) = *region;
        break;
      }
      default: break;
    }
  }
  if (failed) return {};

  if (is_mma) {
    op.dst = accumulator;
    operation = &bakery::operation(accumulator.space == Space::tensor ? OpCode::tcgen05_mma : OpCode::wgmma);
    if (accumulator.space == Space::fragment && schedule_.fragments[accumulator.resource].role != role_)
      return error("LANG-004", accumulator.span, "this fragment belongs to another role");
  }
  op.code = operation->code;

  if (operation->receiver == Receiver::view) {
    const View& view = schedule_.views[self.index];
    Region region;
    region.space = Space::shared;
    region.resource = self.index;
    region.rows = view.rows();
    region.cols = view.shape.back();
    region.span = span(tree_.child(tree_.child(id, 0), 0));
    region.stage = staged("stage", view.name, view.staged, view.stages);
    if (op.param != kNone && op.coords.size() != static_cast<size_t>(schedule_.params[op.param].rank)) {
      const Parameter& parameter = schedule_.params[op.param];
      return error("LANG-004", span(id), "`" + parameter.name + "` has " + std::to_string(parameter.rank) + " dimensions",
                   std::to_string(parameter.rank) + " coordinates, innermost first", std::to_string(op.coords.size()));
    }
    if (op.param != kNone && view.shape.size() > static_cast<size_t>(schedule_.params[op.param].rank))
      return error("LANG-004", span(id), "`" + view.name + "` has more dimensions than `" + schedule_.params[op.param].name + "`");
    if (op.value != kNone) {
      const Tile& tile = schedule_.tiles[op.value];
      if (tile.kind == TileKind::scalar || tile.rows != region.rows || tile.cols != region.cols || tile.dtype != view.dtype)
        return error("LANG-004", span(args[0].node), "this tile does not fit `" + view.name + "`",
                     std::to_string(region.rows) + " x " + std::to_string(region.cols) + " " + info(view.dtype).name,
                     std::to_string(tile.rows) + " x " + std::to_string(tile.cols) + " " + info(tile.dtype).name);
    }
    if (operation->effects.back().write) op.dst = region;
    else op.a = region;
    // A copy's `stage=` is the ring slot and the barrier's stage.
    if (op.barrier != kNone) {
      const Barrier& barrier = schedule_.barriers[op.barrier];
      op.stage = region.stage;
      if (barrier.count > 1 && region.stage == kNone)
        return error("LANG-003", span(id), "`" + spelling + "` needs `stage=`: `" + barrier.name + "` has " +
                                               std::to_string(barrier.count) + " stages");
      if (barrier.count == 1) op.stage = kNone;
    }
  } else if (op.barrier != kNone) {
    const Barrier& barrier = schedule_.barriers[op.barrier];
    op.stage = staged("stage", barrier.name, barrier.count > 1, barrier.count);
  }
  if (failed) return {};

  Stmt stmt;
  stmt.span = op.span;
  stmt.op = static_cast<Index>(schedule_.ops.size());
  schedule_.ops.push_back(std::move(op));
  emit(std::move(stmt));
  Value none;
  none.kind = ValueKind::none;
  return none;
}

}  // namespace bakery::building
