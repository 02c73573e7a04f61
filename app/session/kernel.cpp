// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include "checks/seal.h"
#include "lowering/compiler_log.h"
#include "lowering/lower.h"

namespace bakery {
namespace {

using Json = nlohmann::ordered_json;

Span line_of(const Analysis& analysis, uint32_t line) {
  const Span whole = analysis.source.line_span(line);
  const std::string_view text = analysis.source.slice(whole);
  const size_t first = text.find_first_not_of(" \t");
  return {static_cast<uint32_t>(whole.begin + (first == std::string_view::npos ? 0 : first)), whole.end};
}

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

Finding numerical(const char* id, const char* contract, std::string message, Span span) {
  Finding finding;
  finding.id = id;
  finding.gate = Gate::numerical;
  finding.severity = Severity::error;
  finding.confidence = Confidence::refuted;
  finding.contract = contract;
  finding.message = std::move(message);
  finding.span = span;
  return finding;
}

// The operation that stores an output tensor.
const Op* store_of(const Schedule& schedule, const std::string& tensor) {
  for (const Op& op : schedule.ops)
    if (op.param != kNone && op.a.space == Space::shared && schedule.params[op.param].name == tensor) return &op;
  return nullptr;
}

// The CTA that computes a tile, -1: unknown.
int64_t cta_of(const Schedule& schedule, const Sample& sample, const std::vector<int64_t>& tile, int grid) {
  if (schedule.tile_spaces.size() != 1 || grid <= 0) return -1;
  const TileSpace& space = schedule.tile_spaces[0];
  std::vector<int64_t> extents;
  int64_t count = 1;
  for (ExprId extent : space.extents) {
    extents.push_back(evaluate(schedule, extent, sample).value_or(0));
    count *= extents.back();
  }
  if (extents.size() != tile.size() || count > (int64_t{1} << 22)) return -1;
  for (int64_t t = 0; t < count; ++t)
    if (tile_coordinates(space, extents, t) == tile) return t % grid;
  return -1;
}

void mismatch_findings(const Analysis& analysis, const Sample& sample, KernelRun& out) {
  for (const OutputCheck& check : out.run.outputs) {
    if (check.correct()) continue;
    const Op* op = store_of(analysis.schedule, check.name);
    const Span span = op ? op->span : analysis.schedule.name_span;
    const bool only_unwritten = check.unwritten == check.mismatches && check.mismatches > 0;
    Finding finding = numerical(only_unwritten ? "NUM-002" : "NUM-001",
                                only_unwritten ? "every element of an output is written" : "every output agrees with the oracle within the contract's tolerance",
                                "", span);
    finding.message = check.mismatches > 0 ? std::to_string(check.mismatches) + " of " + std::to_string(check.elements) + " elements of `" + check.name + "` " +
                                                 (only_unwritten ? "were never written" : "differ from the oracle") + " with " + out.shape
                                           : std::to_string(check.outside_bytes) + " bytes around `" + check.name + "` were overwritten with " + out.shape;
    finding.resource = check.name;
    if (op) finding.role = analysis.schedule.roles[op->role].name;
    if (!check.first.empty()) {
      const Mismatch& first = check.first.front();
      finding.expected = element(check.name, first.index) + " = " + number(first.expected);
      finding.declared = first.unwritten ? "never written" : number(first.got);
      for (const Mismatch& m : check.first) {
        std::string tile;
        for (int64_t t : m.tile) tile += (tile.empty() ? "" : ", ") + std::to_string(t);
        const int64_t cta = cta_of(analysis.schedule, sample, m.tile, out.run.launch.grid);
        finding.related.push_back({span, finding.role, check.name, {},
                                   element(check.name, m.index) + ": expected " + number(m.expected) + ", got " + (m.unwritten ? "nothing" : number(m.got)) +
                                       (tile.empty() ? "" : ", in tile (" + tile + ")") + (cta < 0 ? "" : " of CTA " + std::to_string(cta))});
      }
    }
    out.findings.push_back(std::move(finding));
  }
}

struct Foretold {
  const Finding* finding = nullptr;
  bool other_side = false;  // it is about the opposite barrier of the hand-off
};

bool is_about(const Finding& finding, const std::string& barrier) {
  return finding.resource == barrier ||
         std::any_of(finding.related.begin(), finding.related.end(), [&](const Related& r) { return r.resource == barrier; });
}

bool share(const std::vector<Index>& a, const std::vector<Index>& b) {
  return std::any_of(a.begin(), a.end(), [&](Index role) { return std::find(b.begin(), b.end(), role) != b.end(); });
}

// The static finding that foretold a stuck wait: of the same barrier, else of the opposite one of its
// hand-off, which its producers wait for and its consumers complete.
Foretold foretold(const Analysis& analysis, const std::string& barrier, const std::string& role) {
  for (const Finding& f : analysis.findings)
    if (f.severity == Severity::error && f.resource == barrier && f.role == role) return {&f};
  const auto concerns_runs = [](const Finding& f) {
    return f.severity == Severity::error && (f.gate == Gate::safety || f.gate == Gate::data || f.gate == Gate::schedule);
  };
  for (const Finding& f : analysis.findings)
    if (concerns_runs(f) && is_about(f, barrier)) return {&f};
  const std::vector<Barrier>& barriers = analysis.schedule.barriers;
  const auto stuck = std::find_if(barriers.begin(), barriers.end(), [&](const Barrier& b) { return b.name == barrier; });
  if (stuck == barriers.end()) return {};
  for (const Finding& f : analysis.findings)
    for (const Barrier& b : barriers)
      if (concerns_runs(f) && is_about(f, b.name) && share(b.producers, stuck->consumers) && share(b.consumers, stuck->producers)) return {&f, true};
  return {};
}

// Loop values of the wait that a warp was stuck in: the same wait in the trace of its CTA.
std::vector<std::pair<std::string, int64_t>> iteration_of(const Analysis& analysis, Sample sample, int grid, const HangRecord& record) {
  const Schedule& schedule = analysis.schedule;
  if (record.role < 0 || record.role >= static_cast<int>(schedule.roles.size()) || record.barrier < 0 || record.barrier >= static_cast<int>(schedule.barriers.size())) return {};
  constexpr size_t kMaxSteps = 4000000;
  sample.cta = record.cta;
  sample.grid = std::max(1, grid);
  const Trace trace = expand(schedule, sample, kMaxSteps);
  int64_t awaits = schedule.barriers[record.barrier].free ? -1 : 0;
  for (const Step& step : trace.roles[record.role].steps) {
    const Op& op = schedule.ops[step.op];
    if (op.barrier != static_cast<Index>(record.barrier) || step.stage != static_cast<int32_t>(record.stage) || operation(op.code).barrier != BarrierAction::wait) continue;
    if (++awaits < static_cast<int64_t>(record.completion)) continue;
    std::vector<std::pair<std::string, int64_t>> values;
    for (uint32_t at = step.iteration; at != 0; at = trace.iterations[at].parent)
      values.emplace_back(schedule.symbols[trace.iterations[at].symbol].name, trace.iterations[at].value);
    std::reverse(values.begin(), values.end());
    return values;
  }
  return {};
}

void hang_finding(const Analysis& analysis, const Sample& sample, const LoweredKernel& kernel, KernelRun& out) {
  // One line a stuck (role, barrier, stage, completion); many warps and CTAs share it.
  struct Stuck {
    HangRecord record;
    int warps = 0;
    std::vector<uint32_t> ctas;
  };
  std::vector<Stuck> stuck;
  for (const HangRecord& record : out.run.hangs) {
    const auto same = std::find_if(stuck.begin(), stuck.end(), [&](const Stuck& s) {
      return s.record.role == record.role && s.record.barrier == record.barrier && s.record.stage == record.stage && s.record.completion == record.completion;
    });
    Stuck& entry = same == stuck.end() ? stuck.emplace_back(Stuck{record, 0, {}}) : *same;
    ++entry.warps;
    if (std::find(entry.ctas.begin(), entry.ctas.end(), record.cta) == entry.ctas.end()) entry.ctas.push_back(record.cta);
  }
  std::stable_sort(stuck.begin(), stuck.end(), [](const Stuck& a, const Stuck& b) { return a.record.role < b.record.role; });
  if (stuck.empty()) {
    out.findings.push_back(numerical("NUM-003", "a kernel ends", "the kernel did not end within its time, and no wait filed a record, with " + out.shape,
                                     analysis.schedule.name_span));
    return;
  }
  const auto barrier_text = [&](const HangRecord& r) {
    const bool staged = r.barrier >= 0 && r.barrier < static_cast<int>(kernel.lowered.manifest.barriers.size()) && kernel.lowered.manifest.barriers[r.barrier].stages > 1;
    return r.barrier_name + (staged ? "[" + std::to_string(r.stage) + "]" : "");
  };
  for (const Stuck& entry : stuck) {
    const HangRecord& r = entry.record;
    if (std::any_of(out.findings.begin(), out.findings.end(), [&](const Finding& f) { return f.role == r.role_name && f.resource == r.barrier_name; })) continue;
    Finding finding = numerical("NUM-003", "every wait is released", "", line_of(analysis, r.line));
    finding.iteration = iteration_of(analysis, sample, out.run.launch.grid, r);
    std::string where;
    for (const auto& [name, value] : finding.iteration) where += (where.empty() ? " at " : ", ") + name + "=" + std::to_string(value);
    finding.message = "`" + r.role_name + "` hung on the device: it waits for completion " + std::to_string(r.completion) + " of `" + barrier_text(r) + "`" + where +
                      (where.empty() ? "" : " in CTA " + std::to_string(r.cta)) + "; " +
                      std::to_string(entry.warps) + (entry.warps == 1 ? " warp" : " warps") + " in " + std::to_string(entry.ctas.size()) +
                      (entry.ctas.size() == 1 ? " CTA" : " CTAs") + ", with " + out.shape;
    finding.role = r.role_name;
    finding.resource = r.barrier_name;
    finding.stage = static_cast<int>(r.stage);
    finding.completion = r.completion;
    for (const Stuck& other : stuck) {
      if (&other == &entry) continue;
      finding.related.push_back({line_of(analysis, other.record.line), other.record.role_name, other.record.barrier_name, static_cast<int>(other.record.stage),
                                 "`" + other.record.role_name + "` waits for completion " + std::to_string(other.record.completion) + " of `" + barrier_text(other.record) + "` meanwhile"});
    }
    if (const auto [cause, other_side] = foretold(analysis, r.barrier_name, r.role_name); cause) {
      finding.expected = (other_side ? "the other side: as " : "as ") + cause->id + " said before the run: " + cause->message;
      finding.related.push_back({cause->span, cause->role, cause->resource, cause->stage, cause->id + (other_side ? " foretold it of the other side" : " foretold it")});
    }
    out.findings.push_back(std::move(finding));
  }
}

// Extents of one output tile: the boxes that its tensor maps store, and the loop coordinates that move them.
std::vector<int64_t> tile_extents(const Analysis& analysis, const std::string& tensor) {
  const Schedule& s = analysis.schedule;
  const Op* op = store_of(s, tensor);
  if (!op) return {};
  std::vector<int64_t> extents;
  // A coordinate m * BM + …: the factor of the tile loop's variable is the tile's extent.
  for (size_t d = op->coords.size(); d-- > 0;) {
    int64_t factor = 0;
    std::vector<ExprId> open = {op->coords[d]};
    while (!open.empty()) {
      const Expr& e = s.exprs[open.back()];
      open.pop_back();
      if (e.kind == ExprKind::mul && s.exprs[e.b].kind == ExprKind::constant && s.exprs[e.a].kind == ExprKind::symbol) factor = std::max(factor, s.exprs[e.b].value);
      else if (e.kind == ExprKind::add) open.insert(open.end(), {e.a, e.b});
    }
    if (factor == 0) return {};
    extents.push_back(factor);
  }
  return extents;
}

}  // namespace

LoweredKernel make_kernel(const Analysis& analysis, const KernelOptions& options) {
  LoweredKernel kernel;
  const auto checked = seal({analysis.schedule, analysis.source, analysis.target, analysis.hash, analysis.findings, options.unchecked}, &kernel.findings);
  if (!checked) return kernel;
  LowerResult result = lower(*checked, {options.bounded_waits});
  kernel.findings = std::move(result.findings);
  kernel.lowered = std::move(result.lowered);
  kernel.lowered_ok = kernel.findings.empty();
  kernel.code_hash = content_hash(kernel.lowered.cuda);
  return kernel;
}

// CUDA programming guide, compute capabilities: per SM 65536 registers; shared memory with 1 KiB of
// the system's a CTA; registers are given to warps in units of 256.
Occupancy occupancy(const Target& target, int threads, int registers, int64_t shared_bytes, int64_t tensor_columns) {
  Occupancy result;
  const bool consumer = target.id == TargetId::sm_89 || target.id == TargetId::sm_120a || target.id == TargetId::sm_121a;
  result.shared_per_sm = consumer ? 102400 : target.id == TargetId::sm_80 ? 167936 : 233472;
  const int threads_per_sm = consumer ? 1536 : 2048;
  const int warps = (threads + 31) / 32;
  const int per_warp = (std::max(1, registers) * 32 + 255) / 256 * 256;
  const std::pair<int64_t, const char*> limits[] = {
      {result.shared_per_sm / std::max<int64_t>(1, shared_bytes + 1024), "shared memory"},
      {65536 / per_warp / std::max(1, warps), "registers"},
      {threads_per_sm / std::max(1, threads), "threads"},
      {tensor_columns > 0 ? target.tmem_columns / tensor_columns : 32, "tensor memory"},
  };
  const auto least = std::min_element(std::begin(limits), std::end(limits), [](const auto& a, const auto& b) { return a.first < b.first; });
  result.ctas_per_sm = static_cast<int>(least->first);
  result.limit = least->second;
  return result;
}

CompiledKernel compile_kernel(WorkerClient& worker, const Analysis& analysis, const LoweredKernel& kernel, const CallOptions& options) {
  CompiledKernel out;
  CompileRequest request;
  request.cuda = kernel.lowered.cuda;
  request.file = analysis.schedule.name + ".cu";
  request.target = kernel.lowered.manifest.target;
  request.options = {"-std=c++17", "-lineinfo", "--ptxas-options=-v", "--ptxas-options=--warn-on-spills", "--ptxas-options=--warn-on-local-memory-usage"};
  auto reply = worker.compile(request, options);
  out.status = std::move(reply.status);
  out.answer = std::move(reply.value);
  if (!out.status.ok()) return out;
  const CompilerLog log = read_compiler_log(out.answer.log, out.answer.ptx, analysis.source.name());
  const auto report = [&](const char* id, Severity severity, std::string message, uint32_t line) -> Finding& {
    Finding finding;
    finding.id = id;
    finding.gate = severity == Severity::error ? Gate::hardware : Gate::performance;
    finding.severity = severity;
    finding.message = std::move(message);
    finding.span = line == 0 ? analysis.schedule.name_span : line_of(analysis, line);
    finding.resource = analysis.schedule.name;
    out.findings.push_back(std::move(finding));
    return out.findings.back();
  };
  for (const CompilerMessage& message : log.messages) {
    // A line of the generated file leads to its schedule line by the map.
    const bool ours = message.file == analysis.source.name();
    const uint32_t line = ours ? message.line : kernel.lowered.lines.schedule_line(message.line);
    if (message.level == CompilerMessage::Level::error) {
      report("PTXAS-001", Severity::error, "the compiler refuses the generated code: " + message.text, line).contract = "generated code compiles";
      continue;
    }
    const PtxasRemark* remark = find_remark(message.code);
    if (!remark) continue;
    Finding& finding = report("PTXAS-002", Severity::review, message.code + ": " + remark->consequence, line);
    finding.contract = "the compiler keeps what the schedule decides";
    finding.expected = remark->remedy;
    finding.declared = message.text;
  }
  for (const FunctionResources& function : log.functions) {
    if (function.name != kernel.lowered.manifest.kernel) continue;
    out.registers = std::max(0, function.registers);
    out.barriers = std::max(0, function.barriers);
    out.spill_stores = function.spill_stores;
    out.spill_loads = function.spill_loads;
    out.stack = function.stack_bytes;
  }
  if (out.spill_stores + out.spill_loads > 0) {
    Finding& finding = report("PTXAS-003", Severity::review, "registers spill: " + std::to_string(out.spill_stores) + " bytes stored, " + std::to_string(out.spill_loads) + " loaded", 0);
    finding.contract = "registers fit the budget";
    finding.expected = "smaller tiles, or a larger register budget of the role that computes";
  }
  int64_t columns = 0;
  for (const Tmem& tmem : analysis.schedule.tmems) columns = std::max(columns, tmem.cols + tmem.width);
  if (analysis.target) out.occupancy = occupancy(*analysis.target, kernel.lowered.manifest.threads, out.registers, kernel.lowered.manifest.shared_bytes, columns);
  return out;
}

int64_t cta_of_tile(const Analysis& analysis, const Contract& contract, const ShapeRow& row, const std::vector<int64_t>& tile, int grid) {
  Sample sample;
  sample.scalars.assign(analysis.schedule.params.size(), 0);
  for (size_t p = 0; p < analysis.schedule.params.size(); ++p)
    for (size_t i = 0; i < contract.parameters.size(); ++i)
      if (contract.parameters[i] == analysis.schedule.params[p].name) sample.scalars[p] = row.values[i];
  return cta_of(analysis.schedule, sample, tile, grid);
}

KernelRun run_kernel(WorkerClient& worker, const Analysis& analysis, const Contract& contract, const ShapeRow& row, const LoweredKernel& kernel,
                     const CompiledKernel& compiled, const RunOptions& options, const CallOptions& call) {
  KernelRun out;
  out.shape = contract.text(row);
  BenchRequest request;
  request.samples = options.samples;
  request.allow_events = options.allow_events;
  RunRequest& run = request.run;
  run.cubin = compiled.answer.cubin;
  run.manifest = kernel.lowered.manifest;
  Sample sample;
  sample.scalars.assign(analysis.schedule.params.size(), 0);
  for (size_t p = 0; p < analysis.schedule.params.size(); ++p)
    for (size_t i = 0; i < contract.parameters.size(); ++i)
      if (contract.parameters[i] == analysis.schedule.params[p].name) {
        sample.scalars[p] = row.values[i];
        run.scalars.emplace_back(contract.parameters[i], row.values[i]);
      }
  for (const TileSpace& space : analysis.schedule.tile_spaces) {
    run.tiles = 1;
    for (ExprId extent : space.extents) run.tiles *= evaluate(analysis.schedule, extent, sample).value_or(1);
  }
  for (const TensorSpec& spec : contract.tensors) {
    RunTensor tensor;
    tensor.name = spec.name;
    tensor.dtype = spec.dtype;
    tensor.shape = contract.shape(spec, row);
    tensor.strides = contract.strides(spec, row);
    tensor.distribution = options.distribution ? *options.distribution : static_cast<InputDistribution>(spec.distribution);
    tensor.seed = spec.seed;
    tensor.output = spec.output;
    if (spec.output) tensor.tile = tile_extents(analysis, spec.name);
    run.tensors.push_back(std::move(tensor));
  }
  run.oracle = contract.oracle ? contract.oracle->name : "";
  run.rtol = contract.rtol;
  run.atol = contract.atol;
  run.timeout_s = options.timeout_s;

  if (options.time) {
    auto reply = worker.bench(request, call);
    out.status = std::move(reply.status);
    out.bench = std::move(reply.value);
    out.run = out.bench.run;
    out.timed = true;
  } else {
    auto reply = worker.run(run, call);
    out.status = std::move(reply.status);
    out.run = std::move(reply.value);
  }
  if (!out.status.ok()) return out;
  switch (out.run.verdict) {
    case RunVerdict::correct: break;
    case RunVerdict::mismatch: mismatch_findings(analysis, sample, out); break;
    case RunVerdict::hang:
    case RunVerdict::timed_out: hang_finding(analysis, sample, kernel, out); break;
    case RunVerdict::failed:
      out.findings.push_back(numerical("NUM-004", "a kernel runs to its end", "the kernel was aborted with " + out.shape + ": " + out.run.failure.message, analysis.schedule.name_span));
      out.findings.back().declared = out.run.failure.call;
      break;
  }
  return out;
}

StoredCandidate candidate_of(const Analysis& analysis, const std::string& author) {
  return {analysis.hash, analysis.schedule.name, analysis.source.name(), analysis.target ? analysis.target->name : "", analysis.source.text(), "", author, 0};
}

StoredRun record_of(const char* kind, const Analysis& analysis, const Contract& contract, const LoweredKernel& kernel, const KernelRun& run) {
  StoredRun out;
  out.kind = kind;
  out.candidate = analysis.hash;
  out.contract_hash = contract.hash;
  out.code_hash = kernel.code_hash;
  out.device = run.run.device.text();
  out.driver = run.run.driver_version;
  out.shape = run.shape;
  out.status = run.status.ok() ? to_string(run.run.verdict) : to_string(run.status.outcome);
  out.ended = now_ms();
  out.started = out.ended - static_cast<int64_t>(run.run.prepare_ms + run.run.run_ms);
  Json detail;
  if (!run.status.ok()) detail["error"] = run.status.message;
  if (!run.run.reference.empty()) detail["reference"] = run.run.reference;
  detail["grid"] = run.run.launch.grid;
  detail["registers"] = run.run.launch.registers;
  if (run.timed) detail["clock"] = run.bench.clock;
  if (kernel.lowered.manifest.bounded_waits) detail["waits"] = "bounded";
  out.detail = detail.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (const Finding& finding : run.findings)
    out.findings.push_back({finding.id, to_string(finding.severity), finding.message, to_json(analysis, finding), static_cast<int>(analysis.source.position(finding.span.begin).line)});
  for (const OutputCheck& check : run.run.outputs) {
    out.figures.push_back({"checked", static_cast<double>(check.elements), "elements"});
    out.figures.push_back({"mismatches", static_cast<double>(check.mismatches), "elements"});
    out.figures.push_back({"max_abs_error", check.max_abs, ""});
  }
  if (run.timed && !run.bench.span_ms.empty()) {
    out.figures.push_back({"span_ms", run.bench.median_ms, "ms"});
    out.figures.push_back({"span_min_ms", run.bench.min_ms, "ms"});
    out.figures.push_back({"spread", run.bench.spread, ""});
  }
  return out;
}

std::string receipt(const Analysis& analysis, const Contract& contract, const ShapeRow& row, const LoweredKernel& kernel, const KernelRun& run, const char* case_name,
                    const std::string& peer, double peer_span_ms, int64_t run_id) {
  Json out;
  out["kind"] = run.timed ? "bench" : "run";
  out["case"] = case_name;
  for (size_t i = 0; i < contract.parameters.size(); ++i) out["shape"][contract.parameters[i]] = row.values[i];
  out["schedule"] = analysis.source.name();
  out["schedule_hash"] = analysis.hash;
  out["contract_hash"] = contract.hash;
  out["code_hash"] = kernel.code_hash;
  out["device"] = run.run.device.name;
  out["driver"] = run.run.driver_version;
  out["run"] = run_id;
  out["correct"] = run.correct();
  int64_t checked = 0, mismatches = 0;
  double max_abs = 0;
  for (const OutputCheck& check : run.run.outputs) {
    checked += check.elements;
    mismatches += check.mismatches;
    max_abs = std::max(max_abs, check.max_abs);
  }
  out["checked"] = checked;
  out["mismatches"] = mismatches;
  out["max_abs_error"] = max_abs;
  out["reference"] = run.run.reference;
  if (run.timed) {
    out["clock"] = run.bench.clock;
    out["samples"] = run.bench.span_ms.size();
    out["span_ms"] = run.bench.median_ms;
    out["span_min_ms"] = run.bench.min_ms;
    out["spread"] = run.bench.spread;
    if (!run.bench.sm_mhz.empty()) out["sm_mhz"] = *std::max_element(run.bench.sm_mhz.begin(), run.bench.sm_mhz.end());
  }
  if (!peer.empty()) {
    out["peer"] = peer;
    out["peer_span_ms"] = peer_span_ms;
    if (run.timed && run.bench.median_ms > 0) out["ratio"] = peer_span_ms / run.bench.median_ms;
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace bakery
