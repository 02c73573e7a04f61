// SPDX-License-Identifier: GPL-3.0-or-later
// Small and large made-up snapshots, so that views are tested without the machine.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "views/common/snapshots.h"

namespace bakery::synthetic {

// 12 lines; two roles hand two slots over. Line 3 holds text outside ASCII before the code.
inline std::string text() {
  return "@cake.schedule(target=\"sm_90a\")\n"
         "def toy(lm, A: LM.tma2d):\n"
         "    pool = lm.smem(4096)  # 双缓冲 ring 🍞\n"
         "    a_s = pool.view(offset=0, shape=(8, 64), dtype=lm.bf16, stage=2)\n"
         "    load = lm.role(warps=[0])\n"
         "    mma = lm.role(warps=[1])\n"
         "    full = lm.barrier(count=2, prod=[load], cons=[mma], init_count=1)\n"
         "    empty = lm.barrier(count=2, prod=[mma], cons=[load], init_count=1, free=True)\n"
         "    with load:\n"
         "        lm.wait(empty, stage=0)\n"
         "        a_s.tma_load(A, coords=(0, 0), stage=0, barrier=full)\n"
         "    with mma:\n"
         "        lm.wait(full, stage=0)\n"
         "        lm.arrive(empty, stage=0)\n";
}

inline Span find(const std::string& text, const std::string& what, int occurrence = 0) {
  size_t at = text.find(what);
  while (occurrence-- > 0 && at != std::string::npos) at = text.find(what, at + 1);
  return {static_cast<uint32_t>(at), static_cast<uint32_t>(at + what.size())};
}

enum : uint32_t { op_wait_empty, op_load, op_wait_full, op_arrive };

inline Schedule schedule(const std::string& t) {
  Schedule s;
  s.name = "toy";
  s.declared_target = "sm_90a";
  const auto role = [&](const char* name, const char* declaration) {
    Role r;
    r.name = name;
    r.span = find(t, declaration);
    s.roles.push_back(r);
  };
  role("load", "load = lm.role(warps=[0])");
  role("mma", "mma = lm.role(warps=[1])");
  const auto barrier = [&](const char* name, const char* declaration) {
    Barrier b;
    b.name = name;
    b.count = 2;
    b.span = find(t, declaration);
    s.barriers.push_back(b);
  };
  barrier("full", "full = lm.barrier");
  barrier("empty", "empty = lm.barrier");
  View v;
  v.name = "a_s";
  v.stages = 2;
  v.staged = true;
  v.span = find(t, "a_s = pool.view");
  s.views.push_back(v);
  const auto op = [&](OpCode code, const char* call, Index role, Index barrier) {
    Op o;
    o.code = code;
    o.span = find(t, call);
    o.role = role;
    o.barrier = barrier;
    s.ops.push_back(o);
  };
  op(OpCode::wait, "lm.wait(empty, stage=0)", 0, 1);
  op(OpCode::tma_load, "a_s.tma_load(A, coords=(0, 0), stage=0, barrier=full)", 0, 0);
  op(OpCode::wait, "lm.wait(full, stage=0)", 1, 0);
  op(OpCode::arrive, "lm.arrive(empty, stage=0)", 1, 1);
  s.complete = true;
  return s;
}

// `laps` hand-overs of slot 0; with `stuck` the loader waits for ever in the last one.
inline Timeline timeline(const Schedule& s, int laps, bool stuck = false) {
  Timeline t;
  t.sample = "N=" + std::to_string(laps);
  struct LaneBars {
    Lane lane;
    std::vector<Bar> bars;
    std::vector<Mark> marks;
  };
  std::vector<LaneBars> lanes(6);
  const auto name = [&](size_t i, LaneKind kind, const char* text, const char* resource, int stage) {
    lanes[i].lane.kind = kind;
    lanes[i].lane.name = text;
    lanes[i].lane.resource = resource;
    lanes[i].lane.stage = stage;
  };
  name(0, LaneKind::role, "load", "load", -1);
  name(1, LaneKind::role, "mma", "mma", -1);
  name(2, LaneKind::engine, "TMA load", "TMA load", -1);
  name(3, LaneKind::barrier, "full[0]", "full", 0);
  name(4, LaneKind::barrier, "empty[0]", "empty", 0);
  name(5, LaneKind::slot, "a_s[0]", "a_s", 0);
  const auto event = [&](uint32_t op, int16_t role, int16_t barrier, int lap, int64_t begin, int64_t end) {
    TimelineEvent e;
    e.begin = begin;
    e.end = end;
    e.op = op;
    e.span = s.ops[op].span;
    e.role = role;
    e.barrier = barrier;
    e.stage = 0;
    e.iteration = static_cast<uint32_t>(lap);
    e.completion = static_cast<uint32_t>(lap + 1);
    if (op == op_load) {
      e.slot_view = 0;
      e.slot_stage = 0;
    }
    t.events.push_back(e);
    return static_cast<uint32_t>(t.events.size() - 1);
  };
  const auto bar = [&](size_t lane, int64_t begin, int64_t end, BarState state, uint32_t event, int number = -1) {
    lanes[lane].bars.push_back({begin, end, event, number, state, 0});
  };
  int64_t now = 0;
  uint32_t last_arrive = UINT32_MAX;
  for (int lap = 0; lap < laps; ++lap) {
    t.iterations.push_back({{"k", lap}});
    const bool last = stuck && lap + 1 == laps;
    const uint32_t wait_empty = event(op_wait_empty, 0, 1, lap, now, last ? now + 10 : now + 1);
    if (last_arrive != UINT32_MAX && !last) t.edges.push_back({last_arrive, wait_empty});
    if (last) {
      t.events[wait_empty].blocked = true;
      bar(0, now, now + 10, BarState::stuck, wait_empty);
      now += 10;
      break;
    }
    bar(0, now, now + 1, BarState::working, wait_empty);
    const uint32_t load = event(op_load, 0, 0, lap, now + 1, now + 2);
    bar(0, now + 1, now + 2, BarState::working, load);
    bar(2, now + 2, now + 6, BarState::transfer, load);
    lanes[3].marks.push_back({now + 6, load, 1, 1, 1024});
    const uint32_t wait_full = event(op_wait_full, 1, 0, lap, now, now + 6);
    bar(1, now, now + 6, BarState::waiting, wait_full);
    t.edges.push_back({load, wait_full});
    const uint32_t arrive = event(op_arrive, 1, 1, lap, now + 6, now + 8);
    bar(1, now + 6, now + 8, BarState::working, arrive);
    lanes[4].marks.push_back({now + 8, arrive, 1, 1, 0});
    last_arrive = arrive;
    bar(3, lap == 0 ? 0 : now - 2, now + 6, BarState::phase, load, lap + 1);
    bar(4, now, now + 8, BarState::phase, arrive, lap + 1);
    bar(5, now + 2, now + 6, BarState::filling, load, lap);
    bar(5, now + 6, now + 8, BarState::in_use, arrive, lap);
    now += 8;
  }
  t.end = now;
  for (LaneBars& lane : lanes) {
    lane.lane.first_bar = static_cast<uint32_t>(t.bars.size());
    lane.lane.bar_count = static_cast<uint32_t>(lane.bars.size());
    lane.lane.first_mark = static_cast<uint32_t>(t.marks.size());
    lane.lane.mark_count = static_cast<uint32_t>(lane.marks.size());
    t.bars.insert(t.bars.end(), lane.bars.begin(), lane.bars.end());
    t.marks.insert(t.marks.end(), lane.marks.begin(), lane.marks.end());
    t.lanes.push_back(lane.lane);
  }
  return t;
}

inline std::shared_ptr<Analysis> analysis(const std::string& t, int laps = 3, bool stuck = false, uint64_t revision = 1) {
  auto a = std::make_shared<Analysis>();
  a->revision = revision;
  a->source = SourceText("toy.cake", t);
  a->schedule = schedule(t);
  a->target = find_target("sm_90a");
  a->timeline = timeline(a->schedule, laps, stuck);
  a->timeline_sample = 0;
  a->samples.push_back({{}, 0, 1, "N=3"});
  if (stuck) {
    Finding f;
    f.id = "SAFE-001";
    f.gate = Gate::safety;
    f.confidence = Confidence::refuted;
    f.message = "`load` waits for completion 3 of `empty[0]`, which never comes";
    f.contract = "every awaited completion is produced";
    f.span = a->schedule.ops[op_wait_empty].span;
    f.role = "load";
    f.resource = "empty";
    f.stage = 0;
    f.completion = laps;
    f.sample = 0;
    f.expected = "1 arrival";
    f.declared = "0 arrivals";
    f.related.push_back({a->schedule.ops[op_arrive].span, "mma", "empty", 0, "arrives here"});
    const auto blocked = std::find_if(a->timeline.events.begin(), a->timeline.events.end(),
                                      [](const TimelineEvent& e) { return e.blocked; });
    f.witness.push_back({"load", f.span, "waits for ever", static_cast<uint32_t>(blocked - a->timeline.events.begin())});
    f.fixes.push_back({"arrive twice", {{{a->schedule.ops[op_arrive].span.end, a->schedule.ops[op_arrive].span.end},
                                         "\n        lm.arrive(empty, stage=1)"},
                                        {find(t, "双缓冲"), "二重"}}});
    std::sort(f.fixes[0].edits.begin(), f.fixes[0].edits.end(),
              [](const TextEdit& x, const TextEdit& y) { return x.span.begin < y.span.begin; });
    a->findings.push_back(f);
    a->verdict = Verdict::rejected;
  }
  Finding hint;
  hint.id = "HINT-001";
  hint.gate = Gate::hint;
  hint.severity = Severity::hint;
  hint.message = "`A` is read once";
  hint.span = find(t, "A: LM.tma2d");
  a->findings.push_back(hint);
  a->coverage.push_back({"COVER-001", "only three laps were run", {}});
  return a;
}

inline views::Snapshot snapshot(std::shared_ptr<const Analysis> a) {
  std::shared_ptr<const Timeline> timeline(a, &a->timeline);
  const int sample = a->timeline_sample;
  return {std::move(a), std::move(timeline), sample};
}

}  // namespace bakery::synthetic
