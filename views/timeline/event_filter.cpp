// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/event_filter.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>
#include <unordered_map>

namespace bakery::views {

namespace {

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

template <class Items>
std::string name_of(const Items& items, int index) {
  return index >= 0 && static_cast<size_t>(index) < items.size() ? lower(items[static_cast<size_t>(index)].name) : std::string();
}

std::string staged(const std::string& name, int stage) { return name.empty() ? name : name + "[" + std::to_string(stage) + "]"; }

}  // namespace

EventFilter EventFilter::parse(const std::string& text, const Timeline& timeline, std::string& error) {
  static const std::unordered_map<std::string, Key> keys = {
      {"role", Key::role},       {"barrier", Key::barrier}, {"buffer", Key::buffer},   {"slot", Key::buffer},
      {"engine", Key::engine},   {"op", Key::operation},    {"stage", Key::stage},     {"phase", Key::phase},
      {"completion", Key::completion}, {"wait", Key::wait}, {"step", Key::step}};
  error.clear();
  EventFilter filter;
  std::istringstream words(text);
  std::string word;
  while (words >> word) {
    Term term;
    const size_t at = word.find_first_of(":<>=");
    if (at == std::string::npos || at == 0) {
      term.text = lower(word);
      filter.terms_.push_back(std::move(term));
      continue;
    }
    const std::string key = lower(word.substr(0, at));
    std::string value = word.substr(at + 1);
    term.compare = word[at] == ':' ? '=' : word[at];
    if (term.compare != '=' && value.starts_with('=')) {
      term.or_equal = true;
      value.erase(0, 1);
    }
    const auto known = keys.find(key);
    if (known != keys.end()) {
      term.key = known->second;
    } else {
      const bool loop = std::any_of(timeline.iterations.begin(), timeline.iterations.end(), [&](const std::vector<LoopValue>& values) {
        return std::any_of(values.begin(), values.end(), [&](const LoopValue& v) { return lower(v.name) == key; });
      });
      if (!loop) {
        error = "`" + key + "` is neither a term nor a loop variable of this run; terms are role, barrier, buffer, engine, op, stage, "
                "phase, completion, step, wait";
        return {};
      }
      term.key = Key::loop;
      term.loop = key;
    }
    if (value.empty()) {
      error = "`" + word + "` has no value";
      return {};
    }
    const bool number = term.key == Key::stage || term.key == Key::phase || term.key == Key::completion || term.key == Key::wait ||
                        term.key == Key::step || term.key == Key::loop;
    if (number) {
      const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), term.number);
      if (problem != std::errc() || end != value.data() + value.size()) {
        error = "`" + word + "`: `" + value + "` is not a whole number";
        return {};
      }
      if (term.key == Key::phase && (term.compare != '=' || term.number < 0 || term.number > 1)) {
        error = "`" + word + "`: a phase is 0 or 1";
        return {};
      }
    } else if (term.compare != '=') {
      error = "`" + word + "`: `" + key + "` is a name, so write `" + key + ":" + value + "`";
      return {};
    }
    term.text = lower(value);
    filter.terms_.push_back(std::move(term));
  }
  return filter;
}

std::optional<int64_t> EventFilter::wait_threshold() const {
  for (const Term& term : terms_)
    if (term.key == Key::wait && term.compare == '>') return term.number + (term.or_equal ? 0 : 1);
  return std::nullopt;
}

bool EventFilter::number_fits(const Term& term, int64_t value) const {
  switch (term.compare) {
    case '<': return value < term.number || (term.or_equal && value == term.number);
    case '>': return value > term.number || (term.or_equal && value == term.number);
    default: return value == term.number;
  }
}

std::vector<uint8_t> EventFilter::match(const Snapshot& snapshot) const {
  const Timeline& timeline = *snapshot.timeline;
  const Schedule& schedule = snapshot.analysis->schedule;
  std::vector<uint8_t> result(timeline.events.size(), 1);
  if (terms_.empty()) return result;
  // What words look through, made once for each operation, stage and slot.
  std::unordered_map<uint64_t, std::string> texts;
  const auto text_of = [&](const TimelineEvent& e) -> const std::string& {
    const uint64_t key = (uint64_t{e.op} << 32) | (uint64_t{static_cast<uint16_t>(e.stage)} << 16) | static_cast<uint16_t>(e.slot_stage);
    std::string& text = texts[key];
    if (!text.empty()) return text;
    text = name_of(schedule.roles, e.role) + " " + staged(name_of(schedule.barriers, e.barrier), e.stage) + " " +
           staged(name_of(schedule.views, e.slot_view), e.slot_stage);
    if (e.op < schedule.ops.size()) {
      const Operation& op = operation(schedule.ops[e.op].code);
      text += lower(std::string(" ") + op.spelling + " " + op.engine);
    }
    return text;
  };
  // How long each event waits, for a barrier, a group or its role.
  std::vector<int64_t> waits;
  if (std::any_of(terms_.begin(), terms_.end(), [](const Term& term) { return term.key == Key::wait; })) {
    waits.assign(timeline.events.size(), 0);
    for (const Bar& bar : timeline.bars) {
      if (bar.event >= waits.size()) continue;
      if (bar.state == BarState::stuck) waits[bar.event] = INT64_MAX;
      if (bar.state == BarState::waiting) waits[bar.event] += bar.end - bar.begin;
    }
  }
  const auto fits = [&](const Term& term, size_t index) {
    const TimelineEvent& e = timeline.events[index];
    const Operation* op = e.op < schedule.ops.size() ? &operation(schedule.ops[e.op].code) : nullptr;
    const auto is = [&](const std::string& name, int stage) { return !name.empty() && (name == term.text || staged(name, stage) == term.text); };
    switch (term.key) {
      case Key::word: return text_of(e).find(term.text) != std::string::npos;
      case Key::role: return name_of(schedule.roles, e.role) == term.text;
      case Key::barrier: return is(name_of(schedule.barriers, e.barrier), e.stage);
      case Key::buffer: return is(name_of(schedule.views, e.slot_view), e.slot_stage);
      case Key::engine: return op && op->engine[0] != '\0' && lower(op->engine).find(term.text) != std::string::npos;
      case Key::operation: return op && lower(op->spelling) == term.text;
      case Key::stage: return (e.barrier >= 0 && number_fits(term, e.stage)) || (e.barrier < 0 && e.slot_view >= 0 && number_fits(term, e.slot_stage));
      case Key::phase: return e.barrier >= 0 && e.completion > 0 && static_cast<int64_t>(e.completion) % 2 == term.number;
      case Key::completion: return e.barrier >= 0 && number_fits(term, static_cast<int64_t>(e.completion));
      case Key::wait: return waits[index] > 0 && number_fits(term, waits[index]);
      case Key::step: return number_fits(term, e.begin) || (term.compare == '=' && e.begin < term.number && term.number < e.end);
      case Key::loop:
        return e.iteration < timeline.iterations.size() &&
               std::any_of(timeline.iterations[e.iteration].begin(), timeline.iterations[e.iteration].end(),
                           [&](const LoopValue& v) { return lower(v.name) == term.loop && number_fits(term, v.value); });
    }
    return false;
  };
  for (size_t i = 0; i < timeline.events.size(); ++i)
    for (const Term& term : terms_)
      if (!fits(term, i)) {
        result[i] = 0;
        break;
      }
  return result;
}

}  // namespace bakery::views
