// SPDX-License-Identifier: Apache-2.0
// The sections of the generated file, in their fixed order.
#include <algorithm>
#include <set>

#include "lowering/emit/emitter.h"

namespace bakery::lowering {
namespace {

class Kernel {
 public:
  explicit Kernel(const Plan& plan) : plan_(plan), s_(plan.schedule), e_(plan) {}

  Lowered write() {
    body();
    Writer file;
    header(file);
    constants(file);
    helpers(file);
    file.append(e_.out);
    Lowered lowered = file.finish(plan_.checked.file(), s_.name + ".cu");
    lowered.manifest = plan_.manifest;
    return lowered;
  }

 private:
  void header(Writer& out) {
    out.line(cat("// ", s_.name, " for ", plan_.target.name, ", lowered from ", plan_.checked.file()));
    out.line(cat("// schedule ", plan_.checked.hash()));
    for (const Tunable& tunable : s_.tunables) out.line(cat("// tunable ", tunable.name, " = ", tunable.value));
    for (const Assumption& assumption : s_.assumptions) out.line(cat("// assumes ", assumption.text));
    for (const std::string& waived : plan_.checked.waived()) out.line(cat("// WAIVED ", waived));
    out.line();
    out.line("typedef unsigned short u16;");
    out.line("typedef unsigned int u32;");
    out.line("typedef unsigned long long u64;");
    if (!plan_.manifest.maps.empty()) out.line("struct alignas(128) TensorMap { u64 words[16]; };");
    out.line();
  }

  void constants(Writer& out) {
    out.line("// ---- Shared memory: bytes from a 1024-byte aligned base");
    for (size_t i = 0; i < s_.views.size(); ++i) {
      const View& view = s_.views[i];
      const ViewPlan& plan = plan_.views[i];
      std::string shape;
      for (int64_t extent : view.shape) shape += cat(shape.empty() ? "" : " x ", extent);
      out.line(cat("constexpr u32 ", e_.constant(view.name, "OFFSET"), " = ", plan.offset, ";  // ", view.stages, " x ", shape, " ", info(view.dtype).name,
                   plan.swizzle ? cat(", ", plan.swizzle, "-byte swizzle") : std::string(), plan.panels > 1 ? cat(", ", plan.panels, " panels of ", plan.span, " bytes") : std::string()));
      out.line(cat("constexpr u32 ", e_.constant(view.name, "STAGE_BYTES"), " = ", view.stage_bytes(), ";"));
    }
    for (size_t b = 0; b < s_.barriers.size(); ++b) {
      const Barrier& barrier = s_.barriers[b];
      std::string producers, consumers;
      for (Index role : barrier.producers) producers += (producers.empty() ? "" : ", ") + s_.roles[role].name;
      for (Index role : barrier.consumers) consumers += (consumers.empty() ? "" : ", ") + s_.roles[role].name;
      out.line(cat("constexpr u32 ", e_.constant(barrier.name, "BARRIER"), " = ", plan_.barriers[b].offset, ";  // ", barrier.count, " x 8, ", producers, " -> ", consumers));
    }
    if (plan_.tmem_slot_offset >= 0) {
      out.line(cat("constexpr u32 TMEM_DRAIN_BARRIER = ", plan_.tmem_drain_offset, ";  // the last MMAs are done"));
      out.line(cat("constexpr u32 TMEM_BASE_SLOT = ", plan_.tmem_slot_offset, ";"));
      out.line(cat("constexpr u32 TMEM_COLUMNS = ", plan_.tmem_columns, ";"));
    }
    out.line();
  }

  void helpers(Writer& out) {
    out.line("// ---- Instructions");
    std::vector<std::string> texts;
    for (const std::string& name : helper_order(e_.helpers())) texts.push_back(helper_text(name, plan_));
    for (const auto& [name, text] : e_.defined()) texts.push_back(text);
    for (const std::string& text : texts) {
      size_t begin = 0;
      while (begin <= text.size()) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        out.line(text.substr(begin, end - begin));
        begin = end + 1;
      }
    }
    out.line();
  }

