// SPDX-License-Identifier: Apache-2.0
#include "app/session/waves.h"

#include <algorithm>

#include "core_ir/machine/trace.h"

namespace bakery {
namespace {

constexpr int64_t kMostTiles = int64_t{1} << 40;

int64_t tiles_of(const Schedule& schedule, const Sample& sample) {
  int64_t tiles = 1;
  for (const ExprId extent : schedule.tile_spaces.front().extents) {
    const int64_t n = evaluate(schedule, extent, sample).value_or(0);
    if (n <= 0 || tiles > kMostTiles / n) return 0;
    tiles *= n;
  }
  return tiles;
}

}  // namespace

Waves waves_of(const Analysis& analysis, const std::vector<std::pair<std::string, int64_t>>& values, int ctas_per_sm) {
  const Schedule& schedule = analysis.schedule;
  Waves waves;
  if (schedule.tile_spaces.empty()) return waves;
  Sample sample;
  sample.scalars.assign(schedule.params.size(), 0);
  for (size_t p = 0; p < schedule.params.size(); ++p) {
    const auto& param = schedule.params[p];
    if (param.kind != ParamKind::scalar) continue;
    const auto it = std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == param.name; });
    if (it != values.end()) sample.scalars[p] = it->second;
    else waves.missing += (waves.missing.empty() ? "" : ", ") + param.name;
  }
  waves.tiles = tiles_of(schedule, sample);
  waves.device = analysis.target ? reference_device(analysis.target->id) : nullptr;
  if (!waves.device || ctas_per_sm <= 0 || waves.tiles == 0) return waves;
  waves.resident = int64_t{waves.device->sms} * ctas_per_sm;
  const ExprId declared = schedule.tile_spaces.front().grid;
  if (declared != kNone)
    if (const auto grid = evaluate(schedule, declared, sample); grid && *grid > 0) waves.resident = std::min(waves.resident, *grid);
  waves.rounds = (waves.tiles + waves.resident - 1) / waves.resident;
  waves.last = waves.tiles - (waves.rounds - 1) * waves.resident;
  return waves;
}

}  // namespace bakery
