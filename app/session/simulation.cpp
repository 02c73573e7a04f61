// SPDX-License-Identifier: Apache-2.0
#include "app/session/simulation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "core_ir/machine/values.h"

namespace bakery {
namespace {

constexpr int64_t kMaxSimulatedBytes = int64_t{256} << 20;  // of one shape's tensors
constexpr double kMaxSimulatedWork = 6e10;                  // of all shapes together; some seconds each 1e10
constexpr size_t kShownMismatches = 8;

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string element(const std::string& tensor, const std::vector<int64_t>& index) {
  std::string text = tensor + "[";
  for (size_t d = 0; d < index.size(); ++d) text += (d == 0 ? "" : ", ") + std::to_string(index[d]);
  return text + "]";
}

std::string loops(const std::vector<LoopValue>& values) {
  std::string text;
  for (const LoopValue& value : values) text += (text.empty() ? "" : ", ") + value.name + "=" + std::to_string(value.value);
  return text;
}

const char* words(Observed kind) {
  switch (kind) {
    case Observed::never_produced: return "waits for a completion that is never produced";
    case Observed::deadlock: return "waits in a deadlock";
    case Observed::over_arrival: return "arrives once too often";
    case Observed::lapped_waiter: return "can be lapped in its wait";
    case Observed::unawaited: return "leaves completions unawaited";
    case Observed::under_arrival: return "leaves a completion begun but not complete";
    case Observed::read_before_write: return "can read before the write";
    case Observed::overwrite_in_use: return "can overwrite what is still read";
    case Observed::write_conflict: return "writes what another write is not ordered with";
    case Observed::missing_fence: return "accesses ordinary writes without a proxy fence";
    case Observed::uninitialised: return "reads what nothing has written";
    case Observed::register_in_flight: return "touches an accumulator in flight";
  }
  return "";
}

class Simulation {
 public:
  Simulation(const Analysis& analysis, const Contract& contract, std::stop_token stop)
      : analysis_(analysis), schedule_(analysis.schedule), contract_(contract) {
    options_.stop = std::move(stop);
  }

  SimulationResult run(const SimulationProgress& progress) {
    if (!schedule_.complete) {
      error(0, 0, "the schedule has errors and was not built; `bakery check` lists them");
      return std::move(result_);
    }
    bind();
    tunables();
    if (result_.errors.empty())
      for (const ShapeRow& row : contract_.shapes) {
        if (result_.errors.size() < 10 && work_ <= kMaxSimulatedWork && !options_.stop.stop_requested()) admit(row);
      }
    if (!result_.errors.empty()) return std::move(result_);
    for (size_t i = 0; i < contract_.shapes.size() && !result_.stopped; ++i) {
      if (progress) progress(i, contract_.shapes.size(), contract_.text(contract_.shapes[i]));
      shape(contract_.shapes[i]);
    }
    if (result_.stopped) return std::move(result_);
    for (const Seen& seen : seen_) {
      Finding finding = seen.finding;
      if (seen.shapes > 1) finding.message += ", and at " + std::to_string(seen.shapes - 1) + " more of " + std::to_string(result_.shapes.size()) + " shapes";
      result_.findings.push_back(std::move(finding));
    }
    return std::move(result_);
  }

 private:
  struct Seen {
    Finding finding;
    Index op;
    int shapes;
  };

  void error(uint32_t line, uint32_t column, std::string message) {
    if (result_.errors.size() < 100) result_.errors.push_back({line, column, std::move(message)});
  }

