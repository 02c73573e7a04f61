// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/pipeline/pipeline_scene.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "views/common/op_regions.h"
#include "views/memory_map/memory_map.h"

namespace bakery::views {

namespace {

std::string counted(int64_t n, const char* one, const char* many) { return std::to_string(n) + " " + (n == 1 ? one : many); }

std::string warps_text(const std::vector<int>& warps) {
  std::string text = warps.size() == 1 ? "warp " : "warps ";
  for (size_t i = 0; i < warps.size();) {
    size_t last = i;
    while (last + 1 < warps.size() && warps[last + 1] == warps[last] + 1) ++last;
    if (i > 0) text += ", ";
    text += std::to_string(warps[i]);
    if (last > i) text += (last == i + 1 ? ", " : "–") + std::to_string(warps[last]);
    i = last + 1;
  }
  return text;
}

int64_t region_bytes(const Schedule& schedule, const Region& region) {
  if (region.space != Space::shared || region.resource >= schedule.views.size()) return 0;
  const View& view = schedule.views[region.resource];
  const int64_t elements = region.rows * region.cols;
  return elements > 0 && elements <= view.elements() ? elements * info(view.dtype).bytes : view.stage_bytes();
}

bool arrives(BarrierAction action) {
  return action == BarrierAction::arrive || action == BarrierAction::fill || action == BarrierAction::commit;
}

// Roles whose operations, or engines they start, write and read each shared or tensor-memory resource.
using RoleSet = std::set<Index>;
struct Traffic {
  std::map<std::pair<Space, Index>, RoleSet> writers, readers;
};

Traffic traffic_of(const Schedule& schedule) {
  Traffic traffic;
  for (const Op& op : schedule.ops)
    each_region(schedule, op, [&](const Region& region, bool write) {
      if (region.space != Space::shared && region.space != Space::tensor) return;
      (write ? traffic.writers : traffic.readers)[{region.space, region.resource}].insert(op.role);
    });
  return traffic;
}

bool feeds(const Traffic& traffic, Index from, Index to) {
  for (const auto& [resource, writers] : traffic.writers) {
    if (!writers.contains(from)) continue;
    const auto readers = traffic.readers.find(resource);
    if (readers != traffic.readers.end() && readers->second.contains(to)) return true;
  }
  return false;
}

// Builds the scene; nodes and edges are found by what they stand for.
class Scene {
 public:
  explicit Scene(const Analysis& analysis) : analysis_(analysis), schedule_(analysis.schedule), traffic_(traffic_of(schedule_)) {}

  PipelineScene make() {
    for (Index p = 0; p < schedule_.params.size(); ++p)
      if (schedule_.params[p].kind == ParamKind::tensor_map) add(tensor(p));
    for (Index r = 0; r < schedule_.roles.size(); ++r) add(role(r));
    for (Index op = 0; op < schedule_.ops.size(); ++op) flow(op);
    for (Index b = 0; b < schedule_.barriers.size(); ++b) hand_offs(b);
    mark_findings();
    if (lost_nodes_ + lost_edges_ > 0)
      scene_.left_out = "too large to draw: " + counted(static_cast<int64_t>(lost_nodes_), "node", "nodes") + " and " +
                        counted(static_cast<int64_t>(lost_edges_), "edge", "edges") + " are left out";
    return std::move(scene_);
  }

 private:
  using NodeKey = std::tuple<PipeNodeKind, Space, Index, std::string>;

  int add(PipeNode node) {
    NodeKey key{node.kind, node.space, node.index, node.kind == PipeNodeKind::engine ? node.name : std::string()};
    const auto [it, fresh] = nodes_.emplace(std::move(key), -1);
    if (!fresh) return it->second;
    if (scene_.nodes.size() >= kMaxPipeNodes) {
      ++lost_nodes_;
      return -1;
    }
    it->second = static_cast<int>(scene_.nodes.size());
    scene_.nodes.push_back(std::move(node));
    return it->second;
  }

