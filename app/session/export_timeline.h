// SPDX-License-Identifier: Apache-2.0
// A timeline as the Trace Event JSON that Chrome's and Perfetto's viewers open.
#pragma once

#include <string>

#include "app/session/analysis.h"

namespace bakery {

// Each kind of lane is a process, each lane a thread (one more for each row of overlapping bars).
// Bars are complete events, arrivals are instant events, edges are flow arrows. The format counts
// in microseconds; here one of them is one logical step, which `otherData.time_unit` says.
std::string export_timeline(const Analysis& analysis, const Timeline& timeline);

}  // namespace bakery
