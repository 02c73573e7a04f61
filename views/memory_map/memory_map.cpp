// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory_map/memory_map.h"

#include <algorithm>
#include <optional>
#include <set>

#include "views/common/op_regions.h"

namespace bakery::views {

namespace {

constexpr int64_t kPoolAlignment = 1024;  // pools lie one behind the other, each aligned
constexpr int64_t kBarrierBytes = 8;

const View* find_view(const Schedule& schedule, const std::string& name) {
  for (const View& view : schedule.views)
    if (view.name == name) return &view;
  return nullptr;
}

bool has_error(const Analysis& analysis, const std::string& name) {
  return std::any_of(analysis.findings.begin(), analysis.findings.end(), [&](const Finding& finding) {
    return finding.severity == Severity::error && (finding.gate == Gate::data || finding.gate == Gate::hardware) &&
           finding.resource == name;
  });
}

std::string staged_bytes(const View& view) {
  return view.staged ? std::to_string(view.stages) + " × " + byte_text(view.stage_bytes()) : byte_text(view.bytes());
}

// Overlaps are what DATA-001 says they are; here they only get their bytes.
void mark_overlaps(const Analysis& analysis, const std::vector<int64_t>& bases, MemoryMap& map) {
  const Schedule& schedule = analysis.schedule;
  const auto row_of = [&](const View* view) -> MemoryRow* {
    for (MemoryRow& row : map.rows)
      if (row.kind == RowKind::view && &schedule.views[row.resource] == view) return &row;
    return nullptr;
  };
  for (const Finding& finding : analysis.findings) {
    if (finding.id != "DATA-001") continue;
    const View* one = find_view(schedule, finding.resource);
    for (const Related& related : finding.related) {
      const View* other = find_view(schedule, related.resource);
      if (!one || !other || one->pool != other->pool || one->pool >= bases.size()) continue;
      const int64_t begin = std::max(one->offset, other->offset);
      const int64_t end = std::min(one->offset + one->bytes(), other->offset + other->bytes());
      if (begin >= end) continue;
      for (MemoryRow* row : {row_of(one), row_of(other)})
        if (row) row->overlaps.emplace_back(bases[one->pool] + begin, bases[one->pool] + end);
    }
  }
  for (MemoryRow& row : map.rows) std::sort(row.overlaps.begin(), row.overlaps.end());
}

MemoryRow free_row(const Schedule& schedule, Index pool, int64_t base) {
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (const View& view : schedule.views)
    if (view.pool == pool) taken.emplace_back(view.offset, view.offset + view.bytes());
  std::sort(taken.begin(), taken.end());
  MemoryRow row;
  row.kind = RowKind::free;
  row.resource = pool;
  row.name = "free";
  int64_t at = 0, bytes = 0;
  const auto gap = [&](int64_t begin, int64_t end) {
    if (begin >= end) return;
    row.cells.push_back({CellKind::free, base + begin, base + end, -1, {}});
    bytes += end - begin;
  };
  for (const auto& [begin, end] : taken) {
    gap(at, std::min(begin, schedule.pools[pool].bytes));
    at = std::max(at, end);
  }
  gap(at, schedule.pools[pool].bytes);
  row.facts = byte_text(bytes);
  return row;
}

}  // namespace

int64_t alignment_of(int64_t offset) {
  if (offset == 0) return 1024;
  int64_t alignment = 1;
  while (alignment < 1024 && offset % (alignment * 2) == 0) alignment *= 2;
  return alignment;
}

std::string byte_text(int64_t bytes) {
  if (bytes == 0 || bytes % 1024 != 0) {
    if (bytes < 10240) return std::to_string(bytes) + " B";
    const int64_t tenths = (bytes * 10 + 512) / 1024;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " KiB";
  }
  return std::to_string(bytes / 1024) + " KiB";
}

std::string hex_text(int64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%s0x%llX", value < 0 ? "-" : "", static_cast<unsigned long long>(value < 0 ? -value : value));
  return text;
}

Users users_of(const Schedule& schedule, Space space, Index resource) {
  std::set<Index> fill, read;
  for (const Op& op : schedule.ops)
    each_region(schedule, op, [&](const Region& region, bool write) {
      if (region.space == space && region.resource == resource && op.role != kNone) (write ? fill : read).insert(op.role);
    });
  const auto names = [&](const std::set<Index>& roles) {
    std::vector<std::string> list;
    for (const Index role : roles)
      if (role < schedule.roles.size()) list.push_back(schedule.roles[role].name);
    return list;
  };
  return {names(fill), names(read)};
}

MemoryMap make_memory_map(const Analysis& analysis) {
  const Schedule& schedule = analysis.schedule;
  MemoryMap map;
  map.limit = analysis.target ? analysis.target->shared_bytes : 0;
  map.used = schedule.pool_bytes() + schedule.hidden_bytes();

  std::vector<int64_t> bases;
  int64_t at = 0;
  for (const Pool& pool : schedule.pools) {
    bases.push_back(at);
    at = (at + std::max<int64_t>(0, pool.bytes) + kPoolAlignment - 1) / kPoolAlignment * kPoolAlignment;
  }
  const int64_t compiler_begin = at;
  map.end = at;
  for (const View& view : schedule.views)
    if (view.pool < bases.size()) map.end = std::max(map.end, bases[view.pool] + view.offset + view.bytes());

  if (!schedule.pools.empty() || !schedule.barriers.empty()) {
    MemoryRow total;
    total.kind = RowKind::total;
    total.name = "shared memory";
    total.facts = map.limit > 0 ? byte_text(map.used) + " of " + byte_text(map.limit) : byte_text(map.used);
    const int64_t within = map.limit > 0 ? std::min(map.used, map.limit) : map.used;
    total.cells.push_back({CellKind::used, 0, within, -1, {}});
    if (map.used > within) total.cells.push_back({CellKind::beyond, within, map.used, -1, {}});
    if (map.limit > map.used) total.cells.push_back({CellKind::free, map.used, map.limit, -1, {}});
    total.wrong = map.limit > 0 && map.used > map.limit;
    map.rows.push_back(std::move(total));
  }

  for (Index p = 0; p < schedule.pools.size(); ++p) {
    const Pool& pool = schedule.pools[p];
    MemoryRow heading;
    heading.kind = RowKind::pool;
    heading.resource = p;
    heading.name = pool.name;
    heading.facts = byte_text(pool.bytes);
    map.rows.push_back(std::move(heading));
    std::vector<Index> order;
    for (Index v = 0; v < schedule.views.size(); ++v)
      if (schedule.views[v].pool == p) order.push_back(v);
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return schedule.views[a].offset < schedule.views[b].offset; });
    for (const Index v : order) {
      const View& view = schedule.views[v];
      MemoryRow row;
      row.kind = RowKind::view;
      row.resource = v;
      row.name = view.name;
      row.facts = staged_bytes(view);
      if (!view.alias.empty()) row.facts += " · alias " + view.alias;
      for (int stage = 0; stage < view.stages && stage < 1024; ++stage) {
        const int64_t begin = bases[p] + view.offset + stage * view.stage_bytes();
        row.cells.push_back({view.alias.empty() ? CellKind::used : CellKind::shared, begin, begin + view.stage_bytes(),
                             view.staged ? stage : -1, {}});
      }
      row.wrong = has_error(analysis, view.name);
      map.rows.push_back(std::move(row));
    }
    MemoryRow free = free_row(schedule, p, bases[p]);
    if (!free.cells.empty()) map.rows.push_back(std::move(free));
  }

  if (schedule.hidden_bytes() > 0) {
    MemoryRow row;
    row.kind = RowKind::compiler;
    row.name = "barriers";
    row.facts = byte_text(schedule.hidden_bytes()) + " of the compiler";
    int64_t begin = compiler_begin;
    for (const Barrier& barrier : schedule.barriers)
      for (int stage = 0; stage < barrier.count && stage < 64; ++stage, begin += kBarrierBytes)
        row.cells.push_back({CellKind::barrier, begin, begin + kBarrierBytes, barrier.count > 1 ? stage : -1, barrier.name});
    map.rows.push_back(std::move(row));
  }

  if (!schedule.tmems.empty()) {
    int64_t last = 0;
    for (const Tmem& tmem : schedule.tmems) last = std::max(last, tmem.cols + tmem.width);
    const int64_t capacity = analysis.target ? analysis.target->tmem_columns : 0;
    map.columns = std::max(last, capacity);
    MemoryRow heading;
    heading.kind = RowKind::columns;
    heading.name = "tensor memory";
    heading.facts = capacity > 0 ? std::to_string(last) + " of " + std::to_string(capacity) + " columns"
                                 : std::to_string(last) + " columns";
    heading.wrong = analysis.target && last > capacity;
    map.rows.push_back(std::move(heading));
    for (Index t = 0; t < schedule.tmems.size(); ++t) {
      const Tmem& tmem = schedule.tmems[t];
      MemoryRow row;
      row.kind = RowKind::tmem;
      row.resource = t;
      row.name = tmem.name;
      row.facts = "columns " + std::to_string(tmem.cols) + " – " + std::to_string(tmem.cols + tmem.width - 1);
      row.cells.push_back({CellKind::used, tmem.cols, tmem.cols + tmem.width, -1, {}});
      row.wrong = has_error(analysis, tmem.name);
      map.rows.push_back(std::move(row));
    }
  }
  mark_overlaps(analysis, bases, map);
  return map;
}