  PipeNode tensor(Index p) const {
    const Parameter& param = schedule_.params[p];
    return {PipeNodeKind::tensor, Space::global, p, param.name, std::to_string(param.rank) + "-D tensor", param.span};
  }

  PipeNode role(Index r) const {
    const Role& role = schedule_.roles[r];
    std::string facts = warps_text(role.warps);
    if (role.regs > 0) facts += " · " + std::to_string(role.regs) + " regs";
    return {PipeNodeKind::role, Space::none, r, role.name, facts, role.span};
  }

  int role_node(Index r) { return r < schedule_.roles.size() ? add(role(r)) : -1; }

  int engine_node(const Operation& operation, Index op) {
    const int node = add({PipeNodeKind::engine, Space::none, kNone, operation.engine, "engine", {}});
    if (node >= 0) scene_.nodes[node].ops.push_back(op);
    return node;
  }

  // -1 for what is no node: registers.
  int buffer_node(const Region& region) {
    if (region.space == Space::shared && region.resource < schedule_.views.size()) {
      const View& view = schedule_.views[region.resource];
      const std::string facts = view.staged ? std::to_string(view.stages) + " × " + byte_text(view.stage_bytes()) : byte_text(view.bytes());
      return add({PipeNodeKind::buffer, Space::shared, region.resource, view.name, facts, view.span});
    }
    if (region.space == Space::tensor && region.resource < schedule_.tmems.size()) {
      const Tmem& tmem = schedule_.tmems[region.resource];
      return add({PipeNodeKind::buffer, Space::tensor, region.resource, tmem.name, counted(tmem.width, "column", "columns"), tmem.span});
    }
    return -1;
  }

  PipeEdge* connect(PipeEdgeKind kind, int from, int to, Index op, const std::string& name = {}, Index barrier = kNone) {
    if (from < 0 || to < 0) return nullptr;
    const auto [it, fresh] = edges_.emplace(std::tuple{kind, from, to, name}, -1);
    if (fresh) {
      if (scene_.edges.size() >= kMaxPipeEdges) {
        ++lost_edges_;
        return nullptr;
      }
      it->second = static_cast<int>(scene_.edges.size());
      scene_.edges.push_back({kind, from, to, name, {}, {}, barrier});
    }
    if (it->second < 0) return nullptr;
    PipeEdge& edge = scene_.edges[it->second];
    if (op != kNone) edge.ops.push_back(op);
    return &edge;
  }

  // Bytes: tensor to engine to buffer, buffer to engine, or a role that reads and writes itself.
  void flow(Index index) {
    const Op& op = schedule_.ops[index];
    const Operation& operation = bakery::operation(op.code);
    const bool by_engine = *operation.engine != 0;
    const int role = role_node(op.role);
    const int mover = by_engine ? engine_node(operation, index) : role;
    if (mover < 0) return;
    bool back_to_role = false;
    if (by_engine && op.param != kNone && op.param < schedule_.params.size()) {
      const int param = add(tensor(op.param));
      if (param >= 0) scene_.nodes[param].ops.push_back(index);
      const bool fills = op.dst.space == Space::shared;
      connect(PipeEdgeKind::data, fills ? param : mover, fills ? mover : param, index);
    }
    each_region(schedule_, op, [&](const Region& region, bool write) {
      const int buffer = buffer_node(region);
      if (buffer >= 0) {
        connect(PipeEdgeKind::data, write ? mover : buffer, write ? buffer : mover, index);
      } else if (by_engine && write && region.space == Space::fragment && region.resource < schedule_.fragments.size()) {
        connect(PipeEdgeKind::data, mover, role, index, schedule_.fragments[region.resource].name);
        back_to_role = true;
      }
    });
    if (by_engine && !back_to_role) connect(PipeEdgeKind::issue, role, mover, index);
  }