  // Every parameter of the schedule is a tensor or a scalar of the contract.
  void bind() {
    for (const Parameter& parameter : schedule_.params) {
      if (parameter.kind == ParamKind::tensor_map) {
        const TensorSpec* spec = contract_.tensor(parameter.name);
        if (!spec) {
          error(0, 0, "the schedule's tensor `" + parameter.name + "` has no `[tensors." + parameter.name + "]` in the contract");
        } else {
          if (static_cast<int>(spec->shape.size()) != parameter.rank)
            error(spec->line, spec->column, "`" + spec->name + "` has " + std::to_string(spec->shape.size()) + " dimensions here and " +
                                                std::to_string(parameter.rank) + " in the schedule");
        }
      } else if (scalar_index(parameter.name) < 0) {
        error(0, 0, "the schedule's scalar `" + parameter.name + "` has no list in `[shapes]`");
      }
    }
    for (const TensorSpec& spec : contract_.tensors)
      if (std::none_of(schedule_.params.begin(), schedule_.params.end(), [&](const Parameter& p) { return p.name == spec.name && p.kind == ParamKind::tensor_map; }))
        error(spec.line, spec.column, "the schedule has no tensor parameter `" + spec.name + "`");
  }

  void tunables() {
    for (const TunableLimit& limit : contract_.tunables) {
      const auto tunable = std::find_if(schedule_.tunables.begin(), schedule_.tunables.end(), [&](const Tunable& t) { return t.name == limit.name; });
      if (tunable == schedule_.tunables.end())
        error(limit.line, limit.column, "the schedule has no tunable `" + limit.name + "`");
      else if (std::find(limit.values.begin(), limit.values.end(), tunable->value) == limit.values.end())
        error(limit.line, limit.column, "the schedule's `" + limit.name + "` is " + std::to_string(tunable->value) + ", which the contract does not allow");
    }
  }

  ptrdiff_t scalar_index(const std::string& name) const {
    const auto found = std::find(contract_.parameters.begin(), contract_.parameters.end(), name);
    return found == contract_.parameters.end() ? -1 : found - contract_.parameters.begin();
  }

  std::vector<int64_t> scalars(const ShapeRow& row) const {
    std::vector<int64_t> values;
    for (const Parameter& parameter : schedule_.params)
      values.push_back(parameter.kind == ParamKind::scalar ? row.values[static_cast<size_t>(scalar_index(parameter.name))] : 0);
    return values;
  }

  // Whether the shape is inside of the schedule's domain, legal for tensor maps, and small enough.
  void admit(const ShapeRow& row) {
    const std::string text = contract_.text(row);
    Sample sample;
    sample.scalars = scalars(row);
    for (const Assumption& assumption : schedule_.assumptions)
      if (evaluate(schedule_, assumption.condition, sample).value_or(1) == 0)
        return error(row.line, row.column, text + " breaks the schedule's `lm.assume(" + assumption.text + ")`; choose another shape");
    for (const TensorSpec& spec : contract_.tensors) {
      const std::vector<int64_t> strides = contract_.strides(spec, row);
      if (strides.back() != 1) return error(spec.line, spec.column, "the innermost stride of a tensor map is 1");
      for (size_t d = 0; d + 1 < strides.size(); ++d)
        if (strides[d] * info(spec.dtype).bytes % 16 != 0)
          return error(row.line, row.column, "the outer strides of a tensor map are multiples of 16 bytes; `" + spec.name + "` has one of " +
                                                 std::to_string(strides[d] * info(spec.dtype).bytes) + " at " + text);
    }
    if (contract_.tensor_bytes(row) > kMaxSimulatedBytes)
      return error(row.line, row.column, text + " is too large for the reference machine: its tensors take more than " +
                                             std::to_string(kMaxSimulatedBytes >> 20) + " MiB; use a smaller shape, or `bakery run` on a device");
    const GridPlan plan = plan_grid(schedule_, sample.scalars, options_);
    work_ += plan.work;
    if (!plan.refused.empty())
      return error(row.line, row.column, text + " is too large for the reference machine: " + plan.refused +
                                             "; use a smaller shape, or `bakery run` on a device");
    if (work_ > kMaxSimulatedWork && result_.errors.empty())
      error(row.line, row.column, "the shapes up to here are too much for the reference machine; list fewer or smaller ones");
  }

