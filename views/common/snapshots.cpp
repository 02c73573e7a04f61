// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/snapshots.h"

#include <QMetaObject>

#include <algorithm>
#include <chrono>

#include "app/session/fixes.h"

namespace bakery::views {

namespace {

Snapshot snapshot_of(std::shared_ptr<const Analysis> analysis) {
  std::shared_ptr<const Timeline> timeline(analysis, &analysis->timeline);
  const int sample = analysis->timeline_sample;
  return {std::move(analysis), std::move(timeline), sample};
}

bool has_fix(const Finding& finding) { return !finding.fixes.empty(); }

}  // namespace

Snapshots::Snapshots(Analyser analyser, QObject* parent)
    : QObject(parent), analyser_(std::move(analyser)), shown_(snapshot_of(std::make_shared<Analysis>())) {
  worker_ = std::jthread([this](std::stop_token stop) { work(stop); });
}

Snapshots::Snapshots(QObject* parent, Fixes fixes)
    : Snapshots(
          [](std::string name, std::string text, const AnalysisOptions& options) {
            return analyse(std::move(name), std::move(text), options);
          },
          parent) {
  fixes_ = fixes;
}

Snapshots::~Snapshots() {
  {
    const std::lock_guard lock(mutex_);
    pending_.reset();
    current_.request_stop();
  }
  worker_.request_stop();
  wake_.notify_all();
  worker_.join();
}

uint64_t Snapshots::submit(std::string file_name, std::string text) {
  const bool was_busy = busy();
  file_name_ = std::move(file_name);
  text_ = std::move(text);
  ++submitted_;
  post({submitted_, file_name_, text_, target_, nullptr, {}});
  if (!was_busy) emit busy_changed(true);
  return submitted_;
}

void Snapshots::set_target(std::string target) {
  if (target == target_) return;
  target_ = std::move(target);
  if (submitted_ > 0) submit(file_name_, text_);
}

void Snapshots::show_sample_of(const Finding& finding) {
  if (busy() || finding.sample < 0 || finding.sample == wanted_sample_) return;
  wanted_sample_ = finding.sample;
  if (wanted_sample_ == shown_.analysis->timeline_sample) {
    show(snapshot_of(shown_.analysis), milliseconds_);
    return;
  }
  post({submitted_, {}, {}, target_, shown_.analysis, finding});
}

void Snapshots::show(Snapshot next, double milliseconds) {
  const bool was_busy = busy();
  emit about_to_change(shown_, next);
  shown_ = std::move(next);
  wanted_sample_ = shown_.sample;
  milliseconds_ = milliseconds;
  submitted_ = std::max(submitted_, shown_.analysis->revision);
  emit changed();
  emit after_change();
  if (was_busy && !busy()) emit busy_changed(false);
}

void Snapshots::post(Job job) {
  {
    const std::lock_guard lock(mutex_);
    current_.request_stop();
    pending_ = std::move(job);
  }
  wake_.notify_one();
}

void Snapshots::work(std::stop_token stop) {
  while (true) {
    Job job;
    std::stop_token job_stop;
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return pending_.has_value(); })) return;
      if (stop.stop_requested()) return;
      job = std::move(*pending_);
      pending_.reset();
      current_ = std::stop_source();
      job_stop = current_.get_token();
    }
    run(std::move(job), job_stop);
  }
}

void Snapshots::run(Job job, std::stop_token stop) {
  ++jobs_;
  if (job.analysis) {
    auto timeline = std::make_shared<const Timeline>(timeline_of(*job.analysis, job.finding));
    QMetaObject::invokeMethod(
        this,
        [this, analysis = job.analysis, timeline, sample = job.finding.sample] {
          if (analysis == shown_.analysis && sample == wanted_sample_) show({analysis, timeline, sample}, milliseconds_);
        },
        Qt::QueuedConnection);
    add_fixes(std::move(job.analysis), job.target, stop);
    return;
  }
  AnalysisOptions options;
  options.target = job.target;
  options.stop = stop;
  options.revision = job.revision;
  const auto start = std::chrono::steady_clock::now();
  std::shared_ptr<const Analysis> result = analyser_(std::move(job.file_name), std::move(job.text), options);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  if (!result || result->stopped || stop.stop_requested()) return;
  fixing_ = wants_fixes(*result) ? jobs_ : 0;
  QMetaObject::invokeMethod(
      this, [this, result, ms = took.count()] { receive_analysis(result, ms); }, Qt::QueuedConnection);
  add_fixes(std::move(result), options.target, stop);
}

bool Snapshots::wants_fixes(const Analysis& analysis) const {
  return fixes_ == Fixes::found && worth_fixing(analysis) && std::none_of(analysis.findings.begin(), analysis.findings.end(), has_fix);
}

// The findings are on screen by now; what mends them follows.
void Snapshots::add_fixes(std::shared_ptr<const Analysis> analysis, std::string target, std::stop_token stop) {
  fixing_ = wants_fixes(*analysis) ? jobs_ : 0;
  if (!fixing_) return;
  AnalysisOptions options;
  options.target = std::move(target);
  options.stop = stop;
  std::shared_ptr<const Analysis> fixed = with_fixes(*analysis, options);
  if (!fixed || stop.stop_requested() || std::none_of(fixed->findings.begin(), fixed->findings.end(), has_fix)) {
    fixing_ = 0;
    return;
  }
  QMetaObject::invokeMethod(
      this,
      [this, analysis, fixed, job = jobs_]() mutable {
        if (analysis == shown_.analysis) show({fixed, shown_.timeline, shown_.sample}, milliseconds_);
        fixing_.compare_exchange_strong(job, 0);  // a newer one goes on
      },
      Qt::QueuedConnection);
}

void Snapshots::receive_analysis(std::shared_ptr<const Analysis> analysis, double milliseconds) {
  if (analysis->revision != submitted_) return;
  show(snapshot_of(std::move(analysis)), milliseconds);
}

}  // namespace bakery::views
