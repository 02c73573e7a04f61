// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "core_ir/build/builder.h"

namespace bakery::building {

const char* kind_name(ValueKind kind) {
  switch (kind) {
    case ValueKind::poison: return "an erroneous value";
    case ValueKind::none: return "`None`";
    case ValueKind::integer: return "an integer";
    case ValueKind::floating: return "a float";
    case ValueKind::boolean: return "a bool";
    case ValueKind::string: return "a string";
    case ValueKind::dtype: return "an element type";
    case ValueKind::sequence: return "a list";
    case ValueKind::range: return "a range";
    case ValueKind::scalar: return "a run-time scalar";
    case ValueKind::module_lm:
    case ValueKind::module_cake: return "a module";
    case ValueKind::parameter: return "a tensor map";
    case ValueKind::pool: return "a shared-memory pool";
    case ValueKind::view: return "a shared-memory view";
    case ValueKind::region: return "a stage of a view";
    case ValueKind::tmem: return "a tensor-memory range";
    case ValueKind::tile: return "a register tile";
    case ValueKind::role: return "a role";
    case ValueKind::pipeline: return "a pipeline";
    case ValueKind::barrier: return "a barrier";
    case ValueKind::tiles: return "a tile space";
    case ValueKind::loop: return "a device loop";
    case ValueKind::function: return "a function";
    case ValueKind::method: return "a method";
  }
  return "a value";
}

ExprId Builder::expr(ExprKind kind, Index a, Index b, int64_t value) {
  const Expr made{kind, a, b, value};
  uint64_t key = static_cast<uint64_t>(kind) * 0x9E3779B97F4A7C15u;
  for (uint64_t part : {uint64_t{a}, uint64_t{b}, static_cast<uint64_t>(value)})
    key = (key ^ part) * 0x9E3779B97F4A7C15u ^ (key >> 29);
  for (ExprId id : expr_index_[key])
    if (schedule_.exprs[id] == made) return id;
  const auto id = static_cast<ExprId>(schedule_.exprs.size());
  int depth = 1, parts = 1;  // of the tree: shared nodes count each time, as they are evaluated
  const bool leaf = kind == ExprKind::constant || kind == ExprKind::symbol || kind == ExprKind::slot;
  if (!leaf) {
    depth += expr_depth_[a];
    parts += expr_parts_[a];
    if (b != kNone) {
      depth = std::max(depth, expr_depth_[b] + 1);
      parts += expr_parts_[b];
    }
    if (depth > 200 || parts > 5000) {
      if (depth_reported_) return a;
      depth_reported_ = true;
      error("LANG-007", schedule_.name_span,
            depth > 200 ? "an index expression is nested more than 200 levels deep" : "an index expression has more than 5000 parts");
      return a;
    }
  }
  expr_depth_.push_back(depth);
  expr_parts_.push_back(parts);
  schedule_.exprs.push_back(made);
  expr_index_[key].push_back(id);
  return id;
}

Value Builder::scalar_value(ExprId id, bool is_bool) {
  Value value;
  value.kind = ValueKind::scalar;
  value.index = id;
  value.is_bool = is_bool;
  return value;
}

ExprId Builder::to_expr(const Value& value) {
  if (value.kind == ValueKind::scalar) return value.is_float ? kNone : value.index;
  if (value.kind == ValueKind::integer || value.kind == ValueKind::boolean) return constant(value.integer);
  return kNone;
}

namespace {

Value make(ValueKind kind, int64_t integer) {
  Value value;
  value.kind = kind;
  value.integer = integer;
  return value;
}

bool truth(const Value& value) { return value.kind == ValueKind::floating ? value.number != 0 : value.integer != 0; }

bool constant_number(const Value& value) {
  return value.kind == ValueKind::integer || value.kind == ValueKind::boolean || value.kind == ValueKind::floating;
}

int64_t floor_div(int64_t a, int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }

bool comparison(Operator op) { return op >= Operator::eq && op <= Operator::ge; }

}  // namespace

Value Builder::evaluate(NodeId id) {
  if (!spend()) return {};
  const Node& n = node(id);
  Value value;
  switch (n.kind) {
    case NodeKind::name: return name(id);
    case NodeKind::integer: return make(ValueKind::integer, n.value);
    case NodeKind::boolean: return make(ValueKind::boolean, n.value);
    case NodeKind::floating:
      value.kind = ValueKind::floating;
      value.number = n.number;
      return value;
    case NodeKind::string:
      value.kind = ValueKind::string;
      value.text = n.text;
      return value;
    case NodeKind::none: value.kind = ValueKind::none; return value;
    case NodeKind::attribute: return attribute(id);
    case NodeKind::call: return call(id);
    case NodeKind::subscript: return subscript(id);
    case NodeKind::unary: return unary(id);
    case NodeKind::binary: return binary(id);
    case NodeKind::tuple:
    case NodeKind::list: {
      value.kind = ValueKind::sequence;
      value.items = std::make_shared<std::vector<Value>>();
      for (uint32_t i = 0; i < n.child_count; ++i) {
        value.items->push_back(evaluate(tree_.child(id, i)));
        if (value.items->back().kind == ValueKind::poison) return {};
      }
      return value;
    }
    case NodeKind::conditional: {
      const Value condition = evaluate(tree_.child(id, 1));
      if (condition.kind == ValueKind::poison) return {};
      if (condition.kind == ValueKind::scalar)
        return error("LANG-005", span(tree_.child(id, 1)),
                     "a conditional expression decides while building, but this is known at run time only", "`when=`");
      return evaluate(tree_.child(id, truth(condition) ? 0 : 2));
    }
    case NodeKind::error: return {};
    default: return error("LANG-004", n.span, "this is not a value");
  }
}

void Builder::near_miss(std::string& message, std::string_view wrong, const std::vector<std::string>& choices) const {
  size_t best = std::max<size_t>(2, wrong.size() / 3) + 1;
  std::string suggestion;
  for (const std::string& choice : choices) {
    std::vector<size_t> row(choice.size() + 1);
    for (size_t k = 0; k < row.size(); ++k) row[k] = k;
    for (size_t i = 1; i <= wrong.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t k = 1; k < row.size(); ++k) {
        const size_t next = std::min({row[k] + 1, row[k - 1] + 1, diagonal + (wrong[i - 1] != choice[k - 1])});
        diagonal = row[k];
        row[k] = next;
      }
    }
    if (row.back() < best) {
      best = row.back();
      suggestion = choice;
    }
  }
  if (!suggestion.empty()) message += "; did you mean `" + suggestion + "`?";
}

