// SPDX-License-Identifier: GPL-3.0-or-later
// Lowers analyses on a thread of its own; only the newest one asked for is answered.
#pragma once

#include <QObject>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "app/session/kernel.h"

namespace bakery::views {

class Kernels : public QObject {
  Q_OBJECT

 public:
  explicit Kernels(QObject* parent = nullptr);
  ~Kernels() override;

  void submit(std::shared_ptr<const Analysis> analysis);
  bool busy() const { return wanted_ != nullptr; }

 signals:
  void made(std::shared_ptr<const bakery::Analysis> analysis, std::shared_ptr<const bakery::LoweredKernel> kernel);

 private:
  void work(std::stop_token stop);

  std::shared_ptr<const Analysis> wanted_;  // of the thread that owns this
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::shared_ptr<const Analysis> pending_;
  std::jthread worker_;  // last: stops and joins before the rest goes
};

}  // namespace bakery::views
