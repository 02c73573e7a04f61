// SPDX-License-Identifier: Apache-2.0
// Which scalars a check substitutes. Loops are never cut: what matters is a trip count's relation
// to the ring depths, so the scalars are chosen to give the telling ones.
#include <algorithm>
#include <map>
#include <set>

#include "core_ir/machine/trace.h"

namespace bakery {
namespace {

constexpr size_t kMaxSamples = 96;

struct Chooser {
  const Schedule& schedule;
  std::set<int64_t> trips;
  std::vector<std::set<int64_t>> divisors;    // by parameter
  std::vector<std::set<int64_t>> compared;    // constants a parameter is compared with
  std::vector<uint64_t> parameters_of;        // by expression, a bit a parameter
  std::vector<bool> only_parameters;          // by expression

  explicit Chooser(const Schedule& s) : schedule(s) {
    trips = {0, 1, 2};
    const auto depth = [&](int64_t stages) {
      for (int64_t t : {stages - 1, stages, stages + 1, 2 * stages + 1}) trips.insert(t);
    };
    for (const Pipeline& p : s.pipelines) depth(p.stages);
    for (const View& v : s.views)
      if (v.staged && v.stages > 1 && s.pipelines.empty()) depth(v.stages);
    std::set<int64_t> capped;
    divisors.resize(s.params.size());
    compared.resize(s.params.size());
    parameters_of.resize(s.exprs.size());
    only_parameters.resize(s.exprs.size());
    for (size_t i = 0; i < s.exprs.size(); ++i) {
      const Expr& e = s.exprs[i];
      if (e.kind == ExprKind::constant) {
        only_parameters[i] = true;
      } else if (e.kind == ExprKind::symbol) {
        for (size_t p = 0; p < s.params.size() && p < 64; ++p)
          if (s.params[p].symbol == e.a) {
            parameters_of[i] = uint64_t{1} << p;
            only_parameters[i] = true;
          }
      } else if (e.kind != ExprKind::slot) {
        parameters_of[i] = parameters_of[e.a] | (e.b == kNone ? 0 : parameters_of[e.b]);
        only_parameters[i] = only_parameters[e.a] && (e.b == kNone || only_parameters[e.b]);
        if (e.b == kNone) continue;
        for (size_t p = 0; p < s.params.size() && p < 64; ++p) {
          if (!(parameters_of[e.a] >> p & 1) || s.exprs[e.b].kind != ExprKind::constant) continue;
          const int64_t c = s.exprs[e.b].value;
          if (e.kind == ExprKind::ceil_div || e.kind == ExprKind::floor_div || e.kind == ExprKind::mod) divisors[p].insert(c);
          if (e.kind >= ExprKind::eq && e.kind <= ExprKind::ge) compared[p].insert(c);
          // Behind a cap on the trips, a role that has none must be able to run a ring ahead.
          if ((e.kind == ExprKind::min || e.kind == ExprKind::max) && c > 0 && c <= 64) capped.insert(c);
        }
      }
    }
    const int64_t deepest = *trips.rbegin();
    for (int64_t cap : capped)
      for (int64_t t : {cap, cap + 1, cap + deepest}) trips.insert(t);
  }

  Sample base() const {
    Sample sample;
    sample.scalars.assign(schedule.params.size(), 0);
    return sample;
  }

  bool admissible(const Sample& sample, uint64_t known) const {
    for (const Assumption& assumption : schedule.assumptions) {
      if (parameters_of[assumption.condition] & ~known) continue;
      const auto holds = evaluate(schedule, assumption.condition, sample);
      if (holds && *holds == 0) return false;
    }
    return true;
  }

  bool admissible_alone(size_t p, int64_t value) const {
    if (value < 0 || value > (int64_t{1} << 31) - 1) return false;
    Sample sample = base();
    sample.scalars[p] = value;
    return admissible(sample, uint64_t{1} << p);
  }

  // The nearest admissible value at or above `value`, else below it.
  std::optional<int64_t> nearest(size_t p, int64_t value) const {
    for (int64_t d = 0; d <= 256; ++d)
      if (admissible_alone(p, value + d)) return value + d;
    for (int64_t d = 1; d <= std::min<int64_t>(value, 256); ++d)
      if (admissible_alone(p, value - d)) return value - d;
    return std::nullopt;
  }