Value Builder::name(NodeId id) {
  const std::string& wanted = node(id).text;
  if (Value* value = find(wanted)) {
    if (value->kind == ValueKind::scalar)
      for (Parameter& parameter : schedule_.params)
        parameter.used |= parameter.symbol != kNone && schedule_.exprs[value->index] == Expr{ExprKind::symbol, parameter.symbol, kNone, 0};
    return *value;
  }
  if (wanted == "range" || wanted == "len" || wanted == "min" || wanted == "max") {
    Value value;
    value.kind = ValueKind::method;
    value.text = wanted;
    return value;
  }
  std::string message = "unknown name `" + wanted + "`";
  std::vector<std::string> choices;
  for (const Scope& scope : scopes_)
    for (const auto& [known, value] : scope.names) choices.push_back(known);
  near_miss(message, wanted, choices);
  return error("LANG-002", span(id), std::move(message));
}

Value Builder::attribute(NodeId id) {
  auto base = std::make_shared<Value>(evaluate(tree_.child(id, 0)));
  if (base->kind == ValueKind::poison) return {};
  const std::string& wanted = node(id).text;
  Value value;
  value.kind = ValueKind::method;
  value.text = wanted;
  if (base->kind == ValueKind::module_lm) {
    if (const auto dtype = find_dtype(wanted)) return make(ValueKind::dtype, static_cast<int64_t>(*dtype));
    value.base = std::move(base);
    return value;
  }
  if (base->kind == ValueKind::pool || base->kind == ValueKind::view || base->kind == ValueKind::pipeline) {
    value.base = std::move(base);
    return value;
  }
  return error("LANG-002", node(id).name_span, std::string(kind_name(base->kind)) + " has no attribute `" + wanted + "`");
}

