// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "lowering/plan.h"

namespace bakery::lowering {

void Plan::refuse(Span span, std::string message, std::string expected) {
  Finding finding;
  finding.id = "LOWER-001";
  finding.gate = Gate::hardware;
  finding.message = std::move(message);
  finding.contract = "lowering emits what the schedule says or refuses it";
  finding.expected = std::move(expected);
  finding.span = span;
  findings.push_back(std::move(finding));
}

void plan_limits(Plan& plan) {
  const Schedule& s = plan.schedule;
  if (!contains(kFrom90, plan.target.id))
    plan.refuse(s.name_span, std::string("lowering for `") + plan.target.name + "` is not written yet", "sm_90a, sm_100a, sm_103a, sm_120a or sm_121a");
  if (s.tile_spaces.size() > 1) plan.refuse(s.tile_spaces[1].span, "one kernel walks one tile space", "one `lm.tiles`");
  for (const Barrier& barrier : s.barriers)
    if (barrier.count > 32) plan.refuse(barrier.count_span, "`" + barrier.name + "` has more than 32 stages", "at most 32");
  for (const Op& op : s.ops) {
    if (op.code == OpCode::compute || op.code == OpCode::store) {
      const Role& role = s.roles[op.role];
      const int64_t rows = op.dst.rows;
      const bool fits = role.whole_warpgroups() && rows % (64 * role.agents()) == 0 && op.dst.cols % 16 == 0;
      const bool narrow = op.code == OpCode::compute || info(s.views[op.dst.resource].dtype).bytes == 2;
      if (!fits || !narrow) plan.refuse(op.span, "this register tile is not lowered", "16-bit stores, whole warpgroups, 64 rows each, columns in steps of 16");
    }
    for (const Region* region : {&op.a, &op.b}) {
      if (op.code != OpCode::wgmma && op.code != OpCode::tcgen05_mma) continue;
      const View& view = s.views[region->resource];
      const int64_t row = view.swizzle ? *view.swizzle : 128;
      if (row == 0 || view.row_bytes() % std::max<int64_t>(32, row) != 0)
        plan.refuse(region->span, "`" + view.name + "` is no K-major operand of whole swizzle spans", "rows of 32, 64 or 128 bytes, or a multiple of 128 without `swizzle=`");
    }
  }
}

void plan_names(Plan& plan) {
  // Words of C++ and of the generated code.
  static const std::set<std::string, std::less<>> reserved = {
      "alignas", "alignof", "and", "asm", "auto", "bool", "break", "case", "catch", "char", "class", "const", "constexpr", "continue",
      "decltype", "default", "delete", "do", "double", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend",
      "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "not", "operator", "or", "private", "protected", "public",
      "register", "return", "short", "signed", "sizeof", "static", "struct", "switch", "template", "this", "throw", "true", "try",
      "typedef", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "while", "xor", "u16", "u32", "u64", "smem",
      "smem_base", "warp", "warpgroup", "lane", "agent", "leader", "cta_tile", "tile_count", "faults", "threadIdx", "blockIdx", "gridDim",
      "blockDim", "printf", "min", "max", "TensorMap", "WaitFault"};
  const auto safe = [&](const std::string& name) { return reserved.contains(name) ? name + "_" : name; };
  for (const Symbol& symbol : plan.schedule.symbols) plan.symbols.push_back(safe(symbol.name));
  for (const Parameter& parameter : plan.schedule.params) plan.params.push_back(safe(parameter.name));
}

void plan_layout(Plan& plan) {
  const Schedule& s = plan.schedule;
  std::vector<int64_t> pool_base;
  int64_t at = 0;
  for (const Pool& pool : s.pools) {
    pool_base.push_back(at);
    at = (at + pool.bytes + 1023) / 1024 * 1024;
  }
  for (const View& view : s.views) {
    ViewPlan v;
    v.offset = pool_base[view.pool] + view.offset;
    v.rows = view.rows();
    const int64_t row = view.row_bytes();
    if (view.swizzle) {
      v.swizzle = *view.swizzle;
      v.span = row;
    } else if (row % 128 == 0) {
      v.swizzle = 128;
      v.span = 128;
      v.panels = row / 128;
    } else {
      v.swizzle = row == 64 ? 64 : row == 32 ? 32 : 0;
      v.span = row;
    }
    plan.views.push_back(v);
  }
  plan.barriers_offset = at;
  for (const Barrier& barrier : s.barriers) {
    BarrierPlan b;
    b.offset = at;
    at += int64_t{8} * barrier.count;
    plan.barriers.push_back(b);
  }
  if (!s.tmems.empty()) {
    plan.tmem_drain_offset = at;
    plan.tmem_slot_offset = at + 8;
    at += 16;
    int64_t columns = 0;
    for (const Tmem& tmem : s.tmems) columns = std::max(columns, tmem.cols + tmem.width);
    plan.tmem_columns = 32;
    while (plan.tmem_columns < columns) plan.tmem_columns *= 2;
  }
  plan.shared_bytes = at;
}

void plan_roles(Plan& plan) {
  const Schedule& s = plan.schedule;
  int largest = 0, next_id = 1;
  bool budgets = false;
  for (const Role& role : s.roles) {
    largest = std::max(largest, role.regs);
    budgets |= role.regs != 0;
  }
  const int threads = std::max(32, s.threads());
  plan.launch_registers = std::min({255, 65536 / threads / 8 * 8, largest == 0 ? 255 : largest});
  for (Index r = 0; r < s.roles.size(); ++r) {
    const Role& role = s.roles[r];
    RolePlan p;
    p.warpgroups = role.whole_warpgroups();
    bool per_lane = false, sync = false;
    for (const Op& op : s.ops) {
      if (op.role != r) continue;
      const Operation& record = operation(op.code);
      p.stores |= op.code == OpCode::tma_store;
      sync |= record.role_barrier;
      for (const Effect& effect : record.effects) per_lane |= effect.proxy == Proxy::generic;
      per_lane |= record.role_barrier || op.code == OpCode::wgmma;
    }
    p.one_lane = role.warps.size() == 1 && !per_lane;
    if (sync) p.barrier_id = next_id++;
    if (next_id > 16) plan.refuse(role.span, "more than 15 roles use `lm.sync`", "at most 15 named barriers a CTA");
    p.registers = budgets ? role.regs : 0;
    p.increases = role.regs > plan.launch_registers;
    plan.roles.push_back(p);
  }
}

void plan_barriers(Plan& plan) {
  const Schedule& s = plan.schedule;
  for (Index b = 0; b < s.barriers.size(); ++b) {
    const Barrier& barrier = s.barriers[b];
    BarrierPlan& out = plan.barriers[b];
    // A warpgroup agent arrives with one lane of each of its four warps; all producers count alike.
    for (const Op& op : s.ops)
      if (op.barrier == b && operation(op.code).barrier == BarrierAction::arrive && plan.roles[op.role].warpgroups) out.scale = 4;
    out.arrivals = barrier.init_count * out.scale;
    if (out.arrivals >= (1 << 20))
      plan.refuse(barrier.init_span, "`" + barrier.name + "` would need " + std::to_string(out.arrivals) + " arrivals", "at most 1048575");
  }
}

namespace {

void block_fills(Plan& plan, const std::vector<Index>& body) {
  const Schedule& s = plan.schedule;
  std::vector<Index> open;  // first copies of the fills that are still open
  for (Index index : body) {
    const Stmt& stmt = s.stmts[index];
    if (stmt.kind != StmtKind::op) {
      if (!stmt.body.empty()) {
        block_fills(plan, stmt.body);
        // A wait inside of the block closes fills for the machine; it must for us too.
        open.clear();
      }
      continue;
    }
    const Op& op = s.ops[stmt.op];
    const BarrierAction action = operation(op.code).barrier;
    if (action == BarrierAction::wait) open.clear();
    if (action != BarrierAction::fill) continue;
    const int64_t bytes = s.views[op.dst.resource].stage_bytes();
    const auto same = std::find_if(open.begin(), open.end(), [&](Index first) {
      return s.ops[first].barrier == op.barrier && s.ops[first].stage == op.stage;
    });
    const Index leader = same == open.end() ? stmt.op : *same;
    if (same == open.end()) open.push_back(stmt.op);
    FillPlan& fill = plan.fills[leader];
    fill.leader = leader;
    fill.copies.push_back(stmt.op);
    if (op.when == kNone) fill.bytes += bytes;
    plan.fill_of[stmt.op] = leader;
    if (s.ops[leader].when != op.when)
      plan.refuse(op.span, "copies of one fill have different conditions", "one `with lm.when(...)` around the fill, or a barrier each");
    else if (op.when != kNone)
      fill.bytes += bytes;
  }
}

}  // namespace

void plan_fills(Plan& plan) {
  for (const Role& role : plan.schedule.roles) block_fills(plan, role.body);
  for (const auto& [leader, fill] : plan.fills)
    if (fill.bytes >= (1 << 20))
      plan.refuse(plan.schedule.ops[leader].span, "one fill has " + std::to_string(fill.bytes) + " bytes", "at most 1048575 (mbarrier transaction count)");
}

void plan_maps(Plan& plan) {
  const Schedule& s = plan.schedule;
  for (Index i = 0; i < s.ops.size(); ++i) {
    const Op& op = s.ops[i];
    if (op.param == kNone) continue;
    const Index view_index = op.dst.space == Space::shared ? op.dst.resource : op.a.resource;
    const View& view = s.views[view_index];
    const ViewPlan& v = plan.views[view_index];
    const Parameter& parameter = s.params[op.param];
    int found = -1;
    for (size_t m = 0; m < plan.manifest.maps.size(); ++m)
      if (plan.manifest.maps[m].tensor == parameter.name && plan.manifest.maps[m].view == view.name) found = static_cast<int>(m);
    if (found < 0) {
      TensorMapSpec map;
      map.tensor = parameter.name;
      map.view = view.name;
      map.rank = parameter.rank;
      map.dtype = view.dtype;
      map.swizzle = v.swizzle;
      for (size_t d = view.shape.size(); d-- > 0;) map.box.push_back(view.shape[d]);
      map.box[0] /= v.panels;
      map.box.resize(parameter.rank, 1);
      found = static_cast<int>(plan.manifest.maps.size());
      plan.manifest.maps.push_back(std::move(map));
    }
    plan.map_of[i] = found;
  }
}

void plan_manifest(Plan& plan) {
  const Schedule& s = plan.schedule;
  LaunchManifest& m = plan.manifest;
  m.schedule = s.name;
  m.hash = plan.checked.hash();
  m.target = plan.target.name;
  m.file = plan.checked.file();
  m.kernel = "kernel_" + s.name;
  m.threads = std::max(32, s.threads());
  m.shared_bytes = plan.shared_bytes + 1024;
  if (m.shared_bytes > plan.target.shared_bytes) m.shared_bytes = plan.target.shared_bytes;
  m.bounded_waits = plan.options.bounded_waits;
  for (size_t i = 0; i < m.maps.size(); ++i)
    m.params.push_back({KernelParameter::Kind::tensor_map, m.maps[i].tensor + "_" + m.maps[i].view, static_cast<int>(i), -1, m.maps[i].dtype});
  for (size_t p = 0; p < s.params.size(); ++p)
    if (s.params[p].kind == ParamKind::scalar)
      m.params.push_back({KernelParameter::Kind::scalar, plan.params[p], -1, static_cast<int>(p), s.params[p].dtype});
  if (m.bounded_waits) m.params.push_back({KernelParameter::Kind::faults, "faults", -1, -1, DType::u32});
  for (size_t r = 0; r < s.roles.size(); ++r) m.roles.push_back({s.roles[r].name, s.roles[r].warps, plan.roles[r].registers});
  for (size_t b = 0; b < s.barriers.size(); ++b)
    m.barriers.push_back({s.barriers[b].name, s.barriers[b].count, s.barriers[b].init_count, plan.barriers[b].arrivals, plan.barriers[b].offset});
  for (const TileSpace& space : s.tile_spaces) {
    for (ExprId extent : space.extents) m.tiles += (m.tiles.empty() ? "" : " * ") + s.text(extent);
    break;
  }
  for (const Assumption& assumption : s.assumptions) m.assumptions.push_back(assumption.text);
  m.waived = plan.checked.waived();
}

}  // namespace bakery::lowering
