// SPDX-License-Identifier: Apache-2.0
#include "core_ir/machine/values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <tuple>

namespace bakery {
namespace {

constexpr int64_t kMaxSharedBytes = int64_t{16} << 20;   // far beyond any CTA; keeps broken schedules harmless
constexpr int64_t kMaxTileElements = int64_t{16} << 20;
constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();

// acc += a (rows x depth) * b (depth x cols), each element summed in k order.
void multiply(float* acc, int64_t acc_stride, const float* a, const float* b, int64_t rows, int64_t cols, int64_t depth) {
  using Four = float __attribute__((vector_size(16)));
  constexpr int kBlock = 8;  // vectors kept in registers
  for (int64_t m = 0; m < rows; ++m) {
    float* row = acc + m * acc_stride;
    const float* left = a + m * depth;
    int64_t n = 0;
    for (; n + kBlock * 4 <= cols; n += kBlock * 4) {
      Four sum[kBlock];
      std::memcpy(sum, row + n, sizeof sum);
      for (int64_t k = 0; k < depth; ++k) {
        const Four factor = {left[k], left[k], left[k], left[k]};
        const float* right = b + k * cols + n;
#pragma GCC unroll 8
        for (int i = 0; i < kBlock; ++i) {
          Four value;
          std::memcpy(&value, right + i * 4, sizeof value);
          sum[i] += factor * value;
        }
      }
      std::memcpy(row + n, sum, sizeof sum);
    }
    for (; n < cols; ++n)
      for (int64_t k = 0; k < depth; ++k) row[n] += left[k] * b[k * cols + n];
  }
}

// A register tile, row-major, or one value that stands for every element.
struct TileValue {
  std::vector<float> values;
  float at(size_t i) const { return values.size() == 1 ? values[0] : values[i]; }
};

struct Registers {
  int64_t cols = 0;
  std::vector<float> values;
};

std::vector<LoopValue> loop_values(const Schedule& schedule, const Trace& trace, uint32_t iteration) {
  std::vector<LoopValue> values;
  for (; iteration != 0; iteration = trace.iterations[iteration].parent) {
    const Iteration& at = trace.iterations[iteration];
    if (at.symbol != kNone) values.push_back({schedule.symbols[at.symbol].name, at.value});
  }
  std::reverse(values.begin(), values.end());
  return values;
}

// The state of one CTA.
class Cta : public StepObserver {
 public:
  Cta(const Schedule& schedule, const Trace& trace, const Sample& sample, std::vector<GlobalTensor>& tensors, GridRun& run,
      std::stop_token stop)
      : schedule_(schedule), trace_(trace), sample_(sample), tensors_(tensors), run_(run), stop_(std::move(stop)) {
    for (const Pool& pool : schedule.pools) pools_.emplace_back(static_cast<size_t>(pool.bytes), uint8_t{0xFF});
    for (const View& view : schedule.views) {
      std::vector<uint8_t>& pool = pools_[view.pool];
      const auto end = static_cast<size_t>(view.offset + view.bytes());
      if (pool.size() < end) pool.resize(end, 0xFF);
    }
    for (const Fragment& fragment : schedule.fragments) fragments_.push_back(registers(fragment.shape));
    for (const Tmem& tmem : schedule.tmems) tmems_.push_back(registers(tmem.shape));
  }

  void step(Index role, const Step& step, const RoleTrace& trace) override {
    if (stop_.stop_requested()) return;
    const Op& op = schedule_.ops[step.op];
    switch (op.code) {
      case OpCode::tma_load: load(op, step, trace.coords.data() + step.coords); break;
      case OpCode::tma_store: store_box(role, op, step, trace.coords.data() + step.coords); break;
      case OpCode::store: store_tile(op, step); break;
      case OpCode::compute: compute(op, step); break;
      case OpCode::wgmma:
      case OpCode::tcgen05_mma: mma(op, step); break;
      default: break;
    }
  }

 private:
  static Registers registers(const std::vector<int64_t>& shape) {
    int64_t elements = 1;
    for (int64_t extent : shape) elements *= extent;
    return {shape.empty() ? 1 : shape.back(), std::vector<float>(static_cast<size_t>(elements), kPoison)};
  }

  uint8_t* stage(const Region& region, int32_t slot) {
    const View& view = schedule_.views[region.resource];
    return pools_[view.pool].data() + view.offset + std::clamp(slot, 0, view.stages - 1) * view.stage_bytes();
  }

