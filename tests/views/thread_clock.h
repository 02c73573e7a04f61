// SPDX-License-Identifier: GPL-3.0-or-later
// Time of this thread on a core: what other programs do meanwhile does not count.
#pragma once

#include <algorithm>
#include <ctime>
#include <vector>

namespace bakery::views {

class ThreadClock {
 public:
  void restart() { begin_ = now(); }
  double milliseconds() const { return now() - begin_; }

 private:
  static double now() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
  }
  double begin_ = now();
};

struct Times {
  double median = 0, p95 = 0, worst = 0;
};

inline Times summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times[times.size() * 95 / 100], times.back()};
}

}  // namespace bakery::views
