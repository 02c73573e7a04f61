// SPDX-License-Identifier: Apache-2.0
#include "app/session/wait_graph.h"

#include <algorithm>
#include <map>
#include <set>

#include "core_ir/machine/machine.h"
#include "core_ir/operations.h"

namespace bakery {
namespace {

constexpr int64_t kHalves = 2;  // of one agent's arrival

bool arrives(const Op& op) {
  const BarrierAction action = operation(op.code).barrier;
  return action == BarrierAction::arrive || action == BarrierAction::commit || action == BarrierAction::fill;
}

bool same_iteration(const Trace& a, uint32_t i, const Trace& b, uint32_t j) {
  while (i != 0 && j != 0) {
    const Iteration &x = a.iterations[i], &y = b.iterations[j];
    if (x.symbol != y.symbol || x.value != y.value) return false;
    i = x.parent;
    j = y.parent;
  }
  return i == j;
}

std::string times(size_t n) { return n == 1 ? "once" : std::to_string(n) + " times"; }

std::string loop_text(const std::vector<LoopValue>& values) {
  std::string text;
  for (const LoopValue& value : values) text += (text.empty() ? "" : ", ") + value.name + "=" + std::to_string(value.value);
  return text;
}

class Maker {
 public:
  Maker(const Analysis& analysis, const Timeline& timeline, int sample)
      : analysis_(analysis), schedule_(analysis.schedule), timeline_(timeline), sample_(analysis.samples[sample]) {}

  WaitGraph make() {
    size_t limit = 1;
    for (const TimelineEvent& event : timeline_.events) limit += event.blocked ? 0 : 1;
    trace_ = expand(schedule_, sample_, std::max(limit * 2, AnalysisOptions{}.event_limit));
    if (trace_.truncated || !follow_events()) return {};
    for (Index role = 0; role < schedule_.roles.size(); ++role)
      for (uint8_t warp = 0; warp < warps(role); ++warp) add_wait(role, warp);
    for (uint32_t w = 0; w < graph_.waits.size(); ++w) add_edges(w);
    find_cycle();
    return std::move(graph_);
  }

 private:
  struct Executed {
    std::vector<uint32_t> events;  // by step, the blocked one included
    bool blocked = false;
    size_t cursor() const { return events.size() - (blocked ? 1 : 0); }
  };

  int warps(Index role) const { return schedule_.roles[role].warps.size() > 1 ? 2 : 1; }
  const std::vector<Step>& steps(Index role) const { return trace_.roles[role].steps; }
  Executed& executed(Index role, uint8_t warp) { return executed_[role * 2 + warp]; }

  // The i-th event of a warp is the i-th step of its role's trace.
  bool follow_events() {
    executed_.resize(schedule_.roles.size() * 2);
    for (uint32_t i = 0; i < timeline_.events.size(); ++i) {
      const TimelineEvent& event = timeline_.events[i];
      if (event.role < 0 || static_cast<size_t>(event.role) >= schedule_.roles.size() || event.warp > 1) return false;
      Executed& warp = executed(static_cast<Index>(event.role), event.warp);
      if (warp.events.size() >= steps(static_cast<Index>(event.role)).size()) return false;
      if (steps(static_cast<Index>(event.role))[warp.events.size()].op != event.op) return false;
      warp.events.push_back(i);
      warp.blocked = event.blocked;
    }
    return true;
  }

  void add_wait(Index role, uint8_t warp) {
    const Executed& done = executed(role, warp);
    if (done.cursor() >= steps(role).size()) return;
    const Step& step = steps(role)[done.cursor()];
    StuckWait wait;
    wait.role = role;
    wait.warp = warp;
    wait.op = step.op;
    wait.event = done.events.empty() ? UINT32_MAX : done.events.back();
    if (done.blocked) {
      const Op& op = schedule_.ops[step.op];
      wait.barrier = op.barrier;
      wait.stage = step.stage;
      wait.completion = timeline_.events[wait.event].completion;
      wait.completed = completed(op.barrier, step.stage);
      wait.expected = schedule_.barriers[op.barrier].init_count;
      wait.arrived = std::max<int64_t>(0, halves(op.barrier, step.stage, true) / kHalves - wait.completed * wait.expected);
    }
    // The other warps of a role that stand at the same wait add nothing.
    const bool again = std::any_of(graph_.waits.begin(), graph_.waits.end(), [&](const StuckWait& w) {
      return w.role == role && w.op == wait.op && w.barrier == wait.barrier && w.completion == wait.completion && w.stage == wait.stage;
    });
    if (!again) graph_.waits.push_back(wait);
  }