  // One edge from each role that arrives to each that waits.
  void hand_offs(Index b) {
    const Barrier& barrier = schedule_.barriers[b];
    std::vector<Index> from, to;
    const auto once = [](std::vector<Index>& list, Index role) {
      if (role != kNone && std::find(list.begin(), list.end(), role) == list.end()) list.push_back(role);
    };
    for (const Index role : barrier.producers) once(from, role);
    for (const Index role : barrier.consumers) once(to, role);
    for (const Op& op : schedule_.ops) {
      if (op.barrier != b) continue;
      if (arrives(operation(op.code).barrier)) once(from, op.role);
      if (operation(op.code).barrier == BarrierAction::wait) once(to, op.role);
    }
    for (const Index f : from)
      for (const Index t : to) hand_off(b, f, t);
  }

  void hand_off(Index b, Index from, Index to) {
    const Barrier& barrier = schedule_.barriers[b];
    const bool backward = barrier.free || (!feeds(traffic_, from, to) && feeds(traffic_, to, from));
    PipeEdge* edge = connect(backward ? PipeEdgeKind::backward : PipeEdgeKind::forward, role_node(from), role_node(to), kNone, barrier.name, b);
    if (!edge) return;
    int64_t count[3] = {}, bytes = 0;  // arrivals a completion: own, of a fill, of a commit
    std::set<std::tuple<Index, int64_t, int64_t>> filled;
    for (Index i = 0; i < schedule_.ops.size(); ++i) {
      const Op& op = schedule_.ops[i];
      const Operation& operation = bakery::operation(op.code);
      if (op.barrier != b) continue;
      if (op.role == to && operation.barrier == BarrierAction::wait) edge->ops.push_back(i);
      if (op.role != from || !arrives(operation.barrier)) continue;
      edge->ops.push_back(i);
      switch (operation.barrier) {
        case BarrierAction::fill:
          count[1] = 1;
          edge->completer = operation.engine;
          if (filled.emplace(op.dst.resource, op.dst.row, op.dst.col).second) bytes += region_bytes(schedule_, op.dst);
          break;
        case BarrierAction::commit:
          count[2] = 1;
          edge->completer = group_engine(from);
          break;
        default: count[0] = operation.executor == Executor::once_an_agent ? schedule_.roles[from].agents() : 1;
      }
    }
    const int64_t all = count[0] + count[1] + count[2];
    edge->arrives = all > 0;
    if (barrier.count > 1) edge->facts = counted(barrier.count, "stage", "stages") + " · ";
    edge->facts += std::to_string(all) + " of " + counted(barrier.init_count, "arrival", "arrivals");
    if (bytes > 0) edge->facts += " · " + byte_text(bytes);
  }

  // The engine whose groups a commit of the role covers.
  std::string group_engine(Index role) const {
    for (const Op& op : schedule_.ops) {
      const Operation& operation = bakery::operation(op.code);
      if (op.role != role || *operation.engine == 0) continue;
      for (const Effect& effect : operation.effects)
        if (effect.completion == Completion::mma_group) return operation.engine;
    }
    return {};
  }

  void mark(int& at, int finding) const {
    if (at < 0 || analysis_.findings[finding].severity < analysis_.findings[at].severity) at = finding;
  }

  // By the resource where it is drawn, else by the role.
  void mark_findings() {
    for (int f = 0; f < static_cast<int>(analysis_.findings.size()); ++f) {
      const Finding& finding = analysis_.findings[f];
      if (finding.severity == Severity::hint) continue;
      bool found = false;
      for (PipeEdge& edge : scene_.edges)
        if (edge.barrier != kNone && edge.name == finding.resource) {
          mark(edge.finding, f);
          found = true;
        }
      for (PipeNode& node : scene_.nodes)
        if (!finding.resource.empty() && node.name == finding.resource) {
          mark(node.finding, f);
          found = true;
        }
      if (found || finding.role.empty()) continue;
      for (PipeNode& node : scene_.nodes)
        if (node.kind == PipeNodeKind::role && node.name == finding.role) mark(node.finding, f);
    }
  }