  // Calls row(shared byte offset, tensor offset of the row's first element or -1 outside, first and
  // last + 1 element inside of the tensor) for each innermost row of the box.
  template <typename Row>
  static void box_rows(const View& view, const GlobalTensor& tensor, const int64_t* coords, const Row& row) {
    const size_t rank = tensor.shape.size(), outside = rank - view.shape.size();
    const auto coordinate = [&](size_t dimension) {  // outermost first; far outside is as good as any
      constexpr int64_t kFar = int64_t{1} << 40;
      return std::clamp(coords[rank - 1 - dimension], -kFar, kFar);
    };
    const int64_t width = view.shape.back(), inner = coordinate(rank - 1);
    const int64_t first = std::clamp<int64_t>(-inner, 0, width);
    const int64_t last = std::clamp<int64_t>(tensor.shape[rank - 1] - inner, first, width);
    for (int64_t r = 0; r < view.rows(); ++r) {
      int64_t rest = r, offset = inner * tensor.strides[rank - 1];
      bool inside = last > first;
      for (size_t d = rank - 1; d-- > 0;) {
        const int64_t extent = d < outside ? 1 : view.shape[d - outside];
        const int64_t at = coordinate(d) + rest % extent;
        rest /= extent;
        inside &= at >= 0 && at < tensor.shape[d];
        offset += at * tensor.strides[d];
      }
      row(r * view.row_bytes(), offset, inside ? first : 0, inside ? last : 0);
    }
  }

  void load(const Op& op, const Step& step, const int64_t* coords) {
    const View& view = schedule_.views[op.dst.resource];
    const GlobalTensor& tensor = tensors_[op.param];
    uint8_t* shared = stage(op.dst, step.dst_stage);
    const int64_t size = info(view.dtype).bytes;
    if (info(tensor.dtype).bytes != size) {  // the copy never converts
      std::memset(shared, 0xFF, static_cast<size_t>(view.stage_bytes()));
      return;
    }
    const int64_t stride = tensor.strides.back();
    std::memset(shared, 0, static_cast<size_t>(view.stage_bytes()));
    box_rows(view, tensor, coords, [&](int64_t to, int64_t from, int64_t first, int64_t last) {
      if (stride == 1 && last > first) {
        std::memcpy(shared + to + first * size, tensor.bytes.data() + (from + first) * size, static_cast<size_t>((last - first) * size));
        return;
      }
      for (int64_t i = first; i < last; ++i)
        std::memcpy(shared + to + i * size, tensor.bytes.data() + (from + i * stride) * size, static_cast<size_t>(size));
    });
  }

  void store_box(Index role, const Op& op, const Step& step, const int64_t* coords) {
    const View& view = schedule_.views[op.a.resource];
    GlobalTensor& tensor = tensors_[op.param];
    const uint8_t* shared = stage(op.a, step.a_stage);
    const int64_t size = info(view.dtype).bytes;
    const bool same = info(tensor.dtype).bytes == size;
    const int64_t stride = tensor.strides.back();
    const auto writer = static_cast<int32_t>(run_.writers.size());
    run_.writers.push_back({sample_.cta, role, step.op, loop_values(schedule_, trace_, step.iteration)});
    std::vector<int32_t>& written = run_.written[op.param];
    box_rows(view, tensor, coords, [&](int64_t from, int64_t to, int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const int64_t at = to + i * stride;
        uint8_t* target = tensor.bytes.data() + at * info(tensor.dtype).bytes;
        if (same) std::memcpy(target, shared + from + i * size, static_cast<size_t>(size));
        else std::memset(target, 0xFF, static_cast<size_t>(info(tensor.dtype).bytes));
        written[static_cast<size_t>(at)] = writer;
      }
    });
  }

  void store_tile(const Op& op, const Step& step) {
    const View& view = schedule_.views[op.dst.resource];
    const TileValue value = evaluate(op.value, step);
    uint8_t* shared = stage(op.dst, step.dst_stage);
    const int64_t size = info(view.dtype).bytes, count = view.elements();
    if (value.values.size() != 1 && static_cast<int64_t>(value.values.size()) < count) return;
    for (int64_t i = 0; i < count; ++i) encode(view.dtype, value.at(static_cast<size_t>(i)), shared + i * size);
  }

