// SPDX-License-Identifier: GPL-3.0-or-later
// A thread that does one thing after the other, away from the window.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace bakery::views {

class TaskThread {
 public:
  using Task = std::function<void(std::stop_token)>;

  TaskThread() : thread_([this](std::stop_token stop) { work(stop); }) {}
  // Stops what runs and forgets what waits.
  ~TaskThread() {
    thread_.request_stop();
    cancel();
  }

  void post(Task task) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(task));
    }
    wake_.notify_one();
  }

  // Asks what runs now to stop; what waits goes on.
  void cancel() {
    const std::lock_guard lock(mutex_);
    current_.request_stop();
  }

 private:
  void work(std::stop_token stop) {
    while (true) {
      Task task;
      std::stop_token its;
      {
        std::unique_lock lock(mutex_);
        if (!wake_.wait(lock, stop, [this] { return !waiting_.empty(); }) || stop.stop_requested()) return;
        task = std::move(waiting_.front());
        waiting_.pop_front();
        current_ = std::stop_source();
        its = current_.get_token();
      }
      task(its);
    }
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Task> waiting_;
  std::stop_source current_;
  std::jthread thread_;  // last: stops and joins before the rest goes
};

}  // namespace bakery::views
