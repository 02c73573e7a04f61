// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels compiled by the worker process, on a thread of its own; only the newest one asked for is answered.
#pragma once

#include <QObject>
#include <QString>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "app/session/kernel.h"
#include "views/common/snapshots.h"

namespace bakery::views {

class Compiles : public QObject {
  Q_OBJECT

 public:
  struct Result {
    std::shared_ptr<const Analysis> analysis;
    std::shared_ptr<const LoweredKernel> kernel;      // null: none yet
    std::shared_ptr<const CompiledKernel> compiled;   // null: it was not lowered
    bool ok() const { return compiled && compiled->ok(); }
    QString trouble() const;                          // empty: ok
  };

  // The one that all views of these snapshots share.
  static Compiles& of(Snapshots& snapshots);

  explicit Compiles(QObject* parent, WorkerCommand worker = local_worker());
  ~Compiles() override;

  void set_worker(WorkerCommand worker);
  // Cancels what runs, unless it is of the same analysis. Unchanged code is not compiled again.
  void request(std::shared_ptr<const Analysis> analysis);
  void cancel();
  bool busy() const { return wanted_ != nullptr; }
  const QString& progress() const { return progress_; }
  const Result& last() const { return last_; }
  // The last one, if it is of this analysis.
  const Result* of_analysis(const Analysis* analysis) const { return last_.kernel && last_.analysis.get() == analysis ? &last_ : nullptr; }

 signals:
  void changed();

 private:
  void work(std::stop_token stop);

  std::shared_ptr<const Analysis> wanted_;
  QString progress_;
  Result last_;

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::shared_ptr<const Analysis> pending_;
  std::optional<WorkerCommand> worker_command_;
  std::stop_source current_;
  std::jthread thread_;  // last: stops and joins before the rest goes
};

}  // namespace bakery::views
