// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cuda/kernels.h"

#include <utility>

namespace bakery::views {

Kernels::Kernels(QObject* parent) : QObject(parent) {
  worker_ = std::jthread([this](std::stop_token stop) { work(stop); });
}

Kernels::~Kernels() {
  worker_.request_stop();
  wake_.notify_all();
  worker_.join();
}

void Kernels::submit(std::shared_ptr<const Analysis> analysis) {
  wanted_ = analysis;
  {
    const std::lock_guard lock(mutex_);
    pending_ = std::move(analysis);
  }
  wake_.notify_one();
}

void Kernels::work(std::stop_token stop) {
  while (true) {
    std::shared_ptr<const Analysis> analysis;
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return pending_ != nullptr; }) || stop.stop_requested()) return;
      analysis = std::exchange(pending_, nullptr);
    }
    auto kernel = std::make_shared<const LoweredKernel>(make_kernel(*analysis));
    QMetaObject::invokeMethod(
        this,
        [this, analysis = std::move(analysis), kernel = std::move(kernel)] {
          if (analysis != wanted_) return;
          wanted_ = nullptr;
          emit made(analysis, kernel);
        },
        Qt::QueuedConnection);
  }
}

}  // namespace bakery::views