  // ---- the kernel -------------------------------------------------------------------------

  void body() {
    std::string params;
    for (const KernelParameter& parameter : plan_.manifest.params) {
      if (!params.empty()) params += ", ";
      switch (parameter.kind) {
        case KernelParameter::Kind::tensor_map: params += "const __grid_constant__ TensorMap " + parameter.name; break;
        case KernelParameter::Kind::scalar:
          params += cat(parameter.dtype == DType::f32 ? "float " : parameter.dtype == DType::u32 ? "unsigned " : "int ", parameter.name);
          break;
        case KernelParameter::Kind::faults: params += "struct WaitFault* faults"; break;
        case KernelParameter::Kind::trace: break;
      }
    }
    Writer& out = e_.out;
    out.line("// ---- Kernel");
    out.line(cat("extern \"C\" __global__ void __launch_bounds__(", plan_.manifest.threads, ", 1)"));
    out.open(cat(plan_.manifest.kernel, "(", params, ") {"));
    out.line("extern __shared__ __align__(1024) unsigned char smem[];");
    e_.use("smem_address");
    out.line("const u32 smem_base = (smem_address(smem) + 1023) & ~1023u;");
    out.line("const u32 warp = __shfl_sync(0xffffffff, threadIdx.x / 32, 0);");
    out.line("const u32 lane = threadIdx.x % 32;");
    out.line();
    barriers();
    tensor_memory();
    out.line("__syncthreads();");
    if (plan_.tmem_slot_offset >= 0) {
      e_.use("tcgen05_fence_after");
      out.line("tcgen05_fence_after();");
      out.line("u32 tmem_base;");
      out.line("asm volatile(\"ld.shared.u32 %0, [%1];\" : \"=r\"(tmem_base) : \"r\"(smem_base + TMEM_BASE_SLOT));");
    }
    out.line();
    tile_counts();
    roles();
    release_tensor_memory();
    out.close();
  }

  void barriers() {
    Writer& out = e_.out;
    if (s_.barriers.empty() && plan_.tmem_slot_offset < 0) return;
    e_.use("mbarrier_init");
    e_.use("mbarrier_publish");
    out.open("if (threadIdx.x == 0) {");
    for (size_t b = 0; b < s_.barriers.size(); ++b) {
      const Barrier& barrier = s_.barriers[b];
      const std::string name = e_.constant(barrier.name, "BARRIER");
      const std::string why = plan_.barriers[b].scale > 1 ? cat("  // ", barrier.init_count, barrier.init_count == 1 ? " agent" : " agents", " x ", plan_.barriers[b].scale, " warps") : "";
      const auto line = e_.source_line(barrier.span);
      if (barrier.count == 1) out.from(line, -1, cat("mbarrier_init(smem_base + ", name, ", ", plan_.barriers[b].arrivals, ");", why));
      else out.from(line, -1, cat("for (u32 i = 0; i < ", barrier.count, "; ++i) mbarrier_init(smem_base + ", name, " + 8 * i, ", plan_.barriers[b].arrivals, ");", why));
    }
    if (plan_.tmem_drain_offset >= 0) out.line("mbarrier_init(smem_base + TMEM_DRAIN_BARRIER, 1);");
    out.line("mbarrier_publish();");
    for (const TensorMapSpec& map : plan_.manifest.maps) {
      e_.use("prefetch_map");
      out.line(cat("prefetch_map(&", map.tensor, "_", map.view, ");"));
    }
    out.close();
  }

  void tensor_memory() {
    if (plan_.tmem_slot_offset < 0) return;
    e_.use("tcgen05_alloc");
    e_.use("tcgen05_fence_before");
    e_.out.line("if (warp == 0) tcgen05_alloc(smem_base + TMEM_BASE_SLOT, TMEM_COLUMNS);");
    e_.out.line("tcgen05_fence_before();");
  }

