// SPDX-License-Identifier: Apache-2.0
// What the passes derive from a schedule before a line of CUDA is written.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core_ir/checked_schedule.h"
#include "core_ir/finding.h"
#include "core_ir/lowered.h"
#include "lowering/lower.h"

namespace bakery::lowering {

struct ViewPlan {
  int64_t offset = 0;      // from the shared-memory base
  int swizzle = 0;         // span in bytes
  int64_t span = 0;        // bytes of one row of a panel
  int64_t panels = 1;      // a long row is split into panels of one span each
  int64_t rows = 0;
  int64_t panel_bytes() const { return rows * span; }
};

struct BarrierPlan {
  int64_t offset = 0;      // from the shared-memory base
  int64_t arrivals = 0;    // threads or transactions a completion
  int64_t scale = 1;       // arrivals an agent
};

struct RolePlan {
  bool one_lane = false;   // the whole body is executed by one elected lane
  int barrier_id = 0;      // of lm.sync, 0: none
  int registers = 0;       // setmaxnreg, 0: none
  bool increases = false;
  bool stores = false;     // has bulk stores to drain
  bool warpgroups = false; // agents are warpgroups
};

// Copies of one block that are one fill, by their first operation.
struct FillPlan {
  Index leader = kNone;
  int64_t bytes = 0;             // of the unconditional copies
  std::vector<Index> copies;
};

struct Plan {
  const CheckedSchedule& checked;
  const Schedule& schedule;
  const Target& target;
  LowerOptions options;
  std::vector<ViewPlan> views;
  std::vector<BarrierPlan> barriers;
  std::vector<RolePlan> roles;
  std::map<Index, FillPlan> fills;          // by first copy's op
  std::map<Index, Index> fill_of;           // op -> first copy's op
  std::map<Index, int> map_of;              // op -> into manifest.maps
  std::vector<std::string> symbols;         // C++ names, by Symbol
  std::vector<std::string> params;          // C++ names, by Parameter
  int64_t barriers_offset = 0;
  int64_t tmem_slot_offset = -1;            // where tcgen05.alloc writes the base address
  int64_t tmem_drain_offset = -1;           // hidden barrier: the last MMAs are done
  int64_t tmem_columns = 0;                 // allocated
  int64_t shared_bytes = 0;                 // used, without the alignment slack
  int launch_registers = 0;
  LaunchManifest manifest;
  std::vector<Finding> findings;

  explicit Plan(const CheckedSchedule& c, const LowerOptions& o)
      : checked(c), schedule(c.schedule()), target(c.target()), options(o) {}
  void refuse(Span span, std::string message, std::string expected = {});
};

using Pass = void (*)(Plan&);

void plan_limits(Plan& plan);
void plan_names(Plan& plan);
void plan_layout(Plan& plan);
void plan_roles(Plan& plan);
void plan_barriers(Plan& plan);
void plan_fills(Plan& plan);
void plan_maps(Plan& plan);
void plan_manifest(Plan& plan);

// Writes the text; the plan is complete.
Lowered emit(const Plan& plan);

}  // namespace bakery::lowering
