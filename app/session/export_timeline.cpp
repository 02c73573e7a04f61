// SPDX-License-Identifier: Apache-2.0
#include "app/session/export_timeline.h"

#include <nlohmann/json.hpp>

namespace bakery {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(LaneKind kind) {
  switch (kind) {
    case LaneKind::role: return "roles";
    case LaneKind::engine: return "engines";
    case LaneKind::barrier: return "barriers";
    case LaneKind::slot: return "ring slots";
  }
  return "";
}

const char* name_of(BarState state) {
  switch (state) {
    case BarState::working: return "working";
    case BarState::waiting: return "waiting";
    case BarState::stuck: return "stuck";
    case BarState::transfer: return "transfer";
    case BarState::phase: return "phase";
    case BarState::filling: return "filling";
    case BarState::full: return "full";
    case BarState::in_use: return "in use";
    case BarState::draining: return "draining";
  }
  return "";
}

// A bar's place in the file.
struct Slice {
  int process = 0, thread = 0;  // 0: none
  int64_t begin = 0, end = 0;
};

class Exporter {
 public:
  Exporter(const Analysis& analysis, const Timeline& timeline) : analysis_(analysis), timeline_(timeline) {
    issued_.resize(timeline.events.size());
    moved_.resize(timeline.events.size());
  }

  std::string text() {
    for (const LaneKind kind : {LaneKind::role, LaneKind::engine, LaneKind::barrier, LaneKind::slot}) add_lanes(kind);
    for (size_t i = 0; i < timeline_.edges.size(); ++i) add_edge(timeline_.edges[i], i);
    Json out;
    out["displayTimeUnit"] = "ns";
    out["otherData"] = {{"time_unit", "logical steps"},
                        {"schedule", analysis_.schedule.name},
                        {"target", analysis_.target ? analysis_.target->name : ""},
                        {"hash", analysis_.hash},
                        {"verdict", to_string(analysis_.verdict)},
                        {"sample", timeline_.sample},
                        {"truncated", timeline_.truncated}};
    out["traceEvents"] = std::move(events_);
    return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

 private:
  void metadata(const char* what, int process, int thread, Json arguments) {
    Json event = {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}};
    event["args"] = std::move(arguments);
    events_.push_back(std::move(event));
  }

  void add_lanes(LaneKind kind) {
    const int process = static_cast<int>(kind) + 1;
    int thread = 0;
    for (const Lane& lane : timeline_.lanes) {
      if (lane.kind != kind) continue;
      if (thread == 0) {
        metadata("process_name", process, 0, {{"name", name_of(kind)}});
        metadata("process_sort_index", process, 0, {{"sort_index", process}});
      }
      const int first = thread + 1;
      for (int row = 0; row < lane.rows; ++row) {
        ++thread;
        metadata("thread_name", process, thread, {{"name", lane.name + (row > 0 ? " (" + std::to_string(row + 1) + ")" : "")}});
        metadata("thread_sort_index", process, thread, {{"sort_index", thread}});
      }
      for (uint32_t i = 0; i < lane.bar_count; ++i) add_bar(lane, timeline_.bars[lane.first_bar + i], process, first);
      for (uint32_t i = 0; i < lane.mark_count; ++i) add_mark(lane, timeline_.marks[lane.first_mark + i], process, first);
    }
  }

  Json details(uint32_t event) const {
    Json out = Json::object();
    if (event >= timeline_.events.size()) return out;
    out["event"] = describe(analysis_, timeline_, event);
    out["line"] = analysis_.source.position(timeline_.events[event].span.begin).line;
    return out;
  }

  void add_bar(const Lane& lane, const Bar& bar, int process, int first) {
    const Slice slice{process, first + bar.row, bar.begin, bar.end};
    const bool known = bar.event < timeline_.events.size();
    std::string name = name_of(bar.state);
    if (lane.kind == LaneKind::barrier) name = "completion " + std::to_string(bar.number);
    if (lane.kind == LaneKind::slot) name += ", use " + std::to_string(bar.number);
    if (known && (lane.kind == LaneKind::role || lane.kind == LaneKind::engine)) {
      const TimelineEvent& event = timeline_.events[bar.event];
      if (event.op < analysis_.schedule.ops.size()) name = operation(analysis_.schedule.ops[event.op].code).spelling;
      if (bar.state == BarState::stuck) name += " (stuck)";
      (lane.kind == LaneKind::role ? issued_ : moved_)[bar.event] = slice;
    }
    Json event = {{"ph", "X"},          {"name", name},   {"cat", name_of(bar.state)},   {"pid", process},
                  {"tid", slice.thread}, {"ts", bar.begin}, {"dur", bar.end - bar.begin}};
    event["args"] = details(bar.event);
    events_.push_back(std::move(event));
  }

  void add_mark(const Lane& lane, const Mark& mark, int process, int thread) {
    Json event = {{"ph", "i"}, {"name", mark.bytes > 0 ? "bytes" : "arrival"}, {"cat", "arrival"}, {"pid", process}, {"tid", thread},
                  {"ts", mark.time}, {"s", "t"}};
    event["args"] = details(mark.event);
    event["args"]["barrier"] = lane.name;
    event["args"]["arrived"] = mark.arrived;
    event["args"]["expected"] = mark.expected;
    if (mark.bytes > 0) event["args"]["bytes"] = mark.bytes;
    events_.push_back(std::move(event));
  }

  // An arrow is bound to the slice that encloses its time, so it ends just inside of it.
  static double inside(const Slice& slice) {
    return slice.end > slice.begin ? static_cast<double>(slice.end) - 0.01 : static_cast<double>(slice.begin);
  }

  void add_edge(const TimelineEdge& edge, size_t number) {
    if (edge.from >= issued_.size() || edge.to >= issued_.size()) return;
    const Slice& from = moved_[edge.from].process != 0 ? moved_[edge.from] : issued_[edge.from];
    const Slice& to = issued_[edge.to];
    if (from.process == 0 || to.process == 0) return;
    for (const bool start : {true, false}) {
      const Slice& slice = start ? from : to;
      Json event = {{"ph", start ? "s" : "f"}, {"name", "releases"}, {"cat", "dependency"}, {"id", number}, {"pid", slice.process},
                    {"tid", slice.thread}, {"ts", inside(slice)}};
      if (!start) event["bp"] = "e";
      events_.push_back(std::move(event));
    }
  }

  const Analysis& analysis_;
  const Timeline& timeline_;
  std::vector<Slice> issued_, moved_;  // by event: its bar on a role's and on an engine's lane
  Json events_ = Json::array();
};

}  // namespace

std::string export_timeline(const Analysis& analysis, const Timeline& timeline) { return Exporter(analysis, timeline).text(); }

}  // namespace bakery