Value Builder::unary(NodeId id) {
  const Value a = evaluate(tree_.child(id, 0));
  if (a.kind == ValueKind::poison) return {};
  const Operator op = node(id).op;
  if (op == Operator::logical_not) {
    if (constant_number(a)) return make(ValueKind::boolean, !truth(a));
    if (a.kind == ValueKind::scalar && !a.is_float) return scalar_value(expr(ExprKind::logical_not, a.index), true);
  } else if (op == Operator::plus) {
    if (constant_number(a) || a.kind == ValueKind::scalar) return a;
  } else if (op == Operator::negate) {
    if (a.kind == ValueKind::integer || a.kind == ValueKind::boolean)
      return a.integer == std::numeric_limits<int64_t>::min()
                 ? error("LANG-004", span(id), "this integer does not fit 64 bits")
                 : make(ValueKind::integer, -a.integer);
    if (a.kind == ValueKind::floating) {
      Value value = a;
      value.number = -a.number;
      return value;
    }
    if (a.kind == ValueKind::scalar && !a.is_float) return scalar_value(expr(ExprKind::negate, a.index), false);
    if (a.kind == ValueKind::tile) {
      Tile tile;
      tile.kind = TileKind::negate;
      tile.a = a.index;
      tile.dtype = schedule_.tiles[a.index].dtype;
      tile.rows = schedule_.tiles[a.index].rows;
      tile.cols = schedule_.tiles[a.index].cols;
      tile.region.span = span(id);
      Value value;
      value.kind = ValueKind::tile;
      value.index = static_cast<Index>(schedule_.tiles.size());
      schedule_.tiles.push_back(tile);
      return value;
    }
  }
  return error("LANG-004", span(id), std::string("this operator does not take ") + kind_name(a.kind));
}

Value Builder::binary(NodeId id) {
  const Operator op = node(id).op;
  const Value a = evaluate(tree_.child(id, 0));
  if (a.kind == ValueKind::poison) return {};
  if (constant_number(a) && op == Operator::logical_and && !truth(a)) return a;
  if (constant_number(a) && op == Operator::logical_or && truth(a)) return a;
  const Value b = evaluate(tree_.child(id, 1));
  if (b.kind == ValueKind::poison) return {};
  return arithmetic(id, op, a, b);
}

