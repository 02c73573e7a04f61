// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/scene.h"

#include <algorithm>
#include <cmath>

namespace bakery::views {

namespace {

constexpr double kLeastLabelPixels = 9;

std::string staged(const std::string& name, int stage) {
  return stage < 0 ? name : name + "[" + std::to_string(stage) + "]";
}

std::string staged(const Barrier& barrier, int stage) { return barrier.count > 1 ? staged(barrier.name, stage) : barrier.name; }

std::string bytes_text(int64_t bytes) {
  if (bytes >= 1024 && bytes % 1024 == 0) return std::to_string(bytes / 1024) + " KiB";
  return std::to_string(bytes) + " B";
}

Piece thin_piece(int x0, int x1, Fill fill) {
  Piece piece;
  piece.x0 = x0;
  piece.x1 = x1;
  piece.fill = fill;
  return piece;
}

class Maker {
 public:
  explicit Maker(const SceneInput& input)
      : in_(input), timeline_(*input.snapshot.timeline), schedule_(input.snapshot.analysis->schedule) {}

  Scene make() {
    Scene scene;
    scene.view = in_.view;
    for (const uint32_t lane : in_.lanes) scene.lanes.push_back(lane_scene(lane));
    const int64_t step = ruler_distance(in_.view.steps_per_pixel, 72 * in_.pixel_ratio);
    const int64_t first = std::max<int64_t>(0, static_cast<int64_t>(std::ceil(in_.view.begin / step)) * step);
    for (int64_t t = first; static_cast<double>(t) <= in_.view.end(); t += step)
      scene.ruler.push_back({static_cast<int>(std::floor(in_.view.x(static_cast<double>(t)))), t});
    if (in_.lighting.event != kNoEvent) {
      for (const TimelineEdge& edge : in_.index.edges_to(in_.lighting.event)) add_edge(scene, edge);
      for (const TimelineEdge& edge : in_.index.edges_from(in_.lighting.event)) add_edge(scene, edge);
    }
    return scene;
  }

 private:
  LaneScene lane_scene(uint32_t l) {
    const Lane& lane = timeline_.lanes[l];
    LaneScene scene;
    scene.lane = l;
    scene.lit = l < in_.lighting.lanes.size() && in_.lighting.lanes[l];
    for (const Pyramid& row : in_.index.rows(l)) scene.rows.push_back(pieces(lane, row));
    light_bars(l, scene);
    if (lane.mark_count > 0) scene.ticks = ticks(lane, l);
    return scene;
  }

  std::vector<Piece> pieces(const Lane& lane, const Pyramid& row) {
    const int width = in_.view.width;
    columns_.assign(static_cast<size_t>(width), 0);
    std::vector<Piece> result;
    row.walk(
        timeline_.bars, in_.view, [&](int column, FillSet fills) { columns_[static_cast<size_t>(column)] |= fills; },
        [&](uint32_t b, double x0, double x1) {
          Piece piece;
          piece.x0 = static_cast<int>(x0);
          piece.x1 = static_cast<int>(x1);
          piece.fill = fill_of(timeline_.bars[b]);
          piece.bar = b;
          if (x1 - x0 >= kLeastLabelPixels * in_.pixel_ratio) name_piece(lane, piece);
          result.push_back(std::move(piece));
        });
    const size_t bars = result.size();
    size_t next = 0;  // the first wide bar that ends right of the column
    for (int x = 0; x < width; ++x) {
      const FillSet fills = columns_[static_cast<size_t>(x)];
      if (!fills) continue;
      const Fill fill = dominant(fills);
      while (next < bars && result[next].x1 <= x) ++next;
      const bool covered = next < bars && result[next].x0 <= x;
      if (covered && fill <= result[next].fill) continue;
      if (result.size() > bars && result.back().x1 == x && result.back().fill == fill) ++result.back().x1;
      else result.push_back(thin_piece(x, x + 1, fill));
    }
    return result;
  }

