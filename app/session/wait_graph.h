// SPDX-License-Identifier: Apache-2.0
// Who waits for whom when a run is stuck, and the events that tell how a finding comes about.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/session/analysis.h"

namespace bakery {

// A warp that does not come to its end.
struct StuckWait {
  Index role = kNone;
  uint8_t warp = 0;             // representative
  uint32_t event = UINT32_MAX;  // blocked; of a meeting: the last thing that the warp did
  Index op = kNone;
  Index barrier = kNone;        // kNone: it waits for the other warps of its role
  int stage = -1;
  int64_t completion = 0;       // awaited
  int64_t completed = 0;        // made so far
  int64_t arrived = 0, expected = 0;  // of the completion in the making, in agents
};

enum class WaitCause : uint8_t {
  later,        // `to` would arrive after the wait that it is stuck in
  meeting,      // `to` is another warp of the role that does not come
  skipped,      // the arrival's condition is false where it is needed
  absent,       // the producer has no arrival on the barrier
  other_stage,  // it arrives, but never on this stage
  too_few,      // it ends before the completion that is awaited
  short_count,  // all arrivals come, and the barrier asks for more
  bytes,        // all arrivals come, but not all bytes
};
const char* to_string(WaitCause cause);

struct WaitEdge {
  uint32_t from = 0;            // into `waits`
  uint32_t to = UINT32_MAX;     // into `waits`; UINT32_MAX: nothing that comes would release it
  WaitCause cause = WaitCause::later;
  Index role = kNone;           // that is to arrive
  Index op = kNone;             // its arrival
  Span span;                    // of the arrival, else of what is at fault
  std::vector<LoopValue> iteration;  // of the arrival that is skipped or comes too late
  uint32_t event = UINT32_MAX;  // the last thing that the role did before
  std::string text;             // with code in backticks
};

struct WaitGraph {
  std::vector<StuckWait> waits;
  std::vector<WaitEdge> edges;   // by `from`
  std::vector<uint32_t> cycle;   // waits in wait-for order, the last one waits for the first; may be empty
  bool empty() const { return waits.empty(); }
};

// Empty when the run comes to its end. `timeline` is of the analysis' sample with that number.
WaitGraph wait_graph(const Analysis& analysis, const Timeline& timeline, int sample);

// "`load` waits for completion 2 of `empty[3]`"
std::string describe(const Analysis& analysis, const StuckWait& wait);
// One line a wait and cause, "line 39: …"; last the cycle.
std::vector<std::string> to_lines(const Analysis& analysis, const WaitGraph& graph);

struct ReplayStep {
  uint32_t event = UINT32_MAX;
  Span span;
  std::string role;
  std::string text;
  bool blocked = false;
};

// The events of a witness in the order of the run, with what the machine knows about them.
struct Replay {
  std::vector<ReplayStep> steps;
  WaitGraph graph;  // of what the finding's wait depends on
  // Two accesses that nothing orders, as events; UINT32_MAX: the finding is none of that kind.
  uint32_t first_access = UINT32_MAX, second_access = UINT32_MAX;
  bool empty() const { return steps.empty(); }
};

bool replayable(const Finding& finding);
Replay replay_of(const Analysis& analysis, const Timeline& timeline, int sample, const Finding& finding);

}  // namespace bakery
