// SPDX-License-Identifier: Apache-2.0
#include "core_ir/machine/machine.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core_ir/machine/recorder.h"

namespace bakery {
namespace {

constexpr int64_t kUnits = 2;  // of one agent's arrival, so that half an agent can arrive

struct Warp {
  Index role = 0;
  uint8_t index = 0;         // representative 0 or 1
  int64_t arrival_units = kUnits;
  size_t cursor = 0;
  int64_t time = 0;
  uint32_t groups = 0;       // MMA groups issued
  uint32_t stores = 0;       // store groups issued
  bool at_sync = false;
  uint32_t pending_writes = 0;  // ordinary shared writes since the last fence
};

struct Access {
  uint32_t component = UINT32_MAX;  // clock component that shows its completion; UINT32_MAX: none
  uint32_t value = 0;
  uint32_t fence_value = 0;    // own local time, to compare with the fence component
  Party party;
  uint16_t warp = 0;           // into warps_
  Proxy proxy = Proxy::none;
  Index resource = kNone;
  int32_t slot = -1;
  bool valid() const { return component != UINT32_MAX; }
};

struct Cell {
  Access write;
  Access replaced;             // the write before it
  std::vector<Access> reads;
};

struct BarrierStage {
  int64_t completed = 0;
  int64_t units = 0;         // arrived for completion `completed + 1`
  int64_t bytes = 0;         // expected minus transferred
  int64_t time = 0;          // of the last completion
  bool async = false;        // an engine has a part in the one in the making
  int64_t pending_time = 0;  // latest arrival or transfer of the one in the making
  uint32_t event = UINT32_MAX;
  std::vector<uint32_t> pending;                 // clock of the arrivals so far
  std::vector<uint32_t> clocks[4];               // of the last completions, by number % 4
  uint32_t events[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
  int64_t times[4] = {0, 0, 0, 0};
  std::vector<int64_t> waits;                    // by warp: executed waits
  std::vector<uint32_t> wait_time;               // by warp: local time of the last wait
  std::vector<int64_t> awaited;                  // by warp: completion of the last wait
};

struct Engine {
  int64_t free = 0;
};

class Machine {
 public:
  Machine(const Schedule& schedule, const Trace& trace, const MachineOptions& options)
      : schedule_(schedule), trace_(trace), options_(options), recorder_(schedule, trace, options.timeline) {
    run_.fence_useful.resize(schedule.ops.size());
    run_.executed.resize(schedule.ops.size());
    make_warps();
    make_barriers();
    make_cells();
  }

  MachineRun run() {
    loop();
    if (!run_.stopped) finish();
    run_.timeline = recorder_.finish({}, trace_.truncated);
    return std::move(run_);
  }

 private:
  // ---- set-up -------------------------------------------------------------------------

  void make_warps() {
    for (Index r = 0; r < schedule_.roles.size(); ++r) {
      const Role& role = schedule_.roles[r];
      const int agents = role.agents();
      const int count = role.warps.size() > 1 ? 2 : 1;
      first_warp_.push_back(static_cast<uint32_t>(warps_.size()));
      for (int w = 0; w < count; ++w) {
        Warp warp;
        warp.role = r;
        warp.index = static_cast<uint8_t>(w);
        warp.arrival_units = agents == 1 ? kUnits / count : w == 0 ? kUnits : kUnits * (agents - 1);
        warps_.push_back(warp);
      }
    }
    first_warp_.push_back(static_cast<uint32_t>(warps_.size()));
  }

  void make_barriers() {
    for (const Barrier& barrier : schedule_.barriers) {
      first_stage_.push_back(static_cast<uint32_t>(stages_.size()));
      stages_.resize(stages_.size() + barrier.count);
    }
    const auto n = static_cast<uint32_t>(warps_.size());
    fence_ = n;
    group_ = 2 * n;
    store_ = 3 * n;
    stage_ = 4 * n;
    width_ = stage_ + static_cast<uint32_t>(stages_.size());
    clocks_.assign(n, std::vector<uint32_t>(width_, 0));
    for (BarrierStage& stage : stages_) {
      stage.pending.assign(width_, 0);
      stage.waits.assign(n, 0);
      stage.wait_time.assign(n, 0);
      stage.awaited.assign(n, 0);
    }
  }