  void compute(const Op& op, const Step& step) {
    if (op.dst.space != Space::fragment) return;
    const TileValue value = evaluate(op.value, step);
    Registers& to = fragments_[op.dst.resource];
    const DType dtype = schedule_.fragments[op.dst.resource].dtype;
    if (value.values.size() != 1 && static_cast<int64_t>(value.values.size()) < op.dst.rows * op.dst.cols) return;
    size_t i = 0;
    for (int64_t r = 0; r < op.dst.rows; ++r)
      for (int64_t c = 0; c < op.dst.cols; ++c)
        to.values[static_cast<size_t>((op.dst.row + r) * to.cols + op.dst.col + c)] = round_to(dtype, value.at(i++));
  }

  void mma(const Op& op, const Step& step) {
    Registers& acc = op.dst.space == Space::tensor ? tmems_[op.dst.resource] : fragments_[op.dst.resource];
    // Shapes that do not fit are findings of the data gate; what they have in common is computed.
    const int64_t rows = std::min(op.dst.rows, op.a.rows), cols = std::min(op.dst.cols, op.b.rows);
    const int64_t depth = std::min(op.a.cols, op.b.cols);
    const View& a = schedule_.views[op.a.resource];
    const View& b = schedule_.views[op.b.resource];
    const uint8_t* a_bytes = stage(op.a, step.a_stage);
    const uint8_t* b_bytes = stage(op.b, step.b_stage);
    left_.resize(static_cast<size_t>(rows * depth));
    right_.resize(static_cast<size_t>(cols * depth));
    for (int64_t m = 0; m < rows; ++m)
      for (int64_t k = 0; k < depth; ++k)
        left_[static_cast<size_t>(m * depth + k)] = decode(a.dtype, a_bytes + (m * op.a.cols + k) * info(a.dtype).bytes);
    for (int64_t n = 0; n < cols; ++n)
      for (int64_t k = 0; k < depth; ++k)
        right_[static_cast<size_t>(k * cols + n)] = decode(b.dtype, b_bytes + (n * op.b.cols + k) * info(b.dtype).bytes);
    float* to = acc.values.data() + op.dst.row * acc.cols + op.dst.col;
    if (step.init != 0)
      for (int64_t m = 0; m < rows; ++m) std::fill_n(to + m * acc.cols, cols, 0.0f);
    multiply(to, acc.cols, left_.data(), right_.data(), rows, cols, depth);
  }

  // ---- register-tile expressions --------------------------------------------------------

  TileValue evaluate(Index index, const Step& step) {
    const Tile& tile = schedule_.tiles[index];
    switch (tile.kind) {
      case TileKind::fragment: return read(tile.region);
      case TileKind::scalar: return {{tile.is_number ? static_cast<float>(tile.number) : scalar(tile.scalar, step.iteration)}};
      default: break;
    }
    TileValue a = evaluate(tile.a, step);
    if (tile.b == kNone) {
      for (float& value : a.values) {
        switch (tile.kind) {
          case TileKind::cast: value = round_to(tile.dtype, value); break;
          case TileKind::exp2: value = std::exp2(value); break;
          case TileKind::negate: value = -value; break;
          default: break;
        }
      }
      return a;
    }
    const TileValue b = evaluate(tile.b, step);
    TileValue result;
    result.values.resize(std::max(a.values.size(), b.values.size()));
    for (size_t i = 0; i < result.values.size(); ++i) {
      const float x = a.at(i), y = b.at(i);
      float& value = result.values[i];
      switch (tile.kind) {
        case TileKind::add: value = x + y; break;
        case TileKind::sub: value = x - y; break;
        case TileKind::mul: value = x * y; break;
        case TileKind::div: value = x / y; break;
        case TileKind::min: value = std::isnan(x) || x < y ? x : y; break;
        case TileKind::max: value = std::isnan(x) || x > y ? x : y; break;
        default: value = kPoison; break;
      }
      value = round_to(tile.dtype, value);
    }
    return result;
  }

  TileValue read(const Region& region) {
    TileValue result;
    result.values.reserve(static_cast<size_t>(region.rows * region.cols));
    if (region.space == Space::shared) {
      const View& view = schedule_.views[region.resource];
      const uint8_t* shared = stage(region, 0);
      for (int64_t i = 0; i < view.elements(); ++i) result.values.push_back(decode(view.dtype, shared + i * info(view.dtype).bytes));
      return result;
    }
    const Registers& from = region.space == Space::tensor ? tmems_[region.resource] : fragments_[region.resource];
    for (int64_t r = 0; r < region.rows; ++r) {
      const auto row = from.values.begin() + (region.row + r) * from.cols + region.col;
      result.values.insert(result.values.end(), row, row + region.cols);
    }
    return result;
  }