Value Builder::arithmetic(NodeId id, Operator op, const Value& a, const Value& b) {
  if (a.kind == ValueKind::tile || b.kind == ValueKind::tile) return tile_arithmetic(id, op, a, b);
  if (a.kind == ValueKind::sequence && b.kind == ValueKind::sequence && op == Operator::add) {
    Value value = a;
    value.items = std::make_shared<std::vector<Value>>(*a.items);
    value.items->insert(value.items->end(), b.items->begin(), b.items->end());
    if (value.items->size() > 100000) return error("LANG-007", span(id), "this list is too long");
    return value;
  }
  if (a.kind == ValueKind::string && b.kind == ValueKind::string && (op == Operator::eq || op == Operator::ne))
    return make(ValueKind::boolean, (a.text == b.text) == (op == Operator::eq));
  if (constant_number(a) && constant_number(b)) {
    if (op == Operator::logical_and) return truth(a) ? b : a;
    if (op == Operator::logical_or) return truth(a) ? a : b;
    const bool is_float = a.kind == ValueKind::floating || b.kind == ValueKind::floating || op == Operator::div;
    if (comparison(op) || is_float) {
      const double x = a.kind == ValueKind::floating ? a.number : static_cast<double>(a.integer);
      const double y = b.kind == ValueKind::floating ? b.number : static_cast<double>(b.integer);
      if (comparison(op)) {
        const auto order = is_float ? (x < y ? -1 : x > y ? 1 : 0)
                                    : (a.integer < b.integer ? -1 : a.integer > b.integer ? 1 : 0);
        const bool holds = op == Operator::eq   ? order == 0
                           : op == Operator::ne ? order != 0
                           : op == Operator::lt ? order < 0
                           : op == Operator::le ? order <= 0
                           : op == Operator::gt ? order > 0
                                                : order >= 0;
        return make(ValueKind::boolean, holds);
      }
      Value value;
      value.kind = ValueKind::floating;
      switch (op) {
        case Operator::add: value.number = x + y; return value;
        case Operator::sub: value.number = x - y; return value;
        case Operator::mul: value.number = x * y; return value;
        case Operator::div:
          if (y == 0) return error("LANG-004", span(id), "division by zero");
          value.number = x / y;
          return value;
        default: return error("LANG-004", span(id), "this operator takes integers only");
      }
    }
    __int128 wide = 0;
    const __int128 x = a.integer, y = b.integer;
    switch (op) {
      case Operator::add: wide = x + y; break;
      case Operator::sub: wide = x - y; break;
      case Operator::mul: wide = x * y; break;
      case Operator::floor_div:
      case Operator::mod:
        if (y == 0) return error("LANG-004", span(id), "division by zero");
        if (y == -1) wide = op == Operator::mod ? 0 : -x;
        else if (op == Operator::mod) wide = x - y * floor_div(a.integer, b.integer);
        else wide = floor_div(a.integer, b.integer);
        break;
      case Operator::shift_left:
        if (b.integer < 0 || b.integer > 62) return error("LANG-004", span(id), "this shift is out of range");
        wide = x << b.integer;
        break;
      case Operator::shift_right:
        if (b.integer < 0 || b.integer > 62) return error("LANG-004", span(id), "this shift is out of range");
        wide = x >> b.integer;
        break;
      case Operator::power:
        if (b.integer < 0) return error("LANG-004", span(id), "a negative exponent gives no integer");
        wide = 1;
        for (int64_t i = 0; i < b.integer && wide <= std::numeric_limits<int64_t>::max() &&
                            wide >= std::numeric_limits<int64_t>::min() && (x > 1 || x < -1 || i < 2); ++i)
          wide *= x;
        if (x == -1) wide = b.integer % 2 ? -1 : 1;
        break;
      default: return error("LANG-004", span(id), "this operator does not take integers");
    }
    if (wide > std::numeric_limits<int64_t>::max() || wide < std::numeric_limits<int64_t>::min())
      return error("LANG-004", span(id), "this integer does not fit 64 bits");
    return make(ValueKind::integer, static_cast<int64_t>(wide));
  }

  const ExprId x = to_expr(a), y = to_expr(b);
  if (x == kNone || y == kNone)
    return error("LANG-004", span(id),
                 std::string("this operator does not take ") + kind_name(a.kind) + " and " + kind_name(b.kind));
  const bool constant_b = b.kind != ValueKind::scalar;
  switch (op) {
    case Operator::add:
      if (constant_b && b.integer == 0) return a;
      if (a.kind != ValueKind::scalar && a.integer == 0) return b;
      return scalar_value(expr(ExprKind::add, x, y), false);
    case Operator::sub: return scalar_value(expr(ExprKind::sub, x, y), false);
    case Operator::mul:
      if (a.kind == ValueKind::scalar && b.kind == ValueKind::scalar)
        return error("LANG-004", span(id), "index arithmetic is affine: one factor must be a constant");
      if (constant_b && b.integer == 1) return a;
      if (a.kind != ValueKind::scalar && a.integer == 1) return b;
      return scalar_value(expr(ExprKind::mul, x, y), false);
    case Operator::floor_div:
    case Operator::mod:
      if (!constant_b) return error("LANG-004", span(id), "index arithmetic is affine: the divisor must be a constant");
      if (b.integer <= 0) return error("LANG-004", span(id), "the divisor must be positive");
      return scalar_value(expr(op == Operator::mod ? ExprKind::mod : ExprKind::floor_div, x, y), false);
    case Operator::eq: return scalar_value(expr(ExprKind::eq, x, y), true);
    case Operator::ne: return scalar_value(expr(ExprKind::ne, x, y), true);
    case Operator::lt: return scalar_value(expr(ExprKind::lt, x, y), true);
    case Operator::le: return scalar_value(expr(ExprKind::le, x, y), true);
    case Operator::gt: return scalar_value(expr(ExprKind::gt, x, y), true);
    case Operator::ge: return scalar_value(expr(ExprKind::ge, x, y), true);
    case Operator::logical_and: return scalar_value(expr(ExprKind::logical_and, x, y), true);
    case Operator::logical_or: return scalar_value(expr(ExprKind::logical_or, x, y), true);
    default: return error("LANG-004", span(id), "this operator does not take run-time scalars");
  }
}