  void name_piece(const Lane& lane, Piece& piece) {
    const Bar& bar = timeline_.bars[piece.bar];
    const TimelineEvent* event = bar.event < timeline_.events.size() ? &timeline_.events[bar.event] : nullptr;
    const std::string number = std::to_string(bar.number);
    switch (lane.kind) {
      case LaneKind::role:
        if (!event) return;
        if (bar.state != BarState::working && event->barrier >= 0 &&
            static_cast<size_t>(event->barrier) < schedule_.barriers.size()) {
          piece.short_label = staged(schedule_.barriers[event->barrier], event->stage);
          piece.label = "waits for " + piece.short_label + " #" + std::to_string(event->completion);
        } else if (event->op < schedule_.ops.size()) {
          piece.short_label = operation(schedule_.ops[event->op].code).spelling;
          piece.label = piece.short_label;
          if (event->slot_view >= 0 && static_cast<size_t>(event->slot_view) < schedule_.views.size())
            piece.label += " " + staged(schedule_.views[event->slot_view].name, event->slot_stage);
          else if (event->barrier >= 0 && static_cast<size_t>(event->barrier) < schedule_.barriers.size())
            piece.label += " " + staged(schedule_.barriers[event->barrier], event->stage);
        }
        return;
      case LaneKind::engine:
        if (event && event->slot_view >= 0 && static_cast<size_t>(event->slot_view) < schedule_.views.size())
          piece.label = piece.short_label = staged(schedule_.views[event->slot_view].name, event->slot_stage);
        return;
      case LaneKind::barrier:
        if (bar.number < 0) return;
        piece.short_label = number;
        piece.label = "completion " + number;
        return;
      case LaneKind::slot:
        if (bar.number < 0) return;
        piece.short_label = number;
        piece.label = "use " + number + " " + name(piece.fill);
        return;
    }
  }

  // Marks the pieces of lit bars; a lit bar thinner than a pixel gets a piece of its own.
  void light_bars(uint32_t l, LaneScene& scene) {
    if (l >= in_.lighting.bars.size()) return;
    const std::vector<uint32_t>& lit = in_.lighting.bars[l];
    const auto by_begin = [&](uint32_t bar, double time) {
      return static_cast<double>(timeline_.bars[bar].begin) < time;
    };
    // Bars may begin left of the view; stacked rows may hold long ones, so step back generously.
    auto it = std::lower_bound(lit.begin(), lit.end(), in_.view.begin, by_begin);
    for (int back = 0; back < 64 && it != lit.begin(); ++back) --it;
    std::vector<std::vector<Piece>> added(scene.rows.size());
    while (it != lit.end()) {
      const Bar& bar = timeline_.bars[*it];
      const double x0 = std::floor(in_.view.x(static_cast<double>(bar.begin)));
      if (x0 >= in_.view.width) break;
      const double x1 = std::max(x0 + 1, std::floor(in_.view.x(static_cast<double>(bar.end))));
      const bool chosen = bar.event == in_.lighting.event && bar.event != kNoEvent;
      if (x1 > 0) {
        const size_t r = std::min<size_t>(bar.row, scene.rows.size() - 1);
        auto& row = scene.rows[r];
        const auto piece = x1 - x0 <= 1 ? row.end() : std::find_if(row.begin(), row.end(), [&](const Piece& p) { return p.bar == *it; });
        if (piece != row.end()) {
          piece->lit = true;
          piece->chosen = chosen;
        } else {
          added[r].push_back(thin_piece(static_cast<int>(x0), static_cast<int>(x1), fill_of(bar)));
          added[r].back().lit = true;
          added[r].back().chosen = chosen;
        }
      }
      // One lit piece a pixel is enough: skip to the next pixel.
      const double next_time = in_.view.time(x0 + 1);
      const uint32_t current = *it;
      it = x1 - x0 <= 1 && !chosen ? std::lower_bound(it, lit.end(), next_time, by_begin) : it + 1;
      if (it != lit.end() && *it == current) ++it;
    }
    for (size_t r = 0; r < added.size(); ++r)
      scene.rows[r].insert(scene.rows[r].end(), added[r].begin(), added[r].end());
  }

