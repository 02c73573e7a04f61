// SPDX-License-Identifier: GPL-3.0-or-later
// Places for boxes, curves and labels, left to right: by `dot`, or by a plain layering without it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bakery::views {

struct LayoutPoint {
  double x = 0, y = 0;
};

struct GraphNode {
  double width = 0, height = 0;
  bool operator==(const GraphNode&) const = default;
};

struct GraphEdge {
  int from = 0, to = 0;        // nodes
  bool backward = false;       // drawn against the flow
  bool loose = false;          // does not decide what stands before what
  double label_width = 0, label_height = 0;  // 0: no label
  bool operator==(const GraphEdge&) const = default;
};

// Sizes are in pixels at scale 1.
struct Graph {
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
  bool operator==(const Graph&) const = default;
};

struct GraphLayout {
  double width = 0, height = 0;
  std::vector<LayoutPoint> nodes;   // centres
  struct Curve {
    std::vector<LayoutPoint> points;  // 1 + 3n Bézier points, from `from` to `to`
    LayoutPoint label;                // its centre
  };
  std::vector<Curve> edges;
};

std::string to_dot(const Graph& graph);
// What `dot -Tjson` answered; nullopt: it is no layout of this graph.
std::optional<GraphLayout> read_dot_json(const Graph& graph, std::string_view json);
GraphLayout layered_layout(const Graph& graph);
// On the way from one layout of a graph to another: 0 is `a`, 1 is `b`.
GraphLayout between(const GraphLayout& a, const GraphLayout& b, double t);

}  // namespace bakery::views
