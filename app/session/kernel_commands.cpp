// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_commands.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/session/contract_run.h"
#include "app/session/doctor.h"
#include "app/session/kernel.h"
#include "app/session/suite.h"
#include "app/session/waves.h"
#include "profiler/worker.h"

namespace bakery {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string fixed(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

// The analysis with the findings of later steps in place of its own.
std::shared_ptr<Analysis> with_findings(const Analysis& analysis, std::vector<Finding> findings) {
  auto copy = std::make_shared<Analysis>(analysis);
  copy->findings = std::move(findings);
  copy->verdict = copy->count(Severity::error) > 0 ? Verdict::rejected : Verdict::accepted;
  return copy;
}

CommandResult rejected(const CommandCall& call, const Analysis& analysis, std::vector<Finding> findings) {
  const auto shown = with_findings(analysis, std::move(findings));
  return {kRejected, call.json() ? to_json(*shown) : to_text(*shown), ""};
}

// What a worker that gave no answer means for the caller.
CommandResult no_worker_answer(const CommandCall& call, const CallStatus& status) {
  const bool missing = status.outcome == Outcome::refused && (status.error.kind == WorkerErrorKind::missing || status.error.kind == WorkerErrorKind::device ||
                                                              status.error.kind == WorkerErrorKind::permission);
  if (status.outcome == Outcome::cancelled) return stopped(call.json());
  CommandResult result;
  result.exit_code = missing ? kMissing : kOurFault;
  result.error = status.message;
  if (!status.error.call.empty()) result.error += " (" + status.error.call + ")";
  if (!status.stderr_tail.empty() && !missing) result.error += "\n" + status.stderr_tail;
  if (missing) result.error += "\n`bakery doctor` says what this machine has";
  if (call.json()) result.output = dump({{"error", {{"kind", missing ? "missing" : "worker"}, {"outcome", to_string(status.outcome)}, {"message", status.message}}}});
  return result;
}

struct Prepared {
  CommandInput input;
  std::shared_ptr<const Analysis> analysis;
  LoweredKernel kernel;
};

// Reads, analyses and lowers. A result: it ends here.
std::optional<CommandResult> prepare(const CommandCall& call, std::stop_token stop, const KernelOptions& options, Prepared& out) {
  if (auto failed = read_input(call, stop, out.input)) return failed;
  out.input.options.timeline = false;
  out.analysis = analyse(out.input.file, out.input.text, out.input.options);
  if (auto none = no_answer(call, out.input, *out.analysis)) return none;
  out.kernel = make_kernel(*out.analysis, options);
  if (!out.kernel.lowered_ok) return rejected(call, *out.analysis, out.kernel.findings.empty() ? out.analysis->findings : out.kernel.findings);
  return std::nullopt;
}

CommandResult lower_command(const CommandCall& call, std::stop_token stop) {
  Prepared p;
  if (auto ended = prepare(call, stop, {call.has("unchecked"), call.has("bounded")}, p)) return *ended;
  const Lowered& lowered = p.kernel.lowered;
  Json lines = Json::array();
  for (const LineMap::Entry& entry : lowered.lines.entries) lines.push_back({entry.cuda_line, entry.schedule_line});
  if (call.has("output")) {
    const std::string path = call.value("output");
    if (const auto error = write_file(path, lowered.cuda)) return file_error(call.json(), {*error});
    const std::string manifest = std::filesystem::path(path).replace_extension(".json").string();
    if (const auto error = write_file(manifest, to_json(lowered.manifest))) return file_error(call.json(), {*error});
    Json out = {{"cuda", path}, {"manifest", manifest}, {"code_hash", p.kernel.code_hash}};
    return {kAccepted, call.json() ? dump(out) : "wrote " + path + " and " + manifest + "\n", ""};
  }
  if (!call.json()) return {kAccepted, lowered.cuda, ""};
  Json out;
  out["cuda"] = lowered.cuda;
  out["code_hash"] = p.kernel.code_hash;
  out["manifest"] = Json::parse(to_json(lowered.manifest));
  out["lines"] = lines;
  return {kAccepted, dump(out), ""};
}

// Only a contract's shapes give a tile count.
std::string waves_text(const Contract* contract, const Analysis& analysis, int ctas_per_sm, Json* json) {
  if (!contract) return "";
  std::string out;
  for (const ShapeRow& row : contract->shapes) {
    std::vector<std::pair<std::string, int64_t>> values;
    for (size_t i = 0; i < contract->parameters.size(); ++i) values.emplace_back(contract->parameters[i], row.values[i]);
    const Waves waves = waves_of(analysis, values, ctas_per_sm);
    if (!waves.known()) continue;
    out += "  " + contract->text(row) + ": " + std::to_string(waves.tiles) + " tiles, " + fixed(waves.count(), 2) + " waves of " + std::to_string(waves.resident) +
           " CTAs on the " + std::to_string(waves.device->sms) + " SMs of an " + waves.device->name + ", " + fixed(waves.used() * 100, 1) + " % of their rounds used\n";
    if (json)
      (*json)["waves"].push_back({{"shape", contract->text(row)}, {"tiles", waves.tiles}, {"resident", waves.resident}, {"waves", waves.count()}, {"efficiency", waves.used()}});
  }
  return out;
}

CommandResult compile_command(const CommandCall& call, std::stop_token stop) {
  Prepared p;
  if (auto ended = prepare(call, stop, {call.has("unchecked"), call.has("bounded")}, p)) return *ended;
  WorkerClient worker(local_worker());
  CallOptions options;
  options.stop = stop;
  CompiledKernel compiled = compile_kernel(worker, *p.analysis, p.kernel, options);
  if (!compiled.status.ok()) return no_worker_answer(call, compiled.status);
  if (auto store = Store::open(Store::path_for(p.input.file))) {
    StoredRun run;
    run.kind = "compile";
    run.candidate = p.analysis->hash;
    run.code_hash = p.kernel.code_hash;
    run.status = compiled.ok() ? "compiled" : "refused";
    run.ended = now_ms();
    run.started = run.ended - static_cast<int64_t>(compiled.answer.time_ms);
    run.detail = "{}";
    run.figures = {{"registers", static_cast<double>(compiled.registers), "a thread"},
                   {"spill_stores", static_cast<double>(compiled.spill_stores), "bytes"},
                   {"compile_ms", compiled.answer.time_ms, "ms"}};
    store->add(candidate_of(*p.analysis));
    store->add(run);
  }
  if (call.has("output") && compiled.ok()) {
    const std::string_view cubin(reinterpret_cast<const char*>(compiled.answer.cubin.data()), compiled.answer.cubin.size());
    if (const auto error = write_file(call.value("output"), cubin)) return file_error(call.json(), {*error});
  }
  const LaunchManifest& manifest = p.kernel.lowered.manifest;
  Json out;
  out["ok"] = compiled.ok();
  out["target"] = manifest.target;
  out["nvrtc"] = compiled.answer.nvrtc_version;
  out["code_hash"] = p.kernel.code_hash;
  out["registers"] = compiled.registers;
  out["spill_stores"] = compiled.spill_stores;
  out["spill_loads"] = compiled.spill_loads;
  out["stack"] = compiled.stack;
  out["barriers"] = compiled.barriers;
  out["shared_bytes"] = manifest.shared_bytes;
  out["threads"] = manifest.threads;
  out["ctas_per_sm"] = compiled.occupancy.ctas_per_sm;
  out["limited_by"] = compiled.occupancy.limit;
  out["cubin_bytes"] = compiled.answer.cubin.size();
  out["time_ms"] = compiled.answer.time_ms;
  const std::string waves = waves_text(p.input.contract.get(), *p.analysis, compiled.occupancy.ctas_per_sm, &out);
  const auto shown = with_findings(*p.analysis, compiled.findings);
  out["findings"] = Json::parse(to_json(*shown))["findings"];
  const int code = compiled.ok() ? kAccepted : kRejected;
  if (call.json()) return {code, dump(out), ""};
  std::string text;
  if (!compiled.findings.empty()) text += to_text(*shown);
  if (!compiled.ok() && compiled.findings.empty()) text += compiled.answer.log + "\n";
  text += p.analysis->schedule.name + " for " + manifest.target + ": " + (compiled.ok() ? "compiled" : "refused") + " by NVRTC " + compiled.answer.nvrtc_version + " in " +
          fixed(compiled.answer.time_ms, 0) + " ms\n";
  text += "  " + std::to_string(compiled.registers) + " registers a thread, " + std::to_string(compiled.spill_stores) + " bytes of spill stores, " +
          std::to_string(compiled.spill_loads) + " of loads, " + std::to_string(compiled.stack) + " of stack\n";
  text += "  " + std::to_string(manifest.threads) + " threads, " + std::to_string(manifest.shared_bytes) + " bytes of shared memory, " +
          std::to_string(compiled.occupancy.ctas_per_sm) + (compiled.occupancy.ctas_per_sm == 1 ? " CTA" : " CTAs") + " an SM (limited by " + compiled.occupancy.limit + ")\n";
  return {code, text + waves, ""};
}

CommandResult run_command_here(const CommandCall& call, std::stop_token stop) {
  ContractRunOptions options;
  options.unchecked = call.has("unchecked");
  options.time = call.has("time");
  options.allow_events = call.has("allow-events");
  options.held_out = call.has("held-out");
  if (options.unchecked && options.time)
    return usage_error(call.json(), "a schedule whose refutations are waived can't be timed; leave out `--unchecked` or `--time`");
  if (call.has("distribution")) {
    InputDistribution distribution;
    if (!find_distribution(call.value("distribution"), distribution))
      return usage_error(call.json(), "no distribution `" + call.value("distribution") + "`; there are normal, uniform, ones and integers");
    options.distributions = {distribution};
  }
  CommandInput input;
  if (auto failed = read_input(call, stop, input)) return *failed;
  input.options.timeline = false;
  const auto analysis = analyse(input.file, input.text, input.options);
  if (auto none = no_answer(call, input, *analysis)) return *none;
  if (!input.contract) return usage_error(call.json(), "`bakery run` needs `--contract`");
  const Contract& contract = *input.contract;
  if (call.has("shape")) {
    const size_t rows = contract.shapes.size() + (options.held_out ? contract.held_out.size() : 0);
    const long long number = std::stoll(call.value("shape"));
    if (number < 1 || static_cast<size_t>(number) > rows)
      return usage_error(call.json(), "no shape " + call.value("shape") + "; the contract has " + std::to_string(rows));
    options.shape = static_cast<size_t>(number - 1);
  }

  WorkerCommand command = local_worker();
  if (call.has("record")) command.argv.insert(command.argv.end(), {"--record", call.value("record")});
  WorkerClient worker(std::move(command));
  const ContractRun ran = run_contract(worker, *analysis, contract, Store::path_for(input.file), options, {}, stop);
  if (!ran.lowered()) return rejected(call, *analysis, ran.kernel.findings.empty() ? analysis->findings : ran.kernel.findings);
  const bool any = std::any_of(ran.checked.begin(), ran.checked.end(), [](const ShapeRun& shape) { return shape.run.status.ok(); });
  if (!ran.status.ok() && !any) return no_worker_answer(call, ran.status);
  for (const CompiledKernel* compiled : {&ran.compiled, &ran.clean_compiled})
    if (compiled->status.ok() && !compiled->ok() && !compiled->findings.empty()) return rejected(call, *analysis, compiled->findings);

  std::string text, receipts;
  Json out;
  out["schedule"] = analysis->schedule.name;
  out["hash"] = analysis->hash;
  out["code_hash"] = ran.kernel.code_hash;
  out["runs"] = Json::array();
  const auto add = [&](const ShapeRun& shape, const LoweredKernel& kernel) {
    const KernelRun& one = shape.run;
    text += one.shape + ": ";
    if (!one.status.ok()) {
      text += one.status.message + "\n";
      return;
    }
    const Json line = Json::parse(receipt(*analysis, contract, shape.row, kernel, one, analysis->schedule.name.c_str(), "", 0, shape.stored));
    if (!options.unchecked && options.time == one.timed) receipts += line.dump() + "\n";
    out["runs"].push_back(line);
    out["runs"].back()["verdict"] = to_string(one.run.verdict);
    for (const HangRecord& hang : one.run.hangs)
      out["runs"].back()["hangs"].push_back({{"role", hang.role_name}, {"barrier", hang.barrier_name}, {"stage", hang.stage}, {"completion", hang.completion},
                                             {"line", hang.line}, {"cta", hang.cta}, {"warp", hang.warp}});
    text += to_string(one.run.verdict);
    for (const OutputCheck& check : one.run.outputs)
      text += ", " + std::to_string(check.elements) + " elements of `" + check.name + "` checked, " + std::to_string(check.mismatches) + " differ, largest error " + fixed(check.max_abs, 5);
    if (one.timed && !one.bench.span_ms.empty())
      text += ", span " + fixed(one.bench.median_ms, 4) + " ms (" + one.bench.clock + ", spread " + fixed(one.bench.spread * 100, 1) + " %)";
    text += "\n";
  };
  for (const ShapeRun& shape : ran.checked) add(shape, ran.kernel);
  for (const ShapeRun& shape : ran.timed) add(shape, ran.clean_kernel);
  if (call.has("receipt") && !receipts.empty())
    if (const auto error = write_file(call.value("receipt"), receipts)) return file_error(call.json(), {*error});
  const std::vector<Finding> findings = ran.findings();
  const auto shown = with_findings(*analysis, findings);
  out["findings"] = Json::parse(to_json(*shown))["findings"];
  if (!ran.note.empty()) out["note"] = ran.note;
  const int code = shown->verdict == Verdict::rejected          ? kRejected
                   : ran.status.ok()                             ? kAccepted
                   : ran.status.outcome == Outcome::cancelled    ? kStopped
                                                                 : kOurFault;
  if (call.json()) return {code, dump(out), ""};
  return {code, (findings.empty() ? "" : to_text(*shown)) + text, ran.note};
}

CommandResult bench_command(const CommandCall& call, std::stop_token stop) {
  const SuiteResult read = read_suite(call.value("suite"));
  if (!read.errors.empty()) {
    std::vector<FileError> errors;
    for (const ContractError& error : read.errors) errors.push_back({read.suite.file, error.message, error.line, error.column});
    return file_error(call.json(), errors);
  }
  WorkerClient worker(local_worker());
  CallOptions options;
  options.stop = stop;
  options.timeout_s = 300;
  std::vector<SuiteRow> rows;
  std::string receipts;
  bool failed = false;
  for (const std::string& path : read.suite.contracts) {
    const ContractResult contract = read_contract(path);
    if (!contract.contract) {
      std::vector<FileError> errors;
      for (const ContractError& error : contract.errors) errors.push_back({path, error.message, error.line, error.column});
      return file_error(call.json(), errors);
    }
    const std::string schedule_path = contract.contract->schedule_path();
    const FileText schedule = read_text_file(schedule_path);
    if (schedule.error) return file_error(call.json(), {*schedule.error});
    AnalysisOptions analysis_options = contract.contract->analysis_options();
    analysis_options.timeline = false;
    analysis_options.stop = stop;
    const auto analysis = analyse(schedule_path, schedule.text, analysis_options);
    if (analysis->stopped) return stopped(call.json());
    const LoweredKernel kernel = make_kernel(*analysis);
    if (!kernel.lowered_ok) return rejected(call, *analysis, kernel.findings.empty() ? analysis->findings : kernel.findings);
    const CompiledKernel compiled = compile_kernel(worker, *analysis, kernel, options);
    if (!compiled.status.ok()) return no_worker_answer(call, compiled.status);
    if (!compiled.ok()) return rejected(call, *analysis, compiled.findings);
    auto store = Store::open(Store::path_for(schedule_path));
    if (store) store->add(candidate_of(*analysis));
    for (const ShapeRow& row : contract.contract->shapes) {
      SuiteRow line;
      line.contract = path;
      line.shape = contract.contract->text(row);
      // Arms alternate; each keeps its best median, so that a throttled round hurts neither alone.
      KernelRun best;
      std::vector<double> peers, ours;
      for (int round = 0; round < read.suite.rounds && line.message.empty(); ++round) {
        RunOptions run;
        run.time = true;
        run.allow_events = call.has("allow-events");
        KernelRun one = run_kernel(worker, *analysis, *contract.contract, row, kernel, compiled, run, options);
        if (!one.status.ok()) {
          if (rows.empty() && round == 0) return no_worker_answer(call, one.status);
          line.message = one.status.message;
          break;
        }
        if (!one.correct()) line.message = one.findings.empty() ? "not correct" : one.findings.front().message;
        ours.push_back(one.bench.median_ms);
        if (round == 0 || one.bench.median_ms < best.bench.median_ms) best = std::move(one);
        if (!read.suite.peer_command.empty()) {
          const PeerAnswer peer = ask_peer(read.suite, *contract.contract, row, 180);
          if (peer.error.empty()) peers.push_back(peer.span_ms);
          else if (line.message.empty()) line.message = peer.error;
        }
      }
      line.correct = best.correct();
      line.status = line.correct ? "correct" : "not correct";
      failed |= !line.correct;
      line.span_ms = best.bench.median_ms;
      line.spread = best.bench.spread;
      if (!peers.empty()) {
        line.peer_span_ms = *std::min_element(peers.begin(), peers.end());
        if (line.span_ms > 0) line.ratio = line.peer_span_ms / line.span_ms;
      }
      int64_t id = 0;
      if (store) {
        StoredRun record = record_of("bench", *analysis, *contract.contract, kernel, best);
        if (line.peer_span_ms > 0) {
          record.figures.push_back({"peer_span_ms", line.peer_span_ms, "ms"});
          record.figures.push_back({"ratio", line.ratio, ""});
        }
        id = store->add(record);
      }
      Json receipt_line = Json::parse(receipt(*analysis, *contract.contract, row, kernel, best, read.suite.name.c_str(), line.peer_span_ms > 0 ? read.suite.peer : "", line.peer_span_ms, id));
      receipt_line["rounds_span_ms"] = ours;
      if (!peers.empty()) receipt_line["rounds_peer_span_ms"] = peers;
      line.receipt = receipt_line.dump();
      receipts += line.receipt + "\n";
      rows.push_back(std::move(line));
      if (stop.stop_requested()) return stopped(call.json());
    }
  }
  if (call.has("receipt") && !receipts.empty())
    if (const auto error = write_file(call.value("receipt"), receipts)) return file_error(call.json(), {*error});
  CommandResult result;
  result.exit_code = failed ? kRejected : kAccepted;
  if (call.json()) {
    Json out;
    out["suite"] = read.suite.name;
    out["rows"] = Json::array();
    for (const SuiteRow& row : rows) out["rows"].push_back(Json::parse(row.receipt));
    result.output = dump(out);
  } else {
    result.output = to_table(rows, read.suite.peer);
  }
  return result;
}

CommandResult history(const CommandCall& call, std::stop_token) {
  const std::string path = call.has("file") ? Store::path_for(call.value("file")) : Store::path_for("x");
  std::string note;
  if (!std::filesystem::exists(path)) {
    const std::string text = "nothing is recorded yet in `" + path + "`";
    return {kAccepted, call.json() ? dump({{"store", path}, {"runs", Json::array()}}) : text + "\n", ""};
  }
  const auto store = Store::open(path, &note);
  if (!store) return file_error(call.json(), {{path, note, 0, 0}});
  Json out;
  out["store"] = path;
  out["runs"] = Json::array();
  std::string text;
  for (const StoredRun& run : store->history(static_cast<size_t>(std::stoll(call.value("limit"))))) {
    Json one = {{"id", run.id}, {"kind", run.kind}, {"schedule", run.schedule}, {"candidate", run.candidate}, {"device", run.device}, {"shape", run.shape},
                {"status", run.status}, {"started_ms", run.started}, {"ended_ms", run.ended}, {"code_hash", run.code_hash}, {"contract_hash", run.contract_hash}};
    one["figures"] = Json::object();
    std::string figures;
    for (const StoredFigure& figure : run.figures) {
      one["figures"][figure.name] = figure.value;
      figures += "  " + figure.name + " " + fixed(figure.value, figure.value < 100 ? 4 : 0);
    }
    one["findings"] = Json::array();
    for (const StoredFinding& finding : run.findings) one["findings"].push_back({{"id", finding.id}, {"line", finding.line}, {"message", finding.message}});
    out["runs"].push_back(std::move(one));
    const std::time_t when = run.ended / 1000;
    char date[32];
    std::strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", std::localtime(&when));
    text += std::string("#") + std::to_string(run.id) + "  " + date + "  " + run.kind + "  " + (run.schedule.empty() ? run.candidate.substr(0, 8) : run.schedule) + "  " + run.shape + "  " +
            run.status + figures + "\n";
    for (const StoredFinding& finding : run.findings) text += "    " + finding.id + " line " + std::to_string(finding.line) + ": " + finding.message + "\n";
  }
  out["decisions"] = Json::array();
  for (const StoredDecision& decision : store->decisions(100)) {
    out["decisions"].push_back({{"id", decision.id}, {"candidate", decision.candidate}, {"kind", decision.kind}, {"who", decision.who}, {"reason", decision.reason}, {"at_ms", decision.at}});
    text += "decision: " + decision.who + " " + decision.kind + " " + decision.candidate.substr(0, 8) + (decision.reason.empty() ? "" : ": " + decision.reason) + "\n";
  }
  if (text.empty()) text = "nothing is recorded yet in `" + path + "`\n";
  return {kAccepted, call.json() ? dump(out) : text, note};
}

CommandResult doctor(const CommandCall& call, std::stop_token stop) {
  WorkerClient worker(local_worker());
  CallOptions options;
  options.stop = stop;
  options.timeout_s = 60;
  std::vector<DoctorLine> lines = examine(worker.probe(options));
  const bool dot = std::system("command -v dot > /dev/null 2>&1") == 0;
  lines.push_back({"dot", dot, dot ? "Graphviz is there" : "Graphviz is not installed", dot ? "" : "apt-get install graphviz"});
  Json out;
  std::string text;
  for (const DoctorLine& line : lines) {
    out[line.name] = {{"ok", line.ok}, {"what", line.what}};
    if (!line.ok) out[line.name]["remedy"] = line.remedy;
    text += std::string(line.ok ? "  ok       " : "  missing  ") + line.name + ": " + line.what + "\n";
    if (!line.ok) text += "           -> " + line.remedy + "\n";
  }
  return {kAccepted, call.json() ? dump(out) : text, ""};
}

constexpr std::pair<const char*, CommandRunner> kRunners[] = {
    {"lower", lower_command}, {"compile", compile_command}, {"run", run_command_here}, {"bench", bench_command}, {"history", history}, {"doctor", doctor},
};

}  // namespace

int serve_worker(int argc, const char* const* argv) { return worker_main(argc, argv); }

std::span<const std::pair<const char*, CommandRunner>> kernel_runners() { return kRunners; }

}  // namespace bakery