  const Lane* lane(Index barrier, int stage) const {
    for (const Lane& lane : timeline_.lanes)
      if (lane.kind == LaneKind::barrier && lane.stage == stage && lane.resource == schedule_.barriers[barrier].name) return &lane;
    return nullptr;
  }

  int64_t completed(Index barrier, int stage) const {
    const Lane* of = lane(barrier, stage);
    if (!of || of->bar_count == 0) return 0;
    const Bar& last = timeline_.bars[of->first_bar + of->bar_count - 1];
    return last.event == UINT32_MAX ? last.number - 1 : last.number;
  }

  // Arrivals in halves of an agent: those made so far, or those of the whole trace.
  int64_t halves(Index barrier, int stage, bool so_far) {
    int64_t sum = 0;
    for (Index role = 0; role < schedule_.roles.size(); ++role)
      for (uint8_t warp = 0; warp < warps(role); ++warp) {
        const size_t end = so_far ? executed(role, warp).cursor() : steps(role).size();
        for (size_t i = 0; i < end; ++i)
          if (is_arrival(steps(role)[i], barrier, stage)) sum += share(role, warp, steps(role)[i]);
      }
    return sum;
  }

  bool is_arrival(const Step& step, Index barrier, int stage) const {
    const Op& op = schedule_.ops[step.op];
    if (op.barrier != barrier || (stage >= 0 && step.stage != stage) || !arrives(op)) return false;
    return operation(op.code).barrier != BarrierAction::fill || step.fill_bytes > 0;
  }

  int64_t share(Index role, uint8_t warp, const Step& step) const {
    if (operation(schedule_.ops[step.op].code).barrier != BarrierAction::arrive) return warp == 0 ? kHalves : 0;
    const int agents = schedule_.roles[role].agents();
    if (agents == 1) return kHalves / warps(role);
    return warp == 0 ? kHalves : kHalves * (agents - 1);
  }

  std::vector<LoopValue> loop_values(const Trace& trace, uint32_t iteration) const {
    std::vector<LoopValue> values;
    for (uint32_t at = iteration; at != 0; at = trace.iterations[at].parent)
      values.push_back({schedule_.symbols[trace.iterations[at].symbol].name, trace.iterations[at].value});
    std::reverse(values.begin(), values.end());
    return values;
  }

  std::string role_name(Index role) const { return "`" + schedule_.roles[role].name + "`"; }
  std::string stage_name(Index barrier, int stage) const {
    const Barrier& b = schedule_.barriers[barrier];
    return "`" + b.name + (b.count > 1 && stage >= 0 ? "[" + std::to_string(stage) + "]" : "") + "`";
  }
  std::string line(Span span) const { return "line " + std::to_string(analysis_.source.position(span.begin).line); }

  uint32_t last_event(Index role) {
    const Executed& warp = executed(role, 0);
    return warp.events.empty() ? UINT32_MAX : warp.events.back();
  }

  // ---- edges ----------------------------------------------------------------------------

  void add_edges(uint32_t w) {
    const StuckWait wait = graph_.waits[w];
    const size_t before = graph_.edges.size();
    if (wait.barrier == kNone) {
      for (uint32_t other = 0; other < graph_.waits.size(); ++other)
        if (other != w && graph_.waits[other].role == wait.role && graph_.waits[other].barrier != kNone)
          add({w, other, WaitCause::meeting, wait.role, wait.op, schedule_.ops[wait.op].span, {}, graph_.waits[other].event,
                  "the other warps of " + role_name(wait.role) + " do not come to the meeting"});
      return;
    }
    for (uint32_t other = 0; other < graph_.waits.size(); ++other) add_later(w, other);
    const int64_t expected = schedule_.barriers[wait.barrier].init_count;
    if (halves(wait.barrier, wait.stage, false) < wait.completion * expected * kHalves) add_missing(w);
    else if (graph_.edges.size() == before) add_bytes(w);
  }

