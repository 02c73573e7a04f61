// SPDX-License-Identifier: Apache-2.0
#include "core_ir/machine/recorder.h"

#include <algorithm>

namespace bakery {

Recorder::Recorder(const Schedule& schedule, const Trace& trace, bool enabled)
    : schedule_(schedule), trace_(trace), enabled_(enabled) {
  if (!enabled_) return;
  const auto lane = [&](LaneKind kind, std::string name, std::string resource, int stage) {
    timeline_.lanes.push_back({kind, std::move(name), std::move(resource), stage, 1, 0, 0, 0, 0});
  };
  for (const Role& role : schedule.roles) {
    role_lanes_.push_back(timeline_.lanes.size());
    if (role.warps.size() == 1) {
      lane(LaneKind::role, role.name, role.name, -1);
    } else {
      lane(LaneKind::role, role.name + " · warp " + std::to_string(role.warps.front()), role.name, -1);
      lane(LaneKind::role, role.name + " · warps " + std::to_string(role.warps[1]) + "–" + std::to_string(role.warps.back()),
           role.name, -1);
    }
  }
  for (const Operation& op : operations()) {
    if (op.engine[0] == '\0') continue;
    const bool used = std::any_of(schedule.ops.begin(), schedule.ops.end(), [&](const Op& o) { return o.code == op.code; });
    const bool known = std::any_of(timeline_.lanes.begin(), timeline_.lanes.end(), [&](const Lane& l) { return l.name == op.engine; });
    if (used && !known) lane(LaneKind::engine, op.engine, op.engine, -1);
  }
  for (const Barrier& barrier : schedule.barriers) {
    barrier_lanes_.push_back(timeline_.lanes.size());
    for (int s = 0; s < barrier.count; ++s)
      lane(LaneKind::barrier, barrier.count == 1 ? barrier.name : barrier.name + "[" + std::to_string(s) + "]", barrier.name, s);
  }
  for (const View& view : schedule.views) {
    slot_lanes_.push_back(timeline_.lanes.size());
    for (int s = 0; s < view.stages; ++s)
      lane(LaneKind::slot, view.staged ? view.name + "[" + std::to_string(s) + "]" : view.name, view.name, s);
  }
  pending_.resize(timeline_.lanes.size());
  phase_begin_.resize(timeline_.lanes.size(), 0);
  slot_use_.resize(timeline_.lanes.size(), -1);
  size_t steps = 0;
  for (const RoleTrace& role : trace.roles) steps += role.steps.size();
  timeline_.events.reserve(steps * 2);
}

uint32_t Recorder::event(Index role, uint8_t warp, const Step& step, int64_t begin, int64_t end) {
  if (enabled_) {
    const Op& op = schedule_.ops[step.op];
    TimelineEvent event;
    event.begin = begin;
    event.end = end;
    event.span = op.span;
    event.op = step.op;
    event.iteration = step.iteration;
    event.role = static_cast<int16_t>(role);
    event.barrier = op.barrier == kNone ? int16_t{-1} : static_cast<int16_t>(op.barrier);
    event.stage = static_cast<int16_t>(op.barrier == kNone ? -1 : step.stage);
    const Region& region = op.dst.space == Space::shared ? op.dst : op.a;
    if (region.space == Space::shared) {
      event.slot_view = static_cast<int16_t>(region.resource);
      event.slot_stage = static_cast<int16_t>(std::max(0, &region == &op.dst ? step.dst_stage : step.a_stage));
    }
    event.warp = warp;
    timeline_.events.push_back(event);
    timeline_.end = std::max(timeline_.end, end);
  }
  return events_++;
}

void Recorder::role_bar(Index role, uint8_t warp, int64_t begin, int64_t end, BarState state, uint32_t event) {
  if (!enabled_ || end <= begin) return;
  std::vector<Bar>& bars = pending_[role_lanes_[role] + warp].bars;
  bars.push_back({begin, end, event, -1, state, 0});
}

size_t Recorder::engine_lane(const char* name) {
  for (size_t i = 0; i < timeline_.lanes.size(); ++i)
    if (timeline_.lanes[i].kind == LaneKind::engine && timeline_.lanes[i].name == name) return i;
  return 0;
}

void Recorder::engine_bar(const char* engine, int64_t begin, int64_t end, uint32_t event) {
  if (!enabled_) return;
  const size_t at = engine_lane(engine);
  std::vector<Bar>& bars = pending_[at].bars;
  uint8_t row = 0;
  // The lowest row that is free; only the newest bars can still overlap.
  for (; row < 15; ++row) {
    bool taken = false;
    for (size_t k = bars.size(); k-- > 0 && k + 32 >= bars.size();) taken |= bars[k].row == row && bars[k].end > begin;
    if (!taken) break;
  }
  bars.push_back({begin, end, event, -1, BarState::transfer, row});
  timeline_.lanes[at].rows = std::max<uint16_t>(timeline_.lanes[at].rows, row + 1);
  timeline_.end = std::max(timeline_.end, end);
}

void Recorder::arrival(Index barrier, int stage, int64_t time, uint32_t event, int arrived, int expected, int64_t bytes,
                       int64_t completion) {
  if (!enabled_) return;
  timeline_.events[event].completion = static_cast<uint32_t>(completion);
  pending_[barrier_lane(barrier, stage)].marks.push_back({time, event, arrived, expected, static_cast<int32_t>(bytes)});
}

void Recorder::completion(Index barrier, int stage, int64_t time, int64_t number, uint32_t event) {
  if (!enabled_) return;
  const size_t lane = barrier_lane(barrier, stage);
  pending_[lane].bars.push_back({phase_begin_[lane], time, event, static_cast<int32_t>(number), BarState::phase, 0});
  phase_begin_[lane] = time;
}

void Recorder::slot(Index view, int stage, BarState state, int64_t begin, int64_t end, uint32_t event) {
  if (!enabled_) return;
  const size_t lane = slot_lanes_[view] + std::max(0, stage);
  std::vector<Bar>& bars = pending_[lane].bars;
  if (state == BarState::filling) {
    const bool same_fill = !bars.empty() && bars.back().state == BarState::filling && begin < bars.back().end;
    if (same_fill) {
      bars.back().end = std::max(bars.back().end, end);
      return;
    }
    stay_full(lane, begin);
    ++slot_use_[lane];
  } else if (!bars.empty()) {
    if (bars.back().state == state && begin <= bars.back().end) {
      bars.back().end = std::max(bars.back().end, end);
      return;
    }
    if (bars.back().end < begin && bars.back().number == slot_use_[lane])
      bars.push_back({bars.back().end, begin, bars.back().event, slot_use_[lane], BarState::full, 0});
  }
  bars.push_back({begin, std::max(end, begin + 1), event, slot_use_[lane], state, 0});
}

// A slot that was filled and not read keeps what it holds.
void Recorder::stay_full(size_t lane, int64_t until) {
  std::vector<Bar>& bars = pending_[lane].bars;
  if (bars.empty() || bars.back().state != BarState::filling || bars.back().end >= until) return;
  const Bar fill = bars.back();
  bars.push_back({fill.end, until, fill.event, fill.number, BarState::full, 0});
}

void Recorder::waited(uint32_t from, uint32_t to, int64_t completion) {
  if (!enabled_) return;
  timeline_.events[to].completion = static_cast<uint32_t>(completion);
  if (from != UINT32_MAX) timeline_.edges.push_back({from, to});
}

void Recorder::blocked(uint32_t event, int64_t completion) {
  if (!enabled_) return;
  timeline_.events[event].blocked = true;
  timeline_.events[event].completion = static_cast<uint32_t>(completion);
}

Timeline Recorder::finish(const std::string& sample, bool truncated) {
  if (!enabled_) return {};
  for (size_t lane = 0; lane < pending_.size(); ++lane) {
    Pending& pending = pending_[lane];
    Lane& out = timeline_.lanes[lane];
    if (out.kind == LaneKind::barrier && timeline_.end > phase_begin_[lane]) {
      const int32_t next = pending.bars.empty() ? 1 : pending.bars.back().number + 1;
      pending.bars.push_back({phase_begin_[lane], timeline_.end, UINT32_MAX, next, BarState::phase, 0});
    }
    if (out.kind == LaneKind::slot) stay_full(lane, timeline_.end);
    std::stable_sort(pending.bars.begin(), pending.bars.end(), [](const Bar& a, const Bar& b) { return a.begin < b.begin; });
    std::stable_sort(pending.marks.begin(), pending.marks.end(), [](const Mark& a, const Mark& b) { return a.time < b.time; });
    out.first_bar = static_cast<uint32_t>(timeline_.bars.size());
    out.bar_count = static_cast<uint32_t>(pending.bars.size());
    out.first_mark = static_cast<uint32_t>(timeline_.marks.size());
    out.mark_count = static_cast<uint32_t>(pending.marks.size());
    timeline_.bars.insert(timeline_.bars.end(), pending.bars.begin(), pending.bars.end());
    timeline_.marks.insert(timeline_.marks.end(), pending.marks.begin(), pending.marks.end());
  }
  timeline_.iterations.resize(trace_.iterations.size());
  for (size_t i = 1; i < trace_.iterations.size(); ++i) {
    const Iteration& iteration = trace_.iterations[i];
    timeline_.iterations[i] = timeline_.iterations[iteration.parent];
    timeline_.iterations[i].push_back({schedule_.symbols[iteration.symbol].name, iteration.value});
  }
  timeline_.sample = sample;
  timeline_.truncated = truncated;
  return std::move(timeline_);
}

}  // namespace bakery