  void shape(const ShapeRow& row) {
    const auto begin = std::chrono::steady_clock::now();
    ShapeResult shape;
    shape.text = contract_.text(row);
    for (size_t p = 0; p < contract_.parameters.size(); ++p) shape.scalars.emplace_back(contract_.parameters[p], row.values[p]);

    std::vector<GlobalTensor> tensors;
    for (const Parameter& parameter : schedule_.params)
      tensors.push_back(parameter.kind == ParamKind::tensor_map ? make_tensor(contract_, *contract_.tensor(parameter.name), row) : GlobalTensor{});
    std::vector<OracleTensor> operands = oracle(row, tensors);
    if (!result_.errors.empty()) return;

    const GridRun grid = simulate_grid(schedule_, scalars(row), tensors, options_);
    if (grid.stopped || options_.stop.stop_requested()) {
      result_.stopped = true;
      return;
    }
    shape.tiles = grid.tiles;
    shape.ctas = grid.grid;
    shape.steps = grid.steps;
    shape.stuck = grid.stuck;
    observations(grid, shape);
    for (size_t i = 0; i < operands.size(); ++i) {
      const OracleParameter& operand = contract_.oracle->parameters[i];
      if (!operand.output) continue;
      compare(operand.name, operands[i], tensors[parameter_index(operand.name)], grid, shape);
    }
    shape.correct = shape.mismatches == 0 && !shape.stuck;
    shape.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    result_.shapes.push_back(std::move(shape));
  }

  size_t parameter_index(std::string_view name) const {
    size_t p = 0;
    while (schedule_.params[p].name != name) ++p;
    return p;
  }

  // What must come out, from the values that the inputs hold after rounding to their type.
  std::vector<OracleTensor> oracle(const ShapeRow& row, const std::vector<GlobalTensor>& tensors) {
    std::vector<OracleTensor> operands;
    for (const OracleParameter& operand : contract_.oracle->parameters) {
      const GlobalTensor& tensor = tensors[parameter_index(operand.name)];
      OracleTensor& values = operands.emplace_back();
      values.shape = tensor.shape;
      if (operand.output) continue;
      values.values.resize(static_cast<size_t>(tensor.elements()));
      for (size_t i = 0; i < values.values.size(); ++i) values.values[i] = tensor.get(tensor.offset(static_cast<int64_t>(i)));
    }
    const std::string problem = contract_.oracle->compute(operands);
    if (!problem.empty())
      error(row.line, row.column, "oracle `" + std::string(contract_.oracle->name) + "` does not take " + contract_.text(row) + ": " + problem);
    return operands;
  }

  // The first operation with the same place in the source: unrolled and inlined copies share their finding.
  Index first_at(Index op) const {
    Index first = 0;
    while (schedule_.ops[first].span != schedule_.ops[op].span) ++first;
    return first;
  }

  void compare(const std::string& name, const OracleTensor& expected, const GlobalTensor& got, const GridRun& grid, ShapeResult& shape) {
    const Index param = static_cast<Index>(parameter_index(name));
    const std::vector<int32_t>& written = grid.written[param];
    struct Tally {
      int64_t count = 0;
      ValueMismatch first;
    };
    std::vector<std::pair<Index, Tally>> wrong;  // by the operation that wrote it; kNone: nothing did
    std::vector<int32_t> shown;
    int64_t checked = 0;
    for (size_t i = 0; i < expected.values.size(); ++i) {
      ++checked;
      const int64_t offset = got.offset(static_cast<int64_t>(i));
      const int32_t writer = written.empty() ? -1 : written[static_cast<size_t>(offset)];
      const double want = expected.values[i], have = got.get(offset), difference = std::fabs(have - want);
      if (writer >= 0 && !std::isnan(difference)) {
        shape.max_abs_error = std::max(shape.max_abs_error, difference);
        if (std::fabs(want) > contract_.atol) shape.max_rel_error = std::max(shape.max_rel_error, difference / std::fabs(want));
      }
      // Also false for NaN.
      if (writer >= 0 && difference <= contract_.atol + contract_.rtol * std::fabs(want)) continue;
      ++shape.mismatches;
      shape.unwritten += writer < 0;
      ValueMismatch mismatch{name, got.index(static_cast<int64_t>(i)), want, have, writer >= 0};
      if (writer >= 0) {
        const Writer& by = grid.writers[static_cast<size_t>(writer)];
        mismatch.cta = by.cta;
        mismatch.role = schedule_.roles[by.role].name;
        mismatch.op = first_at(by.op);
        mismatch.tile = by.iteration;
      }
      auto tally = std::find_if(wrong.begin(), wrong.end(), [&](const auto& t) { return t.first == mismatch.op; });
      if (tally == wrong.end()) tally = wrong.insert(wrong.end(), {mismatch.op, {0, mismatch}});
      ++tally->second.count;
      if (shape.first.size() < kShownMismatches && std::count(shown.begin(), shown.end(), writer) < 2) {
        shown.push_back(writer);
        shape.first.push_back(std::move(mismatch));
      }
    }
    shape.checked += checked;
    for (const auto& [op, tally] : wrong) {
      if (op == kNone && grid.stuck) continue;  // it follows from being stuck
      const std::string text = "`" + element(name, tally.first.index) + "`";
      if (op == kNone) {
        never_written(param, text, tally.count, checked, shape);
      } else {
        different(op, tally.first, text, tally.count, checked, shape);
      }
    }
  }