  void add(WaitEdge edge) { graph_.edges.push_back(std::move(edge)); }

  // `other` would arrive where `w` waits, further on in its own steps.
  void add_later(uint32_t w, uint32_t other) {
    const StuckWait &wait = graph_.waits[w], &blocker = graph_.waits[other];
    for (const WaitEdge& edge : graph_.edges)  // one edge a role is enough
      if (edge.from == w && edge.cause == WaitCause::later && edge.role == blocker.role) return;
    const std::vector<Step>& all = steps(blocker.role);
    for (size_t i = executed(blocker.role, blocker.warp).cursor(); i < all.size(); ++i) {
      if (!is_arrival(all[i], wait.barrier, wait.stage) || share(blocker.role, blocker.warp, all[i]) == 0) continue;
      const std::vector<LoopValue> at = loop_values(trace_, all[i].iteration);
      const Span span = schedule_.ops[all[i].op].span;
      const std::string where = at.empty() ? "" : ", at " + loop_text(at);
      const std::string text = role_name(blocker.role) + " arrives on " + stage_name(wait.barrier, wait.stage) + " only later, on " +
                               line(span) + where;
      add({w, other, WaitCause::later, blocker.role, all[i].op, span, at, blocker.event, text});
      return;
    }
  }

  void add_missing(uint32_t w) {
    const StuckWait wait = graph_.waits[w];
    const Barrier& barrier = schedule_.barriers[wait.barrier];
    std::set<Index> producers(barrier.producers.begin(), barrier.producers.end());
    for (const Op& op : schedule_.ops)
      if (op.barrier == wait.barrier && arrives(op)) producers.insert(op.role);
    bool told = false;
    for (const Index role : producers) told |= add_missing_of(w, wait, role);
    if (told) return;
    const int64_t made = halves(wait.barrier, wait.stage, false) / kHalves;
    add({w, UINT32_MAX, WaitCause::short_count, kNone, kNone, barrier.init_span.end > 0 ? barrier.init_span : barrier.span, {}, UINT32_MAX,
            "completion " + std::to_string(wait.completion) + " of " + stage_name(wait.barrier, wait.stage) + " needs " +
                std::to_string(wait.completion * barrier.init_count) + " arrivals in all (`init_count` on " + line(barrier.span) +
                "); its producers make " + std::to_string(made) + " in the whole run"});
  }

  bool add_missing_of(uint32_t w, const StuckWait& wait, Index role) {
    const Barrier& barrier = schedule_.barriers[wait.barrier];
    const std::string who = role_name(role), where = stage_name(wait.barrier, wait.stage);
    const auto own = [&](const Op& op) { return op.role == role && op.barrier == wait.barrier && arrives(op); };
    if (std::none_of(schedule_.ops.begin(), schedule_.ops.end(), own)) {
      add({w, UINT32_MAX, WaitCause::absent, role, kNone, barrier.span, {}, last_event(role),
              who + " is a producer of `" + barrier.name + "` (" + line(barrier.span) + ") and never arrives on it"});
      return true;
    }
    if (add_skipped(w, wait, role)) return true;
    size_t here = 0, last = SIZE_MAX, elsewhere = SIZE_MAX;
    const std::vector<Step>& all = steps(role);
    for (size_t i = 0; i < all.size(); ++i) {
      if (is_arrival(all[i], wait.barrier, wait.stage)) {
        ++here;
        last = i;
      } else if (is_arrival(all[i], wait.barrier, -1)) {
        elsewhere = i;
      }
    }
    if (here >= static_cast<size_t>(wait.completion)) return false;
    const size_t shown = last != SIZE_MAX ? last : elsewhere;
    const bool other_stage = here == 0 && elsewhere != SIZE_MAX;
    const Index op = shown != SIZE_MAX ? all[shown].op
                                       : static_cast<Index>(std::find_if(schedule_.ops.begin(), schedule_.ops.end(), own) - schedule_.ops.begin());
    const std::vector<LoopValue> at = shown != SIZE_MAX ? loop_values(trace_, all[shown].iteration) : std::vector<LoopValue>{};
    const Span span = schedule_.ops[op].span;
    std::string text;
    if (other_stage)
      text = who + " never arrives on " + where + "; " + line(span) + " arrives on " + stage_name(wait.barrier, all[shown].stage) +
             (at.empty() ? "" : " at " + loop_text(at));
    else if (here == 0)
      text = who + " never comes to its arrival on " + line(span) + ": the loops around it do not run";
    else
      text = who + " arrives on " + where + " only " + times(here) + ", last on " + line(span) + (at.empty() ? "" : " at " + loop_text(at)) +
             "; completion " + std::to_string(wait.completion) + " needs " + std::to_string(wait.completion);
    const Executed& warp = executed(role, 0);
    const uint32_t event = shown < warp.events.size() ? warp.events[shown] : last_event(role);
    add({w, UINT32_MAX, other_stage ? WaitCause::other_stage : WaitCause::too_few, role, op, span, at, event, text});
    return true;
  }

