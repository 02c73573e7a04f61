// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "core_ir/machine/trace.h"

namespace bakery {
namespace {

int64_t floor_div(int64_t a, int64_t b) {
  if (b == 0) return 0;
  return a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
}

int64_t apply(ExprKind kind, int64_t a, int64_t b) {
  // Index arithmetic wraps on overflow instead of being undefined; sizes are far below it.
  const auto wrap = [](uint64_t value) { return static_cast<int64_t>(value); };
  switch (kind) {
    case ExprKind::add: return wrap(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    case ExprKind::sub: return wrap(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
    case ExprKind::mul: return wrap(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    case ExprKind::floor_div: return floor_div(a, b);
    case ExprKind::ceil_div: return b == 0 ? 0 : floor_div(a, b) + (a % b != 0);
    case ExprKind::mod: return b == 0 ? 0 : a - floor_div(a, b) * b;
    case ExprKind::min: return std::min(a, b);
    case ExprKind::max: return std::max(a, b);
    case ExprKind::eq: return a == b;
    case ExprKind::ne: return a != b;
    case ExprKind::lt: return a < b;
    case ExprKind::le: return a <= b;
    case ExprKind::gt: return a > b;
    case ExprKind::ge: return a >= b;
    case ExprKind::logical_and: return a != 0 && b != 0;
    case ExprKind::logical_or: return a != 0 || b != 0;
    case ExprKind::logical_not: return a == 0;
    case ExprKind::negate: return wrap(0 - static_cast<uint64_t>(a));
    default: return 0;
  }
}

struct OpenFill {
  Index barrier;
  ExprId stage;
  uint64_t block;
  size_t step;
};

class Expander {
 public:
  Expander(const Schedule& schedule, const Sample& sample, size_t limit, std::stop_token stop, Trace& trace)
      : schedule_(schedule), sample_(sample), limit_(limit), stop_(std::move(stop)), trace_(trace) {
    trace_.iterations.push_back({});
    values_.resize(schedule.symbols.size(), 0);
    for (size_t i = 0; i < schedule.params.size(); ++i)
      if (schedule.params[i].symbol != kNone) values_[schedule.params[i].symbol] = sample.scalars[i];
  }

  void role(Index role) {
    trace_.roles.emplace_back();
    out_ = &trace_.roles.back();
    uses_.assign(schedule_.pipelines.size(), -1);
    fills_.clear();
    iteration_ = 0;
    block(schedule_.roles[role].body);
  }

 private:
  bool exhausted() {
    if (trace_.truncated || trace_.stopped) return true;
    if ((++ticks_ & 1023) == 0 && stop_.stop_requested()) trace_.stopped = true;
    if (trace_.step_count + idle_ >= limit_) trace_.truncated = true;
    return trace_.truncated || trace_.stopped;
  }

  int64_t value(ExprId id) {
    const Expr& e = schedule_.exprs[id];
    switch (e.kind) {
      case ExprKind::constant: return e.value;
      case ExprKind::symbol: return values_[e.a];
      case ExprKind::slot: {
        const int64_t use = uses_[e.a] + e.value;
        const int stages = schedule_.pipelines[e.a].stages;
        if (use < 0) {
          negative_ = {use, stages, e.a};
          return 0;
        }
        return use % stages;
      }
      case ExprKind::logical_not:
      case ExprKind::negate: return apply(e.kind, value(e.a), 0);
      default: return apply(e.kind, value(e.a), value(e.b));
    }
  }

  void problem(TraceProblem::Kind kind, Index op, int64_t value, int64_t limit, Index resource, Space space) {
    if (!reported_.insert({op, kind}).second) return;
    trace_.problems.push_back({kind, op, iteration_, value, limit, resource, space});
  }

  int32_t stage(Index op, ExprId expr, int64_t limit, Index resource, Space space) {
    if (expr == kNone) return -1;
    negative_ = {};
    const int64_t result = value(expr);
    if (negative_.stages != 0)
      problem(TraceProblem::negative_use, op, negative_.use, negative_.stages, negative_.pipeline, Space::none);
    if (result < 0 || result >= limit) {
      problem(TraceProblem::stage_out_of_range, op, result, limit, resource, space);
      return 0;
    }
    return static_cast<int32_t>(result);
  }

  int32_t region_stage(Index op, const Region& region) {
    if (region.space != Space::shared || region.stage == kNone) return -1;
    return stage(op, region.stage, schedule_.views[region.resource].stages, region.resource, Space::shared);
  }

  void operation(Index index) {
    const Op& op = schedule_.ops[index];
    if (op.when != kNone && value(op.when) == 0) {
      ++idle_;
      return;
    }
    Step step;
    step.op = index;
    step.iteration = iteration_;
    if (op.barrier != kNone) {
      step.stage = stage(index, op.stage, schedule_.barriers[op.barrier].count, op.barrier, Space::none);
      if (step.stage < 0) step.stage = 0;
    }
    step.dst_stage = region_stage(index, op.dst);
    step.a_stage = region_stage(index, op.a);
    step.b_stage = region_stage(index, op.b);
    step.coords = static_cast<uint32_t>(out_->coords.size());
    for (ExprId coordinate : op.coords) out_->coords.push_back(value(coordinate));
    if (op.init != kNone) step.init = value(op.init) != 0;
    const BarrierAction action = bakery::operation(op.code).barrier;
    if (action == BarrierAction::wait) fills_.clear();
    if (action == BarrierAction::fill) {
      const int64_t bytes = schedule_.views[op.dst.resource].stage_bytes();
      const auto open = std::find_if(fills_.begin(), fills_.end(), [&](const OpenFill& fill) {
        return fill.barrier == op.barrier && fill.stage == op.stage && fill.block == block_;
      });
      if (open != fills_.end()) {
        out_->steps[open->step].fill_bytes += bytes;
      } else {
        fills_.push_back({op.barrier, op.stage, block_, out_->steps.size()});
        step.fill_bytes = bytes;
      }
    }
    out_->steps.push_back(step);
    ++trace_.step_count;
  }

  void enter(const std::vector<Index>& body) {
    const uint64_t outer = block_;
    block_ = ++blocks_;
    block(body);
    block_ = outer;
  }

  uint32_t push_iteration(uint32_t parent, Index symbol, int64_t at) {
    trace_.iterations.push_back({parent, symbol, at});
    return static_cast<uint32_t>(trace_.iterations.size() - 1);
  }

  void block(const std::vector<Index>& body) {
    for (Index index : body) {
      if (exhausted()) return;
      const Stmt& stmt = schedule_.stmts[index];
      switch (stmt.kind) {
        case StmtKind::op: operation(stmt.op); break;
        case StmtKind::let: values_[stmt.symbols[0]] = value(stmt.value); break;
        case StmtKind::advance: {
          const int64_t use = ++uses_[stmt.pipeline];
          values_[stmt.symbols[0]] = use % schedule_.pipelines[stmt.pipeline].stages;
          ++idle_;
          break;
        }
        case StmtKind::when:
          ++idle_;
          if (value(stmt.value) != 0) enter(stmt.body);
          break;
        case StmtKind::loop: loop(stmt); break;
        case StmtKind::tile_loop: tiles(stmt); break;
      }
    }
  }

  void loop(const Stmt& stmt) {
    const int64_t lo = value(stmt.lo), hi = value(stmt.hi), step = std::max<int64_t>(1, value(stmt.step));
    const uint32_t outer = iteration_;
    for (int64_t i = lo; i < hi; i += step) {
      ++idle_;
      if (exhausted()) break;
      values_[stmt.symbols[0]] = i;
      iteration_ = push_iteration(outer, stmt.symbols[0], i);
      enter(stmt.body);
    }
    iteration_ = outer;
  }

  void tiles(const Stmt& stmt) {
    const TileSpace& space = schedule_.tile_spaces[stmt.tiles];
    std::vector<int64_t> extents;
    int64_t total = 1;
    for (ExprId extent : space.extents) {
      extents.push_back(std::max<int64_t>(0, value(extent)));
      total *= std::min<int64_t>(extents.back(), int64_t{1} << 20);
    }
    const int64_t grid = std::max<int64_t>(1, space.grid == kNone ? sample_.grid : value(space.grid));
    const uint32_t outer = iteration_;
    for (int64_t tile = sample_.cta; tile < total; tile += grid) {
      ++idle_;
      if (exhausted()) break;
      const std::vector<int64_t> at = tile_coordinates(space, extents, tile);
      iteration_ = outer;
      for (size_t d = 0; d < at.size(); ++d) {
        values_[stmt.symbols[d]] = at[d];
        iteration_ = push_iteration(iteration_, stmt.symbols[d], at[d]);
      }
      enter(stmt.body);
    }
    iteration_ = outer;
  }

  const Schedule& schedule_;
  const Sample& sample_;
  const size_t limit_;
  std::stop_token stop_;
  Trace& trace_;
  RoleTrace* out_ = nullptr;
  std::vector<int64_t> values_;
  std::vector<int64_t> uses_;  // by pipeline, -1 before the first
  std::vector<OpenFill> fills_;
  std::set<std::pair<Index, int>> reported_;
  struct {
    int64_t use = 0;
    int stages = 0;
    Index pipeline = 0;
  } negative_;
  uint32_t iteration_ = 0;
  uint64_t block_ = 0, blocks_ = 0;
  size_t ticks_ = 0;
  size_t idle_ = 0;  // rounds without a step, so that empty loops end too
};

}  // namespace

std::vector<int64_t> tile_coordinates(const TileSpace& space, const std::vector<int64_t>& extents, int64_t tile) {
  std::vector<int64_t> at(extents.size(), 0);
  if (space.order == "grouped") {
    // Bands of `group` rows of tiles; inside of a band the row runs fastest.
    const int64_t band = tile / (space.group * extents[1]) * space.group;
    const int64_t rows = std::min(space.group, extents[0] - band);
    const int64_t rest = tile - band * extents[1];
    return {band + rest % rows, rest / rows};
  }
  for (size_t d = extents.size(); d-- > 0;) {
    at[d] = tile % extents[d];
    tile /= extents[d];
  }
  return at;
}

Trace expand(const Schedule& schedule, const Sample& sample, size_t step_limit, std::stop_token stop) {
  Trace trace;
  trace.roles.reserve(schedule.roles.size());
  Expander expander(schedule, sample, step_limit, std::move(stop), trace);
  for (Index role = 0; role < schedule.roles.size(); ++role) expander.role(role);
  return trace;
}

std::optional<int64_t> evaluate(const Schedule& schedule, ExprId id, const Sample& sample) {
  const Expr& e = schedule.exprs[id];
  switch (e.kind) {
    case ExprKind::constant: return e.value;
    case ExprKind::symbol:
      for (size_t i = 0; i < schedule.params.size(); ++i)
        if (schedule.params[i].symbol == e.a) return sample.scalars[i];
      return std::nullopt;
    case ExprKind::slot: return std::nullopt;
    default: {
      const auto a = evaluate(schedule, e.a, sample);
      if (!a) return std::nullopt;
      if (e.b == kNone) return apply(e.kind, *a, 0);
      const auto b = evaluate(schedule, e.b, sample);
      if (!b) return std::nullopt;
      return apply(e.kind, *a, *b);
    }
  }
}

}  // namespace bakery