  Finding& found(const char* id, Index op, std::string message) {
    for (Seen& seen : seen_) {
      if (seen.finding.id != id || seen.op != op) continue;
      ++seen.shapes;
      scratch_ = {};
      return scratch_;  // the first shape's story is told
    }
    const Rule& rule = *find_numerical_rule(id);
    Finding finding;
    finding.id = id;
    finding.gate = rule.gate;
    finding.severity = rule.severity;
    finding.confidence = rule.confidence;
    finding.version = rule.version;
    finding.contract = rule.contract;
    finding.message = std::move(message);
    seen_.push_back({std::move(finding), op, 1});
    return seen_.back().finding;
  }

  void different(Index op_index, const ValueMismatch& first, const std::string& text, int64_t count, int64_t checked, const ShapeResult& shape) {
    const Op& op = schedule_.ops[op_index];
    const double allowed = contract_.atol + contract_.rtol * std::fabs(first.expected);
    Finding& finding = found("NUM-001", op_index,
                             text + " is " + number(first.got) + " where the oracle has " + number(first.expected) + "; " + std::to_string(count) +
                                 " elements stored here differ, of " + std::to_string(checked) + " in all (" + shape.text + ")");
    finding.span = op.span;
    finding.role = first.role;
    finding.resource = first.tensor;
    for (const LoopValue& value : first.tile) finding.iteration.emplace_back(value.name, value.value);
    finding.expected = number(first.expected) + " within " + number(allowed);
    finding.declared = number(first.got) + ", written by CTA " + std::to_string(first.cta) + (first.tile.empty() ? "" : " at " + loops(first.tile));
    for (const Op& other : schedule_.ops)
      if ((other.code == OpCode::wgmma || other.code == OpCode::tcgen05_mma) && finding.related.size() < 4 &&
          std::none_of(finding.related.begin(), finding.related.end(), [&](const Related& r) { return r.span == other.span; }))
        finding.related.push_back({other.span, schedule_.roles[other.role].name, schedule_.resource_name(other.dst), std::nullopt,
                                   "`" + schedule_.resource_name(other.dst) + "` is accumulated here, `init=" + condition(other.init) + "`"});
  }

  std::string condition(ExprId id) const {
    if (id == kNone) return "False";
    const Expr& e = schedule_.exprs[id];
    return e.kind == ExprKind::constant ? (e.value != 0 ? "True" : "False") : schedule_.text(id);
  }

  void never_written(Index param, const std::string& text, int64_t count, int64_t checked, const ShapeResult& shape) {
    const Parameter& parameter = schedule_.params[param];
    Finding& finding = found("NUM-002", param, text + " is never written; " + std::to_string(count) + " of " + std::to_string(checked) +
                                 " elements are not (" + shape.text + ")");
    finding.span = parameter.span;
    finding.resource = parameter.name;
    finding.expected = "a store that covers it";
    bool first = true;
    for (const Op& op : schedule_.ops) {
      if (op.code != OpCode::tma_store || op.param != param || finding.related.size() >= 8 || op.span == finding.span) continue;
      if (first) {
        finding.span = op.span;
        finding.role = schedule_.roles[op.role].name;
        first = false;
      } else {
        finding.related.push_back({op.span, schedule_.roles[op.role].name, parameter.name, std::nullopt, "`" + parameter.name + "` is also stored here"});
      }
    }
  }