bool MemoryLighting::any() const {
  return std::any_of(rows.begin(), rows.end(), [](uint8_t lit) { return lit != 0; });
}

MemoryLighting light(const MemoryMap& map, const Snapshot& snapshot, const FocusState& focus) {
  const Schedule& schedule = snapshot.analysis->schedule;
  MemoryLighting lighting;
  lighting.rows.assign(map.rows.size(), 0);
  for (const MemoryRow& row : map.rows) lighting.cells.emplace_back(row.cells.size(), 0);
  if (focus.empty()) return lighting;

  // By name, as the focus says; a completion also lights the slots that its transfers fill.
  std::set<std::pair<std::string, int>> touched;
  std::set<Index> tmems;
  if (!focus.buffer.empty()) touched.emplace(focus.buffer, focus.slot);
  if (!focus.barrier.empty() && focus.completion >= 0)
    for (const uint32_t i : arrivals_for(*snapshot.timeline, focus.barrier, focus.stage, focus.completion)) {
      const TimelineEvent& event = snapshot.timeline->events[i];
      if (event.slot_view >= 0 && static_cast<size_t>(event.slot_view) < schedule.views.size())
        touched.emplace(schedule.views[event.slot_view].name, event.slot_stage);
    }
  // A place in the text, or an event, lights what its operations touch.
  if (focus.barrier.empty() && focus.buffer.empty() && focus.role.empty() && focus.engine.empty())
    if (const auto lines = lines_of(snapshot.analysis->source, focus)) {
      const Span range{snapshot.analysis->source.line_span(lines->first).begin,
                       snapshot.analysis->source.line_span(lines->second).end};
      const auto here = [&](Span span) { return span.begin >= range.begin && span.begin < range.end; };
      for (const View& view : schedule.views)
        if (here(view.span)) touched.emplace(view.name, -1);
      for (Index t = 0; t < schedule.tmems.size(); ++t)
        if (here(schedule.tmems[t].span)) tmems.insert(t);
      for (const Op& op : schedule.ops) {
        if (!here(op.span)) continue;
        each_region(schedule, op, [&](const Region& region, bool) {
          if (region.space == Space::shared && region.resource < schedule.views.size())
            touched.emplace(schedule.views[region.resource].name, -1);
          if (region.space == Space::tensor) tmems.insert(region.resource);
        });
      }
    }

  for (size_t r = 0; r < map.rows.size(); ++r) {
    const MemoryRow& row = map.rows[r];
    for (size_t c = 0; c < row.cells.size(); ++c) {
      const MemoryCell& cell = row.cells[c];
      bool lit = false;
      if (row.kind == RowKind::view)
        lit = touched.contains({row.name, -1}) || touched.contains({row.name, std::max(0, cell.stage)});
      else if (row.kind == RowKind::compiler)
        lit = !focus.barrier.empty() && cell.name == focus.barrier &&
              (focus.stage < 0 || cell.stage < 0 || cell.stage == focus.stage);
      else if (row.kind == RowKind::tmem)
        lit = tmems.contains(row.resource);
      lighting.cells[r][c] = lit;
      if (lit) lighting.rows[r] = 1;
    }
  }
  return lighting;
}

