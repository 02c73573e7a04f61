// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/pipeline/pipeline_edits.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace bakery::views {

namespace {

constexpr int kMaxWarp = 31;  // 1024 threads a CTA

NodeId node_at(const Tree& tree, Span span) {
  for (NodeId id = 0; id < tree.nodes.size(); ++id)
    if (tree[id].span == span && tree[id].kind != NodeKind::expression && tree[id].kind != NodeKind::block) return id;
  return kNoNode;
}

// What a name is set to, and how often.
struct Definition {
  NodeId value = kNoNode;
  int times = 0;
};

Definition definition_of(const Tree& tree, const std::string& name) {
  Definition found;
  const auto bind = [&](NodeId target, NodeId value) {
    if (tree[target].kind != NodeKind::name || tree[target].text != name) return;
    found.value = value;
    ++found.times;
  };
  for (NodeId id = 0; id < tree.nodes.size(); ++id) {
    const Node& node = tree[id];
    if (node.kind == NodeKind::for_loop && node.child_count > 0) {
      const NodeId target = tree.child(id, 0);
      bind(target, kNoNode);
      if (tree[target].kind == NodeKind::tuple)
        for (uint32_t i = 0; i < tree[target].child_count; ++i) bind(tree.child(target, i), kNoNode);
    }
    if (node.kind != NodeKind::assign || node.child_count != 2) continue;
    const NodeId target = tree.child(id, 0), value = tree.child(id, 1);
    bind(target, value);
    if (tree[target].kind != NodeKind::tuple) continue;
    const bool matched = tree[value].kind == NodeKind::tuple && tree[value].child_count == tree[target].child_count;
    for (uint32_t i = 0; i < tree[target].child_count; ++i) bind(tree.child(target, i), matched ? tree.child(value, i) : kNoNode);
  }
  return found;
}

int uses_of(const Tree& tree, const std::string& name) {
  int uses = -1;  // its own definition
  for (const Node& node : tree.nodes) uses += node.kind == NodeKind::name && node.text == name;
  return uses;
}

std::string line_text(const Analysis& analysis, Span span) { return "line " + std::to_string(analysis.source.position(span.begin).line); }

// Follows names to the literal that gives the value.
void resolve(const Analysis& analysis, EditField& field, Span written) {
  const Tree& tree = analysis.tree;
  NodeId id = written.end > written.begin ? node_at(tree, written) : kNoNode;
  if (id == kNoNode) {
    field.refused = "it is not written in the text, so that there is nothing to change";
    return;
  }
  std::string name;
  for (int depth = 0; depth < 8; ++depth) {
    const Node& node = tree[id];
    if (node.kind == NodeKind::integer) {
      field.span = node.span;
      field.value = std::string(analysis.source.slice(node.span));
      if (!name.empty()) {
        const int others = uses_of(tree, name) - 1;
        field.note = "`" + name + "`, " + line_text(analysis, node.span);
        if (others > 0) field.note += ": " + std::to_string(others) + (others == 1 ? " other place uses" : " other places use") + " it too";
      }
      return;
    }
    if (node.kind == NodeKind::name) {
      name = node.text;
      const Definition definition = definition_of(tree, name);
      if (definition.times != 1 || definition.value == kNoNode) {
        field.refused = definition.times > 1 ? "`" + name + "` is set in " + std::to_string(definition.times) + " places" : "`" + name + "` is not a constant of the schedule";
        return;
      }
      id = definition.value;
      continue;
    }
    const auto tunable = std::find_if(analysis.schedule.tunables.begin(), analysis.schedule.tunables.end(),
                                      [&](const Tunable& t) { return t.span == node.span; });
    if (node.kind == NodeKind::call && tunable != analysis.schedule.tunables.end()) {
      field.choices = tunable->choices;
      id = node_at(tree, tunable->value_span);
      if (id != kNoNode) continue;
    }
    break;
  }
  field.refused = id == kNoNode ? "the value can't be found in the text"
                                : "the value is computed: `" + std::string(analysis.source.slice(tree[id].span)) + "`; change what it is computed from";
}

EditField count_field(const Analysis& analysis, std::string name, Span span, int64_t value, int64_t least, int64_t most) {
  EditField field;
  field.name = std::move(name);
  field.value = std::to_string(value);
  field.least = least;
  field.most = most;
  resolve(analysis, field, span);
  return field;
}

bool is_literal(const Tree& tree, NodeId id) { return tree[id].kind == NodeKind::integer; }

EditField warps_field(const Analysis& analysis, const Role& role) {
  EditField field;
  field.kind = EditField::Kind::warps;
  field.name = "warps of `" + role.name + "`";
  field.span = role.warps_span;
  field.value = std::string(analysis.source.slice(role.warps_span));
  field.least = 0;
  field.most = kMaxWarp;
  const NodeId id = node_at(analysis.tree, role.warps_span);
  bool literal = false;
  if (id != kNoNode) {
    const Node& node = analysis.tree[id];
    const bool range = node.kind == NodeKind::call && node.child_count >= 2 && analysis.tree[analysis.tree.child(id, 0)].text == "range";
    literal = range || node.kind == NodeKind::list || node.kind == NodeKind::tuple;
    for (uint32_t i = range ? 1 : 0; i < node.child_count && literal; ++i) literal = is_literal(analysis.tree, analysis.tree.child(id, i));
  }
  if (!literal) field.refused = "the warps are computed: `" + field.value + "`; change what they are computed from";
  return field;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<int64_t> integer_of(std::string_view text) {
  text = trimmed(text);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "0", "4-11", "0, 2, 4", "[0, 1]", "range(4, 12)"; empty: it is none of these.
std::vector<int64_t> warps_of(std::string_view text) {
  text = trimmed(text);
  const auto inside = [&](std::string_view open, char close) {
    if (!text.starts_with(open) || text.back() != close) return false;
    text = text.substr(open.size(), text.size() - open.size() - 1);
    return true;
  };
  std::vector<int64_t> warps;
  if (text.empty()) return warps;
  if (inside("range(", ')')) {
    const size_t comma = text.find(',');
    const auto lo = comma == std::string_view::npos ? std::optional<int64_t>(0) : integer_of(text.substr(0, comma));
    const auto hi = integer_of(comma == std::string_view::npos ? text : text.substr(comma + 1));
    if (!lo || !hi || *hi - *lo > 4096) return {};
    for (int64_t w = *lo; w < *hi; ++w) warps.push_back(w);
    return warps;
  }
  inside("[", ']');
  while (true) {
    const size_t comma = text.find(',');
    std::string_view part = trimmed(text.substr(0, comma));
    size_t dash = part.find("–"), width = 3;
    if (dash == std::string_view::npos) {
      dash = part.find('-', 1);
      width = 1;
    }
    const auto lo = integer_of(part.substr(0, dash));
    const auto hi = dash == std::string_view::npos || dash > part.size() ? lo : integer_of(part.substr(dash + width));
    if (!lo || !hi || *hi < *lo || *hi - *lo > 4096) return {};
    for (int64_t w = *lo; w <= *hi; ++w) warps.push_back(w);
    if (comma == std::string_view::npos || warps.size() > 4096) return warps;
    text.remove_prefix(comma + 1);
  }
}

FieldChange change_warps(const EditField& field, const std::string& value) {
  std::vector<int64_t> warps = warps_of(value);
  if (warps.empty()) return {{}, "warps are written as `0`, `4-11`, `0, 2` or `range(4, 12)`"};
  std::sort(warps.begin(), warps.end());
  if (std::adjacent_find(warps.begin(), warps.end()) != warps.end()) return {{}, "a warp is listed twice"};
  if (warps.front() < field.least || warps.back() > field.most) return {{}, "warp indices run from 0 to " + std::to_string(field.most)};
  std::vector<int64_t> before = warps_of(field.value);
  if (before == warps) return {};
  const bool contiguous = warps.back() - warps.front() + 1 == static_cast<int64_t>(warps.size());
  const bool was_list = field.value.starts_with("[") && before.size() > 1;
  std::string text;
  if (contiguous && warps.size() > 1 && !was_list) {
    text = "range(" + std::to_string(warps.front()) + ", " + std::to_string(warps.back() + 1) + ")";
  } else {
    for (const int64_t warp : warps) text += (text.empty() ? "[" : ", ") + std::to_string(warp);
    text += "]";
  }
  return {{{field.span, text}}, {}};
}

}  // namespace

std::vector<EditField> fields_of(const PipelineScene& scene, const Analysis& analysis, PipePlace place) {
  std::vector<EditField> fields;
  const Schedule& schedule = analysis.schedule;
  if (place.index < 0) return fields;
  if (place.edge) {
    const PipeEdge& edge = scene.edges[place.index];
    if (edge.barrier >= schedule.barriers.size()) return fields;
    const Barrier& barrier = schedule.barriers[edge.barrier];
    fields.push_back(count_field(analysis, "stages of `" + barrier.name + "`", barrier.count_span, barrier.count, 1, 1024));
    fields.push_back(count_field(analysis, "arrivals a completion", barrier.init_span, barrier.init_count, 1, (1 << 20) - 1));
    if (barrier.pipeline < schedule.pipelines.size()) {
      const Pipeline& pipeline = schedule.pipelines[barrier.pipeline];
      fields.push_back(count_field(analysis, "stages of `" + pipeline.name + "`", pipeline.stages_span, pipeline.stages, 1, 1024));
    }
    return fields;
  }
  const PipeNode& node = scene.nodes[place.index];
  if (node.kind == PipeNodeKind::role && node.index < schedule.roles.size()) {
    const Role& role = schedule.roles[node.index];
    fields.push_back(warps_field(analysis, role));
    if (role.regs > 0) fields.push_back(count_field(analysis, "registers a thread", role.regs_span, role.regs, 24, 256));
  } else if (node.kind == PipeNodeKind::buffer && node.space == Space::shared && node.index < schedule.views.size()) {
    const View& view = schedule.views[node.index];
    fields.push_back(count_field(analysis, "stages of `" + view.name + "`", view.stage_span, view.stages, 1, 1024));
  }
  return fields;
}

FieldChange change_field(const Analysis& analysis, const EditField& field, const std::string& value) {
  if (!field.refused.empty()) return {{}, field.refused};
  if (analysis.source.slice(field.span) != field.value) return {{}, "the text has changed meanwhile"};
  if (field.kind == EditField::Kind::warps) return change_warps(field, value);
  const auto number = integer_of(value);
  if (!number) return {{}, "a whole number is needed"};
  if (*number < field.least || *number > field.most)
    return {{}, "it must be from " + std::to_string(field.least) + " to " + std::to_string(field.most)};
  if (!field.choices.empty() && std::find(field.choices.begin(), field.choices.end(), *number) == field.choices.end()) {
    std::string choices;
    for (const int64_t choice : field.choices) choices += (choices.empty() ? "" : ", ") + std::to_string(choice);
    return {{}, "the tunable's choices are " + choices + "; add " + std::to_string(*number) + " to them first"};
  }
  if (std::to_string(*number) == field.value) return {};
  return {{{field.span, std::to_string(*number)}}, {}};
}

}  // namespace bakery::views