  void release_tensor_memory() {
    if (plan_.tmem_slot_offset < 0) return;
    e_.use("tcgen05_dealloc");
    e_.use("tcgen05_fence_before");
    Writer& out = e_.out;
    out.line("__syncwarp();");
    out.line("tcgen05_fence_before();");
    out.line("__syncthreads();");
    out.line("tcgen05_fence_after();");
    out.line("if (warp == 0) tcgen05_dealloc(tmem_base, TMEM_COLUMNS);");
  }

  void tile_counts() {
    Writer& out = e_.out;
    if (s_.tile_spaces.empty()) return;
    const TileSpace& space = s_.tile_spaces[0];
    const auto line = e_.source_line(space.span);
    std::string product;
    std::string counts;
    for (size_t d = 0; d < space.extents.size(); ++d) {
      counts += cat(d == 0 ? "" : ", ", "tiles_", d, " = ", e_.expr(space.extents[d]));
      product += cat(d == 0 ? "" : " * ", "tiles_", d);
    }
    out.from(line, -1, cat("const int ", counts, ", tile_count = ", product, ";"));
    out.line();
  }

  // ---- roles ------------------------------------------------------------------------------

  std::string warp_range(const Role& role, const char* what, int divide) const {
    const int first = role.warps.front() / divide, last = role.warps.back() / divide;
    if (first == last) return cat(what, " == ", first);
    if (first == 0) return cat(what, " <= ", last);
    return cat(what, " >= ", first, " && ", what, " <= ", last);
  }

  std::string warp_condition(const Role& role) const {
    const bool contiguous = role.warps.back() - role.warps.front() + 1 == static_cast<int>(role.warps.size());
    if (contiguous) return warp_range(role, "warp", 1);
    std::string text;
    for (int warp : role.warps) text += cat(text.empty() ? "" : " || ", "warp == ", warp);
    return text;
  }

  // Warpgroups change registers as a whole, before their roles begin.
  void roles() {
    Writer& out = e_.out;
    bool budgets = false;
    for (const RolePlan& role : plan_.roles) budgets |= role.registers != 0;
    std::set<Index> done;
    bool first = true;
    for (Index r = 0; r < s_.roles.size(); ++r) {
      if (done.contains(r) || s_.roles[r].body.empty()) continue;
      if (!budgets) {
        out.open(cat(first ? "if (" : "} else if (", warp_condition(s_.roles[r]), ") {"));
        role(r);
        out.outdent();
        first = false;
        continue;
      }
      // All roles of the same warpgroups share one arm.
      std::vector<Index> arm;
      std::set<int> groups;
      for (int warp : s_.roles[r].warps) groups.insert(warp / 4);
      for (Index o = r; o < s_.roles.size(); ++o) {
        bool shares = false;
        for (int warp : s_.roles[o].warps) shares |= groups.contains(warp / 4);
        if (shares && !s_.roles[o].body.empty()) {
          arm.push_back(o);
          done.insert(o);
        }
      }
      const std::string condition = *groups.begin() == *groups.rbegin() ? cat("warp / 4 == ", *groups.begin()) : cat("warp / 4 >= ", *groups.begin(), " && warp / 4 <= ", *groups.rbegin());
      out.open(cat(first ? "if (" : "} else if (", condition, ") {"));
      first = false;
      const RolePlan& budget = plan_.roles[arm.front()];
      if (budget.registers != 0) {
        const char* change = budget.increases ? "registers_inc" : "registers_dec";
        e_.use(change);
        out.from(e_.source_line(s_.roles[arm.front()].span), -1, cat(change, "<", budget.registers, ">();  // launched with ", plan_.launch_registers));
      }
      const bool whole = arm.size() == 1 && s_.roles[arm[0]].whole_warpgroups();
      for (size_t i = 0; i < arm.size(); ++i) {
        if (!whole) out.open(cat(i == 0 ? "if (" : "} else if (", warp_condition(s_.roles[arm[i]]), ") {"));
        role(arm[i]);
        if (!whole) out.outdent();
      }
      if (!whole) out.line("}");
      out.outdent();
    }
    if (!first) out.line("}");
  }