  // The arrivals that come when every condition on them holds, and do not come as it is.
  bool add_skipped(uint32_t w, const StuckWait& wait, Index role) {
    Schedule open = schedule_;
    std::map<Index, std::string> conditions;  // by op
    for (Index i = 0; i < open.ops.size(); ++i) {
      Op& op = open.ops[i];
      if (op.role != role || op.barrier != wait.barrier || !arrives(op) || op.when == kNone) continue;
      conditions[i] = schedule_.text(op.when);
      op.when = kNone;
    }
    Expr one;
    one.value = 1;
    open.exprs.push_back(one);
    for (const Index stmt : schedule_.roles[role].body) open_conditions(open, stmt, wait.barrier, {}, conditions);
    if (conditions.empty()) return false;
    const Trace trace = expand(open, sample_, 4 * std::max<size_t>(1000, trace_.step_count));
    const std::vector<Step>&now = steps(role), &then = trace.roles[role].steps;
    const Executed& warp = executed(role, 0);
    size_t at = 0;
    for (const Step& step : then) {
      if (at < now.size() && now[at].op == step.op && same_iteration(trace_, now[at].iteration, trace, step.iteration)) {
        ++at;
        continue;
      }
      const auto condition = conditions.find(step.op);
      const bool no_slot = std::any_of(trace.problems.begin(), trace.problems.end(), [&](const TraceProblem& p) {
        return p.op == step.op && p.iteration == step.iteration;
      });
      if (condition == conditions.end() || no_slot || step.stage != wait.stage) continue;
      const std::vector<LoopValue> values = loop_values(trace, step.iteration);
      const Span span = schedule_.ops[step.op].span;
      const uint32_t before = at > 0 && at <= warp.events.size() ? warp.events[at - 1] : UINT32_MAX;
      add({w, UINT32_MAX, WaitCause::skipped, role, step.op, span, values, before,
              role_name(role) + " skips its arrival on " + stage_name(wait.barrier, wait.stage) + " (" + line(span) + ", where `" +
                  condition->second + "` is false)" + (values.empty() ? "" : " at " + loop_text(values))});
      return true;
    }
    return false;
  }

  // Opens every condition that an arrival of the barrier stands under.
  bool open_conditions(Schedule& open, Index index, Index barrier, std::string outer, std::map<Index, std::string>& conditions) {
    const Stmt& stmt = schedule_.stmts[index];
    if (stmt.kind == StmtKind::op) {
      const Op& op = schedule_.ops[stmt.op];
      if (op.barrier != barrier || !arrives(op)) return false;
      if (!outer.empty()) {
        std::string& text = conditions[stmt.op];
        text = text.empty() ? outer : outer + " and " + text;
      }
      return true;
    }
    if (stmt.kind == StmtKind::when) outer += (outer.empty() ? "" : " and ") + schedule_.text(stmt.value);
    bool found = false;
    for (const Index child : stmt.body) found |= open_conditions(open, child, barrier, outer, conditions);
    if (found && stmt.kind == StmtKind::when) open.stmts[index].value = static_cast<ExprId>(open.exprs.size() - 1);
    return found;
  }

