// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/pipeline/graph_layout.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include <nlohmann/json.hpp>

namespace bakery::views {

namespace {

constexpr double kPointsAnInch = 72, kRankGap = 46, kRowGap = 22, kMargin = 12;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", value);
  return text;
}

// "x,y x,y …", with "e,x,y" the arrow's tip and "s,x,y" its tail.
struct Spline {
  std::vector<LayoutPoint> points;
  std::optional<LayoutPoint> tip, tail;
};

std::optional<LayoutPoint> read_point(const char*& at) {
  char* end = nullptr;
  LayoutPoint point;
  point.x = std::strtod(at, &end);
  if (end == at || *end != ',') return std::nullopt;
  at = end + 1;
  point.y = std::strtod(at, &end);
  if (end == at || !std::isfinite(point.x) || !std::isfinite(point.y)) return std::nullopt;
  at = end;
  return point;
}

std::optional<Spline> read_spline(const std::string& text) {
  Spline spline;
  const char* at = text.c_str();
  while (*at) {
    if (*at == ' ' || *at == '\n') {
      ++at;
      continue;
    }
    if (*at == ';') break;  // a second piece: of no edge that to_dot writes
    const char mark = *at == 'e' || *at == 's' ? *at : ' ';
    if (mark != ' ') at += 2;
    const auto point = read_point(at);
    if (!point) return std::nullopt;
    if (mark == 'e') spline.tip = point;
    else if (mark == 's') spline.tail = point;
    else spline.points.push_back(*point);
  }
  if (spline.points.size() < 4 || spline.points.size() % 3 != 1) return std::nullopt;
  if (spline.tip) spline.points.back() = *spline.tip;
  if (spline.tail) spline.points.front() = *spline.tail;
  return spline;
}

std::optional<LayoutPoint> point_of(const nlohmann::json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_string()) return std::nullopt;
  const std::string text = it->get<std::string>();
  const char* at = text.c_str();
  return read_point(at);
}

// Index behind the letter of an id such as "n12"; -1: none.
int index_of(const nlohmann::json& object, char letter, size_t count) {
  const auto it = object.find("id");
  if (it == object.end() || !it->is_string()) return -1;
  const std::string id = it->get<std::string>();
  if (id.size() < 2 || id.size() > 8 || id[0] != letter) return -1;
  const int index = std::atoi(id.c_str() + 1);
  return index >= 0 && static_cast<size_t>(index) < count ? index : -1;
}

// ---- without dot ------------------------------------------------------------------------

// Edges as the layering sees them: along the flow.
struct Flow {
  int from, to;
};

// Longest path from a source; edges that would close a cycle are left out.
std::vector<int> ranks_of(size_t count, const std::vector<Flow>& flows) {
  std::vector<std::vector<int>> next(count);
  for (const Flow& flow : flows)
    if (flow.from != flow.to) next[flow.from].push_back(flow.to);
  std::vector<uint8_t> state(count, 0);  // 1: on the path, 2: done
  std::vector<std::pair<int, size_t>> path;
  std::vector<int> done;  // successors first
  for (size_t start = 0; start < count; ++start) {
    if (state[start] != 0) continue;
    path.emplace_back(static_cast<int>(start), 0);
    state[start] = 1;
    while (!path.empty()) {
      auto& [node, i] = path.back();
      if (i == next[node].size()) {
        state[node] = 2;
        done.push_back(node);
        path.pop_back();
        continue;
      }
      int& to = next[node][i++];
      if (state[to] == 1) to = -1;
      else if (state[to] == 0) {
        state[to] = 1;
        path.emplace_back(to, 0);
      }
    }
  }
  std::vector<int> rank(count, 0);
  for (auto node = done.rbegin(); node != done.rend(); ++node)
    for (const int to : next[*node])
      if (to >= 0) rank[to] = std::max(rank[to], rank[*node] + 1);
  return rank;
}

LayoutPoint at(const std::vector<LayoutPoint>& p, double t) {
  const double u = 1 - t;
  const auto mix = [&](double a, double b, double c, double d) { return u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d; };
  return {mix(p[0].x, p[1].x, p[2].x, p[3].x), mix(p[0].y, p[1].y, p[2].y, p[3].y)};
}

struct Box {
  double left, top, right, bottom;
  bool overlaps(const Box& other) const { return left < other.right && other.left < right && top < other.bottom && other.top < bottom; }
};

Box box_at(LayoutPoint centre, double width, double height) {
  return {centre.x - width / 2, centre.y - height / 2, centre.x + width / 2, centre.y + height / 2};
}

}  // namespace

