// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core_ir/build/builder.h"
#include "core_ir/parameter_types.h"

namespace bakery {

Built build(const SourceText& source, const Tree& tree, const BuildOptions& options) {
  return building::Builder(source, tree, options).run();
}

namespace building {

Built Builder::run() {
  for (const Problem& problem : tree_.problems) {
    Finding finding;
    finding.id = "LANG-001";
    finding.message = problem.message;
    finding.contract = "a schedule is written in the syntax of CAKE IR";
    finding.span = problem.span;
    if (!problem.note.empty()) finding.expected = problem.note;
    findings_.push_back(std::move(finding));
  }
  NodeId found = kNoNode;
  const Node& module = node(tree_.root);
  Span unmarked;  // the name of the first function that is no schedule
  for (uint32_t i = 0; i < module.child_count; ++i) {
    const NodeId child = tree_.child(tree_.root, i);
    if (node(child).kind != NodeKind::function) {
      if (node(child).kind != NodeKind::error && node(child).kind != NodeKind::pass)
        error("LANG-005", span(child), "only `@cake.schedule(...)` functions may stand at the top level");
      continue;
    }
    bool marked = false;
    for (uint32_t k = 0; k < node(child).child_count; ++k) {
      const NodeId part = tree_.child(child, k);
      if (node(part).kind != NodeKind::decorator) break;
      marked |= text(part).find("cake.schedule") != std::string::npos;
    }
    if (!marked && unmarked.end == 0) unmarked = node(child).name_span;
    if (!marked) continue;
    if (found == kNoNode) found = child;
    else error("LANG-006", node(child).name_span, "a second schedule in one file: `" + node(child).text + "`", "one schedule a file");
  }
  if (found == kNoNode) {
    if (tree_.problems.empty() || module.child_count == 0)
      error("LANG-006", unmarked, "no schedule here", "a function decorated with `@cake.schedule(target=\"sm_90a\")`");
  } else {
    build_function(found);
  }
  // What is not known behind a syntax error may be defined in the part that was not understood.
  if (!tree_.problems.empty())
    std::erase_if(findings_, [&](const Finding& finding) {
      return finding.id == "LANG-002" && finding.span.begin >= tree_.problems.front().span.begin;
    });
  schedule_.complete = findings_.empty();
  return {std::move(schedule_), std::move(findings_)};
}

Value Builder::error(const char* id, Span span, std::string message, std::string expected, std::string declared) {
  static const std::map<std::string, const char*, std::less<>> contracts = {
      {"LANG-002", "every name and operation is known"},
      {"LANG-003", "an operation gets exactly the arguments that it declares"},
      {"LANG-004", "every value has the type and range that its use needs"},
      {"LANG-005", "resources stand outside of role bodies, device statements inside of them"},
      {"LANG-006", "a file holds one schedule"},
      {"LANG-007", "a schedule stays within the builder's limits"},
  };
  Finding finding;
  finding.id = id;
  finding.message = std::move(message);
  if (const auto it = contracts.find(id); it != contracts.end()) finding.contract = it->second;
  finding.span = span;
  finding.expected = std::move(expected);
  finding.declared = std::move(declared);
  if (role_ != kNone) finding.role = schedule_.roles[role_].name;
  if (findings_.size() < 200) findings_.push_back(std::move(finding));
  return {};
}

bool Builder::spend() {
  if (--budget_ > 0) return true;
  if (!budget_reported_) {
    budget_reported_ = true;
    error("LANG-007", schedule_.name_span, "the schedule unrolls to more than 200000 statements",
          "`lm.range` for long loops; Python's `range` unrolls while building");
  }
  return false;
}

void Builder::build_function(NodeId function) {
  schedule_.name = node(function).text;
  schedule_.span = span(function);
  schedule_.name_span = node(function).name_span;
  push_scope();
  Value cake;
  cake.kind = ValueKind::module_cake;
  scopes_.back().names["cake"] = cake;

  for (uint32_t i = 0; i < node(function).child_count; ++i) {
    const NodeId part = tree_.child(function, i);
    if (node(part).kind != NodeKind::decorator) continue;
    const NodeId decorator = tree_.child(part, 0);
    if (node(decorator).kind != NodeKind::call) continue;
    for (uint32_t k = 1; k < node(decorator).child_count; ++k) {
      const NodeId argument = tree_.child(decorator, k);
      if (node(argument).kind != NodeKind::keyword || node(argument).text != "target") {
        error("LANG-003", span(argument), "`cake.schedule` takes `target=` only");
        continue;
      }
      const NodeId value = tree_.child(argument, 0);
      if (node(value).kind != NodeKind::string) {
        error("LANG-004", span(value), "`target=` takes a string", "one of sm_80 … sm_121a");
        continue;
      }
      schedule_.declared_target = node(value).text;
      schedule_.target_span = span(value);
    }
  }
  parameters(function);
  const NodeId body = tree_.child(function, node(function).child_count - 1);
  if (node(body).kind == NodeKind::block) block(body);

  for (const Op& op : schedule_.ops)
    if (op.param != kNone) schedule_.params[op.param].used = true;
}

void Builder::parameters(NodeId function) {
  bool first = true;
  for (uint32_t i = 0; i < node(function).child_count; ++i) {
    const NodeId id = tree_.child(function, i);
    if (node(id).kind != NodeKind::parameter) continue;
    const std::string& name = node(id).text;
    if (scopes_.back().names.contains(name) && name != "cake") {
      error("LANG-003", node(id).name_span, "parameter `" + name + "` is declared twice");
      continue;
    }
    Value value;
    if (first) {
      first = false;
      value.kind = ValueKind::module_lm;
      scopes_.back().names[name] = value;
      continue;
    }
    const NodeId annotation = tree_.child(id, 0);
    const Node& type = node(annotation);
    Parameter parameter;
    parameter.name = name;
    parameter.span = node(id).name_span;
    const ParameterType* known = type.kind == NodeKind::attribute ? find_parameter_type(type.text) : nullptr;
    if (known) {
      parameter.kind = known->rank > 0 ? ParamKind::tensor_map : ParamKind::scalar;
      parameter.rank = known->rank;
      parameter.dtype = known->dtype;
    }
    if (!known) {
      error("LANG-004", type.kind == NodeKind::none ? node(id).name_span : type.span,
            "parameter `" + name + "` needs a type", "`LM.tma1d` … `LM.tma5d`, `LM.i32`, `LM.u32`, `LM.f32`, `LM.bool`");
      scopes_.back().names[name] = Value{};
      continue;
    }
    const auto index = static_cast<Index>(schedule_.params.size());
    if (parameter.kind == ParamKind::scalar) {
      parameter.symbol = static_cast<Index>(schedule_.symbols.size());
      schedule_.symbols.push_back({SymbolKind::parameter, name, parameter.span});
      value = scalar_value(expr(ExprKind::symbol, parameter.symbol), parameter.dtype == DType::boolean);
      value.is_float = parameter.dtype == DType::f32;
    } else {
      value.kind = ValueKind::parameter;
      value.index = index;
    }
    schedule_.params.push_back(std::move(parameter));
    scopes_.back().names[name] = value;
  }
  if (first) error("LANG-003", schedule_.name_span, "the schedule's first parameter must be the module, usually `lm`");
}

void Builder::block(NodeId id) {
  for (uint32_t i = 0; i < node(id).child_count && budget_ > 0; ++i) statement(tree_.child(id, i));
}

void Builder::statement(NodeId id) {
  if (!spend()) return;
  switch (node(id).kind) {
    case NodeKind::assign: assign(id); return;
    case NodeKind::expression: {
      const NodeId value = tree_.child(id, 0);
      if (node(value).kind == NodeKind::string || node(value).kind == NodeKind::error) return;
      if (node(value).kind != NodeKind::call) {
        evaluate(value);
        error("LANG-005", span(value), "this expression has no effect", "an operation such as `lm.wait(full, stage=s)`");
        return;
      }
      binding_.clear();
      evaluate(value);
      return;
    }
    case NodeKind::with: with(id); return;
    case NodeKind::for_loop: for_loop(id); return;
    case NodeKind::if_else: if_else(id); return;
    case NodeKind::function: {
      Value function;
      function.kind = ValueKind::function;
      function.index = id;
      function.text = node(id).text;
      function.integer = static_cast<int64_t>(scopes_.size()) - 1;
      scopes_.back().names[node(id).text] = function;
      return;
    }
    default: return;
  }
}

void Builder::assign(NodeId id) {
  const NodeId target = tree_.child(id, 0);
  const NodeId value = tree_.child(id, 1);
  if (node(target).kind == NodeKind::name) {
    binding_ = node(target).text;
    binding_span_ = span(target);
    Value result = evaluate(value);
    binding_.clear();
    bind_name(target, std::move(result));
    return;
  }
  if (node(target).kind == NodeKind::tuple || node(target).kind == NodeKind::list) {
    const uint32_t count = node(target).child_count;
    const bool pairwise = node(value).kind == NodeKind::tuple && node(value).child_count == count;
    std::vector<Value> values;
    if (pairwise) {
      for (uint32_t i = 0; i < count; ++i) {
        binding_ = node(tree_.child(target, i)).text;
        binding_span_ = span(tree_.child(target, i));
        values.push_back(evaluate(tree_.child(value, i)));
      }
      binding_.clear();
    } else {
      const Value sequence = evaluate(value);
      if (sequence.kind == ValueKind::poison) {
        values.resize(count);
      } else if (sequence.kind != ValueKind::sequence || sequence.items->size() != count) {
        error("LANG-004", span(value), "cannot unpack this into " + std::to_string(count) + " names");
        values.resize(count);
      } else {
        values = *sequence.items;
      }
    }
    for (uint32_t i = 0; i < count; ++i) bind_name(tree_.child(target, i), values[i]);
    return;
  }
  error("LANG-005", span(target), "only names can be assigned", "`view.store(tile, stage=s)` to write shared memory");
}

void Builder::bind_name(NodeId target, Value value) {
  if (node(target).kind != NodeKind::name) {
    error("LANG-005", span(target), "only names can be assigned");
    return;
  }
  const std::string& name = node(target).text;
  // A tile assigned to an existing fragment updates it in place.
  if (value.kind == ValueKind::tile && role_ != kNone) {
    Value* existing = find(name);
    Region region;
    const Tile& tile = schedule_.tiles[value.index];
    if (existing && existing->kind == ValueKind::tile && existing->text == "fragment" &&
        schedule_.fragments[existing->region.resource].role == role_) {
      region = existing->region;
      if (region.rows != tile.rows || region.cols != tile.cols) {
        error("LANG-004", span(target), "`" + name + "` holds another shape",
              std::to_string(region.rows) + " x " + std::to_string(region.cols),
              std::to_string(tile.rows) + " x " + std::to_string(tile.cols));
        return;
      }
      if (value.text == "fragment" && value.region.resource == region.resource) return;
    } else if (value.text == "fragment") {
      scopes_.back().names[name] = std::move(value);  // an alias of a fragment
      return;
    } else {
      Fragment fragment{name, {tile.rows, tile.cols}, tile.dtype, role_, span(target)};
      region.space = Space::fragment;
      region.resource = static_cast<Index>(schedule_.fragments.size());
      region.rows = tile.rows;
      region.cols = tile.cols;
      schedule_.fragments.push_back(std::move(fragment));
      Value fresh;
      fresh.kind = ValueKind::tile;
      fresh.text = "fragment";
      fresh.region = region;
      Tile whole;
      whole.region = region;
      whole.dtype = tile.dtype;
      whole.rows = tile.rows;
      whole.cols = tile.cols;
      fresh.index = static_cast<Index>(schedule_.tiles.size());
      schedule_.tiles.push_back(whole);
      scopes_.back().names[name] = fresh;
    }
    Op op;
    op.code = OpCode::compute;
    op.span = {span(target).begin, schedule_.tiles[value.index].region.span.end};
    if (op.span.end <= op.span.begin) op.span = span(target);
    op.role = role_;
    op.dst = region;
    op.value = value.index;
    Stmt stmt;
    stmt.span = op.span;
    stmt.op = static_cast<Index>(schedule_.ops.size());
    schedule_.ops.push_back(std::move(op));
    emit(std::move(stmt));
    return;
  }
  if (scopes_.back().names.contains(name) || !find(name)) {
    scopes_.back().names[name] = std::move(value);
    return;
  }
  // The name lives in an outer scope: rebinding it inside of a run-time block would be silently static.
  for (size_t i = scopes_.size(); i-- > 0;) {
    if (scopes_[i].names.contains(name)) {
      scopes_[i].names[name] = std::move(value);
      return;
    }
    if (scopes_[i].function) break;
    if (scopes_[i].barrier_to_assignment) {
      error("LANG-005", span(target),
            "`" + name + "` is set outside of this run-time block and cannot be rebound in it",
            "a pipeline counter (`pipe.next()`), a loop variable, or another name");
      return;
    }
  }
  scopes_.back().names[name] = std::move(value);
}

void Builder::with(NodeId id) {
  const NodeId context = tree_.child(id, 0);
  const NodeId body = tree_.child(id, node(id).child_count - 1);
  if (node(context).kind == NodeKind::call) {
    const NodeId callee = tree_.child(context, 0);
    if (node(callee).kind == NodeKind::attribute && node(callee).text == "when") {
      const Value module = evaluate(tree_.child(callee, 0));
      if (module.kind == ValueKind::module_lm) {
        const auto args = arguments(context, "lm.when", find_declaration("lm.when")->operands);
        if (args.empty() || !args[0].present()) return;
        if (role_ == kNone) {
          error("LANG-005", span(context), "`lm.when` stands inside of a role body only",
                "a compile-time `if` on constants");
          return;
        }
        Stmt stmt;
        stmt.kind = StmtKind::when;
        stmt.span = span(context);
        stmt.value = condition(args[0]);
        if (stmt.value != kNone) loop_block(std::move(stmt), {}, body);
        return;
      }
    }
  }
  const Value value = evaluate(context);
  if (value.kind == ValueKind::poison) return;
  if (value.kind != ValueKind::role) {
    error("LANG-004", span(context), std::string("`with` takes a role or `lm.when(...)`, not ") + kind_name(value.kind));
    return;
  }
  role_body(id, value.index);
}

void Builder::role_body(NodeId id, Index role) {
  const NodeId body = tree_.child(id, node(id).child_count - 1);
  if (role_ != kNone) {
    error("LANG-005", span(tree_.child(id, 0)), "role `" + schedule_.roles[role].name + "` begins inside of another role");
    return;
  }
  if (schedule_.roles[role].body_span.end != 0) {
    error("LANG-005", span(tree_.child(id, 0)), "role `" + schedule_.roles[role].name + "` already has a body");
    return;
  }
  schedule_.roles[role].body_span = span(id);
  role_ = role;
  std::vector<Index> statements;
  blocks_.push_back(&statements);
  push_scope();
  block(body);
  scopes_.pop_back();
  blocks_.pop_back();
  schedule_.roles[role].body = std::move(statements);
  role_ = kNone;
}

void Builder::loop_block(Stmt stmt, const std::vector<std::pair<std::string, Value>>& names, NodeId body) {
  std::vector<Index> statements;
  blocks_.push_back(&statements);
  push_scope().barrier_to_assignment = true;
  for (const auto& [name, value] : names) scopes_.back().names[name] = value;
  block(body);
  scopes_.pop_back();
  blocks_.pop_back();
  stmt.body = std::move(statements);
  emit(std::move(stmt));
}

void Builder::for_loop(NodeId id) {
  const NodeId target = tree_.child(id, 0);
  const NodeId iterable = tree_.child(id, 1);
  const NodeId body = tree_.child(id, 2);
  const Value value = evaluate(iterable);
  if (value.kind == ValueKind::poison) return;
  if (value.kind == ValueKind::loop) return device_loop(id, value);
  if (value.kind == ValueKind::tiles) return tile_loop(id, value);
  if (value.kind == ValueKind::range) {
    if (node(target).kind != NodeKind::name) {
      error("LANG-005", span(target), "a loop over `range` has one variable");
      return;
    }
    int64_t rounds = 0;
    for (int64_t i = value.integer; value.step > 0 ? i < value.hi : i > value.hi; i += value.step, ++rounds) {
      if (!spend()) return;
      Value item;
      item.kind = ValueKind::integer;
      item.integer = i;
      bind_name(target, item);
      block(body);
    }
    return;
  }
  if (value.kind == ValueKind::sequence) {
    for (const Value& item : *value.items) {
      if (!spend()) return;
      if (node(target).kind == NodeKind::name) {
        bind_name(target, item);
      } else if (node(target).kind == NodeKind::tuple && item.kind == ValueKind::sequence &&
                 item.items->size() == node(target).child_count) {
        for (uint32_t i = 0; i < node(target).child_count; ++i) bind_name(tree_.child(target, i), (*item.items)[i]);
      } else {
        error("LANG-004", span(target), "cannot unpack the items of this list");
        return;
      }
      block(body);
    }
    return;
  }
  error("LANG-004", span(iterable), std::string("cannot loop over ") + kind_name(value.kind),
        "`lm.range(lo, hi)`, `lm.tiles(...)`, Python's `range` of constants, or a list");
}

void Builder::device_loop(NodeId id, const Value& loop) {
  const NodeId target = tree_.child(id, 0);
  if (role_ == kNone) {
    error("LANG-005", span(tree_.child(id, 1)), "a device loop stands inside of a role body only",
          "Python's `range` to unroll while building");
    return;
  }
  if (node(target).kind != NodeKind::name) {
    error("LANG-005", span(target), "a device loop has one variable");
    return;
  }
  Stmt stmt;
  stmt.kind = StmtKind::loop;
  stmt.span = {span(id).begin, span(tree_.child(id, 1)).end};
  stmt.lo = loop.lo_expr;
  stmt.hi = loop.hi_expr;
  stmt.step = loop.step_expr;
  stmt.unroll = loop.unroll;
  const auto symbol = static_cast<Index>(schedule_.symbols.size());
  schedule_.symbols.push_back({SymbolKind::loop, node(target).text, span(target)});
  stmt.symbols = {symbol};
  loop_block(std::move(stmt), {{node(target).text, scalar_value(expr(ExprKind::symbol, symbol), false)}},
             tree_.child(id, 2));
}

void Builder::tile_loop(NodeId id, const Value& tiles) {
  const NodeId target = tree_.child(id, 0);
  if (role_ == kNone) {
    error("LANG-005", span(tree_.child(id, 1)), "a loop over tiles stands inside of a role body only");
    return;
  }
  const size_t rank = schedule_.tile_spaces[tiles.index].extents.size();
  std::vector<NodeId> names;
  if (node(target).kind == NodeKind::name) names = {target};
  else if (node(target).kind == NodeKind::tuple)
    for (uint32_t i = 0; i < node(target).child_count; ++i) names.push_back(tree_.child(target, i));
  if (names.size() != rank) {
    error("LANG-004", span(target), "these tiles have " + std::to_string(rank) + " coordinates",
          std::to_string(rank) + " names", std::to_string(names.size()));
    return;
  }
  Stmt stmt;
  stmt.kind = StmtKind::tile_loop;
  stmt.span = {span(id).begin, span(tree_.child(id, 1)).end};
  stmt.tiles = tiles.index;
  std::vector<std::pair<std::string, Value>> bound;
  for (NodeId name : names) {
    if (node(name).kind != NodeKind::name) {
      error("LANG-005", span(name), "a tile coordinate needs a name");
      return;
    }
    const auto symbol = static_cast<Index>(schedule_.symbols.size());
    schedule_.symbols.push_back({SymbolKind::loop, node(name).text, span(name)});
    stmt.symbols.push_back(symbol);
    bound.emplace_back(node(name).text, scalar_value(expr(ExprKind::symbol, symbol), false));
  }
  loop_block(std::move(stmt), bound, tree_.child(id, 2));
}

void Builder::if_else(NodeId id) {
  const NodeId condition_node = tree_.child(id, 0);
  const Value value = evaluate(condition_node);
  bool holds = false;
  switch (value.kind) {
    case ValueKind::poison: return;
    case ValueKind::boolean:
    case ValueKind::integer: holds = value.integer != 0; break;
    case ValueKind::none: break;
    case ValueKind::scalar:
      error("LANG-005", span(condition_node), "`if` decides while building, but this is known at run time only",
            "`with lm.when(condition):`, or `when=` on one operation");
      return;
    default:
      error("LANG-004", span(condition_node), std::string("`if` takes a constant, not ") + kind_name(value.kind));
      return;
  }
  if (holds) block(tree_.child(id, 1));
  else if (node(id).child_count > 2) {
    const NodeId other = tree_.child(id, 2);
    if (node(other).kind == NodeKind::if_else) if_else(other);
    else block(other);
  }
}

void Builder::call_function(NodeId call, const Value& function) {
  if (call_depth_ >= 50) {
    error("LANG-007", span(call), "`" + function.text + "` calls itself too deeply", "at most 50 calls deep");
    return;
  }
  const NodeId definition = function.index;
  std::vector<NodeId> params;
  for (uint32_t i = 0; i < node(definition).child_count; ++i)
    if (node(tree_.child(definition, i)).kind == NodeKind::parameter) params.push_back(tree_.child(definition, i));
  std::vector<std::optional<Value>> values(params.size());
  size_t positional = 0;
  for (uint32_t i = 1; i < node(call).child_count; ++i) {
    const NodeId argument = tree_.child(call, i);
    size_t slot = params.size();
    NodeId value = argument;
    if (node(argument).kind == NodeKind::keyword) {
      value = tree_.child(argument, 0);
      for (size_t k = 0; k < params.size(); ++k)
        if (node(params[k]).text == node(argument).text) slot = k;
    } else {
      slot = positional++;
    }
    if (slot >= params.size()) {
      error("LANG-003", span(argument), "`" + function.text + "` has no such parameter");
      continue;
    }
    if (values[slot]) error("LANG-003", span(argument), "`" + node(params[slot]).text + "` is given twice");
    values[slot] = evaluate(value);
  }
  std::map<std::string, Value, std::less<>> names;
  for (size_t k = 0; k < params.size(); ++k) {
    const NodeId fallback = tree_.child(params[k], 1);
    if (!values[k] && node(fallback).kind != NodeKind::none) values[k] = evaluate(fallback);
    if (!values[k]) {
      error("LANG-003", span(call), "`" + function.text + "` needs `" + node(params[k]).text + "`");
      values[k] = Value{};
    }
    names[node(params[k]).text] = *values[k];
  }
  Scope& scope = push_scope();
  scope.names = std::move(names);
  scope.function = true;
  scope.parent = static_cast<size_t>(function.integer);
  ++call_depth_;
  block(tree_.child(definition, node(definition).child_count - 1));
  --call_depth_;
  scopes_.pop_back();
}

Stmt& Builder::emit(Stmt stmt) {
  const auto index = static_cast<Index>(schedule_.stmts.size());
  schedule_.stmts.push_back(std::move(stmt));
  blocks_.back()->push_back(index);
  return schedule_.stmts.back();
}

Value* Builder::find(std::string_view name) {
  for (size_t i = scopes_.size() - 1;; i = scopes_[i].parent) {
    const auto it = scopes_[i].names.find(name);
    if (it != scopes_[i].names.end()) return &it->second;
    if (i == 0) return nullptr;
  }
}

Scope& Builder::push_scope() {
  const size_t parent = scopes_.empty() ? 0 : scopes_.size() - 1;
  scopes_.emplace_back().parent = parent;
  return scopes_.back();
}

}  // namespace building
}  // namespace bakery
