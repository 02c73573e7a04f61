// SPDX-License-Identifier: Apache-2.0
#include "app/session/language_names.h"

#include <algorithm>
#include <map>
#include <set>

namespace bakery {

namespace {

class NameFinder {
 public:
  explicit NameFinder(const Tree& tree) : tree_(tree) { table_.scopes.push_back({}); }

  NameTable run() {
    if (tree_.root != kNoNode) visit(tree_.root, 0);
    for (const Use& use : uses_) {
      const size_t binding = resolve(use.node, use.scope);
      if (binding != kMissing) table_.places.push_back({tree_[use.node].span, binding});
    }
    std::sort(table_.places.begin(), table_.places.end(),
              [](const NamePlace& a, const NamePlace& b) { return a.span.begin < b.span.begin; });
    return std::move(table_);
  }

 private:
  static constexpr size_t kMissing = static_cast<size_t>(-1);
  struct Use {
    NodeId node;
    size_t scope;
  };

  size_t look_up(const std::string& name, size_t scope) const {
    for (size_t s = scope;; s = table_.scopes[s].parent) {
      if (const auto found = names_[s].find(name); found != names_[s].end()) return found->second;
      if (s == 0) return kMissing;
    }
  }

  // Loops that run while building leave their names behind, so a name may be bound deeper than it is used.
  size_t resolve(NodeId id, size_t scope) const {
    const size_t found = look_up(tree_[id].text, scope);
    if (found != kMissing) return found;
    size_t nearest = kMissing;
    for (size_t i = 0; i < table_.bindings.size(); ++i)
      if (table_.bindings[i].name == tree_[id].text && table_.bindings[i].span.begin <= tree_[id].span.begin) nearest = i;
    return nearest;
  }

  size_t open_scope(size_t parent, NodeId node) {
    table_.scopes.push_back({parent, node});
    names_.emplace_back();
    return table_.scopes.size() - 1;
  }

  void bind(const std::string& name, Span span, size_t scope, NodeId value, NodeKind from) {
    if (name.empty()) return;
    names_[scope].emplace(name, table_.bindings.size());
    table_.places.push_back({span, table_.bindings.size()});
    table_.bindings.push_back({name, span, scope, value, from});
  }

  bool bound(const std::string& name, size_t scope) {
    for (size_t s = scope;; s = table_.scopes[s].parent) {
      if (names_[s].contains(name)) return true;
      if (s == 0 || (table_.scopes[s].node != kNoNode && tree_[table_.scopes[s].node].kind == NodeKind::function)) return false;
    }
  }

  void bind_target(NodeId target, size_t scope, NodeId value, NodeKind from) {
    const Node& node = tree_[target];
    if (node.kind == NodeKind::name) {
      const bool rebinds = from == NodeKind::assign && bound(node.text, scope);
      if (rebinds) uses_.push_back({target, scope});
      else bind(node.text, node.span, scope, value, from);
    } else if (node.kind == NodeKind::tuple || node.kind == NodeKind::list) {
      const bool pairs = value != kNoNode && from == NodeKind::assign && tree_[value].kind == NodeKind::tuple &&
                         tree_[value].child_count == node.child_count;
      for (uint32_t i = 0; i < node.child_count; ++i)
        bind_target(tree_.child(target, i), scope, pairs ? tree_.child(value, i) : value, from);
    } else {
      visit(target, scope);
    }
  }

  void visit_children(NodeId id, size_t scope, uint32_t first = 0) {
    for (uint32_t i = first; i < tree_[id].child_count; ++i) visit(tree_.child(id, i), scope);
  }

  void visit_function(NodeId id, size_t scope) {
    const Node& node = tree_[id];
    bind(node.text, node.name_span, scope, id, NodeKind::function);
    const size_t inner = open_scope(scope, id);
    for (uint32_t i = 0; i < node.child_count; ++i) {
      const NodeId part = tree_.child(id, i);
      if (tree_[part].kind == NodeKind::parameter) {
        const NodeId type = tree_[part].child_count > 0 ? tree_.child(part, 0) : kNoNode;
        bind(tree_[part].text, tree_[part].name_span, inner, type, NodeKind::parameter);
      }
    }
    for (uint32_t i = 0; i < node.child_count; ++i) {
      const NodeId part = tree_.child(id, i);
      visit(part, tree_[part].kind == NodeKind::decorator || tree_[part].kind == NodeKind::parameter ? scope : inner);
    }
  }