  const Analysis& analysis_;
  const Schedule& schedule_;
  Traffic traffic_;
  PipelineScene scene_;
  std::map<NodeKey, int> nodes_;
  std::map<std::tuple<PipeEdgeKind, int, int, std::string>, int> edges_;
  size_t lost_nodes_ = 0, lost_edges_ = 0;
};

}  // namespace

PipelineScene make_pipeline_scene(const Analysis& analysis) { return Scene(analysis).make(); }

PipelineScene only_hand_offs(const PipelineScene& scene) {
  PipelineScene result;
  result.left_out = scene.left_out;
  std::vector<int> moved(scene.nodes.size(), -1);
  for (size_t n = 0; n < scene.nodes.size(); ++n) {
    if (scene.nodes[n].kind != PipeNodeKind::role) continue;
    moved[n] = static_cast<int>(result.nodes.size());
    result.nodes.push_back(scene.nodes[n]);
  }
  for (PipeEdge edge : scene.edges) {
    if (edge.barrier == kNone) continue;
    edge.from = moved[edge.from];
    edge.to = moved[edge.to];
    result.edges.push_back(std::move(edge));
  }
  return result;
}

std::optional<Span> source_of(const PipelineScene& scene, const Analysis& analysis, PipePlace place) {
  if (place.index < 0) return std::nullopt;
  const Schedule& schedule = analysis.schedule;
  const auto first = [&](const std::vector<Index>& ops) -> std::optional<Span> {
    if (ops.empty() || ops.front() >= schedule.ops.size()) return std::nullopt;
    return schedule.ops[ops.front()].span;
  };
  if (place.edge) {
    const PipeEdge& edge = scene.edges[place.index];
    if (edge.barrier < schedule.barriers.size()) return schedule.barriers[edge.barrier].span;
    return first(edge.ops);
  }
  const PipeNode& node = scene.nodes[place.index];
  return node.kind == PipeNodeKind::engine ? first(node.ops) : std::optional(node.span);
}

FocusState focus_on_place(const PipelineScene& scene, const Snapshot& snapshot, PipePlace place) {
  FocusState state;
  if (place.index < 0) return state;
  if (place.edge) {
    const PipeEdge& edge = scene.edges[place.index];
    if (edge.barrier != kNone) {
      state = focus_on_resource(snapshot, edge.name);
    } else {
      for (const int end : {edge.from, edge.to})
        if (scene.nodes[end].kind == PipeNodeKind::buffer) state = focus_on_resource(snapshot, scene.nodes[end].name);
      state.span = source_of(scene, *snapshot.analysis, place);
    }
  } else {
    const PipeNode& node = scene.nodes[place.index];
    state = focus_on_resource(snapshot, node.name);
    if (node.kind == PipeNodeKind::engine) state.engine = node.name;
    if (!state.span) state.span = source_of(scene, *snapshot.analysis, place);
  }
  state.origin = Origin::pipeline;
  return state;
}

PipeLighting light(const PipelineScene& scene, const Snapshot& snapshot, const FocusState& focus) {
  PipeLighting lighting;
  lighting.nodes.assign(scene.nodes.size(), 0);
  lighting.edges.assign(scene.edges.size(), 0);
  if (focus.empty()) return lighting;
  const Schedule& schedule = snapshot.analysis->schedule;
  const bool named = !focus.role.empty() || !focus.barrier.empty() || !focus.buffer.empty() || !focus.engine.empty();
  const auto lines = lines_of(snapshot.analysis->source, focus);
  const auto here = [&](Span span) {
    if (!lines || span.end == span.begin) return false;
    const uint32_t line = snapshot.analysis->source.position(span.begin).line;
    return line >= lines->first && line <= lines->second;
  };
  const auto op_here = [&](Index op) { return op < schedule.ops.size() && here(schedule.ops[op].span); };
  // A place in the text lights what it declares and what its operations move.
  const bool by_place = !named || (focus.event != kNoEvent) || (focus.role.empty() && focus.barrier.empty() && focus.engine.empty());
  for (size_t n = 0; n < scene.nodes.size(); ++n) {
    const PipeNode& node = scene.nodes[n];
    bool lit = false;
    switch (node.kind) {
      case PipeNodeKind::role: lit = !focus.role.empty() && node.name == focus.role; break;
      case PipeNodeKind::engine: lit = !focus.engine.empty() && node.name == focus.engine; break;
      case PipeNodeKind::buffer: lit = !focus.buffer.empty() && node.name == focus.buffer; break;
      case PipeNodeKind::tensor: break;
    }
    if (!named || node.kind == PipeNodeKind::tensor) lit = lit || here(node.span);
    if (by_place) lit = lit || std::any_of(node.ops.begin(), node.ops.end(), op_here);
    lighting.nodes[n] = lit;
  }
  for (size_t e = 0; e < scene.edges.size(); ++e) {
    const PipeEdge& edge = scene.edges[e];
    bool lit = false;
    if (edge.barrier != kNone) {
      lit = !focus.barrier.empty() ? edge.name == focus.barrier && (focus.event == kNoEvent || focus.role.empty() ||
                                                                   scene.nodes[edge.from].name == focus.role ||
                                                                   scene.nodes[edge.to].name == focus.role)
                                   : !named && (here(schedule.barriers[edge.barrier].span) || std::any_of(edge.ops.begin(), edge.ops.end(), op_here));
    } else {
      lit = by_place && std::any_of(edge.ops.begin(), edge.ops.end(), op_here);
    }
    lighting.edges[e] = lit;
    if (!lit || named) continue;
    lighting.nodes[edge.from] = lighting.nodes[edge.to] = 1;
  }
  return lighting;
}

const char* to_string(PipeNodeKind kind) {
  switch (kind) {
    case PipeNodeKind::role: return "role";
    case PipeNodeKind::engine: return "engine";
    case PipeNodeKind::buffer: return "buffer";
    case PipeNodeKind::tensor: return "tensor";
  }
  return "";
}

const char* to_string(PipeEdgeKind kind) {
  switch (kind) {
    case PipeEdgeKind::data: return "data";
    case PipeEdgeKind::issue: return "issue";
    case PipeEdgeKind::forward: return "forward";
    case PipeEdgeKind::backward: return "backward";
  }
  return "";
}

std::string to_text(const PipelineScene& scene, const Analysis& analysis, const PipeLighting& lighting) {
  std::string text;
  const auto marks = [&](int finding, const std::vector<uint8_t>& lit, size_t at) {
    if (finding >= 0) text += " !" + analysis.findings[finding].id;
    if (at < lit.size() && lit[at]) text += " *";
    text += "\n";
  };
  for (size_t n = 0; n < scene.nodes.size(); ++n) {
    const PipeNode& node = scene.nodes[n];
    text += std::string(to_string(node.kind)) + " " + node.name + " (" + node.facts + ")";
    marks(node.finding, lighting.nodes, n);
  }
  for (size_t e = 0; e < scene.edges.size(); ++e) {
    const PipeEdge& edge = scene.edges[e];
    text += std::string(to_string(edge.kind)) + " " + scene.nodes[edge.from].name + " -> " + scene.nodes[edge.to].name;
    if (!edge.name.empty()) text += " " + edge.name;
    if (!edge.facts.empty()) text += " (" + edge.facts + ")";
    if (!edge.completer.empty()) text += " by " + edge.completer;
    if (!edge.arrives) text += " never";
    marks(edge.finding, lighting.edges, e);
  }
  if (!scene.left_out.empty()) text += scene.left_out + "\n";
  return text;
}

}  // namespace bakery::views
