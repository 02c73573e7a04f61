// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/lighting.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace bakery::views {

namespace {

template <class Items>
int index_of(const Items& items, const std::string& name) {
  if (name.empty()) return -1;
  for (size_t i = 0; i < items.size(); ++i)
    if (items[i].name == name) return static_cast<int>(i);
  return -1;
}

class Selector {
 public:
  Selector(const Snapshot& snapshot, const FocusState& focus)
      : focus_(focus),
        barrier_(index_of(snapshot.analysis->schedule.barriers, focus.barrier)),
        view_(index_of(snapshot.analysis->schedule.views, focus.buffer)) {
    const SourceText& source = snapshot.analysis->source;
    const bool by_text = barrier_ < 0 && view_ < 0 && focus.role.empty() && focus.engine.empty();
    if (by_text)
      if (const auto lines = lines_of(source, focus))
        lines_ = Span{source.line_span(lines->first).begin, source.line_span(lines->second).end};
  }

  bool operator()(uint32_t index, const TimelineEvent& event) const {
    if (index == focus_.event) return true;
    if (barrier_ >= 0) {
      if (event.barrier != barrier_ || (focus_.stage >= 0 && event.stage != focus_.stage)) return false;
      if (focus_.completion >= 0) return static_cast<int64_t>(event.completion) == focus_.completion;
      return focus_.event == kNoEvent;
    }
    if (view_ >= 0)
      return focus_.event == kNoEvent && event.slot_view == view_ &&
             (focus_.slot < 0 || event.slot_stage == focus_.slot);
    return lines_ && event.span.begin >= lines_->begin && event.span.begin < lines_->end;
  }

 private:
  const FocusState& focus_;
  int barrier_, view_;
  std::optional<Span> lines_;
};

}  // namespace

Lighting light(const Snapshot& snapshot, const FocusState& focus) {
  const Timeline& timeline = *snapshot.timeline;
  Lighting lighting;
  lighting.lanes.assign(timeline.lanes.size(), 0);
  if (focus.empty()) return lighting;
  lighting.bars.resize(timeline.lanes.size());
  lighting.event = focus.event < timeline.events.size() ? focus.event : kNoEvent;

  const Selector selects(snapshot, focus);
  std::vector<uint8_t> lit(timeline.events.size(), 0);
  // A completion also lights the slots that its transfers fill.
  std::set<std::pair<int, int>> filled;
  const bool by_completion = !focus.barrier.empty() && focus.completion >= 0;
  for (uint32_t i = 0; i < timeline.events.size(); ++i) lit[i] = selects(i, timeline.events[i]);
  if (by_completion)
    for (const uint32_t i : arrivals_for(timeline, focus.barrier, focus.stage, focus.completion)) {
      const TimelineEvent& event = timeline.events[i];
      lit[i] = 1;
      if (event.slot_view >= 0) filled.emplace(event.slot_view, event.slot_stage);
    }
  const std::vector<View>& views = snapshot.analysis->schedule.views;
  const auto slot_lit = [&](const Lane& lane) {
    return std::any_of(filled.begin(), filled.end(), [&](const auto& slot) {
      return lane.stage == slot.second && static_cast<size_t>(slot.first) < views.size() &&
             views[slot.first].name == lane.resource;
    });
  };

  for (size_t l = 0; l < timeline.lanes.size(); ++l) {
    const Lane& lane = timeline.lanes[l];
    bool here = false;
    switch (lane.kind) {
      case LaneKind::role: here = lane.resource == focus.role; break;
      case LaneKind::engine: here = lane.resource == focus.engine; break;
      case LaneKind::barrier:
        here = lane.resource == focus.barrier && (focus.stage < 0 || lane.stage == focus.stage);
        break;
      case LaneKind::slot:
        here = (lane.resource == focus.buffer && (focus.slot < 0 || lane.stage == focus.slot)) || slot_lit(lane);
        break;
    }
    const bool phases = here && lane.kind == LaneKind::barrier;
    for (uint32_t b = lane.first_bar; b < lane.first_bar + lane.bar_count; ++b) {
      const Bar& bar = timeline.bars[b];
      const bool by_event = bar.event < lit.size() && lit[bar.event] && lane.kind != LaneKind::barrier;
      const bool by_phase = phases && focus.completion >= 0 && bar.number == focus.completion;
      if (by_event || by_phase) lighting.bars[l].push_back(b);
    }
    const bool by_text = focus.barrier.empty() && focus.buffer.empty() && focus.role.empty();
    lighting.lanes[l] = here || (by_text && !lighting.bars[l].empty());
  }
  return lighting;
}

}  // namespace bakery::views