  void add_bytes(uint32_t w) {
    const StuckWait wait = graph_.waits[w];
    const Barrier& barrier = schedule_.barriers[wait.barrier];
    Span span = barrier.span;
    Index role = kNone, filler = kNone;
    for (Index i = 0; i < schedule_.ops.size(); ++i)
      if (schedule_.ops[i].barrier == wait.barrier && operation(schedule_.ops[i].code).barrier == BarrierAction::fill) {
        filler = i;
        role = schedule_.ops[i].role;
        span = schedule_.ops[i].span;
      }
    add({w, UINT32_MAX, WaitCause::bytes, role, filler, span, {}, role == kNone ? UINT32_MAX : last_event(role),
            stage_name(wait.barrier, wait.stage) + " has its arrivals, but the bytes it was told to expect never all come"});
  }

  void find_cycle() {
    // The first edge of each wait that leads to another one; follow it until it repeats.
    std::vector<uint32_t> next(graph_.waits.size(), UINT32_MAX);
    for (const WaitEdge& edge : graph_.edges)
      if (edge.to != UINT32_MAX && next[edge.from] == UINT32_MAX) next[edge.from] = edge.to;
    for (uint32_t start = 0; start < next.size(); ++start) {
      std::vector<uint32_t> path;
      uint32_t at = start;
      while (at != UINT32_MAX && std::find(path.begin(), path.end(), at) == path.end()) {
        path.push_back(at);
        at = next[at];
      }
      if (at == UINT32_MAX) continue;
      path.erase(path.begin(), std::find(path.begin(), path.end(), at));
      std::rotate(path.begin(), std::min_element(path.begin(), path.end()), path.end());
      graph_.cycle = std::move(path);
      return;
    }
  }

  const Analysis& analysis_;
  const Schedule& schedule_;
  const Timeline& timeline_;
  const Sample& sample_;
  Trace trace_;
  std::vector<Executed> executed_;
  WaitGraph graph_;
};

bool stuck(const Timeline& timeline) {
  return std::any_of(timeline.events.begin(), timeline.events.end(), [](const TimelineEvent& e) { return e.blocked; });
}

// The same graph with `start` first, then the waits that it depends on, then the others.
WaitGraph starting_at(const WaitGraph& graph, uint32_t start) {
  std::vector<uint32_t> number(graph.waits.size(), UINT32_MAX), order;
  const auto visit = [&](uint32_t wait) {
    if (number[wait] != UINT32_MAX) return;
    number[wait] = static_cast<uint32_t>(order.size());
    order.push_back(wait);
  };
  visit(start);
  for (size_t i = 0; i < order.size(); ++i)
    for (const WaitEdge& edge : graph.edges)
      if (edge.from == order[i] && edge.to != UINT32_MAX) visit(edge.to);
  for (uint32_t wait = 0; wait < graph.waits.size(); ++wait) visit(wait);
  WaitGraph part;
  for (const uint32_t wait : order) {
    part.waits.push_back(graph.waits[wait]);
    for (WaitEdge edge : graph.edges) {
      if (edge.from != wait) continue;
      edge.from = number[edge.from];
      if (edge.to != UINT32_MAX) edge.to = number[edge.to];
      part.edges.push_back(std::move(edge));
    }
  }
  for (const uint32_t wait : graph.cycle) part.cycle.push_back(number[wait]);
  return part;
}

class Replayer {
 public:
  Replayer(const Analysis& analysis, const Timeline& timeline, int sample, const Finding& finding)
      : analysis_(analysis), timeline_(timeline), sample_(sample), finding_(finding) {}

