// SPDX-License-Identifier: Apache-2.0
#include "core_ir/schedule.h"

#include <algorithm>

namespace bakery {

int64_t View::elements() const {
  int64_t product = 1;
  for (int64_t extent : shape) product *= extent;
  return product;
}

int64_t View::stage_bytes() const { return elements() * info(dtype).bytes; }
int64_t View::row_bytes() const { return shape.empty() ? 0 : shape.back() * info(dtype).bytes; }
int64_t View::rows() const { return shape.empty() ? 0 : elements() / shape.back(); }

bool Role::whole_warpgroups() const {
  if (warps.empty() || warps.size() % 4 != 0) return false;
  for (size_t i = 0; i < warps.size(); i += 4) {
    if (warps[i] % 4 != 0) return false;
    for (size_t k = 1; k < 4; ++k)
      if (warps[i + k] != warps[i] + static_cast<int>(k)) return false;
  }
  return true;
}

int Role::agents() const { return static_cast<int>(whole_warpgroups() ? warps.size() / 4 : warps.size()); }

int64_t Schedule::hidden_bytes() const {
  int64_t bytes = tmems.empty() ? 0 : 8;
  for (const Barrier& barrier : barriers) bytes += int64_t{8} * barrier.count;
  return bytes;
}

int64_t Schedule::pool_bytes() const {
  int64_t bytes = 0;
  for (const Pool& pool : pools) bytes += pool.bytes;
  return bytes;
}

int Schedule::threads() const {
  int highest = -1;
  for (const Role& role : roles)
    if (!role.warps.empty()) highest = std::max(highest, role.warps.back());
  // Register budgets are changed by whole warpgroups, so the CTA is filled up to one.
  bool budgets = false;
  for (const Role& role : roles) budgets |= role.regs != 0;
  int warps = highest + 1;
  if (budgets) warps = (warps + 3) / 4 * 4;
  return warps * 32;
}

std::string Schedule::text(ExprId id) const {
  if (id == kNone) return "";
  const Expr& e = exprs[id];
  const auto infix = [&](const char* op) { return "(" + text(e.a) + " " + op + " " + text(e.b) + ")"; };
  switch (e.kind) {
    case ExprKind::constant: return std::to_string(e.value);
    case ExprKind::symbol: return symbols[e.a].name;
    case ExprKind::slot: return pipelines[e.a].name + (e.value == 0 ? ".current()" : ".previous()");
    case ExprKind::add: return infix("+");
    case ExprKind::sub: return infix("-");
    case ExprKind::mul: return text(e.a) + " * " + text(e.b);
    case ExprKind::floor_div: return infix("//");
    case ExprKind::ceil_div: return "cdiv(" + text(e.a) + ", " + text(e.b) + ")";
    case ExprKind::mod: return infix("%");
    case ExprKind::min: return "min(" + text(e.a) + ", " + text(e.b) + ")";
    case ExprKind::max: return "max(" + text(e.a) + ", " + text(e.b) + ")";
    case ExprKind::eq: return infix("==");
    case ExprKind::ne: return infix("!=");
    case ExprKind::lt: return infix("<");
    case ExprKind::le: return infix("<=");
    case ExprKind::gt: return infix(">");
    case ExprKind::ge: return infix(">=");
    case ExprKind::logical_and: return infix("and");
    case ExprKind::logical_or: return infix("or");
    case ExprKind::logical_not: return "not " + text(e.a);
    case ExprKind::negate: return "-" + text(e.a);
  }
  return "";
}

std::string Schedule::resource_name(const Region& region) const {
  switch (region.space) {
    case Space::shared: return views[region.resource].name;
    case Space::tensor: return tmems[region.resource].name;
    case Space::fragment: return fragments[region.resource].name;
    default: return "";
  }
}

}  // namespace bakery
