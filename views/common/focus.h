// SPDX-License-Identifier: GPL-3.0-or-later
// One shared focus: what a person looks at now. Any view sets it, every view lights the same thing.
#pragma once

#include <QObject>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "views/common/snapshots.h"

namespace bakery::views {

inline constexpr uint32_t kNoEvent = UINT32_MAX;

enum class Origin : uint8_t { none, editor, findings, timeline, memory_map, cuda, pipeline, occupancy, runs, agent, lessons, command };

struct FocusState {
  Origin origin = Origin::none;
  std::string role;
  std::string barrier;
  std::string buffer;
  std::string engine;
  int stage = -1;             // of the barrier
  int slot = -1;              // stage of the buffer
  int64_t completion = -1;    // of the barrier
  std::optional<Span> span;   // in the shown analysis' source
  uint32_t event = kNoEvent;  // into the shown timeline
  int64_t begin = -1, end = -1;  // logical time
  int finding = -1;           // into Analysis::findings
  bool operator==(const FocusState&) const = default;

  bool empty() const {
    return role.empty() && barrier.empty() && buffer.empty() && engine.empty() && !span && event == kNoEvent &&
           finding < 0;
  }
};

FocusState focus_on_event(const Snapshot& snapshot, uint32_t event);
FocusState focus_on_finding(const Snapshot& snapshot, int finding);
FocusState focus_on_span(Span span);
// Role, barrier, buffer or engine by name; `stage` -1: all.
FocusState focus_on_resource(const Snapshot& snapshot, const std::string& name, int stage = -1,
                             int64_t completion = -1);

// Events that arrive for a completion, or whose bytes do. Stage -1: of all stages.
std::vector<uint32_t> arrivals_for(const Timeline& timeline, const std::string& barrier, int stage, int64_t completion);

// The event that shows the finding best, in the shown timeline.
uint32_t event_of(const Snapshot& snapshot, const Finding& finding);

// First and last 1-based line of the focus; nullopt without a span.
std::optional<std::pair<uint32_t, uint32_t>> lines_of(const SourceText& source, const FocusState& state);

// The same place in another snapshot: events by role, resource, completion, iteration and nearest
// line; findings by id and place; text by what was inserted or removed before it.
FocusState carry_over(const FocusState& state, const Snapshot& from, const Snapshot& to);

// Where `offset` of `before` is in `after`, when one contiguous piece was changed.
uint32_t shift_offset(std::string_view before, std::string_view after, uint32_t offset);

class Focus : public QObject {
  Q_OBJECT

 public:
  explicit Focus(Snapshots& snapshots, QObject* parent = nullptr);

  const FocusState& state() const { return state_; }
  // What views light: what the pointer is over, else the focus. Only `state` moves carets and scrolls.
  const FocusState& lit() const { return hover_ ? *hover_ : state_; }
  void set(FocusState state);
  // A caret that wanders: replaces the newest entry of the history if that was a caret too.
  void set_passing(FocusState state);
  void clear();

  // What the pointer is over now; goes with the next snapshot.
  void hover(FocusState state);
  void end_hover();

  bool can_go_back() const { return position_ > 0; }
  bool can_go_forward() const { return position_ + 1 < history_.size(); }
  void back();
  void forward();

 signals:
  void changed();      // `state`, and with it `lit`
  void lit_changed();  // only `lit`

 private:
  struct Entry {
    FocusState state;
    Snapshot snapshot;  // that the state's numbers refer to
    bool passing = false;
  };

  void put(FocusState state, bool passing);
  void visit(size_t position);
  void show_sample();

  Snapshots& snapshots_;
  FocusState state_;
  std::optional<FocusState> hover_;
  std::vector<Entry> history_;
  size_t position_ = 0;
  bool carried_ = false;
};

}  // namespace bakery::views