Index Builder::tile_of(const Value& value, NodeId id) {
  if (value.kind == ValueKind::tile) return value.index;
  Tile tile;
  tile.kind = TileKind::scalar;
  tile.rows = tile.cols = 1;
  tile.region.span = span(id);
  if (constant_number(value)) {
    tile.is_number = true;
    tile.number = value.kind == ValueKind::floating ? value.number : static_cast<double>(value.integer);
  } else if (value.kind == ValueKind::scalar) {
    tile.scalar = value.index;
  } else {
    error("LANG-004", span(id), std::string("a register tile is needed, not ") + kind_name(value.kind));
    return kNone;
  }
  schedule_.tiles.push_back(tile);
  return static_cast<Index>(schedule_.tiles.size() - 1);
}

Value Builder::tile_arithmetic(NodeId id, Operator op, const Value& a, const Value& b) {
  Tile tile;
  switch (op) {
    case Operator::add: tile.kind = TileKind::add; break;
    case Operator::sub: tile.kind = TileKind::sub; break;
    case Operator::mul: tile.kind = TileKind::mul; break;
    case Operator::div: tile.kind = TileKind::div; break;
    default: return error("LANG-004", span(id), "register tiles have `+`, `-`, `*` and `/` only");
  }
  tile.a = tile_of(a, id);
  tile.b = tile_of(b, id);
  if (tile.a == kNone || tile.b == kNone) return {};
  const Tile x = schedule_.tiles[tile.a], y = schedule_.tiles[tile.b];
  if (x.kind != TileKind::scalar && y.kind != TileKind::scalar &&
      (x.rows != y.rows || x.cols != y.cols || x.dtype != y.dtype))
    return error("LANG-004", span(id), "these register tiles differ in shape or type",
                 std::to_string(x.rows) + " x " + std::to_string(x.cols) + " " + info(x.dtype).name,
                 std::to_string(y.rows) + " x " + std::to_string(y.cols) + " " + info(y.dtype).name);
  const Tile& shaped = x.kind == TileKind::scalar ? y : x;
  tile.rows = shaped.rows;
  tile.cols = shaped.cols;
  tile.dtype = shaped.dtype;
  tile.region.span = span(id);
  Value value;
  value.kind = ValueKind::tile;
  value.index = static_cast<Index>(schedule_.tiles.size());
  schedule_.tiles.push_back(tile);
  return value;
}

std::optional<std::pair<int64_t, int64_t>> Builder::slice_bounds(NodeId id, int64_t extent) {
  int64_t bounds[2] = {0, extent};
  if (node(id).kind != NodeKind::slice) {
    error("LANG-004", span(id), "a register tile is sliced, as in `acc[:, 0:64]`");
    return std::nullopt;
  }
  for (int i = 0; i < 2; ++i) {
    const NodeId part = tree_.child(id, i);
    if (node(part).kind == NodeKind::none) continue;
    const Value value = evaluate(part);
    if (value.kind == ValueKind::poison) return std::nullopt;
    if (value.kind != ValueKind::integer) {
      error("LANG-004", span(part), "slice bounds are constants");
      return std::nullopt;
    }
    bounds[i] = value.integer;
  }
  if (node(tree_.child(id, 2)).kind != NodeKind::none) {
    error("LANG-004", span(tree_.child(id, 2)), "register tiles are sliced without a step");
    return std::nullopt;
  }
  if (bounds[0] < 0 || bounds[1] > extent || bounds[0] >= bounds[1]) {
    error("LANG-004", span(id), "this slice leaves the tile", "0:" + std::to_string(extent),
          std::to_string(bounds[0]) + ":" + std::to_string(bounds[1]));
    return std::nullopt;
  }
  return std::pair(bounds[0], bounds[1]);
}