std::string to_dot(const Graph& graph) {
  std::string text = "digraph p {\nrankdir=LR; nodesep=0.28; ranksep=0.42; splines=true; pad=0; margin=0;\n"
                     "node [shape=box fixedsize=true label=\"\"];\nedge [arrowsize=0.1];\n";
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    text += "n" + std::to_string(n) + " [id=n" + std::to_string(n) + " width=" + number(graph.nodes[n].width / kPointsAnInch) +
            " height=" + number(graph.nodes[n].height / kPointsAnInch) + "];\n";
  for (size_t e = 0; e < graph.edges.size(); ++e) {
    const GraphEdge& edge = graph.edges[e];
    // Written along the flow, so that dot sees no cycle; the arrow is turned.
    text += "n" + std::to_string(edge.backward ? edge.to : edge.from) + " -> n" + std::to_string(edge.backward ? edge.from : edge.to) +
            " [id=e" + std::to_string(e);
    if (edge.backward) text += " dir=back";
    if (edge.loose) text += " constraint=false";
    if (edge.label_width > 0)
      text += " label=<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\" FIXEDSIZE=\"TRUE\" WIDTH=\"" +
              std::to_string(static_cast<int>(std::ceil(edge.label_width))) + "\" HEIGHT=\"" +
              std::to_string(static_cast<int>(std::ceil(edge.label_height))) + "\"><TR><TD></TD></TR></TABLE>>";
    text += "];\n";
  }
  return text + "}\n";
}

std::optional<GraphLayout> read_dot_json(const Graph& graph, std::string_view json) {
  const auto root = nlohmann::json::parse(json, nullptr, false);
  if (!root.is_object()) return std::nullopt;
  const auto bb = root.find("bb");
  double box[4] = {};
  if (bb == root.end() || !bb->is_string() ||
      std::sscanf(bb->get<std::string>().c_str(), "%lf,%lf,%lf,%lf", &box[0], &box[1], &box[2], &box[3]) != 4)
    return std::nullopt;
  GraphLayout layout;
  layout.width = box[2] - box[0] + 2 * kMargin;
  layout.height = box[3] - box[1] + 2 * kMargin;
  layout.nodes.resize(graph.nodes.size());
  layout.edges.resize(graph.edges.size());
  // dot's y grows upwards.
  const auto placed = [&](LayoutPoint p) { return LayoutPoint{p.x - box[0] + kMargin, box[3] - p.y + kMargin}; };
  size_t found = 0;
  for (const char* list : {"objects", "edges"}) {
    const auto items = root.find(list);
    if (items == root.end() || !items->is_array()) continue;
    for (const auto& item : *items) {
      if (!item.is_object()) return std::nullopt;
      if (const int n = index_of(item, 'n', graph.nodes.size()); n >= 0) {
        const auto point = point_of(item, "pos");
        if (!point) return std::nullopt;
        layout.nodes[n] = placed(*point);
        ++found;
      } else if (const int e = index_of(item, 'e', graph.edges.size()); e >= 0) {
        const auto pos = item.find("pos");
        if (pos == item.end() || !pos->is_string()) return std::nullopt;
        auto spline = read_spline(pos->get<std::string>());
        if (!spline) return std::nullopt;
        if (graph.edges[e].backward) std::reverse(spline->points.begin(), spline->points.end());
        for (const LayoutPoint& point : spline->points) layout.edges[e].points.push_back(placed(point));
        if (const auto label = point_of(item, "lp")) layout.edges[e].label = placed(*label);
        ++found;
      }
    }
  }
  if (found != graph.nodes.size() + graph.edges.size()) return std::nullopt;
  return layout;
}