  // Shared memory in elementary intervals: cut at every boundary that some access has.
  void make_cells() {
    std::vector<std::set<int64_t>> cuts(schedule_.pools.size());
    std::set<std::pair<Index, int64_t>> shares;  // (view, warps of a role that writes it)
    for (const Op& op : schedule_.ops)
      if (op.dst.space == Space::shared && operation(op.code).executor == Executor::every_warp)
        shares.insert({op.dst.resource, static_cast<int64_t>(schedule_.roles[op.role].warps.size())});
    for (Index v = 0; v < schedule_.views.size(); ++v) {
      const View& view = schedule_.views[v];
      for (int s = 0; s < view.stages; ++s) {
        const int64_t begin = view.offset + s * view.stage_bytes();
        cuts[view.pool].insert(begin);
        cuts[view.pool].insert(begin + view.stage_bytes());
        for (const auto& [shared, warps] : shares)
          if (shared == v && warps > 1) cuts[view.pool].insert(begin + view.stage_bytes() / warps);
      }
    }
    size_t base = 0;
    for (const std::set<int64_t>& pool : cuts) {
      cut_base_.push_back(base);
      cuts_.emplace_back(pool.begin(), pool.end());
      base += pool.size();
    }
    tensor_base_ = base;
    base += schedule_.tmems.size();
    fragment_base_ = base;
    base += schedule_.fragments.size() * 2;
    cells_.resize(base);
  }

  std::pair<size_t, size_t> shared_cells(Index view_index, int32_t stage, int64_t lo, int64_t hi) const {
    const View& view = schedule_.views[view_index];
    const int64_t begin = view.offset + std::max(0, stage) * view.stage_bytes();
    const std::vector<int64_t>& cuts = cuts_[view.pool];
    const auto at = [&](int64_t offset) {
      return static_cast<size_t>(std::lower_bound(cuts.begin(), cuts.end(), offset) - cuts.begin()) + cut_base_[view.pool];
    };
    return {at(begin + lo), at(begin + hi)};
  }

  // ---- the canonical order --------------------------------------------------------------

  const RoleTrace& trace_of(const Warp& warp) const { return trace_.roles[warp.role]; }
  bool done(const Warp& warp) const { return warp.cursor >= trace_of(warp).steps.size(); }
  BarrierStage& stage_of(const Op& op, const Step& step) { return stages_[first_stage_[op.barrier] + step.stage]; }

  int64_t awaited(const Op& op, const Step& step, uint32_t w) {
    const int64_t wait = stage_of(op, step).waits[w] + 1;
    return schedule_.barriers[op.barrier].free ? wait - 1 : wait;
  }

  // Whether the warp can take its next step, and the earliest time.
  bool ready(uint32_t w, int64_t& time) {
    Warp& warp = warps_[w];
    if (done(warp)) return false;
    const Step& step = trace_of(warp).steps[warp.cursor];
    const Op& op = schedule_.ops[step.op];
    const Operation& record = operation(op.code);
    time = warp.time;
    if (record.barrier == BarrierAction::wait) {
      BarrierStage& stage = stage_of(op, step);
      const int64_t n = awaited(op, step, w);
      if (stage.completed < n) return false;
      if (n > 0) time = std::max(time, stage.times[n % 4]);
    }
    if (record.role_barrier) {
      for (uint32_t o = first_warp_[warp.role]; o < first_warp_[warp.role + 1]; ++o) {
        if (o == w) continue;
        const Warp& other = warps_[o];
        if (other.cursor < warp.cursor) return false;
        if (other.cursor == warp.cursor && !at_step(other, warp.cursor)) return false;
        time = std::max(time, other.time);
      }
    }
    return true;
  }
  static bool at_step(const Warp& warp, size_t cursor) { return warp.cursor == cursor; }

  void loop() {
    size_t polled = 0;
    for (;;) {
      uint32_t best = UINT32_MAX;
      int64_t best_time = 0;
      for (uint32_t w = 0; w < warps_.size(); ++w) {
        int64_t time = 0;
        if (!ready(w, time)) continue;
        if (best == UINT32_MAX || time < best_time) {
          best = w;
          best_time = time;
        }
      }
      if (best == UINT32_MAX) return;
      if (++polled % 1000 == 0 && options_.stop.stop_requested()) {
        run_.stopped = true;
        return;
      }
      step(best, best_time);
    }
  }

