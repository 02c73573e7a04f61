// SPDX-License-Identifier: GPL-3.0-or-later
// How a CTA fills an SM, and a grid the device, as a plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/session/kernel.h"
#include "views/common/focus.h"

namespace bakery::views {

struct GaugePart {
  std::string name;      // a role; "idle warps"
  std::string role;      // empty: no role
  int64_t amount = 0;
  bool lit = false;
};

struct Gauge {
  std::string id;        // "registers", "shared", "tensor", "ctas", "grid", "spills"
  std::string title;
  std::string value;     // "64512 of 65536"
  std::string note;
  std::string source;    // where the numbers come from, for the tooltip
  std::vector<GaugePart> parts;
  int64_t used = 0, limit = 0;  // limit 0: no bar
  bool wrong = false;
};

// The values of the scalar parameters that the grid is shown for.
struct GridShape {
  std::string text;      // "M=4096, N=4096, K=4096"
  std::string origin;    // "gemm_bf16_4096.toml", "typed", "the shown sample"
  std::vector<std::pair<std::string, int64_t>> values;
};

// "M=4096, N=512"; nullopt: it is not written so.
std::optional<GridShape> parse_shape(std::string_view text);
// The sample whose timeline is shown.
GridShape shape_of_sample(const Snapshot& snapshot);
// Shapes of the contracts that name the schedule, of those that `find_contracts` finds.
std::vector<GridShape> contract_shapes(const std::string& schedule_path);

// `compiled`: of this analysis, or nullptr.
std::vector<Gauge> make_gauges(const Analysis& analysis, const CompiledKernel* compiled, const GridShape& shape);
void light(std::vector<Gauge>& gauges, const FocusState& focus);
std::string to_text(const std::vector<Gauge>& gauges);

}  // namespace bakery::views
