// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/runner.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "views/common/qt_text.h"

namespace bakery::views {

namespace {

constexpr double kProbeTimeout = 60;

std::string number_text(size_t n, const char* one, const char* many) { return std::to_string(n) + " " + (n == 1 ? one : many); }

// What keeps an analysis from being run at all; empty: nothing.
std::string obstacle_of(const Analysis& analysis, const Contract& contract) {
  for (const auto& [name, value] : contract.analysis_options().tunables) {
    const auto known = [&](const Tunable& tunable) { return tunable.name == name; };
    if (std::none_of(analysis.schedule.tunables.begin(), analysis.schedule.tunables.end(), known))
      return "the contract pins the tunable `" + name + "`, which `" + analysis.schedule.name + "` does not have";
  }
  return "";
}

void refuse(RunResult& result, std::vector<Finding> findings) {
  result.state = RunState::refused;
  result.findings = std::move(findings);
  const auto first = std::find_if(result.findings.begin(), result.findings.end(), [](const Finding& f) { return f.severity == Severity::error; });
  result.message = first == result.findings.end() ? Runner::tr("The schedule is incomplete, so it can't be run.")
                                                  : Runner::tr("Refused by %1: %2").arg(to_qstring(first->id), to_qstring(first->message));
}

StoredRun record_of_simulation(const RunResult& result, const ShapeResult& shape) {
  StoredRun out;
  out.kind = "simulate";
  out.candidate = result.analysis->hash;
  out.contract_hash = result.contract->hash;
  out.device = "reference machine";
  out.shape = shape.text;
  out.status = shape.stuck ? "hang" : shape.correct ? "correct" : "mismatch";
  out.ended = now_ms();
  out.started = out.ended - static_cast<int64_t>(shape.milliseconds);
  out.detail = "{}";
  out.figures = {{"checked", static_cast<double>(shape.checked), "elements"},
                 {"mismatches", static_cast<double>(shape.mismatches), "elements"},
                 {"max_abs_error", shape.max_abs_error, ""},
                 {"logical_steps", static_cast<double>(shape.steps), "steps"}};
  for (const Finding& finding : result.simulation.findings)
    out.findings.push_back({finding.id, to_string(finding.severity), finding.message, to_json(*result.analysis, finding),
                            static_cast<int>(result.analysis->source.position(finding.span.begin).line)});
  return out;
}

// The newest candidate of the file, to be the next one's parent.
std::string last_candidate(const Store& store, const std::string& file) {
  constexpr size_t kNewest = 200;
  for (const StoredCandidate& candidate : store.candidates(kNewest))
    if (candidate.file == file) return candidate.hash;
  return "";
}

}  // namespace

QString short_name(const std::string& device) {
  QString name = to_qstring(device);
  if (name.startsWith(QLatin1String("NVIDIA "))) name.remove(0, 7);
  return name;
}

Runner::Runner(WorkerCommand command, QObject* parent) : QObject(parent), worker_(std::move(command)) {
  device_.text = tr("Looking for a GPU");
}

Runner::~Runner() = default;

void Runner::look_for_device() {
  thread_.post([this](std::stop_token stop) {
    CallOptions options;
    options.timeout_s = kProbeTimeout;
    options.stop = stop;
    const Reply<ProbeAnswer> probe = worker_.probe(options);
    DeviceInfo info;
    info.lines = examine(probe);
    if (const DoctorLine* missing = obstacle(info.lines)) {
      info.state = DeviceState::missing;
      info.name = tr("no GPU");
      info.text = tr("no GPU: %1").arg(to_qstring(missing->what));
      info.remedy = to_qstring(missing->remedy);
      // An answer from a recorded session may lack the probe: what is there shows when it is used.
      if (!probe.status.ok()) info.name = tr("GPU unknown");
    } else {
      const CudaDevice& first = probe.value.devices.front();
      info.state = DeviceState::ready;
      info.name = short_name(first.name);
      info.text = tr("%1, driver %2").arg(to_qstring(first.text()), to_qstring(probe.value.driver.version));
    }
    QMetaObject::invokeMethod(
        this, [this, info = std::move(info), again = probe.status.outcome == Outcome::cancelled] {
          if (again) return look_for_device();
          device_ = info;
          emit device_changed();
        },
        Qt::QueuedConnection);
  });
}

bool Runner::run(RunOrder order) { return start(std::move(order), false); }
bool Runner::simulate(RunOrder order) { return start(std::move(order), true); }

void Runner::cancel() {
  if (!busy_) return;
  cancelled_.request_stop();
  thread_.cancel();  // the run, or the look for a device that it waits for
}

void Runner::show(std::shared_ptr<const RunResult> result) {
  result_ = std::move(result);
  emit finished();
}

bool Runner::start(RunOrder order, bool simulated) {
  if (busy_) return false;
  busy_ = true;
  simulating_ = simulated;
  progress_ = {"analyse", "checking", 0, 0};
  if (parent_file_ != order.file) {
    if (!parent_file_.empty()) parent_.clear();
    parent_file_ = order.file;
  }
  order.options.parent = parent_;
  cancelled_ = std::stop_source();
  emit busy_changed(true);
  thread_.post([this, order = std::move(order), simulated, cancelled = cancelled_](std::stop_token its) mutable {
    const std::stop_callback chain(its, [&cancelled] { cancelled.request_stop(); });
    const std::stop_token stop = cancelled.get_token();
    auto result = std::make_shared<RunResult>();
    result->simulated = simulated;
    result->started = now_ms();
    result->contract_path = order.contract;
    result->file = order.file;
    result->options = order.options;
    try {
      work(order, *result, stop);
    } catch (const std::exception& error) {
      result->state = RunState::failed;
      result->message = tr("A fault of Bakery, not of your schedule: %1").arg(to_qstring(error.what()));
    }
    result->ended = now_ms();
    QMetaObject::invokeMethod(
        this, [this, result = std::move(result)] {
          busy_ = false;
          result->machine = device_.lines;
          if (result->recorded && result->analysis) parent_ = result->analysis->hash;
          result_ = result;
          emit busy_changed(false);
          emit finished();
          if (result->recorded) emit recorded();
        },
        Qt::QueuedConnection);
  });
  return true;
}

void Runner::tell(RunProgress progress) {
  QMetaObject::invokeMethod(
      this, [this, progress = std::move(progress)] {
        progress_ = progress;
        if (busy_) emit progressed();
      },
      Qt::QueuedConnection);
}

void Runner::work(const RunOrder& order, RunResult& result, std::stop_token stop) {
  const ContractResult read = read_contract(order.contract);
  if (!read.contract) {
    result.state = RunState::refused;
    result.message = tr("The contract can't be used: %1").arg(to_qstring(to_text(order.contract, read.errors.front())));
    return;
  }
  result.contract = std::make_shared<const Contract>(*read.contract);
  AnalysisOptions options = result.contract->analysis_options();
  if (!order.target.empty() && order.target != options.target) {
    result.state = RunState::refused;
    result.message = tr("The target picker says %1, but the contract is for %2").arg(to_qstring(order.target), to_qstring(options.target));
    return;
  }
  options.timeline = false;
  options.stop = stop;
  result.analysis = analyse(order.file, order.text, options);
  if (result.analysis->stopped) {
    result.state = RunState::cancelled;
    result.message = tr("Cancelled.");
    return;
  }
  if (const std::string why = obstacle_of(*result.analysis, *result.contract); !why.empty()) {
    result.state = RunState::refused;
    result.message = to_qstring(why);
    return;
  }
  if (!result.analysis->schedule.complete) return refuse(result, result.analysis->findings);
  result.store_path = Store::path_for(order.file);
  if (result.simulated) run_on_reference(order, result, stop);
  else run_on_device(order, result, stop);
}

void Runner::run_on_device(const RunOrder& order, RunResult& result, std::stop_token stop) {
  ContractRunOptions options = order.options;
  if (options.parent.empty()) {
    if (const auto store = Store::open(result.store_path, &result.note)) options.parent = last_candidate(*store, order.file);
  }
  result.run = run_contract(worker_, *result.analysis, *result.contract, result.store_path, options,
                            [this](const RunProgress& progress) { tell(progress); }, stop);
  const ContractRun& run = result.run;
  if (!run.note.empty()) result.note = run.note;
  const auto stored = [](const ShapeRun& shape) { return shape.stored > 0; };
  result.recorded = std::any_of(run.checked.begin(), run.checked.end(), stored);
  if (!run.lowered()) return refuse(result, run.kernel.findings.empty() ? result.analysis->findings : run.kernel.findings);
  result.findings = run.compiled.findings;
  const std::vector<Finding> found = run.findings();
  result.findings.insert(result.findings.begin(), found.begin(), found.end());
  if (run.status.ok()) {
    for (const CompiledKernel* compiled : {&run.compiled, &run.clean_compiled})
      if (compiled->status.ok() && !compiled->answer.result.empty() && !compiled->answer.ok) {
        result.state = RunState::failed;
        result.message = tr("NVRTC %1 refuses the generated code").arg(to_qstring(compiled->answer.nvrtc_version));
        return;
      }
    result.state = run.correct() ? RunState::correct : RunState::wrong;
    if (result.state == RunState::wrong && !found.empty()) result.message = to_qstring(found.front().message);
    return;
  }
  result.message = to_qstring(run.status.message);
  result.remedy = to_qstring(remedy_of(run.status));
  if (run.status.outcome == Outcome::cancelled) {
    result.state = RunState::cancelled;
    result.message = run.checked.empty() ? tr("Cancelled; the worker was ended.")
                                         : tr("Cancelled after %1; the worker was ended.").arg(to_qstring(number_text(run.checked.size() + run.timed.size() - 1, "result", "results")));
  } else if (run.status.outcome == Outcome::refused && !result.remedy.isEmpty()) {
    result.state = RunState::missing;
  }
}

void Runner::run_on_reference(const RunOrder& order, RunResult& result, std::stop_token stop) {
  Contract contract = *result.contract;
  if (order.options.held_out) contract.shapes.insert(contract.shapes.end(), contract.held_out.begin(), contract.held_out.end());
  if (order.options.shape) {
    if (*order.options.shape < contract.shapes.size()) contract.shapes = {contract.shapes[*order.options.shape]};
  }
  result.simulation = bakery::simulate(*result.analysis, contract, stop, [this](size_t shape, size_t shapes, const std::string& text) {
    tell({"simulate", text, shape, shapes});
  });
  const SimulationResult& values = result.simulation;
  result.findings = values.findings;
  if (!values.errors.empty()) {
    result.state = RunState::refused;
    result.message = to_qstring(to_text(contract.file, values.errors.front()));
    return;
  }
  result.state = values.stopped ? RunState::cancelled : values.agrees() ? RunState::correct : RunState::wrong;
  if (values.stopped) result.message = tr("Cancelled after %1.").arg(to_qstring(number_text(values.shapes.size(), "shape", "shapes")));
  else if (!values.findings.empty()) result.message = to_qstring(values.findings.front().message);
  if (values.shapes.empty()) return;
  auto store = Store::open(result.store_path, &result.note);
  if (!store) return;
  try {
    StoredCandidate candidate = candidate_of(*result.analysis, order.options.author);
    candidate.parent = order.options.parent.empty() ? last_candidate(*store, order.file) : order.options.parent;
    if (candidate.parent == candidate.hash) candidate.parent.clear();
    store->add(candidate);
    for (const ShapeResult& shape : values.shapes) store->add(record_of_simulation(result, shape));
    result.recorded = true;
  } catch (const std::exception& error) {
    result.note = "not recorded: " + std::string(error.what());
  }
}

}  // namespace bakery::views