  std::set<int64_t> candidates(size_t p) const {
    std::set<int64_t> values;
    if (schedule.params[p].dtype == DType::boolean) return {0, 1};
    std::set<int64_t> units = divisors[p];
    if (units.empty()) units.insert(1);
    for (int64_t unit : units)
      for (int64_t trip : trips)
        for (int64_t value : {trip * unit, (trip - 1) * unit + 1, trip * unit - 1})
          if (const auto legal = nearest(p, std::max<int64_t>(0, value))) values.insert(*legal);
    for (int64_t constant : compared[p])
      for (int64_t value : {constant - 1, constant, constant + 1})
        if (admissible_alone(p, value)) values.insert(value);
    if (values.empty())
      for (int64_t value = 0; value <= 4096 && values.empty(); ++value)
        if (admissible_alone(p, value)) values.insert(value);
    return values;
  }
};

std::string describe(const Schedule& schedule, const Sample& sample) {
  std::string text;
  for (size_t p = 0; p < schedule.params.size(); ++p) {
    if (schedule.params[p].kind != ParamKind::scalar || !schedule.params[p].used) continue;
    if (!text.empty()) text += ", ";
    text += schedule.params[p].name + "=" + std::to_string(sample.scalars[p]);
  }
  if (!schedule.tile_spaces.empty()) {
    if (!text.empty()) text += ", ";
    text += "grid=" + std::to_string(sample.grid);
    if (sample.cta != 0) text += ", cta=" + std::to_string(sample.cta);
  }
  return text;
}

}  // namespace

SampleSet choose_samples(const Schedule& schedule) {
  SampleSet set;
  const Chooser chooser(schedule);
  const size_t count = schedule.params.size();

  // Loop trips and tile counts that depend on parameters alone.
  struct Loop {
    ExprId lo, hi;
  };
  std::vector<Loop> loops;
  uint64_t tile_params = 0, trip_params = 0;
  for (const Stmt& stmt : schedule.stmts) {
    if (stmt.kind != StmtKind::loop) continue;
    trip_params |= chooser.parameters_of[stmt.lo] | chooser.parameters_of[stmt.hi];
    if (chooser.only_parameters[stmt.lo] && chooser.only_parameters[stmt.hi]) loops.push_back({stmt.lo, stmt.hi});
  }
  for (const TileSpace& space : schedule.tile_spaces)
    for (ExprId extent : space.extents) tile_params |= chooser.parameters_of[extent];

  // Values of each parameter that matter, fewest first: one a telling trip count, and the remainders.
  std::vector<std::vector<int64_t>> values(count);
  std::vector<int64_t> typical(count, 0);
  for (size_t p = 0; p < count; ++p) {
    const Parameter& parameter = schedule.params[p];
    if (parameter.kind != ParamKind::scalar || !parameter.used || parameter.dtype == DType::f32) continue;
    const std::set<int64_t> all = chooser.candidates(p);
    if (all.empty()) {
      set.coverage.push_back({"COVER-002", "no value of `" + parameter.name + "` satisfies the assumptions; nothing was run", parameter.span});
      return set;
    }
    const bool in_tiles = p < 64 && (tile_params >> p & 1) != 0;
    const bool in_trips = p < 64 && (trip_params >> p & 1) != 0;
    std::map<std::vector<int64_t>, int64_t> chosen;  // feature -> value
    const int64_t unit = chooser.divisors[p].empty() ? 1 : *chooser.divisors[p].rbegin();
    for (int64_t value : all) {
      std::vector<int64_t> feature;
      Sample sample = chooser.base();
      sample.scalars[p] = value;
      bool telling = true;
      for (const Loop& loop : loops) {
        if (!((chooser.parameters_of[loop.lo] | chooser.parameters_of[loop.hi]) >> p & 1)) continue;
        const int64_t trip = evaluate(schedule, loop.hi, sample).value_or(0) - evaluate(schedule, loop.lo, sample).value_or(0);
        telling &= chooser.trips.contains(trip) || trip <= *chooser.trips.rbegin();
        feature.push_back(trip);
      }
      if (in_tiles)
        for (const TileSpace& space : schedule.tile_spaces)
          for (ExprId extent : space.extents)
            if (chooser.parameters_of[extent] >> p & 1) {
              const int64_t tiles = evaluate(schedule, extent, sample).value_or(0);
              telling &= tiles >= 1 && tiles <= 3;
              feature.push_back(tiles);
            }
      if (!telling) continue;
      if (!in_tiles && !in_trips) feature.push_back(value);
      const auto [it, fresh] = chosen.emplace(feature, value);
      if (!fresh && value % unit == 0) it->second = value;
    }
    for (const auto& [feature, value] : chosen) values[p].push_back(value);
    if (values[p].empty()) {
      values[p].push_back(*all.begin());
      set.coverage.push_back({"COVER-003", "no value of `" + parameter.name + "` was found at which loops and tiles come to countable numbers; their bodies were not run",
                              parameter.span});
    }
    typical[p] = values[p][std::min(values[p].size() - 1, values[p].size() / 2)];
    std::string listed;
    for (int64_t value : values[p]) listed += (listed.empty() ? "" : ", ") + std::to_string(value);
    set.assumptions.push_back(parameter.name + " in {" + listed + "}");
    // Ragged sizes: the largest remainder beside the exact multiples.
    if (unit > 1) {
      const auto ragged = chooser.nearest(p, values[p].back() - unit + 1);
      if (ragged && *ragged % unit != 0 && *ragged > 0 && std::find(values[p].begin(), values[p].end(), *ragged) == values[p].end()) {
        set.assumptions.back().insert(set.assumptions.back().size() - 1, ", " + std::to_string(*ragged));
        values[p].push_back(*ragged);
      }
    }
  }

  std::vector<size_t> free_params;
  for (size_t p = 0; p < count; ++p)
    if (!values[p].empty()) free_params.push_back(p);

  std::set<std::vector<int64_t>> seen;
  const auto add = [&](const std::vector<int64_t>& scalars) {
    if (set.samples.size() >= kMaxSamples || !seen.insert(scalars).second) return;
    Sample sample;
    sample.scalars = scalars;
    if (!chooser.admissible(sample, ~uint64_t{0})) return;
    int64_t tiles = 1;
    for (const TileSpace& space : schedule.tile_spaces) {
      int64_t product = 1;
      for (ExprId extent : space.extents) product *= std::max<int64_t>(0, evaluate(schedule, extent, sample).value_or(1));
      tiles = std::max(tiles, product);
    }
    if (tiles > 4) return;  // more tiles a CTA than 3 tell nothing new
    sample.text = describe(schedule, sample);
    set.samples.push_back(sample);
    for (const TileSpace& space : schedule.tile_spaces) {
      if (space.grid == kNone) continue;
      const int64_t grid = evaluate(schedule, space.grid, sample).value_or(1);
      sample.grid = grid;
      sample.cta = grid - 1;  // the CTA with the fewest tiles, perhaps none
      sample.text = describe(schedule, sample);
      if (grid > 1) set.samples.push_back(sample);
    }
  };

  std::vector<int64_t> scalars(count, 0);
  for (size_t p : free_params) scalars[p] = typical[p];
  if (free_params.empty()) {
    add(scalars);
  } else {
    size_t product = 1;
    for (size_t p : free_params) product = std::min<size_t>(product * values[p].size(), 100000);
    if (product <= kMaxSamples * 4) {
      std::vector<size_t> at(free_params.size(), 0);
      for (size_t n = 0; n < product; ++n) {
        size_t rest = n;
        for (size_t i = 0; i < free_params.size(); ++i) {
          scalars[free_params[i]] = values[free_params[i]][rest % values[free_params[i]].size()];
          rest /= values[free_params[i]].size();
        }
        add(scalars);
      }
    } else {
      for (size_t i = 0; i < free_params.size(); ++i)
        for (size_t k = i; k < free_params.size(); ++k)
          for (int64_t x : values[free_params[i]])
            for (int64_t y : values[free_params[k]]) {
              for (size_t p : free_params) scalars[p] = typical[p];
              scalars[free_params[i]] = x;
              if (k != i) scalars[free_params[k]] = y;
              add(scalars);
            }
      set.coverage.push_back({"COVER-002", "scalars were varied in pairs, not in all combinations", schedule.name_span});
    }
  }
  if (set.samples.size() >= kMaxSamples)
    set.coverage.push_back({"COVER-002", "only the first " + std::to_string(kMaxSamples) + " combinations of scalars were run", schedule.name_span});
  if (set.samples.empty())
    set.coverage.push_back({"COVER-002", "no combination of scalars satisfies the assumptions; nothing was run", schedule.name_span});
  for (const Assumption& assumption : schedule.assumptions) set.assumptions.push_back(assumption.text);
  return set;
}

}  // namespace bakery
