// SPDX-License-Identifier: Apache-2.0
// The syntax tree of a schedule: a subset of Python's grammar, tolerant of errors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core_ir/source.h"

namespace bakery {

enum class NodeKind : uint8_t {
  error,      // text that could not be parsed; no children
  // expressions
  name,       // text
  integer,    // value
  floating,   // number
  string,     // text (unquoted)
  boolean,    // value 0 or 1
  none,
  attribute,  // child 0: object; text: the attribute's name
  call,       // child 0: callee; then arguments; keyword arguments are `keyword` nodes
  keyword,    // text: the name; child 0: value
  subscript,  // child 0: object; child 1: index (a tuple for several)
  slice,      // children: lo, hi, step; a missing one is `none` with an empty span
  tuple,      // children: items
  list,       // children: items
  unary,      // op; child 0
  binary,     // op; children 0, 1 (also comparisons, `and`, `or`)
  conditional,// a if c else b: children a, c, b
  // statements
  module,     // children: statements
  function,   // text: the name; children: decorators, parameters, statements (see head counts)
  decorator,  // child 0: expression
  parameter,  // text: the name; children: annotation or `none`, default or `none`
  assign,     // child 0: target (name, tuple of names, or other); child 1: value
  expression, // child 0
  with,       // child 0: context expression; child 1: `block`
  for_loop,   // children: target, iterable, block
  if_else,    // children: condition, block, and if present: else block
  pass,
  block,      // children: statements; name_span: the colon of its header (of `elif`: empty)
};

enum class Operator : uint8_t {
  none, add, sub, mul, div, floor_div, mod, power, shift_left, shift_right,
  eq, ne, lt, le, gt, ge, logical_and, logical_or, logical_not, negate, plus,
};

using NodeId = uint32_t;
inline constexpr NodeId kNoNode = UINT32_MAX;

struct Node {
  NodeKind kind = NodeKind::error;
  Operator op = Operator::none;
  Span span;       // the whole construct
  Span name_span;  // of `text`, where the node has one (attribute, keyword, function, parameter)
  uint32_t first_child = 0;
  uint32_t child_count = 0;
  int64_t value = 0;
  double number = 0;
  std::string text;
};

struct Comment {
  Span span;            // from `#` to the end of the line
  bool own_line = false;
};

// A syntax problem; becomes a LANG- finding.
struct Problem {
  Span span;
  std::string message;
  std::string note;
};

struct Tree {
  std::vector<Node> nodes;
  std::vector<NodeId> children;  // child lists, back to back
  std::vector<Comment> comments; // in source order
  std::vector<Problem> problems; // in source order, at most kMaxProblems
  NodeId root = kNoNode;         // always a module after parse()

  static constexpr size_t kMaxProblems = 100;

  const Node& operator[](NodeId id) const { return nodes[id]; }
  NodeId child(NodeId id, uint32_t index) const { return children[nodes[id].first_child + index]; }
};

// Never fails: broken text gives `error` nodes and problems. Linear in the text's size;
// nesting deeper than 100 is a problem, not a crash.
Tree parse(const SourceText& source);

// Canonical text of the tree with its comments. Only for a tree without problems.
std::string print(const SourceText& source, const Tree& tree);

// Canonical text without comments; what the schedule's hash is taken of.
std::string print_without_comments(const SourceText& source, const Tree& tree);

}  // namespace bakery
