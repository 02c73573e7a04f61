// SPDX-License-Identifier: GPL-3.0-or-later
// The last run as one page: verdict, what was checked, spans, first mismatches, who hung. Pure, for tests.
#pragma once

#include <QString>

#include <vector>

#include "views/common/focus.h"
#include "views/common/runner.h"
#include "views/common/tokens.h"

namespace bakery::views {

// A place of the schedule that ran, as a link of the page names it: "place:3".
struct ResultPlace {
  Span span;
  std::string role, resource;
  int stage = -1;
  int64_t completion = -1;
  std::string finding;  // id of a static one that is there, too
};

struct ResultPage {
  QString html;
  std::vector<ResultPlace> places;
};

// `now_hash`: of the text on screen; a result of another text says so.
ResultPage result_page(const RunResult* result, const std::string& now_hash, const Theme& theme);
// What a run in progress shows.
QString progress_html(const RunProgress& progress, bool simulating, const Theme& theme);

// The place in the shown snapshot, wherever its text has moved to.
FocusState focus_on_place(const ResultPlace& place, const RunResult& result, const Snapshot& shown);

// Units in the last place of the tensor's type that `got` is off; below 0: the type has none.
double ulps(DType dtype, double expected, double got);

}  // namespace bakery::views