  Replay make() {
    if (stuck(timeline_)) add_waits();
    add_witness();
    // What can never go on comes last, after all that did happen; of it the finding's own wait.
    const uint32_t own = replay_.graph.empty() ? UINT32_MAX : replay_.graph.waits.front().event;
    std::stable_sort(replay_.steps.begin(), replay_.steps.end(), [&](const ReplayStep& a, const ReplayStep& b) {
      if (a.blocked != b.blocked) return b.blocked;
      if (a.event == own || b.event == own) return b.event == own && a.event != own;
      if (a.blocked) return timeline_.events[a.event].begin < timeline_.events[b.event].begin;
      return a.event < b.event;
    });
    return std::move(replay_);
  }

 private:
  void add(uint32_t event, std::string text) {
    if (event >= timeline_.events.size()) return;
    for (ReplayStep& step : replay_.steps)
      if (step.event == event) {
        if (step.text.find(text) == std::string::npos) step.text += "; " + text;
        return;
      }
    const TimelineEvent& e = timeline_.events[event];
    const bool known = e.role >= 0 && static_cast<size_t>(e.role) < analysis_.schedule.roles.size();
    replay_.steps.push_back({event, e.span, known ? analysis_.schedule.roles[e.role].name : "", std::move(text), e.blocked});
  }

  void add_waits() {
    const WaitGraph graph = wait_graph(analysis_, timeline_, sample_);
    uint32_t start = UINT32_MAX;
    for (uint32_t w = 0; w < graph.waits.size(); ++w) {
      const StuckWait& wait = graph.waits[w];
      const bool own = analysis_.schedule.roles[wait.role].name == finding_.role &&
                       (wait.barrier == kNone || analysis_.schedule.barriers[wait.barrier].name == finding_.resource);
      if (own && start == UINT32_MAX) start = w;
    }
    if (start == UINT32_MAX) return;
    replay_.graph = starting_at(graph, start);
    for (const StuckWait& wait : replay_.graph.waits) {
      if (wait.barrier == kNone) continue;
      if (const uint32_t last = last_completion(wait); last != UINT32_MAX)
        add(last, bakery::describe(analysis_, timeline_, last) + ": makes completion " + std::to_string(wait.completed) + " of `" +
                      analysis_.schedule.barriers[wait.barrier].name + "`, the last one that comes");
      add(wait.event, bakery::describe(analysis_, timeline_, wait.event) + ": " + std::to_string(wait.arrived) + " of " +
                          std::to_string(wait.expected) + (wait.expected == 1 ? " arrival is there" : " arrivals are there"));
    }
    for (const WaitEdge& edge : replay_.graph.edges) {
      if (edge.to != UINT32_MAX || edge.event == UINT32_MAX || timeline_.events[edge.event].blocked) continue;
      if (const uint32_t before = arrival_before(edge.event); before != UINT32_MAX)
        add(before, bakery::describe(analysis_, timeline_, before) + ": its last arrival before the missing one");
      add(edge.event, edge.text);
    }
  }

  uint32_t arrival_before(uint32_t event) const {
    const TimelineEvent& of = timeline_.events[event];
    for (uint32_t i = event; i-- > 0;) {
      const TimelineEvent& e = timeline_.events[i];
      if (e.role == of.role && e.warp == of.warp && e.op < analysis_.schedule.ops.size() && arrives(analysis_.schedule.ops[e.op])) return i;
    }
    return UINT32_MAX;
  }

  uint32_t last_completion(const StuckWait& wait) const {
    uint32_t found = UINT32_MAX;
    for (const Lane& lane : timeline_.lanes) {
      if (lane.kind != LaneKind::barrier || lane.stage != wait.stage || lane.resource != analysis_.schedule.barriers[wait.barrier].name) continue;
      for (uint32_t b = lane.first_bar; b < lane.first_bar + lane.bar_count; ++b)
        if (timeline_.bars[b].event != UINT32_MAX) found = timeline_.bars[b].event;
    }
    return found;
  }

  void add_witness() {
    const bool race = finding_.witness.size() == 2 && finding_.declared == "no order between the two";
    std::vector<uint32_t> accesses;
    for (const WitnessStep& step : finding_.witness) {
      const uint32_t event = event_of_step(step);
      if (event == UINT32_MAX) continue;
      if (!timeline_.events[event].blocked) {
        if (const uint32_t sync = sync_before(event); sync != UINT32_MAX)
          add(sync, bakery::describe(analysis_, timeline_, sync) + ": the last hand-over before");
        add(event, step.event);
      } else if (replay_.graph.empty()) {
        add(event, step.event);
      }
      accesses.push_back(event);
    }
    if (race && accesses.size() == 2) {
      replay_.first_access = accesses[0];
      replay_.second_access = accesses[1];
    }
  }

