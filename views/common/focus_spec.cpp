// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/focus_spec.h"

#include <charconv>

namespace bakery::views {

namespace {

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The wait for the completion, else its last arrival.
uint32_t event_at(const Snapshot& snapshot, const FocusState& state) {
  const Schedule& schedule = snapshot.analysis->schedule;
  uint32_t found = kNoEvent;
  bool found_wait = false;
  for (uint32_t i = 0; i < snapshot.timeline->events.size(); ++i) {
    const TimelineEvent& e = snapshot.timeline->events[i];
    if (e.barrier < 0 || static_cast<size_t>(e.barrier) >= schedule.barriers.size()) continue;
    if (schedule.barriers[e.barrier].name != state.barrier || (state.stage >= 0 && e.stage != state.stage)) continue;
    if (state.completion >= 0 && static_cast<int64_t>(e.completion) != state.completion) continue;
    const bool wait = e.op < schedule.ops.size() && operation(schedule.ops[e.op].code).barrier == BarrierAction::wait;
    if (found_wait && !(wait && e.blocked)) continue;
    found = i;
    found_wait = wait;
  }
  return found;
}

}  // namespace

std::optional<FocusState> parse_focus(std::string_view spec, const Snapshot& snapshot) {
  const Analysis& analysis = *snapshot.analysis;
  if (spec.size() > 1 && spec.front() == 'L')
    if (const auto line = number<uint32_t>(spec.substr(1))) {
      if (*line < 1 || *line > analysis.source.line_count()) return std::nullopt;
      return focus_on_span(analysis.source.line_span(*line));
    }
  for (size_t i = 0; i < analysis.findings.size(); ++i)
    if (analysis.findings[i].id == spec) return focus_on_finding(snapshot, static_cast<int>(i));

  std::string_view name = spec;
  int64_t completion = -1;
  if (const size_t at = name.find('@'); at != std::string_view::npos) {
    const auto value = number<int64_t>(name.substr(at + 1));
    if (!value || *value < 0) return std::nullopt;
    completion = *value;
    name = name.substr(0, at);
  }
  int stage = -1;
  if (const size_t open = name.find('['); open != std::string_view::npos) {
    if (name.back() != ']') return std::nullopt;
    const auto value = number<int>(name.substr(open + 1, name.size() - open - 2));
    if (!value || *value < 0) return std::nullopt;
    stage = *value;
    name = name.substr(0, open);
  }
  FocusState state = focus_on_resource(snapshot, std::string(name), stage, completion);
  if (state.empty()) return std::nullopt;
  if (!state.barrier.empty()) {
    const uint32_t event = event_at(snapshot, state);
    if (event != kNoEvent) {
      FocusState of_event = focus_on_event(snapshot, event);
      state.event = event;
      state.begin = of_event.begin;
      state.end = of_event.end;
      state.span = of_event.span;
      state.role = of_event.role;
    } else if (completion >= 0) {
      return std::nullopt;
    }
  }
  return state;
}

std::string focus_spec(const FocusState& state, const Snapshot& snapshot) {
  const Analysis& analysis = *snapshot.analysis;
  if (state.finding >= 0 && static_cast<size_t>(state.finding) < analysis.findings.size()) return analysis.findings[state.finding].id;
  const auto with = [](const std::string& name, int stage) { return stage < 0 ? name : name + "[" + std::to_string(stage) + "]"; };
  if (!state.barrier.empty()) return with(state.barrier, state.stage) + (state.completion >= 0 ? "@" + std::to_string(state.completion) : "");
  if (!state.buffer.empty()) return with(state.buffer, state.slot);
  if (!state.role.empty()) return state.role;
  if (!state.engine.empty()) return state.engine;
  return state.span ? "L" + std::to_string(analysis.source.position(state.span->begin).line) : "";
}

}  // namespace bakery::views