  void step(uint32_t w, int64_t start) {
    Warp& warp = warps_[w];
    const Step& step = trace_of(warp).steps[warp.cursor];
    const Op& op = schedule_.ops[step.op];
    const Operation& record = operation(op.code);
    if (record.role_barrier) {
      meet(warp.role, start);
      return;
    }
    ++clocks_[w][w];
    run_.executed[step.op] = 1;
    const bool executes = record.executor != Executor::once_a_role || warp.index == 0;
    if (start > warp.time) recorder_.role_bar(warp.role, warp.index, warp.time, start, BarState::waiting, recorder_next());
    const int64_t end = start + (executes ? record.logical_steps : 0);
    const uint32_t event = recorder_.event(warp.role, warp.index, step, record.barrier == BarrierAction::wait ? warp.time : start, end);
    recorder_.role_bar(warp.role, warp.index, start, end, BarState::working, event);
    warp.time = end;
    ++run_.events;
    const Party party{warp.role, step.op, step.iteration, event, warp.index, step.stage};

    if (executes) {
      if (record.fence) fence(w, step.op);
      if (record.waits_for == Completion::mma_group) group_wait(w, op.pending, warp.groups, group_, group_ends_);
      if (record.waits_for == Completion::store_group) group_wait(w, op.pending, warp.stores, store_, store_ends_);
      if (record.barrier == BarrierAction::wait) wait(w, op, step, party);
      effects(w, op, record, step, party, end);
      if (record.barrier == BarrierAction::arrive) arrive(w, op, step, party, warp.arrival_units, 0, end);
      if (record.barrier == BarrierAction::commit) commit(w, op, step, party);
    }
    if (options_.observer && warp.index == 0) options_.observer->step(warp.role, step, trace_of(warp));
    ++warp.cursor;
  }

  uint32_t recorder_next() const { return static_cast<uint32_t>(run_.events); }

  void meet(Index role, int64_t time) {
    std::vector<uint32_t> joined(width_, 0);
    for (uint32_t o = first_warp_[role]; o < first_warp_[role + 1]; ++o) {
      ++clocks_[o][o];
      join(joined, clocks_[o]);
    }
    for (uint32_t o = first_warp_[role]; o < first_warp_[role + 1]; ++o) {
      Warp& warp = warps_[o];
      const Step& step = trace_of(warp).steps[warp.cursor];
      clocks_[o] = joined;
      run_.executed[step.op] = 1;
      if (time > warp.time) recorder_.role_bar(role, warp.index, warp.time, time, BarState::waiting, recorder_next());
      const uint32_t event = recorder_.event(role, warp.index, step, warp.time, time + 1);
      recorder_.role_bar(role, warp.index, time, time + 1, BarState::working, event);
      warp.time = time + 1;
      ++run_.events;
      if (options_.observer && warp.index == 0) options_.observer->step(role, step, trace_of(warp));
      ++warp.cursor;
    }
  }

