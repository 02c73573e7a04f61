// SPDX-License-Identifier: Apache-2.0
// Emitters of the operations that are the same on every target with TMA.
#include <algorithm>

#include "lowering/emit/emitter.h"

namespace bakery::lowering {
namespace {

std::string guarded(Emitter& e, const Op& op, const std::string& text) {
  return op.when == kNone ? text : cat("if (", e.expr(op.when), ") ", text);
}

// Columns of the widest fragment in a tile expression.
int64_t fragment_columns(const Schedule& schedule, Index tile_index) {
  if (tile_index == kNone) return 0;
  const Tile& tile = schedule.tiles[tile_index];
  if (tile.kind == TileKind::fragment) return schedule.fragments[tile.region.resource].shape[1];
  return std::max(fragment_columns(schedule, tile.a), fragment_columns(schedule, tile.b));
}

}  // namespace

void OpEmitter<OpCode::tma_load>::emit(Emitter& e, Index index) {
  const Op& op = e.schedule.ops[index];
  const ViewPlan& view = e.plan.views[op.dst.resource];
  const TensorMapSpec& map = e.plan.manifest.maps[e.plan.map_of.at(index)];
  const std::string condition = op.when == kNone ? "" : cat("if (", e.expr(op.when), ") ");
  const auto fill = e.plan.fills.find(index);
  if (fill != e.plan.fills.end()) {
    std::string parts;
    for (Index copy : fill->second.copies) {
      const View& filled = e.schedule.views[e.schedule.ops[copy].dst.resource];
      parts += cat(parts.empty() ? "" : " + ", e.constant(filled.name, "STAGE_BYTES"));
    }
    if (e.plan.barriers[op.barrier].scale > 1) {
      e.use("mbarrier_arrive_n");
      e.leader_line(index, cat(condition, "mbarrier_arrive_n(", e.barrier(op.barrier, op.stage), ", ", e.plan.barriers[op.barrier].scale - 1, ");"));
    }
    e.use("mbarrier_expect");
    e.leader_line(index, cat(condition, "mbarrier_expect(", e.barrier(op.barrier, op.stage), ", ", parts, ");"));
  }
  const std::string helper = cat("tma_load_", map.rank, "d");
  e.use(helper.c_str());
  for (int64_t panel = 0; panel < view.panels; ++panel) {
    std::string coords;
    for (size_t d = 0; d < op.coords.size(); ++d) {
      coords += cat(", ", e.expr(op.coords[d], 8));
      if (d == 0 && panel > 0) coords += cat(" + ", panel * map.box[0]);
    }
    std::string address = e.view(op.dst.resource, op.dst.stage);
    if (panel > 0) address += cat(" + ", panel * view.panel_bytes());
    e.leader_line(index, cat(condition, helper, "(", address, ", &", map.tensor, "_", map.view, coords, ", ", e.barrier(op.barrier, op.stage), ");"));
  }
}

void OpEmitter<OpCode::tma_store>::emit(Emitter& e, Index index) {
  const Op& op = e.schedule.ops[index];
  const ViewPlan& view = e.plan.views[op.a.resource];
  const TensorMapSpec& map = e.plan.manifest.maps[e.plan.map_of.at(index)];
  const std::string helper = cat("tma_store_", map.rank, "d");
  e.use(helper.c_str());
  e.use("store_commit");
  std::string copies;
  const std::string condition = op.when == kNone ? "" : cat("if (", e.expr(op.when), ") ");
  for (int64_t panel = 0; panel < view.panels; ++panel) {
    std::string coords;
    for (size_t d = 0; d < op.coords.size(); ++d) {
      coords += cat(", ", e.expr(op.coords[d], 8));
      if (d == 0 && panel > 0) coords += cat(" + ", panel * map.box[0]);
    }
    std::string address = e.view(op.a.resource, op.a.stage);
    if (panel > 0) address += cat(" + ", panel * view.panel_bytes());
    copies += cat(helper, "(&", map.tensor, "_", map.view, coords, ", ", address, "); ");
  }
  e.leader_line(index, cat(condition, "{ ", copies, "store_commit(); }"));
}

void OpEmitter<OpCode::store>::emit(Emitter& e, Index index) {
  const Op& op = e.schedule.ops[index];
  const View& view = e.schedule.views[op.dst.resource];
  const ViewPlan& plan = e.plan.views[op.dst.resource];
  const Tile& tile = e.schedule.tiles[op.value];
  const int64_t blocks = view.rows() / (64 * e.agents());  // 64-row blocks an agent
  // The cast is done by the packing instruction.
  const Index value = tile.kind == TileKind::cast ? tile.a : op.value;
  const char* pack = view.dtype == DType::f16 ? "pack_f16" : "pack_bf16";
  e.use(pack);
  e.use("stmatrix_x4");
  e.use("swizzled");
  const int64_t columns_a_panel = plan.span / 2;
  for (int64_t block = 0; block < blocks; ++block) {
    const std::string row = cat(block == 0 ? std::string() : cat(block * 64, " + "), "agent * ", 64 * blocks, " + warp % 4 * 16 + lane % 16");
    std::string registers;
    const int64_t base = block * fragment_columns(e.schedule, op.value) / 2;  // registers before this 64-row block
    for (int pair = 0; pair < 4; ++pair) {
      const auto at = [&](int offset) { return cat(base == 0 ? std::string() : cat(base, " + "), "8 * j + ", offset); };
      registers += cat(", ", pack, "(", e.element(value, at(2 * pair)), ", ", e.element(value, at(2 * pair + 1)), ")");
    }
    const std::string panel = plan.panels > 1 ? cat(" + j / ", columns_a_panel / 16, " * ", plan.panel_bytes()) : "";
    const std::string chunk = plan.panels > 1 ? cat("j % ", columns_a_panel / 16, " * 2 + lane / 16") : "j * 2 + lane / 16";
    e.line(index, cat("_Pragma(\"unroll\") for (u32 j = 0; j < ", tile.cols / 16, "; ++j) stmatrix_x4(", e.view(op.dst.resource, op.dst.stage), panel, " + swizzled<", plan.span, ", ", plan.swizzle, ">(", row, ", ", chunk, ")", registers, ");"));
  }
}

void OpEmitter<OpCode::compute>::emit(Emitter& e, Index index) {
  const Op& op = e.schedule.ops[index];
  const Fragment& fragment = e.schedule.fragments[op.dst.resource];
  const int64_t count = op.dst.cols * fragment_registers(e.schedule, fragment) / fragment.shape[1];
  const int64_t first = op.dst.col / 8 * 4;
  e.line(index, cat("_Pragma(\"unroll\") for (u32 i = 0; i < ", count, "; ++i) ", fragment.name, "[", first == 0 ? std::string("i") : cat(first, " + i"), "] = ", e.element(op.value, "i"), ";"));
}

void OpEmitter<OpCode::wait>::emit(Emitter& e, Index index) {
  const Op& op = e.schedule.ops[index];
  const Barrier& barrier = e.schedule.barriers[op.barrier];
  e.use("mbarrier_wait");
  const std::string phase = barrier.name + "_phase";
  const std::string stage = e.stage_text(op.stage);
  const std::string parity = barrier.count == 1 ? phase : cat(phase, " >> ", e.expr(op.stage, 8), " & 1");
  const std::string bit = barrier.count == 1 ? "1" : cat("1u << ", e.expr(op.stage, 8));
  std::string extra;
  if (e.plan.options.bounded_waits) {
    std::string lap = "0";
    if (barrier.pipeline != kNone) {
      lap = cat(e.schedule.pipelines[barrier.pipeline].name, "_use / ", barrier.count);
      if (!barrier.free) lap += " + 1";
    }
    extra = cat(", faults, ", e.role, ", ", op.barrier, ", ", stage, ", ", e.source_line(op.span), ", ", lap);
  }
  const std::string wait = cat("mbarrier_wait(", e.barrier(op.barrier, op.stage), ", ", parity, extra, ");");
  const std::string flip = cat(phase, " ^= ", bit, ";");
  if (op.when == kNone) {
    e.line(index, wait + " " + flip);
  } else {
    e.line(index, cat("if (", e.expr(op.when), ") { ", wait, " ", flip, " }"));
  }
  // Tensor-memory work after a wait is ordered after what the wait saw.
  bool tensor = false;
  for (const Op& other : e.schedule.ops) tensor |= other.role == op.role && other.dst.space == Space::tensor;
  if (tensor) {
    e.use("tcgen05_fence_after");
    e.line(index, "tcgen05_fence_after();");
  }
}

void OpEmitter<OpCode::arrive>::emit(Emitter& e, Index index) {
  const Op& op = e.schedule.ops[index];
  const BarrierPlan& plan = e.plan.barriers[op.barrier];
  const int64_t lanes = e.plan.roles[e.role].warpgroups ? 4 : 1;  // arriving lanes an agent
  e.use("mbarrier_arrive");
  const std::string address = e.barrier(op.barrier, op.stage);
  std::string arrive = cat("mbarrier_arrive(", address, ");");
  if (plan.scale / lanes > 1) {
    e.use("mbarrier_arrive_n");
    arrive = cat("mbarrier_arrive_n(", address, ", ", plan.scale / lanes, ");");
  }
  if (e.one_lane()) {
    e.line(index, guarded(e, op, arrive));
    return;
  }
  e.line(index, op.when == kNone ? cat("__syncwarp(); if (lane == 0) ", arrive) : cat("__syncwarp(); if (lane == 0 && ", e.expr(op.when, 4), ") ", arrive));
}

void OpEmitter<OpCode::fence_proxy>::emit(Emitter& e, Index index) {
  e.use("fence_proxy_async");
  e.line(index, guarded(e, e.schedule.ops[index], "fence_proxy_async();"));
}

void OpEmitter<OpCode::sync>::emit(Emitter& e, Index index) {
  e.use("role_sync");
  e.line(index, cat("role_sync<", e.plan.roles[e.role].barrier_id, ", ", 32 * e.schedule.roles[e.role].warps.size(), ">();"));
}

void OpEmitter<OpCode::store_wait>::emit(Emitter& e, Index index) {
  e.use("store_wait_read");
  e.leader_line(index, cat("store_wait_read<", e.schedule.ops[index].pending, ">();"));
}

}  // namespace bakery::lowering