  void role(Index r) {
    Writer& out = e_.out;
    const Role& role = s_.roles[r];
    const RolePlan& plan = plan_.roles[r];
    e_.role = r;
    out.line(cat("// ---- Role: ", role.name, " (", role.warps.size() == 1 ? "warp " : "warps ", role.warps.front(),
                 role.warps.size() == 1 ? std::string() : cat("-", role.warps.back()), plan.warpgroups ? cat(", ", role.agents(), role.agents() == 1 ? " warpgroup" : " warpgroups") : std::string(), ")"));
    if (plan.one_lane) {
      e_.use("elect_one");
      out.open("if (elect_one()) {");
    } else {
      bool leads = false, agents = false;
      for (const Op& op : s_.ops) {
        if (op.role != r) continue;
        leads |= operation(op.code).executor == Executor::once_a_role;
        agents |= op.code == OpCode::wgmma || op.code == OpCode::store;
      }
      if (agents && plan.warpgroups) out.line(cat("const u32 agent = warp / 4 - ", role.warps.front() / 4, ";  // warpgroup of the role"));
      if (leads) {
        e_.use("elect_one");
        out.line(cat("const bool leader = warp == ", role.warps.front(), " && elect_one();"));
      }
    }
    std::set<Index> waits, pipelines;
    for (const Op& op : s_.ops)
      if (op.role == r && op.code == OpCode::wait) waits.insert(op.barrier);
    collect(role.body, pipelines);
    for (const Op& op : s_.ops)
      if (op.role == r && plan_.options.bounded_waits && op.code == OpCode::wait && s_.barriers[op.barrier].pipeline != kNone)
        pipelines.insert(s_.barriers[op.barrier].pipeline);
    for (Index b : waits) {
      const Barrier& barrier = s_.barriers[b];
      out.line(cat("u32 ", barrier.name, "_phase = ", barrier.free ? (barrier.count == 1 ? "1" : "0xffffffff") : "0", ";  // ",
                   barrier.count == 1 ? "parity that the next wait awaits" : "bit s: parity that the next wait on stage s awaits", barrier.free ? "; stages start free" : ""));
    }
    for (Index p : pipelines) {
      const Pipeline& pipeline = s_.pipelines[p];
      out.line(cat("u32 ", pipeline.name, "_slot = ", pipeline.stages - 1, ";  // of the current use; the first next() gives 0"));
      if (plan_.options.bounded_waits) out.line(cat("u32 ", pipeline.name, "_use = 0xffffffff;"));
    }
    for (size_t f = 0; f < s_.fragments.size(); ++f) {
      const Fragment& fragment = s_.fragments[f];
      if (fragment.role != r) continue;
      out.from(e_.source_line(fragment.span), -1, cat("float ", fragment.name, "[", fragment_registers(s_, fragment), "];  // ", fragment.shape[0], " x ", fragment.shape[1], " ", info(fragment.dtype).name));
    }
    block(role.body);
    drain(r);
    if (plan.one_lane) out.close();
  }

  void collect(const std::vector<Index>& body, std::set<Index>& pipelines) const {
    for (Index index : body) {
      const Stmt& stmt = s_.stmts[index];
      if (stmt.kind == StmtKind::advance) pipelines.insert(stmt.pipeline);
      collect(stmt.body, pipelines);
    }
  }

  // What is outstanding when a role ends.
  void drain(Index r) {
    Writer& out = e_.out;
    const RolePlan& plan = plan_.roles[r];
    if (plan.stores) {
      e_.use("store_wait_all");
      out.line(cat(plan.one_lane ? "" : "if (leader) ", "store_wait_all();  // shared memory may not go while stores read it"));
    }
    bool wgmma = false, tensor = false;
    for (const Op& op : s_.ops) {
      wgmma |= op.role == r && op.code == OpCode::wgmma;
      tensor |= op.role == r && op.code == OpCode::tcgen05_mma;
    }
    if (wgmma) {
      e_.use("wgmma_wait");
      out.line("wgmma_wait<0>();");
    }
    if (tensor) {
      e_.use("tcgen05_commit");
      e_.use("mbarrier_try");
      const std::string lead = plan.one_lane ? "" : "if (leader) ";
      out.line(lead + "tcgen05_commit(smem_base + TMEM_DRAIN_BARRIER);");
      out.line("while (!mbarrier_try(smem_base + TMEM_DRAIN_BARRIER, 0)) {}");
    }
  }

