// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/compiles.h"

#include <utility>

#include "views/common/qt_text.h"

namespace bakery::views {

QString Compiles::Result::trouble() const {
  if (!kernel) return tr("nothing was compiled yet");
  if (!compiled) return kernel->findings.empty() ? tr("the schedule is not lowered") : to_qstring(kernel->findings.front().id + ": " + kernel->findings.front().message);
  if (!compiled->status.ok()) return to_qstring(compiled->status.message);
  if (!compiled->answer.ok) return to_qstring(compiled->findings.empty() ? "the compiler answered " + compiled->answer.result : compiled->findings.front().message);
  return {};
}

Compiles& Compiles::of(Snapshots& snapshots) {
  auto* shared = snapshots.findChild<Compiles*>(QString(), Qt::FindDirectChildrenOnly);
  return shared ? *shared : *new Compiles(&snapshots);
}

Compiles::Compiles(QObject* parent, WorkerCommand worker) : QObject(parent), worker_command_(std::move(worker)) {
  thread_ = std::jthread([this](std::stop_token stop) { work(stop); });
}

Compiles::~Compiles() {
  {
    const std::lock_guard lock(mutex_);
    current_.request_stop();
  }
  thread_.request_stop();
  wake_.notify_all();
  thread_.join();
}

void Compiles::set_worker(WorkerCommand worker) {
  cancel();
  const std::lock_guard lock(mutex_);
  worker_command_ = std::move(worker);
}

void Compiles::request(std::shared_ptr<const Analysis> analysis) {
  if (analysis == wanted_ || (last_.kernel && last_.analysis == analysis && !wanted_ && last_.ok())) return;
  wanted_ = analysis;
  progress_ = tr("lowering");
  {
    const std::lock_guard lock(mutex_);
    current_.request_stop();
    current_ = {};
    pending_ = std::move(analysis);
  }
  wake_.notify_one();
  emit changed();
}

void Compiles::cancel() {
  if (!wanted_) return;
  wanted_ = nullptr;
  {
    const std::lock_guard lock(mutex_);
    current_.request_stop();
    pending_ = nullptr;
  }
  emit changed();
}

void Compiles::work(std::stop_token stop) {
  std::unique_ptr<WorkerClient> client;
  Result done;
  while (true) {
    std::shared_ptr<const Analysis> analysis;
    std::stop_source source;
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return pending_ != nullptr; }) || stop.stop_requested()) return;
      analysis = std::exchange(pending_, nullptr);
      source = current_;
      if (worker_command_) client = std::make_unique<WorkerClient>(*std::exchange(worker_command_, std::nullopt));
    }
    const auto post = [this, analysis](auto act) {
      QMetaObject::invokeMethod(
          this,
          [this, analysis, act = std::move(act)] {
            if (analysis != wanted_) return;
            act();
            emit changed();
          },
          Qt::QueuedConnection);
    };
    Result result{analysis, std::make_shared<const LoweredKernel>(make_kernel(*analysis)), nullptr};
    if (result.kernel->lowered_ok && !source.stop_requested()) {
      if (done.ok() && done.kernel->lowered.cuda == result.kernel->lowered.cuda) {
        result.compiled = done.compiled;
      } else {
        post([this] { progress_ = tr("compiling"); });
        CallOptions options;
        options.stop = source.get_token();
        options.progress = [&post, this](const Progress& progress) { post([this, text = to_qstring(progress.text)] { progress_ = text; }); };
        result.compiled = std::make_shared<const CompiledKernel>(compile_kernel(*client, *analysis, *result.kernel, options));
      }
    }
    if (source.stop_requested()) continue;
    done = result;
    post([this, result] {
      last_ = result;
      wanted_ = nullptr;
      progress_.clear();
    });
  }
}

}  // namespace bakery::views
