// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline's scene as text, and the pyramid under it.
#include <gtest/gtest.h>

#include <random>

#include "tests/views/synthetic.h"
#include "views/timeline/lane_layout.h"
#include "views/timeline/scene.h"

using namespace bakery;
using namespace bakery::views;

namespace {

std::string draw(const Snapshot& snapshot, Viewport view, const FocusState& focus = {}) {
  const TimelineIndex index(*snapshot.timeline);
  const Lighting lighting = light(snapshot, focus);
  std::vector<uint32_t> lanes(snapshot.timeline->lanes.size());
  for (uint32_t i = 0; i < lanes.size(); ++i) lanes[i] = i;
  return to_text(make_scene({snapshot, index, lighting, view, 1, lanes}), *snapshot.timeline);
}

TEST(Scene, OneStepAPixel) {
  const Snapshot snapshot = synthetic::snapshot(synthetic::analysis(synthetic::text(), 3, true));
  EXPECT_EQ(draw(snapshot, {0, 1, 26}),
            " load     |==......==......!!!!!!!!!!|\n"
            " mma      |//////==//////==..........|\n"
            " TMA load |..####....####............|\n"
            " full[0]  |11111100000000............|\n"
            "          |      b       b           |\n"
            " empty[0] |1111111100000000..........|\n"
            "          |        ^       ^         |\n"
            " a_s[0]   |..ffffuu..ffffuu..........|\n");
}

TEST(Scene, WaitingWinsInAPixel) {
  const Snapshot snapshot = synthetic::snapshot(synthetic::analysis(synthetic::text(), 3, true));
  EXPECT_EQ(draw(snapshot, {0, 8, 4}),
            " load     |==!.|\n"
            " mma      |//..|\n"
            " TMA load |##..|\n"
            " full[0]  |x...|\n"
            "          |bb  |\n"
            " empty[0] |10..|\n"
            "          | ^^ |\n"
            " a_s[0]   |uu..|\n");
}

TEST(Scene, FocusLightsLanesAndBars) {
  const Snapshot snapshot = synthetic::snapshot(synthetic::analysis(synthetic::text(), 3));
  const FocusState on_load = focus_on_event(snapshot, 1);
  const std::string text = draw(snapshot, {0, 1, 24}, on_load);
  EXPECT_NE(text.find("*load     |"), std::string::npos) << text;
  EXPECT_NE(text.find("*full[0]  |"), std::string::npos) << text;
  EXPECT_NE(text.find("*a_s[0]   |"), std::string::npos) << text;
  EXPECT_NE(text.find(" empty[0] |"), std::string::npos) << text;
  EXPECT_NE(text.find(" mma      |"), std::string::npos) << text;

  const TimelineIndex index(*snapshot.timeline);
  const Lighting lighting = light(snapshot, on_load);
  const Scene scene = make_scene({snapshot, index, lighting, {0, 0.25, 96}, 1, {0, 1, 3}});
  // The wait for the same completion is lit, too, and the chosen event is marked.
  const auto chosen = std::count_if(scene.lanes[0].rows[0].begin(), scene.lanes[0].rows[0].end(), [](const Piece& p) { return p.chosen; });
  EXPECT_EQ(chosen, 1);
  const Piece& wait = scene.lanes[1].rows[0][0];
  EXPECT_TRUE(wait.lit);
  EXPECT_FALSE(wait.chosen);
  EXPECT_EQ(wait.short_label, "full[0]");
  EXPECT_EQ(wait.label, "waits for full[0] #1");
  ASSERT_EQ(scene.edges.size(), 1u);
  EXPECT_EQ(scene.edges[0].from, 1u);
}

// A machine that leaves the completion of arrivals open still lights them, by their marks.
TEST(Scene, ArrivalsAreFoundByTheirMarks) {
  auto analysis = synthetic::analysis(synthetic::text(), 3);
  for (TimelineEvent& event : analysis->timeline.events)
    if (event.op == synthetic::op_load || event.op == synthetic::op_arrive) event.completion = 0;
  const Snapshot snapshot = synthetic::snapshot(analysis);
  const uint32_t load = 5, wait_full = 6;  // of the second lap
  ASSERT_EQ(snapshot.timeline->events[load].op, synthetic::op_load);
  EXPECT_EQ(focus_on_event(snapshot, load).completion, 2);
  EXPECT_EQ(arrivals_for(*snapshot.timeline, "full", 0, 2), std::vector<uint32_t>{load});
  const Lighting lighting = light(snapshot, focus_on_event(snapshot, wait_full));
  EXPECT_EQ(lighting.bars[2].size(), 1u);  // the copy on its engine
  EXPECT_TRUE(lighting.lanes[5]);          // the slot that it fills
}

TEST(Scene, SlotsPrintTheirUse) {
  const Snapshot snapshot = synthetic::snapshot(synthetic::analysis(synthetic::text(), 3));
  const TimelineIndex index(*snapshot.timeline);
  const Scene scene = make_scene({snapshot, index, Lighting{}, {0, 0.1, 240}, 1, {5}});
  EXPECT_EQ(scene.lanes[0].rows[0][2].label, "use 1 filling");
  EXPECT_EQ(scene.lanes[0].rows[0][3].short_label, "1");
}

TEST(Scene, RulerTicksAreRound) {
  EXPECT_EQ(ruler_distance(1, 70), 100);
  EXPECT_EQ(ruler_distance(0.01, 70), 1);
  EXPECT_EQ(ruler_distance(0.05, 70), 5);
  EXPECT_EQ(ruler_distance(3, 70), 500);
}

TEST(Scene, GroupsComeInOrderAndFold) {
  const Snapshot snapshot = synthetic::snapshot(synthetic::analysis(synthetic::text(), 3));
  const LaneLayout open = lay_out(*snapshot.timeline, {});
  ASSERT_EQ(open.rows.size(), 10u);
  EXPECT_TRUE(open.rows[0].group);
  EXPECT_EQ(open.rows.back().kind, LaneKind::slot);
  const LaneLayout folded = lay_out(*snapshot.timeline, {true, false, false, false});
  EXPECT_EQ(folded.rows.size(), 8u);
  EXPECT_LT(folded.height, open.height);
}

std::vector<Bar> random_bars(std::mt19937& random, size_t count) {
  std::vector<Bar> bars;
  int64_t now = 0;
  for (size_t i = 0; i < count; ++i) {
    now += random() % 5;
    Bar bar;
    bar.begin = now;
    bar.end = now += random() % 40 == 0 ? random() % 3000 : random() % 7;
    bar.state = static_cast<BarState>(random() % 4);
    bar.number = static_cast<int32_t>(i);
    bars.push_back(bar);
  }
  return bars;
}

TEST(Pyramid, LosesNoTime) {
  std::mt19937 random(7);
  for (const size_t count : {1u, 3u, 4u, 5u, 17u, 1000u, 4097u}) {
    const std::vector<Bar> bars = random_bars(random, count);
    std::vector<uint32_t> order(count);
    int64_t sum = 0;
    FillSet fills = 0;
    for (uint32_t i = 0; i < count; ++i) {
      order[i] = i;
      sum += bars[i].end - bars[i].begin;
      fills |= bit(fill_of(bars[i]));
    }
    const Pyramid pyramid(bars, order);
    for (const auto& level : pyramid.levels()) {
      int64_t covered = 0;
      FillSet seen = 0;
      for (const Pyramid::Cell& cell : level) {
        covered += cell.covered;
        seen |= cell.fills;
      }
      EXPECT_EQ(covered, sum);
      EXPECT_EQ(seen, fills);
    }
  }
}

// Every bar in sight is painted where it is, by itself or by something more urgent.
TEST(Pyramid, DrawsEveryBarAtEveryZoom) {
  std::mt19937 random(11);
  const std::vector<Bar> bars = random_bars(random, 3000);
  std::vector<uint32_t> order(bars.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const Pyramid pyramid(bars, order);
  const double end = static_cast<double>(bars.back().end);
  for (int trial = 0; trial < 60; ++trial) {
    Viewport view;
    view.width = 200 + static_cast<int>(random() % 800);
    view.steps_per_pixel = end / view.width / std::pow(1.7, random() % 14);
    view.begin = (random() % 1000) / 1000.0 * end - 20;
    std::vector<FillSet> columns(static_cast<size_t>(view.width), 0);
    pyramid.walk(
        bars, view, [&](int column, FillSet fills) { columns[static_cast<size_t>(column)] |= fills; },
        [&](uint32_t b, double x0, double x1) {
          for (int x = std::max(0, static_cast<int>(x0)); x < std::min<int>(view.width, static_cast<int>(x1)); ++x)
            columns[static_cast<size_t>(x)] |= bit(fill_of(bars[b]));
        });
    for (const Bar& bar : bars) {
      const double x = std::floor(view.x(static_cast<double>(bar.begin)));
      if (x < 0 || x >= view.width) continue;
      EXPECT_TRUE(columns[static_cast<size_t>(x)] & bit(fill_of(bar)));
      EXPECT_GE(dominant(columns[static_cast<size_t>(x)]), fill_of(bar));
    }
  }
}

TEST(Pyramid, StuckAndWaitingAreMostUrgent) {
  const FillSet all = static_cast<FillSet>((1u << static_cast<unsigned>(Fill::count_)) - 1);
  EXPECT_EQ(dominant(all), Fill::stuck);
  EXPECT_EQ(dominant(all & ~bit(Fill::stuck)), Fill::waiting);
  EXPECT_EQ(dominant(bit(Fill::phase_even) | bit(Fill::phase_odd)), Fill::phase_both);
}

TEST(TimelineIndex, FindsEdgesBothWays) {
  const Snapshot snapshot = synthetic::snapshot(synthetic::analysis(synthetic::text(), 3));
  const TimelineIndex index(*snapshot.timeline);
  for (const TimelineEdge& edge : snapshot.timeline->edges) {
    EXPECT_EQ(index.edges_from(edge.from).front().to, edge.to);
    EXPECT_EQ(index.edges_to(edge.to).front().from, edge.from);
  }
  EXPECT_TRUE(index.edges_from(2).empty());
}

}  // namespace
