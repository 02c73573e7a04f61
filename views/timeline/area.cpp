// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/area.h"

#include <algorithm>
#include <map>

namespace bakery::views {

namespace {

using Intervals = std::vector<std::pair<int64_t, int64_t>>;  // sorted by begin

// Joins what overlaps; `all` holds sorted runs that end at `ends`.
Intervals joined(Intervals all, std::vector<size_t> ends) {
  for (size_t i = 1; i < ends.size(); ++i)
    std::inplace_merge(all.begin(), all.begin() + static_cast<ptrdiff_t>(ends[i - 1]), all.begin() + static_cast<ptrdiff_t>(ends[i]));
  Intervals result;
  for (const auto& [begin, end] : all)
    if (!result.empty() && begin <= result.back().second) result.back().second = std::max(result.back().second, end);
    else result.emplace_back(begin, end);
  return result;
}

int64_t length(const Intervals& intervals) {
  int64_t sum = 0;
  for (const auto& [begin, end] : intervals) sum += end - begin;
  return sum;
}

int64_t common_length(const Intervals& a, const Intervals& b) {
  int64_t sum = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    sum += std::max<int64_t>(0, std::min(a[i].second, b[j].second) - std::max(a[i].first, b[j].first));
    (a[i].second < b[j].second ? i : j) += 1;
  }
  return sum;
}

}  // namespace

AreaTotals total(const Snapshot& snapshot, const Iterations& iterations, const Area& area) {
  const Timeline& timeline = *snapshot.timeline;
  const Schedule& schedule = snapshot.analysis->schedule;
  AreaTotals totals;
  Intervals engine_busy, role_busy;
  std::vector<size_t> engine_ends, role_ends;
  std::vector<int64_t> waits(schedule.barriers.size(), 0);
  int64_t other_waits = 0;
  std::map<std::string, int64_t> role_waits;
  std::vector<uint8_t> touched(iterations.values.size(), 0);
  const bool by_engines = std::any_of(area.lanes.begin(), area.lanes.end(), [&](uint32_t l) {
    return l < timeline.lanes.size() && timeline.lanes[l].kind == LaneKind::engine;
  });
  for (const uint32_t l : area.lanes) {
    if (l >= timeline.lanes.size()) continue;
    const Lane& lane = timeline.lanes[l];
    if (lane.kind == LaneKind::barrier && !by_engines) {
      const auto first = timeline.marks.begin() + lane.first_mark, last = first + lane.mark_count;
      auto mark = std::lower_bound(first, last, area.begin, [](const Mark& m, int64_t t) { return m.time < t; });
      for (; mark != last && mark->time < area.end; ++mark) totals.bytes += mark->bytes;
    }
    const bool role = lane.kind == LaneKind::role, engine = lane.kind == LaneKind::engine;
    int64_t busy = 0, waiting = 0;
    for (uint32_t b = lane.first_bar; b < lane.first_bar + lane.bar_count; ++b) {
      const Bar& bar = timeline.bars[b];
      if (bar.begin >= area.end) break;
      const int64_t begin = std::max(bar.begin, area.begin), end = std::min(bar.end, area.end);
      if (begin >= end) continue;
      ++totals.bars;
      if (!role && !engine) continue;
      const TimelineEvent* event = bar.event < timeline.events.size() ? &timeline.events[bar.event] : nullptr;
      if (engine) {
        busy += end - begin;
        engine_busy.emplace_back(begin, end);
        const bool moves = event && event->op < schedule.ops.size() && schedule.ops[event->op].param != kNone && event->slot_view >= 0;
        if (moves && bar.end <= area.end && bar.end > area.begin) totals.bytes += schedule.views[event->slot_view].stage_bytes();
        continue;
      }
      if (event && event->iteration < iterations.number.size()) touched[iterations.number[event->iteration]] = 1;
      if (bar.state == BarState::working) {
        busy += end - begin;
        role_busy.emplace_back(begin, end);
      } else {
        waiting += end - begin;
        const bool on_barrier = event && event->barrier >= 0 && static_cast<size_t>(event->barrier) < waits.size();
        (on_barrier ? waits[static_cast<size_t>(event->barrier)] : other_waits) += end - begin;
      }
    }
    if (engine) engine_ends.push_back(engine_busy.size());
    if (role) role_ends.push_back(role_busy.size());
    if (role || engine) totals.busy.push_back({lane.name, busy});
    if (role && waiting > 0) role_waits[lane.name] += waiting;
  }
  for (size_t b = 0; b < waits.size(); ++b)
    if (waits[b] > 0) totals.wait_by_barrier.push_back({schedule.barriers[b].name, waits[b]});
  if (other_waits > 0) totals.wait_by_barrier.push_back({"groups and meetings", other_waits});
  for (const auto& [name, steps] : role_waits) totals.wait_by_role.push_back({name, steps});
  const Intervals engines = joined(std::move(engine_busy), std::move(engine_ends));
  totals.engine_busy = length(engines);
  totals.overlapped = common_length(engines, joined(std::move(role_busy), std::move(role_ends)));
  totals.iterations = static_cast<size_t>(std::count(touched.begin() + 1, touched.end(), 1));
  return totals;
}

}  // namespace bakery::views
