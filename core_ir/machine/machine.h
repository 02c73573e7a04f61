// SPDX-License-Identifier: Apache-2.0
// The abstract machine: roles, engines and barriers run one trace in one canonical order.
//
// Every arrival belongs to exactly one completion (else it is observed as an over-arrival), so the
// barriers form a marked graph: if the canonical order ends, every order ends, and what its vector
// clocks do not order can happen either way round. One run decides a sample.
//
// A role of several warps runs as two representatives: its first warp, which also issues what is
// executed once a role, and another one that stands for all the rest.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core_ir/machine/timeline.h"
#include "core_ir/machine/trace.h"
#include "core_ir/schedule.h"

namespace bakery {

enum class Observed : uint8_t {
  never_produced,     // an awaited completion that no order of the whole trace makes
  deadlock,           // roles wait for each other
  over_arrival,       // an arrival that is not ordered after the completion before its own
  lapped_waiter,      // a completion can follow before a consumer's wait for the one before
  unawaited,          // at exit a consumer has left more than one completion of a stage
  under_arrival,      // at exit a completion is begun but not complete
  read_before_write,  // a read that no order puts after the write of its data
  overwrite_in_use,   // a write that no order puts after an earlier read
  write_conflict,     // two writes that nothing orders
  missing_fence,      // an async access to ordinary writes without a proxy fence before their release
  uninitialised,      // a read of bytes that nothing has written
  register_in_flight, // an accumulator touched before an `mma_wait` covers its MMA
};

// One end of a conflict.
struct Party {
  Index role = kNone;
  Index op = kNone;
  uint32_t iteration = 0;       // into Trace::iterations
  uint32_t event = UINT32_MAX;  // into Timeline::events of the same sample
  uint8_t warp = 0;             // representative
  int32_t stage = -1;           // barrier stage
};

struct Observation {
  Observed kind = Observed::deadlock;
  Party subject;                // who is at fault or stuck
  Party other;                  // the other side; role kNone: none
  Index barrier = kNone;
  int32_t stage = -1;           // of the barrier
  int64_t completion = 0;
  int64_t arrived = 0, expected = 0;   // arrivals, in agents (rounded down)
  int64_t producible = 0;       // completions that the whole trace makes
  Space space = Space::none;    // of the conflict
  Index resource = kNone;       // view, tensor-memory range or fragment
  int32_t slot = -1;            // its stage
  Index other_resource = kNone; // the other side's view, if it is another (aliases)
  std::vector<Party> cycle;     // the stuck waits, in wait-for order
};

struct MachineRun {
  std::vector<Observation> observations;
  std::vector<uint8_t> fence_useful;   // by op: a fence ordered something
  std::vector<uint8_t> executed;       // by op
  Timeline timeline;                   // if asked for
  size_t events = 0;
  bool stuck = false;
  bool stopped = false;
};

// Called for each step of a role's first warp, in canonical order.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void step(Index role, const Step& step, const RoleTrace& trace) = 0;
};

struct MachineOptions {
  bool timeline = false;
  StepObserver* observer = nullptr;
  std::stop_token stop;
};

MachineRun run(const Schedule& schedule, const Trace& trace, const MachineOptions& options = {});

}  // namespace bakery