  void visit_loop(NodeId id, size_t scope) {
    if (tree_[id].child_count < 3) return visit_children(id, scope);
    const NodeId target = tree_.child(id, 0), iterable = tree_.child(id, 1);
    visit(iterable, scope);
    const NodeKind kind = tree_[iterable].kind;
    const bool device = kind == NodeKind::name || (kind == NodeKind::call && tree_[iterable].child_count > 0 &&
                                                   tree_[tree_.child(iterable, 0)].kind == NodeKind::attribute);
    const size_t inner = device ? open_scope(scope, id) : scope;
    if (device) bind_target(target, inner, iterable, NodeKind::for_loop);
    else if (!(tree_[target].kind == NodeKind::name && bound(tree_[target].text, scope))) bind_target(target, inner, iterable, NodeKind::for_loop);
    else uses_.push_back({target, scope});
    visit_children(id, inner, 2);
  }

  void visit(NodeId id, size_t scope) {
    const Node& node = tree_[id];
    switch (node.kind) {
      case NodeKind::name: uses_.push_back({id, scope}); return;
      case NodeKind::function: return visit_function(id, scope);
      case NodeKind::for_loop: return visit_loop(id, scope);
      case NodeKind::assign:
        if (node.child_count > 1) visit(tree_.child(id, 1), scope);
        if (node.child_count > 0) bind_target(tree_.child(id, 0), scope, node.child_count > 1 ? tree_.child(id, 1) : kNoNode, NodeKind::assign);
        return;
      case NodeKind::with:
        if (node.child_count > 0) visit(tree_.child(id, 0), scope);
        return visit_children(id, open_scope(scope, id), 1);
      default: visit_children(id, scope);
    }
  }

  const Tree& tree_;
  NameTable table_;
  std::vector<std::map<std::string, size_t>> names_{1};  // by scope: its bindings
  std::vector<Use> uses_;
};

size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

// Lines whose blocks a statement at `offset` is in: each one indented less than what follows.
std::vector<uint32_t> enclosing_lines(const SourceText& source, uint32_t offset) {
  std::vector<uint32_t> lines;
  const Position at = source.position(offset);
  const std::string_view here = source.line(at.line);
  size_t indent = indent_of(here);
  if (indent == here.size()) indent = at.column - 1;  // an empty line: where the caret is
  for (uint32_t line = at.line - 1; line > 0 && indent > 0; --line) {
    const std::string_view text = source.line(line);
    const size_t this_indent = indent_of(text);
    if (this_indent == text.size() || text[this_indent] == '#' || this_indent >= indent) continue;
    indent = this_indent;
    lines.push_back(line);
  }
  lines.push_back(at.line);  // a header's own line sees what it binds
  return lines;
}

uint32_t header_line(const SourceText& source, const Node& node) {
  return source.position(node.kind == NodeKind::function ? node.name_span.begin : node.span.begin).line;
}

}  // namespace

NameTable find_names(const Tree& tree) { return NameFinder(tree).run(); }

const NamePlace* NameTable::place_at(uint32_t offset) const {
  const NamePlace* touched = nullptr;
  for (const NamePlace& place : places) {
    if (place.span.contains(offset)) return &place;
    if (place.span.end == offset && place.span.end > place.span.begin) touched = &place;
  }
  return touched;
}

std::vector<const NameBinding*> NameTable::visible(const SourceText& source, const Tree& tree, uint32_t offset) const {
  const std::vector<uint32_t> lines = enclosing_lines(source, offset);
  std::vector<bool> open(scopes.size());
  open[0] = true;
  for (size_t s = 1; s < scopes.size(); ++s)
    open[s] = open[scopes[s].parent] &&
              std::find(lines.begin(), lines.end(), header_line(source, tree[scopes[s].node])) != lines.end();
  std::vector<const NameBinding*> found;
  for (const NameBinding& binding : bindings)
    if (open[binding.scope] && binding.span.end < offset) found.push_back(&binding);
  std::stable_sort(found.begin(), found.end(), [](const NameBinding* a, const NameBinding* b) { return a->scope > b->scope; });
  std::set<std::string_view> seen;
  std::erase_if(found, [&](const NameBinding* binding) { return !seen.insert(binding->name).second; });
  return found;
}

const NameBinding* NameTable::find(const SourceText& source, const Tree& tree, uint32_t offset, std::string_view name) const {
  for (const NameBinding* binding : visible(source, tree, offset))
    if (binding->name == name) return binding;
  return nullptr;
}

}  // namespace bakery