  void block(const std::vector<Index>& body) {
    for (Index index : body) statement(s_.stmts[index]);
  }

  void statement(const Stmt& stmt) {
    Writer& out = e_.out;
    const uint32_t line = e_.source_line(stmt.span);
    const std::string cite = cat("  // ", line, ": ", plan_.checked.text(stmt.span));
    switch (stmt.kind) {
      case StmtKind::op: dispatch(stmt.op); break;
      case StmtKind::let: out.from(line, -1, cat("const int ", plan_.symbols[stmt.symbols[0]], " = ", e_.expr(stmt.value), ";")); break;
      case StmtKind::advance: {
        const Pipeline& pipeline = s_.pipelines[stmt.pipeline];
        e_.use("next_slot");
        out.from(line, -1, cat("const u32 ", plan_.symbols[stmt.symbols[0]], " = ", pipeline.name, "_slot = next_slot<", pipeline.stages, ">(", pipeline.name, "_slot);",
                               plan_.options.bounded_waits ? cat(" ++", pipeline.name, "_use;") : std::string(), cite));
        break;
      }
      case StmtKind::when:
        out.open_from(line, -1, cat("if (", e_.expr(stmt.value), ") {", cite));
        block(stmt.body);
        out.close();
        break;
      case StmtKind::loop: {
        const std::string& name = plan_.symbols[stmt.symbols[0]];
        const Expr& step = s_.exprs[stmt.step];
        const std::string advance = step.kind == ExprKind::constant && step.value == 1 ? "++" + name : cat(name, " += ", e_.expr(stmt.step));
        out.open_from(line, -1, cat("_Pragma(\"unroll ", std::max(1, stmt.unroll), "\") for (int ", name, " = ", e_.expr(stmt.lo), "; ", name, " < ", e_.expr(stmt.hi, 7), "; ", advance, ") {", cite));
        block(stmt.body);
        out.close();
        break;
      }
      case StmtKind::tile_loop: tile_loop(stmt, line); break;
    }
  }

  void tile_loop(const Stmt& stmt, uint32_t line) {
    Writer& out = e_.out;
    const TileSpace& space = s_.tile_spaces[stmt.tiles];
    out.open_from(line, -1, cat("_Pragma(\"unroll 1\") for (int cta_tile = blockIdx.x; cta_tile < tile_count; cta_tile += gridDim.x) {  // ", line, ": ", plan_.checked.text(stmt.span)));
    const size_t rank = space.extents.size();
    if (space.order == "grouped" && rank == 2) {
      out.from(line, -1, cat("const int band = cta_tile / (", space.group, " * tiles_1) * ", space.group, ", band_rows = min(", space.group,
                             ", tiles_0 - band), in_band = cta_tile - band * tiles_1;"));
      out.from(line, -1, cat("const int ", plan_.symbols[stmt.symbols[0]], " = band + in_band % band_rows, ", plan_.symbols[stmt.symbols[1]], " = in_band / band_rows;"));
    } else {
      std::string rest = "cta_tile";
      for (size_t d = rank; d-- > 0;) {
        out.from(line, -1, cat("const int ", plan_.symbols[stmt.symbols[d]], " = ", d == 0 ? rest : cat(rest, " % tiles_", d), ";"));
        rest = cat("(", rest, " / tiles_", d, ")");
      }
    }
    block(stmt.body);
    out.close();
  }

  void dispatch(Index op) {
    switch (s_.ops[op].code) {
#define OPERATION(name) \
  case OpCode::name: OpEmitter<OpCode::name>::emit(e_, op); break;
#include "core_ir/operations.def"
#undef OPERATION
      case OpCode::count_: break;
    }
  }

  const Plan& plan_;
  const Schedule& s_;
  Emitter e_;
};

}  // namespace

Lowered emit(const Plan& plan) { return Kernel(plan).write(); }

}  // namespace bakery::lowering
