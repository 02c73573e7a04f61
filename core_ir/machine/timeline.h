// SPDX-License-Identifier: Apache-2.0
// The timeline of one machine run: what every role, engine, barrier and ring slot did when.
// Logical time has no unit; a step is one unblocked operation of one warp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core_ir/source.h"

namespace bakery {

enum class LaneKind : uint8_t { role, engine, barrier, slot };

struct Lane {
  LaneKind kind = LaneKind::role;
  std::string name;      // "load", "TMA load", "full[2]", "a_s[0]"
  std::string resource;  // the role, barrier or view it belongs to; the engine's name
  int stage = -1;        // of barrier and slot lanes
  uint16_t rows = 1;     // overlapping bars stack in this many rows
  uint32_t first_bar = 0, bar_count = 0;    // into Timeline::bars, sorted by begin
  uint32_t first_mark = 0, mark_count = 0;  // into Timeline::marks, sorted by time
};

enum class BarState : uint8_t {
  working,   // role: executes
  waiting,   // role: blocked in a wait
  stuck,     // role: blocked and never released
  transfer,  // engine: busy
  phase,     // barrier: one completion in the making; the parity gives the colour
  filling, full, in_use, draining,  // ring slot; `draining`: read by a store
};

struct Bar {
  int64_t begin = 0, end = 0;
  uint32_t event = UINT32_MAX;  // into Timeline::events
  int32_t number = -1;          // barrier: completion in the making; slot: use (lap * stages + stage)
  BarState state = BarState::working;
  uint8_t row = 0;
};

// A tick on a barrier lane: one arrival, or bytes of an engine.
struct Mark {
  int64_t time = 0;
  uint32_t event = UINT32_MAX;
  int32_t arrived = 0, expected = 0;  // arrivals of this completion after this one
  int32_t bytes = 0;                  // transferred, 0 for plain arrivals
};

struct TimelineEvent {
  int64_t begin = 0, end = 0;
  Span span;                 // the operation in the source
  uint32_t op = 0;           // into Schedule::ops
  uint32_t iteration = 0;    // into Timeline::iterations
  uint32_t completion = 0;   // awaited or contributed to, 0: none
  int16_t role = -1;         // into Schedule::roles
  int16_t barrier = -1;      // into Schedule::barriers
  int16_t stage = -1;
  int16_t slot_view = -1;    // into Schedule::views, the buffer it touches
  int16_t slot_stage = -1;
  uint8_t warp = 0;          // representative warp, 0 or 1
  bool blocked = false;      // never completed
};

// From an arrival, a transfer or a release to the wait that it let go.
struct TimelineEdge {
  uint32_t from = 0, to = 0;  // events
};

struct LoopValue {
  std::string name;
  int64_t value = 0;
};

struct Timeline {
  std::vector<Lane> lanes;
  std::vector<Bar> bars;
  std::vector<Mark> marks;
  std::vector<TimelineEvent> events;  // in the canonical run's order
  std::vector<TimelineEdge> edges;
  std::vector<std::vector<LoopValue>> iterations;
  int64_t end = 0;
  std::string sample;      // "K=320, tiles=2": the scalars of this run
  bool truncated = false;  // stopped at the event limit
};

}  // namespace bakery
