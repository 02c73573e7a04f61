// SPDX-License-Identifier: GPL-3.0-or-later
// What a person leaves on a timeline: markers, places and the arrangement of lanes; kept by file.
#pragma once

#include <QString>

#include <array>
#include <optional>
#include <vector>

#include "views/timeline/lane_layout.h"

namespace bakery::views {

struct Marker {
  int64_t begin = 0;
  int64_t end = -1;  // -1: a moment
  QString note;
  bool operator==(const Marker&) const = default;
};

struct StoredPlace {
  double begin = 0, steps_per_pixel = 1;
  bool operator==(const StoredPlace&) const = default;
};

struct TimelineMarks {
  LaneArrangement lanes;
  std::vector<Marker> markers;
  std::array<std::optional<StoredPlace>, 9> places;  // of the digits 1 to 9
  bool operator==(const TimelineMarks&) const = default;
};

// `path` of the schedule; nothing is kept for a text without one.
void save_marks(const QString& path, const TimelineMarks& marks);
TimelineMarks load_marks(const QString& path);

}  // namespace bakery::views
