// SPDX-License-Identifier: GPL-3.0-or-later
// A frame of the timeline as a plain value: what is where, before anything is painted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "views/timeline/lighting.h"
#include "views/timeline/timeline_index.h"

namespace bakery::views {

struct Piece {
  int x0 = 0, x1 = 0;         // device pixels
  Fill fill = Fill::working;
  uint32_t bar = kNoBar;      // kNoBar: several bars in less than a pixel each
  bool lit = false;
  bool chosen = false;        // of the selected event
  std::string label, short_label;  // for pieces that may hold text
};

struct Tick {
  int x = 0;
  uint32_t mark = 0;     // the last one in this pixel
  bool bytes = false;    // an engine's bytes, not a plain arrival
  bool lit = false;
  std::string label;     // "2/4", empty if several fall into one pixel
  int room = 0;          // pixels to the next tick
};

struct LaneScene {
  uint32_t lane = 0;
  bool lit = false;
  std::vector<std::vector<Piece>> rows;
  std::vector<Tick> ticks;
};

struct RulerTick {
  int x = 0;
  int64_t time = 0;
};

struct EdgeLine {
  uint32_t from = 0, to = 0;  // events
  double x0 = 0, x1 = 0;
  uint32_t lane0 = 0, lane1 = 0;
  uint8_t row0 = 0, row1 = 0;
};

struct Scene {
  Viewport view;
  std::vector<LaneScene> lanes;
  std::vector<RulerTick> ruler;
  std::vector<EdgeLine> edges;   // of the selected event
};

struct SceneInput {
  const Snapshot& snapshot;
  const TimelineIndex& index;
  const Lighting& lighting;
  Viewport view;
  double pixel_ratio = 1;
  std::vector<uint32_t> lanes;   // those in sight
};

Scene make_scene(const SceneInput& input);

// Distance of ruler ticks: 1, 2 or 5 times a power of ten, at least one step.
int64_t ruler_distance(double steps_per_pixel, double least_pixels);

// One character a pixel: = working, / waiting, ! stuck, # transfer, 0 1 x phases, f F u d slots.
std::string to_text(const Scene& scene, const Timeline& timeline);

}  // namespace bakery::views
