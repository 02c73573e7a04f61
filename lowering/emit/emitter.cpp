// SPDX-License-Identifier: Apache-2.0
#include "lowering/emit/emitter.h"

#include <algorithm>
#include <cctype>

namespace bakery::lowering {

void Emitter::line(Index op, const std::string& text) {
  const Span span = schedule.ops[op].span;
  std::string shown = text;
  if (cited_ != op) {
    std::string source(plan.checked.text(span));
    source = source.substr(0, source.find('\n'));
    shown += cat("  // ", source_line(span), ": ", source);
    cited_ = op;
  }
  out.from(source_line(span), static_cast<int32_t>(op), shown);
}

void Emitter::leader_line(Index op, const std::string& text) { line(op, one_lane() ? text : "if (leader) " + text); }

std::string Emitter::constant(const std::string& name, const char* suffix) const {
  std::string upper;
  for (const char c : name) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper + "_" + suffix;
}

std::string Emitter::expr(ExprId id, int outer) {
  const Expr& e = schedule.exprs[id];
  const auto infix = [&](const char* op, int level) {
    const std::string text = cat(expr(e.a, level), " ", op, " ", expr(e.b, level + 1));
    return level < outer ? "(" + text + ")" : text;
  };
  switch (e.kind) {
    case ExprKind::constant: return std::to_string(e.value);
    case ExprKind::symbol: return plan.symbols[e.a];
    case ExprKind::slot:
      if (e.value == 0) return schedule.pipelines[e.a].name + "_slot";
      use("previous_slot");
      return cat("previous_slot<", schedule.pipelines[e.a].stages, ">(", schedule.pipelines[e.a].name, "_slot)");
    case ExprKind::add: return infix("+", 8);
    case ExprKind::sub: return infix("-", 8);
    case ExprKind::mul: return infix("*", 9);
    case ExprKind::floor_div: use("floor_div"); return cat("floor_div(", expr(e.a), ", ", expr(e.b), ")");
    case ExprKind::mod: use("floor_mod"); return cat("floor_mod(", expr(e.a), ", ", expr(e.b), ")");
    case ExprKind::ceil_div: use("ceil_div"); return cat("ceil_div(", expr(e.a), ", ", expr(e.b), ")");
    case ExprKind::min: return cat("min(", expr(e.a), ", ", expr(e.b), ")");
    case ExprKind::max: return cat("max(", expr(e.a), ", ", expr(e.b), ")");
    case ExprKind::eq: return infix("==", 5);
    case ExprKind::ne: return infix("!=", 5);
    case ExprKind::lt: return infix("<", 6);
    case ExprKind::le: return infix("<=", 6);
    case ExprKind::gt: return infix(">", 6);
    case ExprKind::ge: return infix(">=", 6);
    case ExprKind::logical_and: return infix("&&", 3);
    case ExprKind::logical_or: return infix("||", 2);
    case ExprKind::logical_not: return "!" + expr(e.a, 10);
    case ExprKind::negate: return "-" + expr(e.a, 10);
  }
  return "0";
}

std::string Emitter::barrier(Index index, ExprId stage) {
  const Barrier& barrier = schedule.barriers[index];
  const std::string base = "smem_base + " + constant(barrier.name, "BARRIER");
  if (barrier.count == 1 || stage == kNone) return base;
  return cat(base, " + 8 * ", expr(stage, 9));
}

std::string Emitter::view(Index index, ExprId stage) {
  const View& view = schedule.views[index];
  const std::string base = "smem_base + " + constant(view.name, "OFFSET");
  if (stage == kNone) return base;
  if (schedule.exprs[stage].kind == ExprKind::constant && schedule.exprs[stage].value == 0) return base;
  return cat(base, " + ", expr(stage, 9), " * ", constant(view.name, "STAGE_BYTES"));
}

int64_t fragment_registers(const Schedule& schedule, const Fragment& fragment) {
  const Role& role = schedule.roles[fragment.role];
  const int64_t threads = role.whole_warpgroups() ? int64_t{128} * role.agents() : int64_t{32} * static_cast<int64_t>(role.warps.size());
  return std::max<int64_t>(1, fragment.shape[0] * fragment.shape[1] / threads);
}

std::string Emitter::element(Index tile_index, const std::string& index) {
  const Tile& tile = schedule.tiles[tile_index];
  switch (tile.kind) {
    case TileKind::fragment: {
      const Fragment& fragment = schedule.fragments[tile.region.resource];
      const int64_t first = tile.region.col / 8 * 4;
      return cat(fragment.name, "[", first == 0 ? index : cat(first, " + ", index), "]");
    }
    case TileKind::scalar: {
      if (tile.is_number) {
        std::string text = std::to_string(tile.number);
        return text + "f";
      }
      return "(float)(" + expr(tile.scalar) + ")";
    }
    case TileKind::cast:
      if (tile.dtype == DType::bf16) {
        use("round_bf16");
        return "round_bf16(" + element(tile.a, index) + ")";
      }
      if (tile.dtype == DType::f16) {
        use("round_f16");
        return "round_f16(" + element(tile.a, index) + ")";
      }
      return element(tile.a, index);
    case TileKind::add: return cat("(", element(tile.a, index), " + ", element(tile.b, index), ")");
    case TileKind::sub: return cat("(", element(tile.a, index), " - ", element(tile.b, index), ")");
    case TileKind::mul: return cat("(", element(tile.a, index), " * ", element(tile.b, index), ")");
    case TileKind::div: return cat("(", element(tile.a, index), " / ", element(tile.b, index), ")");
    case TileKind::min: return cat("fminf(", element(tile.a, index), ", ", element(tile.b, index), ")");
    case TileKind::max: return cat("fmaxf(", element(tile.a, index), ", ", element(tile.b, index), ")");
    case TileKind::exp2: use("exp2_approx"); return cat("exp2_approx(", element(tile.a, index), ")");
    case TileKind::negate: return cat("-", element(tile.a, index));
  }
  return "0.0f";
}

}  // namespace bakery::lowering
