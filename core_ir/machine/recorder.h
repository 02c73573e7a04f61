// SPDX-License-Identifier: Apache-2.0
// Collects the timeline while the machine runs.
#pragma once

#include <string>
#include <vector>

#include "core_ir/machine/timeline.h"
#include "core_ir/machine/trace.h"

namespace bakery {

class Recorder {
 public:
  Recorder(const Schedule& schedule, const Trace& trace, bool enabled);

  bool enabled() const { return enabled_; }
  // Returns the event's index whether or not the timeline is kept.
  uint32_t event(Index role, uint8_t warp, const Step& step, int64_t begin, int64_t end);
  void role_bar(Index role, uint8_t warp, int64_t begin, int64_t end, BarState state, uint32_t event);
  void engine_bar(const char* engine, int64_t begin, int64_t end, uint32_t event);
  void arrival(Index barrier, int stage, int64_t time, uint32_t event, int arrived, int expected, int64_t bytes,
               int64_t completion);
  void completion(Index barrier, int stage, int64_t time, int64_t number, uint32_t event);
  void slot(Index view, int stage, BarState state, int64_t begin, int64_t end, uint32_t event);
  void waited(uint32_t from, uint32_t to, int64_t completion);
  void blocked(uint32_t event, int64_t completion);
  Timeline finish(const std::string& sample, bool truncated);

 private:
  struct Pending {
    std::vector<Bar> bars;
    std::vector<Mark> marks;
  };
  size_t barrier_lane(Index barrier, int stage) const { return barrier_lanes_[barrier] + stage; }
  size_t engine_lane(const char* name);
  void stay_full(size_t lane, int64_t until);

  const Schedule& schedule_;
  const Trace& trace_;
  const bool enabled_;
  uint32_t events_ = 0;
  Timeline timeline_;
  std::vector<Pending> pending_;  // by lane
  std::vector<size_t> role_lanes_, barrier_lanes_, slot_lanes_;
  std::vector<int64_t> phase_begin_;   // by barrier lane
  std::vector<int32_t> slot_use_;      // by lane
};

}  // namespace bakery
