// SPDX-License-Identifier: Apache-2.0
#include "app/session/contract_run.h"

#include <algorithm>
#include <exception>

namespace bakery {
namespace {

constexpr double kCallTimeout = 300;

// Keeps what can be kept: a store that fails is noted and left alone.
class Recorder {
 public:
  Recorder(const std::string& path, std::string& note) : store_(Store::open(path, &note)), note_(note) {}

  template <class Record>
  int64_t add(const Record& record) {
    if (!store_) return 0;
    try {
      if constexpr (std::is_same_v<Record, StoredCandidate>) return store_->add(record), 0;
      else return store_->add(record);
    } catch (const std::exception& error) {
      note_ = "not recorded: " + std::string(error.what());
      store_.reset();
      return 0;
    }
  }

 private:
  std::optional<Store> store_;
  std::string& note_;
};

std::vector<ShapeRow> rows_of(const Contract& contract, const ContractRunOptions& options) {
  std::vector<ShapeRow> rows = contract.shapes;
  if (options.held_out) rows.insert(rows.end(), contract.held_out.begin(), contract.held_out.end());
  if (!options.shape) return rows;
  if (*options.shape >= rows.size()) return {};
  return {rows[*options.shape]};
}

}  // namespace

bool ContractRun::correct() const {
  const auto ok = [](const ShapeRun& shape) { return shape.run.correct(); };
  return status.ok() && !checked.empty() && std::all_of(checked.begin(), checked.end(), ok) && std::all_of(timed.begin(), timed.end(), ok);
}

std::vector<Finding> ContractRun::findings() const {
  std::vector<Finding> all;
  for (const std::vector<ShapeRun>* runs : {&checked, &timed})
    for (const ShapeRun& shape : *runs) all.insert(all.end(), shape.run.findings.begin(), shape.run.findings.end());
  return all;
}

ContractRun run_contract(WorkerClient& worker, const Analysis& analysis, const Contract& contract, const std::string& store_path,
                         const ContractRunOptions& options, const std::function<void(const RunProgress&)>& progress, std::stop_token stop) {
  ContractRun out;
  const std::vector<ShapeRow> rows = rows_of(contract, options);
  const size_t readings = std::max<size_t>(1, options.distributions.size());
  RunProgress now{"lower", "lowering " + analysis.schedule.name, 0, rows.size() * readings * (options.time ? 2 : 1)};
  const auto tell = [&](const char* stage, std::string text) {
    now.stage = stage;
    now.text = std::move(text);
    if (progress) progress(now);
  };
  CallOptions call;
  call.timeout_s = kCallTimeout;
  call.stop = stop;
  std::string doing;
  call.progress = [&](const Progress& step) { tell(now.stage, doing + (step.text.empty() ? "" : ": " + step.text)); };

  const auto build = [&](LoweredKernel& kernel, CompiledKernel& compiled, bool bounded_waits) {
    tell("lower", "lowering " + analysis.schedule.name);
    kernel = make_kernel(analysis, {options.unchecked, bounded_waits});
    if (!kernel.lowered_ok) return false;
    doing = bounded_waits ? "compiling for " + kernel.lowered.manifest.target : "compiling with plain waits";
    tell("compile", doing);
    compiled = compile_kernel(worker, analysis, kernel, call);
    out.status = compiled.status;
    return compiled.ok();
  };
  if (!build(out.kernel, out.compiled, true)) return out;

  Recorder recorder(store_path, out.note);
  StoredCandidate candidate = candidate_of(analysis, options.author);
  candidate.parent = options.parent == analysis.hash ? "" : options.parent;
  recorder.add(candidate);
  const auto run_all = [&](bool time, const LoweredKernel& kernel, const CompiledKernel& compiled, std::vector<ShapeRun>& results) {
    for (size_t d = 0; d < readings; ++d)
      for (const ShapeRow& row : rows) {
        RunOptions run;
        run.time = time;
        run.allow_events = options.allow_events;
        if (d < options.distributions.size()) run.distribution = options.distributions[d];
        ShapeRun shape{row, run.distribution ? to_string(*run.distribution) : "", {}, 0};
        doing = contract.text(row) + (shape.distribution.empty() ? "" : ", " + shape.distribution);
        tell(time ? "time" : "run", doing);
        shape.run = run_kernel(worker, analysis, contract, row, kernel, compiled, run, call);
        StoredRun record = record_of(time ? "bench" : "run", analysis, contract, kernel, shape.run);
        if (!shape.distribution.empty()) record.shape += " (" + shape.distribution + ")";
        record.figures.push_back({"registers", static_cast<double>(compiled.registers), "a thread"});
        shape.stored = recorder.add(record);
        out.status = shape.run.status;
        results.push_back(std::move(shape));
        if (!out.status.ok()) return false;
        ++now.done;
      }
    return true;
  };
  if (!run_all(false, out.kernel, out.compiled, out.checked)) return out;
  if (options.time && !options.unchecked && out.correct() && build(out.clean_kernel, out.clean_compiled, false))
    run_all(true, out.clean_kernel, out.clean_compiled, out.timed);
  return out;
}

}  // namespace bakery