  std::vector<Tick> ticks(const Lane& lane, uint32_t l) {
    std::vector<Tick> result;
    const auto first = timeline_.marks.begin() + lane.first_mark;
    const auto last = first + lane.mark_count;
    const auto before = [](const Mark& mark, double time) { return static_cast<double>(mark.time) < time; };
    auto it = std::lower_bound(first, last, in_.view.begin, before);
    const bool lane_lit = l < in_.lighting.lanes.size() && in_.lighting.lanes[l];
    while (it != last) {
      const int x = static_cast<int>(std::floor(in_.view.x(static_cast<double>(it->time))));
      if (x >= in_.view.width) break;
      auto next = std::lower_bound(it, last, in_.view.time(x + 1.0), before);
      if (next == it) ++next;
      const Mark& mark = *(next - 1);
      Tick tick;
      tick.x = x;
      tick.mark = static_cast<uint32_t>(next - 1 - timeline_.marks.begin());
      tick.bytes = mark.bytes > 0;
      tick.lit = lane_lit && mark.event == in_.lighting.event && mark.event != kNoEvent;
      tick.label = std::to_string(mark.arrived) + "/" + std::to_string(mark.expected);
      if (mark.bytes > 0) tick.label += " " + bytes_text(mark.bytes);
      if (!result.empty()) result.back().room = x - result.back().x;
      result.push_back(std::move(tick));
      it = next;
    }
    if (!result.empty()) result.back().room = in_.view.width - result.back().x;
    return result;
  }

  void add_edge(Scene& scene, const TimelineEdge& edge) {
    const uint32_t from = in_.index.bar_of_event(edge.from), to = in_.index.bar_of_event(edge.to);
    if (from == kNoBar || to == kNoBar) return;
    scene.edges.push_back({edge.from, edge.to, in_.view.x(static_cast<double>(timeline_.events[edge.from].end)),
                           in_.view.x(static_cast<double>(timeline_.events[edge.to].end)),
                           in_.index.lane_of_bar(timeline_, from), in_.index.lane_of_bar(timeline_, to),
                           timeline_.bars[from].row, timeline_.bars[to].row});
  }

  const SceneInput& in_;
  const Timeline& timeline_;
  const Schedule& schedule_;
  std::vector<FillSet> columns_;
};

char letter(Fill fill) {
  switch (fill) {
    case Fill::phase_even: return '0';
    case Fill::phase_odd: return '1';
    case Fill::phase_both: return 'x';
    case Fill::working: return '=';
    case Fill::transfer: return '#';
    case Fill::full: return 'F';
    case Fill::filling: return 'f';
    case Fill::draining: return 'd';
    case Fill::in_use: return 'u';
    case Fill::waiting: return '/';
    case Fill::stuck: return '!';
    case Fill::count_: break;
  }
  return '?';
}

}  // namespace

Scene make_scene(const SceneInput& input) { return Maker(input).make(); }

int64_t ruler_distance(double steps_per_pixel, double least_pixels) {
  const double least = std::max(1.0, steps_per_pixel * least_pixels);
  double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (power * factor >= least * 0.999) return std::max<int64_t>(1, static_cast<int64_t>(std::llround(power * factor)));
  return static_cast<int64_t>(power * 10);
}

std::string to_text(const Scene& scene, const Timeline& timeline) {
  size_t name_width = 0;
  for (const LaneScene& lane : scene.lanes) name_width = std::max(name_width, timeline.lanes[lane.lane].name.size());
  std::string text;
  for (const LaneScene& lane : scene.lanes) {
    for (size_t r = 0; r < lane.rows.size(); ++r) {
      std::string line(static_cast<size_t>(scene.view.width), '.');
      for (const Piece& piece : lane.rows[r])
        for (int x = std::max(0, piece.x0); x < std::min(scene.view.width, piece.x1); ++x)
          line[static_cast<size_t>(x)] = letter(piece.fill);
      std::string title = r == 0 ? timeline.lanes[lane.lane].name : std::string();
      title.resize(name_width, ' ');
      text += (lane.lit ? "*" : " ") + title + " |" + line + "|\n";
    }
    if (lane.ticks.empty()) continue;
    std::string line(static_cast<size_t>(scene.view.width), ' ');
    for (const Tick& tick : lane.ticks)
      if (tick.x >= 0) line[static_cast<size_t>(tick.x)] = tick.bytes ? 'b' : '^';
    text += " " + std::string(name_width, ' ') + " |" + line + "|\n";
  }
  return text;
}

}  // namespace bakery::views
