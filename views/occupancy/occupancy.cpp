// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/occupancy/occupancy.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>

#include "app/session/contract.h"
#include "app/session/contract_files.h"
#include "app/session/waves.h"
#include "views/memory_map/memory_map.h"

namespace bakery::views {

namespace {

constexpr int64_t kRegistersPerSm = 65536;
constexpr const char* kCapabilities = "CUDA programming guide, table of compute capabilities";

std::string fixed(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

bool has_finding(const Analysis& analysis, std::string_view id) {
  return std::any_of(analysis.findings.begin(), analysis.findings.end(),
                     [&](const Finding& f) { return f.id == id && f.severity == Severity::error; });
}

// Registers a thread when the CTA starts: what HW-004 holds the budgets against.
int launch_registers(const Schedule& schedule) {
  int largest = 0;
  for (const Role& role : schedule.roles) largest = std::max(largest, role.regs);
  const int threads = std::max(1, schedule.threads());
  return std::max(1, std::min({255, static_cast<int>(kRegistersPerSm / threads / 8 * 8), largest == 0 ? 255 : largest}));
}

Gauge registers_gauge(const Analysis& analysis, const CompiledKernel* compiled) {
  const Schedule& schedule = analysis.schedule;
  const int launch = compiled ? compiled->registers : launch_registers(schedule);
  Gauge gauge;
  gauge.id = "registers";
  const bool declared = std::any_of(schedule.roles.begin(), schedule.roles.end(), [](const Role& role) { return role.regs > 0; });
  gauge.title = compiled ? "Registers, compiled" : declared ? "Registers, declared" : "Registers, none declared: at most";
  gauge.limit = kRegistersPerSm;
  // A warpgroup has one budget: of the role in it that asks for the most.
  std::map<int, const Role*> owner;
  for (const Role& role : schedule.roles)
    for (const int warp : role.warps) {
      const Role*& of_group = owner[warp / 4];
      if (!of_group || of_group->regs < role.regs) of_group = &role;
    }
  const int threads = schedule.threads();
  std::map<std::string, int64_t> amounts;
  std::vector<std::string> order;
  const auto add = [&](const std::string& name, int64_t amount) {
    if (!amounts.contains(name)) order.push_back(name);
    amounts[name] += amount;
  };
  for (int first = 0; first < threads; first += 128) {
    const auto it = owner.find(first / 128);
    const int64_t width = std::min(128, threads - first);
    if (it == owner.end()) add("", width * launch);
    else add(it->second->name, width * (it->second->regs > 0 ? it->second->regs : launch));
  }
  for (const std::string& name : order) {
    gauge.parts.push_back({name.empty() ? "warps without a role" : name, name, amounts[name]});
    gauge.used += amounts[name];
  }
  gauge.value = std::to_string(gauge.used) + " of " + std::to_string(gauge.limit);
  for (const Role& role : schedule.roles)
    gauge.note += (gauge.note.empty() ? "" : " · ") + role.name + " " + (role.regs > 0 ? std::to_string(role.regs) : std::to_string(launch));
  gauge.note += gauge.note.empty() ? "" : " a thread";
  gauge.wrong = has_finding(analysis, "HW-004") || gauge.used > gauge.limit;
  gauge.source = (compiled ? "the compiler's report: " + std::to_string(launch) + " registers a thread at launch"
                           : "before compiling: at most " + std::to_string(launch) + " a thread at launch, so that " + std::to_string(threads) + " threads fit") +
                 "; `regs=` of a role is its `setmaxnreg` value, counted for whole warpgroups of 128 threads. 65536 registers an SM: " + kCapabilities;
  return gauge;
}

Gauge shared_gauge(const Analysis& analysis) {
  const MemoryMap map = make_memory_map(analysis);
  Gauge gauge;
  gauge.id = "shared";
  gauge.title = "Shared memory";
  gauge.used = map.used;
  gauge.limit = map.limit;
  gauge.value = map.limit > 0 ? byte_text(map.used) + " of " + byte_text(map.limit) : byte_text(map.used);
  gauge.note = map.limit > 0 ? fixed(static_cast<double>(map.used) * 100 / static_cast<double>(map.limit), 1) + " % of a CTA's limit" : "no target, no limit";
  gauge.wrong = map.limit > 0 && map.used > map.limit;
  gauge.source = "pools and barriers of the schedule, as in the memory map; the opt-in limit of a CTA: " + std::string(kCapabilities);
  return gauge;
}

int64_t columns_of(const Schedule& schedule) {
  int64_t columns = 0;
  for (const Tmem& tmem : schedule.tmems) columns = std::max(columns, tmem.cols + tmem.width);
  return columns;
}

Gauge ctas_gauge(const Analysis& analysis, const CompiledKernel* compiled, Occupancy& occupancy) {
  const Schedule& schedule = analysis.schedule;
  Gauge gauge;
  gauge.id = "ctas";
  gauge.title = "CTAs per SM";
  if (!analysis.target) {
    gauge.value = "unknown";
    gauge.note = "no target is named";
    return gauge;
  }
  occupancy = compiled && compiled->occupancy.ctas_per_sm > 0
                  ? compiled->occupancy
                  : bakery::occupancy(*analysis.target, schedule.threads(), launch_registers(schedule), schedule.pool_bytes() + schedule.hidden_bytes(), columns_of(schedule));
  gauge.value = std::to_string(occupancy.ctas_per_sm);
  gauge.note = occupancy.ctas_per_sm > 0 ? std::string("limited by ") + occupancy.limit : std::string("does not fit: ") + occupancy.limit;
  gauge.wrong = occupancy.ctas_per_sm == 0;
  gauge.source = std::string(compiled ? "compiled registers" : "declared registers") + ", " + std::to_string(schedule.threads()) + " threads, shared memory of " +
                 byte_text(occupancy.shared_per_sm) + " an SM with 1 KiB of the system's a CTA: " + kCapabilities;
  return gauge;
}

Gauge grid_gauge(const Analysis& analysis, const Occupancy& occupancy, const GridShape& shape) {
  const Schedule& schedule = analysis.schedule;
  Gauge gauge;
  gauge.id = "grid";
  gauge.title = "Waves and tail";
  if (schedule.tile_spaces.empty()) {
    gauge.value = "1 CTA";
    gauge.note = "no tile space is declared";
    return gauge;
  }
  const Waves waves = waves_of(analysis, shape.values, occupancy.ctas_per_sm);
  if (waves.tiles == 0) {
    gauge.value = "unknown";
    gauge.note = waves.missing.empty() ? "no tiles for " + shape.text : "no value for " + waves.missing;
    return gauge;
  }
  gauge.source = std::to_string(waves.tiles) + " tiles of " + shape.text + " (" + shape.origin + ")";
  if (!waves.known()) {
    gauge.value = std::to_string(waves.tiles) + " tiles";
    gauge.note = waves.device ? "no CTA fits an SM" : "how many SMs the device has is not known";
    return gauge;
  }
  gauge.value = fixed(waves.count(), 2) + (waves.rounds == 1 && waves.last == waves.resident ? " wave" : " waves");
  gauge.note = std::to_string(waves.tiles) + (waves.tiles == 1 ? " tile" : " tiles") + " · tail " + std::to_string(waves.last) + " of " + std::to_string(waves.resident) + " CTAs";
  gauge.used = waves.tiles;
  gauge.limit = waves.rounds * waves.resident;
  gauge.source += "; " + std::to_string(waves.device->sms) + " SMs of an " + waves.device->name + ": " + waves.device->source + ". The bar is the share of the " +
                  std::to_string(waves.rounds) + " rounds that is used";
  return gauge;
}

}  // namespace

std::optional<GridShape> parse_shape(std::string_view text) {
  GridShape shape;
  shape.text = std::string(text);
  shape.origin = "typed";
  while (!text.empty()) {
    while (!text.empty() && (text.front() == ' ' || text.front() == ',')) text.remove_prefix(1);
    if (text.empty()) break;
    const size_t equal = text.find('=');
    if (equal == std::string_view::npos) return std::nullopt;
    std::string_view name = text.substr(0, equal);
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    text.remove_prefix(equal + 1);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || name.empty() || value < 0 || value > (int64_t{1} << 31)) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (!text.empty() && text.front() != ',' && text.front() != ' ') return std::nullopt;
    shape.values.emplace_back(std::string(name), value);
  }
  return shape.values.empty() ? std::nullopt : std::optional(std::move(shape));
}

GridShape shape_of_sample(const Snapshot& snapshot) {
  GridShape shape;
  shape.origin = "the shown sample";
  const Analysis& analysis = *snapshot.analysis;
  if (snapshot.sample < 0 || static_cast<size_t>(snapshot.sample) >= analysis.samples.size()) return shape;
  const Sample& sample = analysis.samples[snapshot.sample];
  for (size_t p = 0; p < analysis.schedule.params.size() && p < sample.scalars.size(); ++p) {
    if (analysis.schedule.params[p].kind != ParamKind::scalar) continue;
    shape.values.emplace_back(analysis.schedule.params[p].name, sample.scalars[p]);
    shape.text += (shape.text.empty() ? "" : ", ") + analysis.schedule.params[p].name + "=" + std::to_string(sample.scalars[p]);
  }
  return shape;
}

std::vector<GridShape> contract_shapes(const std::string& schedule_path) {
  std::vector<GridShape> shapes;
  for (const ContractFile& file : find_contracts(schedule_path)) {
    if (!file.fits) continue;
    const ContractResult read = read_contract(file.path);
    if (!read.contract) continue;
    for (const ShapeRow& row : read.contract->shapes) {
      GridShape shape;
      shape.text = read.contract->text(row);
      shape.origin = file.name + ".toml";
      for (size_t i = 0; i < read.contract->parameters.size(); ++i) shape.values.emplace_back(read.contract->parameters[i], row.values[i]);
      shapes.push_back(std::move(shape));
    }
  }
  return shapes;
}

std::vector<Gauge> make_gauges(const Analysis& analysis, const CompiledKernel* compiled, const GridShape& shape) {
  const Schedule& schedule = analysis.schedule;
  std::vector<Gauge> gauges;
  if (schedule.roles.empty()) return gauges;
  if (compiled && !compiled->ok()) compiled = nullptr;
  gauges.push_back(registers_gauge(analysis, compiled));
  gauges.push_back(shared_gauge(analysis));
  if (const int64_t columns = columns_of(schedule); columns > 0 || (analysis.target && analysis.target->tmem_columns > 0)) {
    Gauge gauge;
    gauge.id = "tensor";
    gauge.title = "Tensor memory";
    gauge.used = columns;
    gauge.limit = analysis.target ? analysis.target->tmem_columns : 0;
    gauge.value = std::to_string(columns) + (gauge.limit > 0 ? " of " + std::to_string(gauge.limit) : "") + " columns";
    gauge.wrong = analysis.target && columns > gauge.limit;
    gauge.note = analysis.target && gauge.limit == 0 ? std::string(analysis.target->name) + " has none" : "of an SM, shared by its CTAs";
    gauge.source = "the highest column that the schedule names; 512 columns an SM: PTX ISA, tcgen05 tensor memory";
    gauges.push_back(std::move(gauge));
  }
  Occupancy occupancy;
  gauges.push_back(ctas_gauge(analysis, compiled, occupancy));
  gauges.push_back(grid_gauge(analysis, occupancy, shape));
  if (compiled) {
    Gauge gauge;
    gauge.id = "spills";
    gauge.title = "Spills";
    gauge.value = byte_text(compiled->spill_stores + compiled->spill_loads);
    gauge.note = compiled->spill_stores + compiled->spill_loads == 0 ? "none" : byte_text(compiled->spill_stores) + " stored, " + byte_text(compiled->spill_loads) + " loaded";
    gauge.wrong = compiled->spill_stores + compiled->spill_loads > 0;
    gauge.source = "the report of ptxas, NVRTC " + compiled->answer.nvrtc_version;
    gauges.push_back(std::move(gauge));
  }
  return gauges;
}

void light(std::vector<Gauge>& gauges, const FocusState& focus) {
  for (Gauge& gauge : gauges)
    for (GaugePart& part : gauge.parts) part.lit = !part.role.empty() && part.role == focus.role;
}

std::string to_text(const std::vector<Gauge>& gauges) {
  std::string text;
  for (const Gauge& gauge : gauges) {
    text += gauge.title + ": " + gauge.value + (gauge.wrong ? " wrong" : "") + " (" + gauge.note + ")";
    for (const GaugePart& part : gauge.parts) text += " " + part.name + "=" + std::to_string(part.amount) + (part.lit ? "*" : "");
    text += "\n";
  }
  return text;
}

}  // namespace bakery::views