  // Witnesses of what the run's end shows have no event; the last one of that place stands for it.
  uint32_t event_of_step(const WitnessStep& step) const {
    if (step.event_index < timeline_.events.size()) return step.event_index;
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < timeline_.events.size(); ++i) {
      const TimelineEvent& event = timeline_.events[i];
      const bool role = event.role >= 0 && static_cast<size_t>(event.role) < analysis_.schedule.roles.size() &&
                        analysis_.schedule.roles[event.role].name == step.role;
      if (role && event.span == step.span) found = i;
    }
    return found;
  }

  uint32_t sync_before(uint32_t event) const {
    const TimelineEvent& of = timeline_.events[event];
    for (uint32_t i = event; i-- > 0;) {
      const TimelineEvent& e = timeline_.events[i];
      if (e.role == of.role && e.warp == of.warp && e.barrier >= 0) return i;
    }
    return UINT32_MAX;
  }

  const Analysis& analysis_;
  const Timeline& timeline_;
  int sample_;
  const Finding& finding_;
  Replay replay_;
};

bool has_sample(const Analysis& analysis, int sample) {
  return sample >= 0 && static_cast<size_t>(sample) < analysis.samples.size();
}

}  // namespace

const char* to_string(WaitCause cause) {
  switch (cause) {
    case WaitCause::later: return "later";
    case WaitCause::meeting: return "meeting";
    case WaitCause::skipped: return "skipped";
    case WaitCause::absent: return "absent";
    case WaitCause::other_stage: return "other stage";
    case WaitCause::too_few: return "too few";
    case WaitCause::short_count: return "short count";
    case WaitCause::bytes: return "bytes";
  }
  return "";
}

WaitGraph wait_graph(const Analysis& analysis, const Timeline& timeline, int sample) {
  if (!has_sample(analysis, sample) || !stuck(timeline)) return {};
  return Maker(analysis, timeline, sample).make();
}

std::string describe(const Analysis& analysis, const StuckWait& wait) {
  const Schedule& schedule = analysis.schedule;
  const std::string who = "`" + schedule.roles[wait.role].name + "`" + (wait.warp > 0 ? " (its other warps)" : "");
  if (wait.barrier == kNone) return who + " waits for the rest of its role";
  const Barrier& barrier = schedule.barriers[wait.barrier];
  return who + " waits for completion " + std::to_string(wait.completion) + " of `" + barrier.name +
         (barrier.count > 1 ? "[" + std::to_string(wait.stage) + "]" : "") + "`";
}

std::vector<std::string> to_lines(const Analysis& analysis, const WaitGraph& graph) {
  std::vector<std::string> lines;
  for (const WaitEdge& edge : graph.edges) {
    const StuckWait& wait = graph.waits[edge.from];
    const Span span = analysis.schedule.ops[wait.op].span;
    lines.push_back("line " + std::to_string(analysis.source.position(span.begin).line) + ": " + describe(analysis, wait) + ": " + edge.text);
  }
  if (graph.cycle.empty()) return lines;
  std::string round;
  for (const uint32_t wait : graph.cycle) round += "`" + analysis.schedule.roles[graph.waits[wait].role].name + "` -> ";
  lines.push_back("the wait goes round: " + round + "`" + analysis.schedule.roles[graph.waits[graph.cycle.front()].role].name + "`");
  return lines;
}

bool replayable(const Finding& finding) { return finding.sample >= 0 && !finding.witness.empty(); }

Replay replay_of(const Analysis& analysis, const Timeline& timeline, int sample, const Finding& finding) {
  if (!has_sample(analysis, sample) || !replayable(finding)) return {};
  return Replayer(analysis, timeline, sample, finding).make();
}

}  // namespace bakery