  // A run-time scalar as a tile operand: parameters, loop variables and what `let` makes of them.
  float scalar(ExprId id, uint32_t iteration) {
    const Expr& e = schedule_.exprs[id];
    if (e.kind == ExprKind::symbol) {
      for (uint32_t i = iteration; i != 0; i = trace_.iterations[i].parent)
        if (trace_.iterations[i].symbol == e.a) return static_cast<float>(trace_.iterations[i].value);
      for (const Stmt& stmt : schedule_.stmts)
        if (stmt.kind == StmtKind::let && stmt.symbols[0] == e.a) return scalar(stmt.value, iteration);
    }
    if (const auto value = bakery::evaluate(schedule_, id, sample_)) return static_cast<float>(*value);
    const auto operand = [&](Index at) { return at == kNone ? 0.0f : scalar(at, iteration); };
    switch (e.kind) {
      case ExprKind::add: return operand(e.a) + operand(e.b);
      case ExprKind::sub: return operand(e.a) - operand(e.b);
      case ExprKind::mul: return operand(e.a) * operand(e.b);
      case ExprKind::floor_div: return std::floor(operand(e.a) / operand(e.b));
      case ExprKind::ceil_div: return std::ceil(operand(e.a) / operand(e.b));
      case ExprKind::min: return std::min(operand(e.a), operand(e.b));
      case ExprKind::max: return std::max(operand(e.a), operand(e.b));
      case ExprKind::negate: return -operand(e.a);
      default: return kPoison;
    }
  }

  const Schedule& schedule_;
  const Trace& trace_;
  const Sample& sample_;
  std::vector<GlobalTensor>& tensors_;
  GridRun& run_;
  std::stop_token stop_;
  std::vector<std::vector<uint8_t>> pools_;
  std::vector<Registers> fragments_, tmems_;
  std::vector<float> left_, right_;  // decoded operands of one MMA
};

// Arithmetic of one CTA's trace, copies counted as one operation an element.
double work(const Schedule& schedule, const Trace& trace) {
  double total = 0;
  for (const RoleTrace& role : trace.roles)
    for (const Step& step : role.steps) {
      const Op& op = schedule.ops[step.op];
      const Region& moved = op.dst.space == Space::none ? op.a : op.dst;
      total += static_cast<double>(moved.rows) * static_cast<double>(moved.cols);
      if (op.code == OpCode::wgmma || op.code == OpCode::tcgen05_mma)
        total += 2.0 * static_cast<double>(op.a.rows) * static_cast<double>(op.b.rows) * static_cast<double>(op.a.cols);
    }
  return total;
}

// Shared memory and tiles are allocated for each CTA.
std::string too_large(const Schedule& schedule) {
  int64_t shared = 0, tile = 0;
  const auto add = [](int64_t& total, int64_t amount) { total = std::min(total + std::max<int64_t>(0, amount), int64_t{1} << 40); };
  for (const Pool& pool : schedule.pools) add(shared, pool.bytes);
  for (const View& view : schedule.views) {
    double bytes = static_cast<double>(view.offset) + static_cast<double>(view.stages) * info(view.dtype).bytes;
    double elements = view.stages;
    for (int64_t extent : view.shape) elements *= static_cast<double>(extent);
    bytes += elements * info(view.dtype).bytes;
    add(shared, bytes > 1e12 ? int64_t{1} << 40 : static_cast<int64_t>(bytes));
  }
  const auto registers = [&](const std::vector<int64_t>& shape) {
    double elements = 1;
    for (int64_t extent : shape) elements *= static_cast<double>(extent);
    add(tile, elements > 1e12 ? int64_t{1} << 40 : static_cast<int64_t>(elements));
  };
  for (const Fragment& fragment : schedule.fragments) registers(fragment.shape);
  for (const Tmem& tmem : schedule.tmems) registers(tmem.shape);
  if (shared > kMaxSharedBytes || tile > kMaxTileElements)
    return "its shared memory and tiles are larger than any CTA's";
  return {};
}

}  // namespace

