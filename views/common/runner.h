// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of the schedule: on the device, through a worker process, and on the reference machine. Nothing of
// CUDA is loaded here, and nothing here blocks the window.
#pragma once

#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/contract_run.h"
#include "app/session/doctor.h"
#include "app/session/simulation.h"
#include "views/common/task_thread.h"

namespace bakery::views {

enum class DeviceState : uint8_t { looking, ready, missing };

struct DeviceInfo {
  DeviceState state = DeviceState::looking;
  QString name;                     // "H200", or "no GPU"
  QString text;                     // a sentence
  QString remedy;                   // of `missing`
  std::vector<DoctorLine> lines;    // all that the doctor says
};

// What is run: the text as it is now, and the contract as its file is now.
struct RunOrder {
  std::string file, text;
  std::string target;               // "": the contract's; another one is refused
  std::string contract;             // path
  ContractRunOptions options;       // of a run on the device; `shape` of a simulation too
};

enum class RunState : uint8_t {
  correct,     // ran, and every element agrees
  wrong,       // ran: mismatches, hangs, aborts; see the findings
  refused,     // never ran: the schedule is rejected, or text and contract make no sense
  missing,     // a device, a driver or a library is not there
  failed,      // the worker or the compiler broke
  cancelled,
};

// Immutable once shown.
struct RunResult {
  bool simulated = false;
  RunState state = RunState::failed;
  QString message;                                 // a sentence, unless correct
  QString remedy;                                  // of `missing`
  std::shared_ptr<const Analysis> analysis;        // null: the contract could not be read
  std::shared_ptr<const Contract> contract;
  ContractRun run;
  SimulationResult simulation;
  std::string contract_path, store_path, file;
  ContractRunOptions options;
  std::vector<DoctorLine> machine;                 // what is known of it
  std::vector<Finding> findings;                   // NUM-, PTXAS-, or what refused
  int64_t started = 0, ended = 0;                  // ms since the epoch
  bool recorded = false;
  std::string note;                                // of the store
};

class Runner : public QObject {
  Q_OBJECT

 public:
  explicit Runner(WorkerCommand command = local_worker(), QObject* parent = nullptr);
  ~Runner() override;

  // Asks the worker what this machine has; answers later.
  void look_for_device();
  const DeviceInfo& device() const { return device_; }

  // One at a time: false while another one runs.
  bool run(RunOrder order);
  bool simulate(RunOrder order);
  // Ends the worker, or the simulation, at once.
  void cancel();

  bool busy() const { return busy_; }
  bool simulating() const { return simulating_; }
  const RunProgress& progress() const { return progress_; }
  const std::shared_ptr<const RunResult>& result() const { return result_; }  // null: none yet
  // Shows a ready-made result (tests).
  void show(std::shared_ptr<const RunResult> result);

  // The candidate that the text came from, so that the next one's parent is known.
  void set_parent(std::string hash) { parent_ = std::move(hash); }

 signals:
  void device_changed();
  void busy_changed(bool busy);
  void progressed();
  void finished();   // `result` is new
  void recorded();   // the store has a new row

 private:
  bool start(RunOrder order, bool simulated);
  void work(const RunOrder& order, RunResult& result, std::stop_token stop);
  void run_on_device(const RunOrder& order, RunResult& result, std::stop_token stop);
  void run_on_reference(const RunOrder& order, RunResult& result, std::stop_token stop);
  void tell(RunProgress progress);

  DeviceInfo device_;
  std::shared_ptr<const RunResult> result_;
  RunProgress progress_;
  std::string parent_, parent_file_;
  bool busy_ = false, simulating_ = false;
  std::stop_source cancelled_;
  WorkerClient worker_;  // of the thread
  TaskThread thread_;    // last: stops before the rest goes
};

// "H200" of "NVIDIA H200".
QString short_name(const std::string& device);

}  // namespace bakery::views