  void observations(const GridRun& grid, ShapeResult& shape) {
    for (const GridObservation& seen : grid.observations) {
      const Observation& o = seen.observation;
      std::string place;
      if (o.barrier != kNone) {
        const Barrier& barrier = schedule_.barriers[o.barrier];
        place = barrier.name + (barrier.count > 1 && o.stage >= 0 ? "[" + std::to_string(o.stage) + "]" : "");
      } else if (o.resource != kNone) {
        place = schedule_.resource_name(Region{.space = o.space, .resource = o.resource});
        if (o.slot >= 0) place += "[" + std::to_string(o.slot) + "]";
      }
      const std::string role = o.subject.role == kNone ? "" : "`" + schedule_.roles[o.subject.role].name + "` ";
      const std::string line = o.subject.op == kNone ? "" : "line " + std::to_string(analysis_.source.position(schedule_.ops[o.subject.op].span.begin).line) + ": ";
      const std::string at = seen.iteration.empty() ? "" : " at " + loops(seen.iteration);
      std::string text = line + role + words(o.kind);
      if (!place.empty()) text += " (`" + place + "`)";
      text += at + ", CTA " + std::to_string(seen.cta);
      if (shape.observations.size() < 50) shape.observations.push_back(text);
      if (o.kind != Observed::never_produced && o.kind != Observed::deadlock) continue;
      Finding& finding = found("NUM-003", o.subject.op == kNone ? kNone : first_at(o.subject.op),
                               role + "is stuck: it waits for completion " + std::to_string(o.completion) + " of `" + place + "`" + at + ", CTA " +
                                   std::to_string(seen.cta) + " (" + shape.text + ")");
      if (o.subject.op != kNone) finding.span = schedule_.ops[o.subject.op].span;
      if (o.subject.role != kNone) finding.role = schedule_.roles[o.subject.role].name;
      if (o.barrier != kNone) finding.resource = schedule_.barriers[o.barrier].name;
      if (o.stage >= 0) finding.stage = o.stage;
      finding.completion = o.completion;
      for (const LoopValue& value : seen.iteration) finding.iteration.emplace_back(value.name, value.value);
      finding.expected = std::to_string(o.expected) + " arrivals";
      finding.declared = std::to_string(o.arrived) + " arrivals";
      for (const Party& party : o.cycle)
        if (party.op != o.subject.op && party.role != kNone)
          finding.related.push_back({schedule_.ops[party.op].span, schedule_.roles[party.role].name, {}, std::nullopt,
                                     "`" + schedule_.roles[party.role].name + "` waits here"});
    }
    for (const TraceProblem& problem : grid.problems) {
      const std::string line = "line " + std::to_string(analysis_.source.position(schedule_.ops[problem.op].span.begin).line) + ": ";
      shape.observations.push_back(line + (problem.kind == TraceProblem::negative_use ? "a slot before the first use" : "a stage that does not exist") +
                                   ": " + std::to_string(problem.value) + " of " + std::to_string(problem.limit));
    }
  }

  const Analysis& analysis_;
  const Schedule& schedule_;
  const Contract& contract_;
  GridOptions options_;
  SimulationResult result_;
  std::vector<Seen> seen_;
  Finding scratch_;
  double work_ = 0;
};

}  // namespace

bool SimulationResult::agrees() const {
  return errors.empty() && !stopped && !shapes.empty() &&
         std::all_of(shapes.begin(), shapes.end(), [](const ShapeResult& shape) { return shape.correct; });
}

SimulationResult simulate(const Analysis& analysis, const Contract& contract, std::stop_token stop, const SimulationProgress& progress) {
  return Simulation(analysis, contract, std::move(stop)).run(progress);
}

}  // namespace bakery