Value Builder::subscript(NodeId id) {
  const Value base = evaluate(tree_.child(id, 0));
  if (base.kind == ValueKind::poison) return {};
  const NodeId index = tree_.child(id, 1);
  if (base.kind == ValueKind::sequence) {
    const Value at = evaluate(index);
    if (at.kind == ValueKind::poison) return {};
    const auto size = static_cast<int64_t>(base.items->size());
    if (at.kind != ValueKind::integer || at.integer < -size || at.integer >= size)
      return error("LANG-004", span(index), "this index is not in the list", "0 … " + std::to_string(size - 1));
    return (*base.items)[at.integer < 0 ? at.integer + size : at.integer];
  }
  if (base.kind == ValueKind::view) {
    const Value at = evaluate(index);
    if (at.kind == ValueKind::poison) return {};
    const ExprId stage = to_expr(at);
    if (stage == kNone) return error("LANG-004", span(index), "a stage is an integer");
    const View& view = schedule_.views[base.index];
    if (at.kind != ValueKind::scalar && (at.integer < 0 || at.integer >= view.stages))
      return error("LANG-004", span(index), "`" + view.name + "` has no stage " + std::to_string(at.integer),
                   "0 … " + std::to_string(view.stages - 1));
    Value value;
    value.kind = ValueKind::region;
    value.region.space = Space::shared;
    value.region.resource = base.index;
    value.region.stage = stage;
    value.region.rows = view.rows();
    value.region.cols = view.shape.back();
    value.region.span = span(id);
    return value;
  }
  if (base.kind == ValueKind::tile && base.text == "fragment") {
    Value value = base;
    Tile tile = schedule_.tiles[base.index];
    NodeId rows = index, cols = kNoNode;
    if (node(index).kind == NodeKind::tuple && node(index).child_count == 2) {
      rows = tree_.child(index, 0);
      cols = tree_.child(index, 1);
    }
    const auto r = slice_bounds(rows, tile.rows);
    if (!r) return {};
    if (r->first != 0 || r->second != tile.rows)
      return error("LANG-004", span(rows), "rows of a register tile belong to warps; only columns can be sliced", "`acc[:, lo:hi]`");
    if (cols != kNoNode) {
      const auto c = slice_bounds(cols, tile.cols);
      if (!c) return {};
      tile.region.col += c->first;
      tile.region.cols = tile.cols = c->second - c->first;
    }
    tile.region.span = span(id);
    value.region = tile.region;
    value.index = static_cast<Index>(schedule_.tiles.size());
    schedule_.tiles.push_back(tile);
    return value;
  }
  return error("LANG-004", span(id), std::string(kind_name(base.kind)) + " has no stages or slices");
}

Value Builder::call(NodeId id) {
  const NodeId callee = tree_.child(id, 0);
  const Value target = evaluate(callee);
  if (target.kind == ValueKind::poison) {
    for (uint32_t i = 1; i < node(id).child_count; ++i) {  // name errors inside the arguments still count
      const NodeId argument = tree_.child(id, i);
      evaluate(node(argument).kind == NodeKind::keyword ? tree_.child(argument, 0) : argument);
    }
    return {};
  }
  if (target.kind == ValueKind::function) {
    call_function(id, target);
    return {};
  }
  if (target.kind != ValueKind::method)
    return error("LANG-004", span(callee), std::string(kind_name(target.kind)) + " cannot be called");
  if (target.base) return method_call(id, target);

  // Python's own: range, len, min, max.
  std::vector<Value> values;
  for (uint32_t i = 1; i < node(id).child_count; ++i) {
    const NodeId argument = tree_.child(id, i);
    if (node(argument).kind == NodeKind::keyword)
      return error("LANG-003", span(argument), "`" + target.text + "` takes no keyword arguments");
    values.push_back(evaluate(argument));
    if (values.back().kind == ValueKind::poison) return {};
  }
  if (target.text == "len") {
    if (values.size() != 1 || values[0].kind != ValueKind::sequence)
      return error("LANG-004", span(id), "`len` takes one list");
    return make(ValueKind::integer, static_cast<int64_t>(values[0].items->size()));
  }
  if (values.empty()) return error("LANG-003", span(id), "`" + target.text + "` needs arguments");
  for (const Value& value : values) {
    if (value.kind == ValueKind::scalar && target.text == "range")
      return error("LANG-005", span(id), "`range` unrolls while building, but this bound is known at run time only",
                   "`lm.range(lo, hi)`");
    if (value.kind != ValueKind::integer)
      return error("LANG-004", span(id), "`" + target.text + "` takes integers", {}, kind_name(value.kind));
  }
  if (target.text == "range") {
    Value value = make(ValueKind::range, values.size() > 1 ? values[0].integer : 0);
    value.hi = values.size() > 1 ? values[1].integer : values[0].integer;
    value.step = values.size() > 2 ? values[2].integer : 1;
    if (values.size() > 3 || value.step == 0) return error("LANG-003", span(id), "`range` takes lo, hi and a step that is not 0");
    return value;
  }
  int64_t best = values[0].integer;
  for (const Value& value : values) best = target.text == "min" ? std::min(best, value.integer) : std::max(best, value.integer);
  return make(ValueKind::integer, best);
}

}  // namespace bakery::building
