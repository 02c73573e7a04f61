// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/focus.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace bakery::views {

namespace {

constexpr size_t kHistory = 32;

template <class Items>
bool has_name(const Items& items, const std::string& name) {
  return std::any_of(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
}

template <class Items>
std::string name_at(const Items& items, int index) {
  return index >= 0 && static_cast<size_t>(index) < items.size() ? items[index].name : std::string();
}

bool same_iteration(const Timeline& a, const TimelineEvent& x, const Timeline& b, const TimelineEvent& y) {
  static const std::vector<LoopValue> none;
  const auto& i = x.iteration < a.iterations.size() ? a.iterations[x.iteration] : none;
  const auto& j = y.iteration < b.iterations.size() ? b.iterations[y.iteration] : none;
  return std::equal(i.begin(), i.end(), j.begin(), j.end(), [](const LoopValue& p, const LoopValue& q) {
    return p.value == q.value && p.name == q.name;
  });
}

// Number of the completion that is in the making on a barrier lane when a mark is set; -1: none.
int64_t completion_at(const Timeline& timeline, const Lane& lane, int64_t time) {
  const auto first = timeline.bars.begin() + lane.first_bar, last = first + lane.bar_count;
  const auto bar = std::lower_bound(first, last, time, [](const Bar& b, int64_t t) { return b.end < t; });
  return bar != last && bar->begin <= time ? bar->number : -1;
}

// What an event awaits or contributes to; -1: nothing.
int64_t completion_of(const Snapshot& snapshot, uint32_t event, const std::string& barrier, int stage) {
  const Timeline& timeline = *snapshot.timeline;
  if (timeline.events[event].completion > 0) return timeline.events[event].completion;
  for (const Lane& lane : timeline.lanes) {
    if (lane.kind != LaneKind::barrier || lane.resource != barrier || lane.stage != stage) continue;
    for (uint32_t m = lane.first_mark; m < lane.first_mark + lane.mark_count; ++m)
      if (timeline.marks[m].event == event) return completion_at(timeline, lane, timeline.marks[m].time);
  }
  return -1;
}

uint32_t carry_event(uint32_t event, const Snapshot& from, const Snapshot& to) {
  if (event >= from.timeline->events.size()) return kNoEvent;
  const Analysis &a = *from.analysis, &b = *to.analysis;
  const TimelineEvent& old = from.timeline->events[event];
  const std::string role = name_at(a.schedule.roles, old.role);
  const std::string barrier = name_at(a.schedule.barriers, old.barrier);
  const std::string view = name_at(a.schedule.views, old.slot_view);
  const uint32_t begin = shift_offset(a.source.text(), b.source.text(), old.span.begin);
  uint32_t best = kNoEvent;
  int64_t best_distance = INT64_MAX;
  for (uint32_t i = 0; i < to.timeline->events.size(); ++i) {
    const TimelineEvent& next = to.timeline->events[i];
    if (next.warp != old.warp || next.stage != old.stage || next.slot_stage != old.slot_stage ||
        next.completion != old.completion)
      continue;
    const int64_t distance = std::abs(static_cast<int64_t>(next.span.begin) - static_cast<int64_t>(begin));
    if (distance >= best_distance) continue;
    if (name_at(b.schedule.roles, next.role) != role || name_at(b.schedule.barriers, next.barrier) != barrier ||
        name_at(b.schedule.views, next.slot_view) != view || !same_iteration(*from.timeline, old, *to.timeline, next))
      continue;
    best = i;
    best_distance = distance;
  }
  return best;
}

int carry_finding(int finding, const Analysis& from, const Analysis& to) {
  if (finding < 0 || static_cast<size_t>(finding) >= from.findings.size()) return -1;
  const Finding& old = from.findings[finding];
  const uint32_t begin = shift_offset(from.source.text(), to.source.text(), old.span.begin);
  int best = -1;
  int64_t best_distance = INT64_MAX;
  for (size_t i = 0; i < to.findings.size(); ++i) {
    const Finding& next = to.findings[i];
    if (next.id != old.id || next.role != old.role || next.resource != old.resource || next.stage != old.stage) continue;
    const int64_t distance = std::abs(static_cast<int64_t>(next.span.begin) - static_cast<int64_t>(begin));
    if (distance < best_distance) {
      best = static_cast<int>(i);
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace

uint32_t shift_offset(std::string_view before, std::string_view after, uint32_t offset) {
  const size_t shorter = std::min(before.size(), after.size());
  const size_t prefix = static_cast<size_t>(
      std::mismatch(before.begin(), before.begin() + static_cast<ptrdiff_t>(shorter), after.begin()).first -
      before.begin());
  if (offset <= prefix) return offset;
  const size_t suffix = static_cast<size_t>(
      std::mismatch(before.rbegin(), before.rbegin() + static_cast<ptrdiff_t>(shorter - prefix), after.rbegin()).first -
      before.rbegin());
  if (offset >= before.size() - suffix) return static_cast<uint32_t>(offset + after.size() - before.size());
  return static_cast<uint32_t>(prefix);
}

FocusState focus_on_span(Span span) {
  FocusState state;
  state.span = span;
  return state;
}

FocusState focus_on_event(const Snapshot& snapshot, uint32_t event) {
  FocusState state;
  if (event >= snapshot.timeline->events.size()) return state;
  const TimelineEvent& e = snapshot.timeline->events[event];
  const Schedule& schedule = snapshot.analysis->schedule;
  state.event = event;
  state.span = e.span;
  state.begin = e.begin;
  state.end = e.end;
  state.role = name_at(schedule.roles, e.role);
  state.barrier = name_at(schedule.barriers, e.barrier);
  if (!state.barrier.empty()) {
    state.stage = e.stage;
    state.completion = completion_of(snapshot, event, state.barrier, e.stage);
  }
  state.buffer = name_at(schedule.views, e.slot_view);
  if (!state.buffer.empty()) state.slot = e.slot_stage;
  return state;
}

FocusState focus_on_resource(const Snapshot& snapshot, const std::string& name, int stage, int64_t completion) {
  FocusState state;
  const Schedule& schedule = snapshot.analysis->schedule;
  const auto span_of = [&](const auto& items) {
    for (const auto& item : items)
      if (item.name == name) state.span = item.span;
  };
  if (has_name(schedule.barriers, name)) {
    state.barrier = name;
    state.stage = stage;
    state.completion = completion;
    span_of(schedule.barriers);
  } else if (has_name(schedule.roles, name)) {
    state.role = name;
    span_of(schedule.roles);
  } else if (has_name(schedule.views, name)) {
    state.buffer = name;
    state.slot = stage;
    span_of(schedule.views);
  } else {
    for (const Lane& lane : snapshot.timeline->lanes)
      if (lane.kind == LaneKind::engine && lane.resource == name) state.engine = name;
    span_of(schedule.tmems);
    span_of(schedule.fragments);
  }
  return state;
}

std::vector<uint32_t> arrivals_for(const Timeline& timeline, const std::string& barrier, int stage, int64_t completion) {
  std::vector<uint32_t> events;
  for (const Lane& lane : timeline.lanes) {
    if (lane.kind != LaneKind::barrier || lane.resource != barrier || (stage >= 0 && lane.stage != stage)) continue;
    const auto bars = timeline.bars.begin() + lane.first_bar, bars_end = bars + lane.bar_count;
    const auto bar = std::lower_bound(bars, bars_end, completion, [](const Bar& b, int64_t n) { return b.number < n; });
    if (bar == bars_end || bar->number != completion) continue;
    // A mark on the edge between two completions made the first of them.
    const int64_t after = bar == bars ? bar->begin - 1 : bar->begin;
    const auto marks = timeline.marks.begin() + lane.first_mark, marks_end = marks + lane.mark_count;
    auto mark = std::upper_bound(marks, marks_end, after, [](int64_t t, const Mark& m) { return t < m.time; });
    for (; mark != marks_end && mark->time <= bar->end; ++mark)
      if (mark->event < timeline.events.size()) events.push_back(mark->event);
  }
  return events;
}

uint32_t event_of(const Snapshot& snapshot, const Finding& finding) {
  const std::vector<TimelineEvent>& events = snapshot.timeline->events;
  // What was seen in the text alone has no place in a run; its role and resource are lit all the same.
  if (finding.sample < 0 && finding.witness.empty()) return kNoEvent;
  if (finding.sample < 0 || finding.sample == snapshot.sample) {
    uint32_t last = kNoEvent;
    for (const WitnessStep& step : finding.witness) {
      if (step.event_index >= events.size()) continue;
      if (step.role == finding.role && step.span == finding.span) return step.event_index;
      last = step.event_index;
    }
    if (last != kNoEvent) return last;
  }
  const Schedule& schedule = snapshot.analysis->schedule;
  uint32_t best = kNoEvent;
  int best_score = 0;
  for (uint32_t i = 0; i < events.size(); ++i) {
    const TimelineEvent& e = events[i];
    const bool here = e.span.begin < finding.span.end && finding.span.begin < e.span.end;
    const bool resource = !finding.resource.empty() && (name_at(schedule.barriers, e.barrier) == finding.resource ||
                                                        name_at(schedule.views, e.slot_view) == finding.resource);
    if (!here && !resource) continue;
    const bool same_role = finding.role.empty() || name_at(schedule.roles, e.role) == finding.role;
    if (!here && !same_role) continue;
    int score = 1 + (here ? 8 : 0) + (resource ? 4 : 0);
    if (same_role) score += 4;
    if (finding.stage && (e.stage == *finding.stage || e.slot_stage == *finding.stage)) score += 2;
    if (finding.completion && static_cast<int64_t>(e.completion) == *finding.completion) score += 2;
    if (e.blocked) score += 2;
    if (score > best_score) {
      best = i;
      best_score = score;
    }
  }
  return best;
}

FocusState focus_on_finding(const Snapshot& snapshot, int index) {
  FocusState state;
  if (index < 0 || static_cast<size_t>(index) >= snapshot.analysis->findings.size()) return state;
  const Finding& finding = snapshot.analysis->findings[index];
  if (!finding.resource.empty())
    state = focus_on_resource(snapshot, finding.resource, finding.stage.value_or(-1), finding.completion.value_or(-1));
  if (!finding.role.empty()) state.role = finding.role;
  state.finding = index;
  state.span = finding.span;
  const uint32_t event = event_of(snapshot, finding);
  if (event != kNoEvent) {
    const FocusState of_event = focus_on_event(snapshot, event);
    state.event = event;
    state.begin = of_event.begin;
    state.end = of_event.end;
    if (state.role.empty()) state.role = of_event.role;
    if (state.barrier.empty() && state.buffer.empty()) {
      state.barrier = of_event.barrier;
      state.stage = of_event.stage;
      state.completion = of_event.completion;
      state.buffer = of_event.buffer;
      state.slot = of_event.slot;
    }
  }
  return state;
}

std::optional<std::pair<uint32_t, uint32_t>> lines_of(const SourceText& source, const FocusState& state) {
  if (!state.span) return std::nullopt;
  const uint32_t first = source.position(state.span->begin).line;
  const uint32_t last_offset = state.span->end > state.span->begin ? state.span->end - 1 : state.span->begin;
  return std::pair{first, std::max(first, source.position(last_offset).line)};
}

FocusState carry_over(const FocusState& state, const Snapshot& from, const Snapshot& to) {
  const int finding = carry_finding(state.finding, *from.analysis, *to.analysis);
  if (finding >= 0) {
    FocusState next = focus_on_finding(to, finding);
    next.origin = state.origin;
    return next;
  }
  FocusState next = state;
  next.finding = -1;
  next.event = carry_event(state.event, from, to);
  if (next.event != kNoEvent) {
    const TimelineEvent& event = to.timeline->events[next.event];
    next.span = event.span;
    next.begin = event.begin;
    next.end = event.end;
    return next;
  }
  next.begin = next.end = -1;
  if (state.span) {
    const std::string &before = from.analysis->source.text(), &after = to.analysis->source.text();
    next.span = Span{shift_offset(before, after, state.span->begin), shift_offset(before, after, state.span->end)};
  }
  return next;
}

Focus::Focus(Snapshots& snapshots, QObject* parent) : QObject(parent), snapshots_(snapshots) {
  connect(&snapshots, &Snapshots::about_to_change, this, [this](const Snapshot& shown, const Snapshot& next) {
    FocusState carried = carry_over(state_, shown, next);
    carried_ = !(carried == state_);
    state_ = std::move(carried);
    hover_.reset();
  });
  connect(&snapshots, &Snapshots::after_change, this, [this] {
    show_sample();
    if (std::exchange(carried_, false)) emit changed();
  });
}

void Focus::set(FocusState state) { put(std::move(state), false); }

void Focus::set_passing(FocusState state) { put(std::move(state), true); }

void Focus::clear() {
  if (!state_.empty()) put({}, true);
}

void Focus::hover(FocusState state) {
  if (state.empty()) return end_hover();
  if (hover_ && *hover_ == state) return;
  hover_ = std::move(state);
  emit lit_changed();
}

void Focus::end_hover() {
  if (!hover_) return;
  hover_.reset();
  emit lit_changed();
}

void Focus::put(FocusState state, bool passing) {
  if (state == state_) {
    if (!passing) emit changed();  // asked for again: views bring it back into sight
    return;
  }
  state_ = std::move(state);
  if (!history_.empty()) history_.resize(position_ + 1);
  Entry entry{state_, snapshots_.shown(), passing};
  if (passing && !history_.empty() && history_.back().passing) history_.back() = std::move(entry);
  else history_.push_back(std::move(entry));
  if (history_.size() > kHistory) history_.erase(history_.begin());
  position_ = history_.size() - 1;
  show_sample();
  emit changed();
}

void Focus::back() {
  if (can_go_back()) visit(position_ - 1);
}

void Focus::forward() {
  if (can_go_forward()) visit(position_ + 1);
}

void Focus::visit(size_t position) {
  position_ = position;
  Entry& entry = history_[position];
  entry.state = carry_over(entry.state, entry.snapshot, snapshots_.shown());
  entry.snapshot = snapshots_.shown();
  state_ = entry.state;
  state_.origin = Origin::command;
  show_sample();
  emit changed();
}

void Focus::show_sample() {
  const auto& findings = snapshots_.analysis().findings;
  if (state_.finding >= 0 && static_cast<size_t>(state_.finding) < findings.size())
    snapshots_.show_sample_of(findings[state_.finding]);
}

}  // namespace bakery::views