GridPlan plan_grid(const Schedule& schedule, const std::vector<int64_t>& scalars, const GridOptions& options) {
  GridPlan plan;
  if (!schedule.complete) plan.refused = "the schedule was not built";
  else if (scalars.size() != schedule.params.size()) plan.refused = "a value for each parameter is needed";
  else plan.refused = too_large(schedule);
  if (!plan.refused.empty()) return plan;

  Sample sample;
  sample.scalars = scalars;
  plan.grid = 1;
  for (const TileSpace& space : schedule.tile_spaces) {
    int64_t tiles = 1;
    for (ExprId extent : space.extents)
      tiles = std::min(tiles * std::clamp<int64_t>(evaluate(schedule, extent, sample).value_or(1), 0, int64_t{1} << 20),
                       int64_t{1} << 31);
    plan.tiles = std::max(plan.tiles, tiles);
    int64_t grid = std::min(plan.tiles, options.resident);
    if (space.grid != kNone) grid = evaluate(schedule, space.grid, sample).value_or(1);
    plan.grid = std::clamp<int64_t>(grid, plan.grid, int64_t{1} << 20);
  }
  sample.grid = plan.grid;
  const Trace trace = expand(schedule, sample, options.step_limit, options.stop);
  plan.work = work(schedule, trace) * static_cast<double>(plan.grid);
  if (trace.truncated) {
    plan.refused = "one CTA takes more than " + std::to_string(options.step_limit) + " steps";
  } else if (plan.work > options.work_limit) {
    plan.refused = "it takes about " + std::to_string(static_cast<int64_t>(plan.work / 1e6)) + " million operations, and at most " +
                   std::to_string(static_cast<int64_t>(options.work_limit / 1e6)) + " million are done";
  }
  return plan;
}

GridRun simulate_grid(const Schedule& schedule, const std::vector<int64_t>& scalars, std::vector<GlobalTensor>& tensors,
                      const GridOptions& options) {
  GridRun run;
  const GridPlan plan = plan_grid(schedule, scalars, options);
  run.refused = plan.refused;
  run.tiles = plan.tiles;
  run.grid = plan.grid;
  if (run.refused.empty() && tensors.size() != schedule.params.size()) run.refused = "a tensor for each parameter is needed";
  for (size_t p = 0; run.refused.empty() && p < schedule.params.size(); ++p) {
    const Parameter& parameter = schedule.params[p];
    if (parameter.kind == ParamKind::tensor_map && static_cast<int>(tensors[p].shape.size()) != parameter.rank)
      run.refused = "`" + parameter.name + "` needs a tensor of " + std::to_string(parameter.rank) + " dimensions";
  }
  if (!run.refused.empty()) return run;

  run.written.resize(schedule.params.size());
  for (const Op& op : schedule.ops)
    if (op.code == OpCode::tma_store) run.written[op.param].assign(static_cast<size_t>(tensors[op.param].storage()), -1);

  Sample sample;
  sample.scalars = scalars;
  sample.grid = run.grid;
  std::set<std::tuple<Observed, Index, Index, Index>> seen;
  for (int64_t cta = 0; cta < run.grid; ++cta) {
    if (options.stop.stop_requested()) run.stopped = true;
    if (run.stopped) return run;
    if (options.progress) options.progress(cta, run.grid);
    sample.cta = cta;
    const Trace trace = expand(schedule, sample, options.step_limit, options.stop);
    if (trace.truncated) {
      run.refused = "one CTA takes more than " + std::to_string(options.step_limit) + " steps";
      return run;
    }
    run.steps += trace.step_count;
    for (const TraceProblem& problem : trace.problems)
      if (std::none_of(run.problems.begin(), run.problems.end(),
                       [&](const TraceProblem& p) { return p.op == problem.op && p.kind == problem.kind; }))
        run.problems.push_back(problem);
    Cta observer(schedule, trace, sample, tensors, run, options.stop);
    MachineOptions machine;
    machine.observer = &observer;
    machine.stop = options.stop;
    MachineRun done = bakery::run(schedule, trace, machine);
    run.stuck |= done.stuck;
    run.stopped |= done.stopped || trace.stopped;
    for (Observation& observation : done.observations) {
      if (!seen.insert({observation.kind, observation.subject.op, observation.other.op, observation.barrier}).second) continue;
      std::vector<LoopValue> at = loop_values(schedule, trace, observation.subject.iteration);
      run.observations.push_back({std::move(observation), cta, std::move(at)});
    }
  }
  return run;
}

}  // namespace bakery