GraphLayout layered_layout(const Graph& graph) {
  const size_t count = graph.nodes.size();
  std::vector<Flow> flows;
  for (const GraphEdge& edge : graph.edges)
    if (!edge.loose) flows.push_back(edge.backward ? Flow{edge.to, edge.from} : Flow{edge.from, edge.to});
  const std::vector<int> rank = ranks_of(count, flows);
  const int last = count == 0 ? -1 : *std::max_element(rank.begin(), rank.end());
  std::vector<std::vector<int>> columns(static_cast<size_t>(last + 1));
  for (size_t n = 0; n < count; ++n) columns[rank[n]].push_back(static_cast<int>(n));

  // Each column in the order of the middles of what leads to it.
  std::vector<double> order(count, 0);
  for (auto& column : columns) {
    for (const int node : column) {
      double sum = 0;
      int neighbours = 0;
      for (const Flow& flow : flows)
        if (flow.to == node && rank[flow.from] < rank[node]) {
          sum += order[flow.from];
          ++neighbours;
        }
      order[node] = neighbours > 0 ? sum / neighbours : node;
    }
    std::stable_sort(column.begin(), column.end(), [&](int a, int b) { return order[a] < order[b]; });
    for (size_t i = 0; i < column.size(); ++i) order[column[i]] = static_cast<double>(i) - static_cast<double>(column.size()) / 2;
  }

  GraphLayout layout;
  layout.nodes.resize(count);
  std::vector<double> gap(columns.size(), kRankGap);  // behind a column: labels stand there
  for (const GraphEdge& edge : graph.edges) {
    const int behind = std::min(rank[edge.from], rank[edge.to]);
    if (rank[edge.from] != rank[edge.to]) gap[behind] = std::max(gap[behind], edge.label_width + 40);
  }
  double tallest = 0;
  for (const auto& column : columns) {
    double height = 0;
    for (const int node : column) height += graph.nodes[node].height + kRowGap;
    tallest = std::max(tallest, height);
  }
  double x = kMargin;
  for (size_t c = 0; c < columns.size(); ++c) {
    double widest = 0, height = -kRowGap;
    for (const int node : columns[c]) {
      widest = std::max(widest, graph.nodes[node].width);
      height += graph.nodes[node].height + kRowGap;
    }
    double y = kMargin + std::max(0.0, (tallest - height) / 2);
    for (const int node : columns[c]) {
      layout.nodes[node] = {x + widest / 2, y + graph.nodes[node].height / 2};
      y += graph.nodes[node].height + kRowGap;
    }
    x += widest + (c + 1 < columns.size() ? gap[c] : 0);
  }
  layout.width = x + kMargin;

  std::vector<Box> taken;
  for (size_t n = 0; n < count; ++n) taken.push_back(box_at(layout.nodes[n], graph.nodes[n].width, graph.nodes[n].height));
  double bottom = kMargin + tallest;
  int under = 0;
  for (const GraphEdge& edge : graph.edges) {
    const LayoutPoint a = layout.nodes[edge.from], b = layout.nodes[edge.to];
    const double wa = graph.nodes[edge.from].width / 2, wb = graph.nodes[edge.to].width / 2;
    const double ha = graph.nodes[edge.from].height / 2, hb = graph.nodes[edge.to].height / 2;
    GraphLayout::Curve curve;
    if (edge.from == edge.to) {
      curve.points = {{a.x - wa / 2, a.y - ha}, {a.x - wa / 2, a.y - ha - 34}, {a.x + wa / 2, a.y - ha - 34}, {a.x + wa / 2, a.y - ha}};
    } else if (rank[edge.from] < rank[edge.to]) {
      const double bend = std::max(20.0, (b.x - wb - a.x - wa) / 2);
      curve.points = {{a.x + wa, a.y}, {a.x + wa + bend, a.y}, {b.x - wb - bend, b.y}, {b.x - wb, b.y}};
    } else {
      // Against the flow: below everything, each a little deeper.
      const double deep = kMargin + tallest + 26 + 30.0 * (under++ % 8);
      curve.points = {{a.x, a.y + ha}, {a.x, deep}, {b.x, deep}, {b.x, b.y + hb}};
    }
    curve.label = at(curve.points, 0.5);
    if (edge.label_width > 0) {
      Box box = box_at(curve.label, edge.label_width, edge.label_height);
      for (int tries = 0; tries < 400; ++tries) {
        const auto hit = std::find_if(taken.begin(), taken.end(), [&](const Box& other) { return box.overlaps(other); });
        if (hit == taken.end()) break;
        curve.label.y += 6;
        box = box_at(curve.label, edge.label_width, edge.label_height);
      }
      taken.push_back(box);
      bottom = std::max(bottom, box.bottom);
    }
    for (const LayoutPoint& point : curve.points) bottom = std::max(bottom, std::min(point.y, kMargin + tallest + 300));
    layout.edges.push_back(std::move(curve));
  }
  // Loops above the first row stay inside.
  double top = 0;
  for (const auto& curve : layout.edges)
    for (const LayoutPoint& point : curve.points) top = std::min(top, point.y - kMargin);
  for (LayoutPoint& node : layout.nodes) node.y -= top;
  for (auto& curve : layout.edges) {
    for (LayoutPoint& point : curve.points) point.y -= top;
    curve.label.y -= top;
  }
  layout.height = bottom + kMargin - top;
  return layout;
}

GraphLayout between(const GraphLayout& a, const GraphLayout& b, double t) {
  const auto mix = [t](LayoutPoint x, LayoutPoint y) { return LayoutPoint{x.x + (y.x - x.x) * t, x.y + (y.y - x.y) * t}; };
  GraphLayout mixed = b;
  for (size_t n = 0; n < mixed.nodes.size(); ++n) mixed.nodes[n] = mix(a.nodes[n], b.nodes[n]);
  for (size_t e = 0; e < mixed.edges.size(); ++e) {
    mixed.edges[e].label = mix(a.edges[e].label, b.edges[e].label);
    if (a.edges[e].points.size() != b.edges[e].points.size()) continue;
    for (size_t i = 0; i < mixed.edges[e].points.size(); ++i) mixed.edges[e].points[i] = mix(a.edges[e].points[i], b.edges[e].points[i]);
  }
  return mixed;
}

}  // namespace bakery::views
