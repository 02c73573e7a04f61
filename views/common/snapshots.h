// SPDX-License-Identifier: GPL-3.0-or-later
// The snapshot that all views draw, and the worker thread that makes the next one.
#pragma once

#include <QObject>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "app/session/analysis.h"

namespace bakery::views {

// What is on screen: one analysis, and the timeline of one of its samples.
struct Snapshot {
  std::shared_ptr<const Analysis> analysis;   // never null
  std::shared_ptr<const Timeline> timeline;   // never null
  int sample = -1;
};

// Every `submit` starts an analysis and cancels the one before it; a result is shown only while it
// is still the newest one asked for. Nothing here blocks the caller.
class Snapshots : public QObject {
  Q_OBJECT

 public:
  using Analyser =
      std::function<std::shared_ptr<const Analysis>(std::string, std::string, const AnalysisOptions&)>;

  enum class Fixes : uint8_t { found, left_out };

  explicit Snapshots(Analyser analyser, QObject* parent = nullptr);
  explicit Snapshots(QObject* parent = nullptr, Fixes fixes = Fixes::found);
  ~Snapshots() override;

  // Returns the revision that the result will carry.
  uint64_t submit(std::string file_name, std::string text);
  void set_target(std::string target);
  const std::string& target() const { return target_; }

  const Snapshot& shown() const { return shown_; }
  const Analysis& analysis() const { return *shown_.analysis; }
  const Timeline& timeline() const { return *shown_.timeline; }
  uint64_t submitted_revision() const { return submitted_; }
  bool busy() const { return shown_.analysis->revision != submitted_; }
  // True when the shown sample is the one asked for, too.
  bool settled() const { return !busy() && wanted_sample_ == shown_.sample; }
  // True while fixes of the shown findings are being looked for.
  bool fixing() const { return fixing_ != 0; }
  double milliseconds() const { return milliseconds_; }

  // Shows the timeline of the sample that the finding was seen in; answers later.
  void show_sample_of(const Finding& finding);

  // Shows a ready-made snapshot (tests, recorded sessions).
  void show(Snapshot next, double milliseconds = 0);

 signals:
  void about_to_change(const bakery::views::Snapshot& shown, const bakery::views::Snapshot& next);
  void changed();
  void after_change();
  void busy_changed(bool busy);

 private:
  struct Job {
    uint64_t revision = 0;
    std::string file_name, text, target;
    std::shared_ptr<const Analysis> analysis;  // set: only another sample's timeline is wanted
    Finding finding;
  };

  void post(Job job);
  void work(std::stop_token stop);
  void run(Job job, std::stop_token stop);
  bool wants_fixes(const Analysis& analysis) const;
  void add_fixes(std::shared_ptr<const Analysis> analysis, std::string target, std::stop_token stop);
  void receive_analysis(std::shared_ptr<const Analysis> analysis, double milliseconds);

  Analyser analyser_;
  Fixes fixes_ = Fixes::found;
  Snapshot shown_;
  std::string target_, file_name_, text_;
  uint64_t submitted_ = 0;
  int wanted_sample_ = -1;
  double milliseconds_ = 0;
  uint64_t jobs_ = 0;                // of the worker
  std::atomic<uint64_t> fixing_ = 0; // the job that looks for fixes, or whose fixes are on their way

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::optional<Job> pending_;
  std::stop_source current_;
  std::jthread worker_;  // last: stops and joins before the rest goes
};

}  // namespace bakery::views