  static void join(std::vector<uint32_t>& into, const std::vector<uint32_t>& from) {
    for (size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
  }

  // ---- synchronisation ------------------------------------------------------------------

  void fence(uint32_t w, Index op) {
    clocks_[w][fence_ + w] = clocks_[w][w];
    if (warps_[w].pending_writes > 0) run_.fence_useful[op] = 1;
    warps_[w].pending_writes = 0;
  }

  void group_wait(uint32_t w, int pending, uint32_t issued, uint32_t base, std::map<std::pair<uint32_t, uint32_t>, int64_t>& ends) {
    const uint32_t complete = issued > static_cast<uint32_t>(pending) ? issued - pending : 0;
    clocks_[w][base + w] = std::max(clocks_[w][base + w], complete);
    const auto it = ends.find({w, complete});
    if (it != ends.end() && it->second > warps_[w].time) {
      recorder_.role_bar(warps_[w].role, warps_[w].index, warps_[w].time, it->second, BarState::waiting, recorder_next() - 1);
      warps_[w].time = it->second;
    }
    ends.erase(ends.lower_bound({w, 0}), ends.lower_bound({w, complete}));
  }

  void wait(uint32_t w, const Op& op, const Step& step, const Party& party) {
    BarrierStage& stage = stage_of(op, step);
    const int64_t n = awaited(op, step, w);
    ++stage.waits[w];
    stage.awaited[w] = n;
    stage.wait_time[w] = clocks_[w][w];
    if (n > 0) {
      // A waiter more than one completion behind was reported as lapped; it sees the oldest that is kept.
      const int64_t seen = std::max(n, stage.completed - 3);
      join(clocks_[w], stage.clocks[seen % 4]);
      recorder_.waited(stage.events[seen % 4], party.event, n);
    } else {
      recorder_.waited(UINT32_MAX, party.event, 0);
    }
  }

  void arrive(uint32_t w, const Op& op, const Step& step, const Party& party, int64_t units, int64_t bytes, int64_t time) {
    const Barrier& barrier = schedule_.barriers[op.barrier];
    const uint32_t component = stage_ + first_stage_[op.barrier] + step.stage;
    BarrierStage& stage = stage_of(op, step);
    const int64_t next = stage.completed + 1;
    if (static_cast<int64_t>(clocks_[w][component]) < next - 1 || stage.units + units > barrier.init_count * kUnits) {
      Observation seen;
      seen.kind = Observed::over_arrival;
      seen.subject = party;
      seen.barrier = op.barrier;
      seen.stage = step.stage;
      seen.completion = next - (static_cast<int64_t>(clocks_[w][component]) < next - 1 ? 1 : 0);
      seen.arrived = barrier.init_count + 1;
      seen.expected = barrier.init_count;
      observe(std::move(seen));
    }
    stage.units += units;
    stage.bytes += bytes;
    join(stage.pending, clocks_[w]);
    stage.async |= operation(op.code).barrier != BarrierAction::arrive;
    // Whoever knows of all arrivals, and no engine has a part in them, knows of the completion.
    bool known = !stage.async;
    for (size_t i = 0; i < stage.pending.size() && known; ++i) known = stage.pending[i] <= clocks_[w][i];
    stage.pending_time = std::max(stage.pending_time, time);
    stage.event = party.event;
    recorder_.arrival(op.barrier, step.stage, time, party.event, static_cast<int>(stage.units / kUnits),
                      static_cast<int>(barrier.init_count), 0, next);
    complete_if_due(op.barrier, step.stage);
    if (known && stage.completed == next) clocks_[w][component] = static_cast<uint32_t>(next);
  }

  void complete_if_due(Index barrier_index, int32_t stage_index) {
    const Barrier& barrier = schedule_.barriers[barrier_index];
    const uint32_t flat = first_stage_[barrier_index] + stage_index;
    BarrierStage& stage = stages_[flat];
    if (stage.units < barrier.init_count * kUnits || stage.bytes != 0) return;
    const int64_t n = ++stage.completed;
    stage.units -= barrier.init_count * kUnits;
    stage.pending[stage_ + flat] = std::max(stage.pending[stage_ + flat], static_cast<uint32_t>(n));
    check_lap(barrier_index, stage_index, n);
    stage.clocks[n % 4] = stage.pending;
    stage.events[n % 4] = stage.event;
    stage.time = std::max(stage.time, stage.pending_time);
    stage.times[n % 4] = stage.time;
    stage.pending_time = 0;
    stage.async = false;
    std::fill(stage.pending.begin(), stage.pending.end(), 0);
    recorder_.completion(barrier_index, stage_index, stage.time, n, stage.event);
  }

  // Every consumer's wait for n - 1 happens before the last arrival of n.
  void check_lap(Index barrier_index, int32_t stage_index, int64_t n) {
    if (n < 2) return;
    const BarrierStage& stage = stages_[first_stage_[barrier_index] + stage_index];
    for (Index role : schedule_.barriers[barrier_index].consumers) {
      for (uint32_t w = first_warp_[role]; w < first_warp_[role + 1]; ++w) {
        const bool waited = stage.waits[w] > 0 && stage.awaited[w] >= n - 1;
        if (waited && (stage.awaited[w] > n - 1 || stage.pending[w] >= stage.wait_time[w])) continue;
        const Party waiter = next_wait(w, barrier_index, stage_index, waited);
        if (waiter.op == kNone) continue;  // never waits again: reported at exit
        Observation seen;
        seen.kind = Observed::lapped_waiter;
        seen.subject = waiter;
        seen.barrier = barrier_index;
        seen.stage = stage_index;
        seen.completion = n - 1;
        if (stage.event != UINT32_MAX) seen.other = last_arrival_;
        observe(std::move(seen));
      }
    }
  }

  // The warp's last (or next) wait on the stage.
  Party next_wait(uint32_t w, Index barrier, int32_t stage, bool executed) {
    const Warp& warp = warps_[w];
    const std::vector<Step>& steps = trace_of(warp).steps;
    const auto matches = [&](const Step& step) {
      const Op& op = schedule_.ops[step.op];
      return op.barrier == barrier && step.stage == stage && operation(op.code).barrier == BarrierAction::wait;
    };
    if (executed) {
      for (size_t i = std::min(warp.cursor + 1, steps.size()); i-- > 0;)
        if (matches(steps[i])) return {warp.role, steps[i].op, steps[i].iteration, UINT32_MAX, warp.index, stage};
    } else {
      for (size_t i = warp.cursor; i < steps.size(); ++i)
        if (matches(steps[i])) return {warp.role, steps[i].op, steps[i].iteration, UINT32_MAX, warp.index, stage};
    }
    return {};
  }

  void commit(uint32_t w, const Op& op, const Step& step, const Party& party) {
    // The arrival comes when the MMAs are done, and carries that.
    std::vector<uint32_t> saved = clocks_[w];
    clocks_[w][group_ + w] = warps_[w].groups;
    const auto it = group_ends_.find({w, warps_[w].groups});
    last_arrival_ = party;
    arrive(w, op, step, party, kUnits, 0, std::max(warps_[w].time, it == group_ends_.end() ? 0 : it->second));
    clocks_[w] = std::move(saved);
  }

  // ---- memory ---------------------------------------------------------------------------

  void effects(uint32_t w, const Op& op, const Operation& record, const Step& step, const Party& party, int64_t end) {
    Warp& warp = warps_[w];
    if (record.barrier == BarrierAction::arrive) last_arrival_ = party;
    if (record.effects.empty()) return;
    int64_t engine_begin = end, engine_end = end;
    if (record.engine[0] != '\0') {
      Engine& engine = engines_[record.engine];
      engine_begin = std::max(end, engine.free);
      engine_end = engine_begin + record.engine_steps;
      engine.free = engine_begin + record.engine_interval;
      recorder_.engine_bar(record.engine, engine_begin, engine_end, party.event);
    }
    uint32_t group = 0;
    for (const Effect& effect : record.effects) {
      if (effect.completion == Completion::mma_group && group == 0) {
        group = ++warp.groups;
        group_ends_[{w, group}] = engine_end;
      }
      if (effect.completion == Completion::store_group && group == 0) {
        group = ++warp.stores;
        store_ends_[{w, group}] = engine_end;
      }
    }
    if (record.barrier == BarrierAction::fill && step.fill_bytes > 0) {
      last_arrival_ = party;
      arrive(w, op, step, party, kUnits, step.fill_bytes, end);
    }
    for (const Effect& effect : record.effects) {
      Access access;
      access.party = party;
      access.warp = static_cast<uint16_t>(w);
      access.proxy = effect.proxy;
      access.fence_value = clocks_[w][w];
      switch (effect.completion) {
        case Completion::immediate:
          access.component = w;
          access.value = clocks_[w][w];
          break;
        case Completion::mma_group:
          access.component = group_ + w;
          access.value = group;
          break;
        case Completion::store_group:
          access.component = store_ + w;
          access.value = group;
          break;
        case Completion::barrier_bytes:
          access.component = stage_ + first_stage_[op.barrier] + step.stage;
          access.value = static_cast<uint32_t>(stage_of(op, step).completed + 1);
          break;
      }
      const std::string_view name = effect.operand;
      if (name == "value") {
        read_tile(w, op.value, access);
      } else {
        const bool is_a = name == "a" || (name == "self" && op.dst.space == Space::none);
        const Region& region = name == "b" ? op.b : is_a ? op.a : op.dst;
        const int32_t slot = name == "b" ? step.b_stage : is_a ? step.a_stage : step.dst_stage;
        const bool accumulates = name == "acc" && step.init == 0 && op.init != kNone;
        touch(w, region, slot, effect.write, accumulates, access);
        if (region.space == Space::shared) {
          const BarState state = effect.write ? BarState::filling
                                 : effect.completion == Completion::store_group ? BarState::draining : BarState::in_use;
          const bool engine = record.engine[0] != '\0';
          if (warp.index == 0) recorder_.slot(region.resource, slot, state, engine ? engine_begin : end - record.logical_steps, engine ? engine_end : end, party.event);
          if (effect.write && effect.proxy == Proxy::generic) ++warp.pending_writes;
        }
      }
    }
    if (record.barrier == BarrierAction::fill) {
      BarrierStage& stage = stage_of(op, step);
      stage.bytes -= schedule_.views[op.dst.resource].stage_bytes();
      stage.pending_time = std::max(stage.pending_time, engine_end);
      stage.event = party.event;
      recorder_.arrival(op.barrier, step.stage, engine_end, party.event, static_cast<int>(stage.units / kUnits),
                        static_cast<int>(schedule_.barriers[op.barrier].init_count), schedule_.views[op.dst.resource].stage_bytes(),
                        stage.completed + 1);
      complete_if_due(op.barrier, step.stage);
    }
  }

  void read_tile(uint32_t w, Index tile_index, const Access& access) {
    if (tile_index == kNone) return;
    const Tile& tile = schedule_.tiles[tile_index];
    if (tile.kind == TileKind::fragment) {
      touch(w, tile.region, -1, false, false, access);
      return;
    }
    read_tile(w, tile.a, access);
    read_tile(w, tile.b, access);
  }

  void touch(uint32_t w, const Region& region, int32_t slot, bool write, bool accumulates, Access access) {
    access.resource = region.resource;
    access.slot = slot;
    const Warp& warp = warps_[w];
    if (region.space == Space::shared) {
      const View& view = schedule_.views[region.resource];
      int64_t lo = 0, hi = view.stage_bytes();
      const auto warps = static_cast<int64_t>(schedule_.roles[warp.role].warps.size());
      if (write && access.proxy == Proxy::generic && warps > 1) (warp.index == 0 ? hi : lo) = view.stage_bytes() / warps;
      const auto [first, last] = shared_cells(region.resource, slot, lo, hi);
      for (size_t c = first; c < last; ++c) touch_cell(w, cells_[c], Space::shared, write, false, access);
    } else if (region.space == Space::tensor) {
      touch_cell(w, cells_[tensor_base_ + region.resource], Space::tensor, write, accumulates, access);
    } else if (region.space == Space::fragment) {
      touch_cell(w, cells_[fragment_base_ + region.resource * 2 + warp.index], Space::fragment, write, accumulates, access);
    }
  }

  bool ordered(const Access& before, uint32_t w) const { return clocks_[w][before.component] >= before.value; }

  void touch_cell(uint32_t w, Cell& cell, Space space, bool write, bool accumulates, const Access& access) {
    if ((!write || accumulates) && !cell.write.valid()) conflict(Observed::uninitialised, space, access, {});
    // MMAs of one warp on one accumulator run in order.
    const bool chained = space != Space::shared && write && cell.write.valid() && cell.write.component == access.component;
    if (cell.write.valid() && !chained) {
      if (!ordered(cell.write, w) && space == Space::shared && !write && cell.replaced.valid() && ordered(cell.replaced, w)) {
        // The reader did wait for what was here before: the newer write is at fault.
        conflict(Observed::overwrite_in_use, space, cell.write, access);
      } else if (!ordered(cell.write, w)) {
        conflict(space == Space::fragment ? Observed::register_in_flight : write ? Observed::write_conflict : Observed::read_before_write,
                 space, access, cell.write);
      } else if (space == Space::shared && cell.write.proxy == Proxy::generic && access.proxy == Proxy::async &&
                 clocks_[w][fence_ + cell.write.warp] < cell.write.fence_value) {
        conflict(Observed::missing_fence, space, access, cell.write);
      }
    }
    if (write) {
      for (const Access& read : cell.reads) {
        if (ordered(read, w)) continue;
        if (space == Space::shared && !cell.write.valid())  // the reader did not wait for this first write
          conflict(Observed::read_before_write, space, read, access);
        else
          conflict(space == Space::fragment ? Observed::register_in_flight : Observed::overwrite_in_use, space, access, read);
      }
      cell.reads.clear();
      cell.replaced = cell.write;
      cell.write = access;
    } else {
      for (Access& read : cell.reads)
        if (read.component == access.component) {  // later in the same component: covers the earlier one
          read = access;
          return;
        }
      cell.reads.push_back(access);
    }
  }

  void conflict(Observed kind, Space space, const Access& access, const Access& before) {
    Observation seen;
    seen.kind = kind;
    seen.subject = access.party;
    if (before.valid()) seen.other = before.party;
    seen.space = space;
    seen.resource = access.resource;
    seen.slot = access.slot;
    if (before.valid() && before.resource != access.resource) seen.other_resource = before.resource;
    observe(std::move(seen));
  }

  // One observation a kind, place and pair of operations.
  void observe(Observation seen) {
    const bool one_warp = seen.subject.role == seen.other.role && seen.subject.warp == seen.other.warp;
    const auto key = std::tuple(seen.kind, seen.subject.op, seen.other.op, seen.barrier, seen.resource, seen.subject.role, one_warp);
    if (observed_.insert(key).second) run_.observations.push_back(std::move(seen));
  }

  // ---- the end --------------------------------------------------------------------------

  void finish() {
    bool stuck = false;
    for (const Warp& warp : warps_) stuck |= !done(warp);
    if (trace_.truncated) return;
    if (stuck) {
      run_.stuck = true;
      explain_stuck();
      return;
    }
    for (Index b = 0; b < schedule_.barriers.size(); ++b) {
      const Barrier& barrier = schedule_.barriers[b];
      for (int s = 0; s < barrier.count; ++s) {
        const BarrierStage& stage = stages_[first_stage_[b] + s];
        if (stage.units > 0 || stage.bytes != 0) {
          Observation seen;
          seen.kind = Observed::under_arrival;
          seen.barrier = b;
          seen.stage = s;
          seen.completion = stage.completed + 1;
          seen.arrived = stage.units / kUnits;
          seen.expected = barrier.init_count;
          seen.subject = last_arrival(b, s);
          observe(std::move(seen));
        }
        for (Index role : barrier.consumers) {
          const uint32_t w = first_warp_[role];
          const int64_t awaited = stage.waits[w] == 0 ? 0 : stage.awaited[w];
          if (stage.completed - awaited <= 1) continue;
          Observation seen;
          seen.kind = Observed::unawaited;
          seen.barrier = b;
          seen.stage = s;
          seen.completion = awaited + 1;
          seen.arrived = stage.completed;
          seen.expected = awaited;
          seen.subject.role = role;
          seen.subject.stage = s;
          seen.other = last_arrival(b, s);
          observe(std::move(seen));
        }
      }
    }
  }

  Party last_arrival(Index barrier, int32_t stage) const {
    Party found;
    for (Index r = 0; r < trace_.roles.size(); ++r)
      for (const Step& step : trace_.roles[r].steps) {
        const Op& op = schedule_.ops[step.op];
        const BarrierAction action = operation(op.code).barrier;
        if (op.barrier == barrier && step.stage == stage && action != BarrierAction::wait && action != BarrierAction::none)
          found = {r, step.op, step.iteration, UINT32_MAX, 0, stage};
      }
    return found;
  }

  // Completions of the stage that the whole trace makes, in whatever order.
  int64_t producible(Index barrier, int32_t stage) const {
    int64_t units = 0;
    for (uint32_t w = 0; w < warps_.size(); ++w)
      for (const Step& step : trace_of(warps_[w]).steps) {
        const Op& op = schedule_.ops[step.op];
        if (op.barrier != barrier || step.stage != stage) continue;
        const BarrierAction action = operation(op.code).barrier;
        if (action == BarrierAction::arrive) units += warps_[w].arrival_units;
        else if (warps_[w].index == 0 && (action == BarrierAction::commit || (action == BarrierAction::fill && step.fill_bytes > 0)))
          units += kUnits;
      }
    return units / (schedule_.barriers[barrier].init_count * kUnits);
  }

  void explain_stuck() {
    std::vector<Party> stuck;
    std::vector<int64_t> completions;
    std::set<Index> roles;
    for (uint32_t w = 0; w < warps_.size(); ++w) {
      Warp& warp = warps_[w];
      if (done(warp)) continue;
      const Step& step = trace_of(warp).steps[warp.cursor];
      const Op& op = schedule_.ops[step.op];
      if (operation(op.code).barrier != BarrierAction::wait) continue;
      const int64_t until = std::max(recorder_end(), warp.time + 1);
      const uint32_t event = recorder_.event(warp.role, warp.index, step, warp.time, until);
      recorder_.blocked(event, awaited(op, step, w));
      recorder_.role_bar(warp.role, warp.index, warp.time, until, BarState::stuck, event);
      ++run_.events;
      if (!roles.insert(warp.role).second) continue;
      stuck.push_back({warp.role, step.op, step.iteration, event, warp.index, step.stage});
      completions.push_back(awaited(op, step, w));
    }
    bool root_found = false;
    std::vector<Observation> made;
    for (size_t i = 0; i < stuck.size(); ++i) {
      const Op& op = schedule_.ops[stuck[i].op];
      const BarrierStage& stage = stages_[first_stage_[op.barrier] + stuck[i].stage];
      Observation seen;
      seen.subject = stuck[i];
      seen.barrier = op.barrier;
      seen.stage = stuck[i].stage;
      seen.completion = completions[i];
      seen.arrived = stage.units / kUnits;
      seen.expected = schedule_.barriers[op.barrier].init_count;
      seen.producible = producible(op.barrier, stuck[i].stage);
      seen.other = last_arrival(op.barrier, stuck[i].stage);
      seen.kind = seen.producible < seen.completion ? Observed::never_produced : Observed::deadlock;
      root_found |= seen.kind == Observed::never_produced;
      for (size_t k = 0; k < stuck.size(); ++k) seen.cycle.push_back(stuck[(i + k) % stuck.size()]);
      made.push_back(std::move(seen));
    }
    for (Observation& seen : made)
      if (seen.kind == Observed::never_produced) observe(std::move(seen));
    if (root_found || stuck.empty()) return;
    // Each stuck role waits for an arrival that another one makes later; follow that until it repeats.
    std::vector<size_t> path{0};
    for (;;) {
      const size_t next = blocker(stuck, path.back());
      const auto again = std::find(path.begin(), path.end(), next);
      if (next == stuck.size()) break;
      if (again == path.end()) {
        path.push_back(next);
        continue;
      }
      path.erase(path.begin(), again);
      std::rotate(path.begin(), std::min_element(path.begin(), path.end()), path.end());
      break;
    }
    Observation& seen = made[path.front()];
    seen.cycle.clear();
    for (size_t i : path) seen.cycle.push_back(stuck[i]);
    observe(std::move(seen));
  }

  // The stuck role that would arrive later where `stuck[i]` waits.
  size_t blocker(const std::vector<Party>& stuck, size_t i) const {
    const Op& wait = schedule_.ops[stuck[i].op];
    for (size_t k = 0; k < stuck.size(); ++k)
      for (uint32_t w = first_warp_[stuck[k].role]; w < first_warp_[stuck[k].role + 1]; ++w)
        for (size_t at = warps_[w].cursor; at < trace_of(warps_[w]).steps.size(); ++at) {
          const Step& step = trace_of(warps_[w]).steps[at];
          const Op& op = schedule_.ops[step.op];
          const BarrierAction action = operation(op.code).barrier;
          if (op.barrier == wait.barrier && step.stage == stuck[i].stage && action != BarrierAction::wait && action != BarrierAction::none)
            return k;
        }
    return stuck.size();
  }

  int64_t recorder_end() const {
    int64_t end = 0;
    for (const Warp& warp : warps_) end = std::max(end, warp.time);
    return end + 4;
  }

  const Schedule& schedule_;
  const Trace& trace_;
  const MachineOptions& options_;
  Recorder recorder_;
  MachineRun run_;
  std::vector<Warp> warps_;
  std::vector<uint32_t> first_warp_;   // by role, and the end
  std::vector<BarrierStage> stages_;
  std::vector<uint32_t> first_stage_;  // by barrier
  uint32_t fence_ = 0, group_ = 0, store_ = 0, stage_ = 0, width_ = 0;  // clock components
  std::vector<std::vector<uint32_t>> clocks_;
  std::vector<std::vector<int64_t>> cuts_;  // by pool
  std::vector<size_t> cut_base_;
  size_t tensor_base_ = 0, fragment_base_ = 0;
  std::vector<Cell> cells_;
  std::map<std::string_view, Engine> engines_;
  std::map<std::pair<uint32_t, uint32_t>, int64_t> group_ends_, store_ends_;  // (warp, group) -> time
  Party last_arrival_;
  std::set<std::tuple<Observed, Index, Index, Index, Index, Index, bool>> observed_;
};

}  // namespace

MachineRun run(const Schedule& schedule, const Trace& trace, const MachineOptions& options) {
  return Machine(schedule, trace, options).run();
}

}  // namespace bakery