std::string to_text(const MemoryMap& map, const MemoryLighting& lighting) {
  std::string text;
  for (size_t r = 0; r < map.rows.size(); ++r) {
    const MemoryRow& row = map.rows[r];
    const bool heading = row.kind == RowKind::pool || row.kind == RowKind::columns || row.kind == RowKind::total;
    text += (heading ? "" : "  ") + row.name + " (" + row.facts + ")" + (row.wrong ? " wrong" : "");
    for (size_t c = 0; c < row.cells.size(); ++c) {
      const MemoryCell& cell = row.cells[c];
      text += " ";
      if (!cell.name.empty()) text += cell.name;
      if (cell.stage >= 0) text += "[" + std::to_string(cell.stage) + "]";
      text += std::to_string(cell.begin) + "-" + std::to_string(cell.end);
      if (cell.kind == CellKind::free) text += " free";
      if (cell.kind == CellKind::beyond) text += " beyond";
      if (std::any_of(row.overlaps.begin(), row.overlaps.end(),
                      [&](const auto& o) { return o.first < cell.end && cell.begin < o.second; }))
        text += "!";
      if (r < lighting.cells.size() && c < lighting.cells[r].size() && lighting.cells[r][c]) text += "*";
    }
    text += "\n";
  }
  return text;
}

}  // namespace bakery::views
