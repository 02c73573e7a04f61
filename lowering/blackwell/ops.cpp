// SPDX-License-Identifier: Apache-2.0
// sm_100a, sm_103a: tcgen05. Assembled for these targets, never run here.
#include "lowering/emit/emitter.h"

namespace bakery::lowering {

void OpEmitter<OpCode::tcgen05_mma>::emit(Emitter& e, Index index) {
  const Op& op = e.schedule.ops[index];
  const View& a = e.schedule.views[op.a.resource];
  const View& b = e.schedule.views[op.b.resource];
  const ViewPlan& pa = e.plan.views[op.a.resource];
  const ViewPlan& pb = e.plan.views[op.b.resource];
  const Tmem& tmem = e.schedule.tmems[op.dst.resource];
  const int64_t m = a.shape[0], n = b.shape[0], k = a.shape[1];
  e.use("tcgen05_mma");
  e.use("tcgen05_descriptor");
  const auto offset = [](const ViewPlan& plan) {
    const int64_t steps = plan.span / 32;
    return plan.panels == 1 ? std::string("32 * i") : cat("i / ", steps, " * ", plan.panel_bytes(), " + i % ", steps, " * 32");
  };
  // Instruction descriptor: f32 accumulator (bit 4), operand types at 7 and 10, N / 8 at 17, M / 16 at 24.
  const uint32_t type = a.dtype == DType::bf16 ? 1 : 0;
  const uint32_t idesc = 1u << 4 | type << 7 | type << 10 | static_cast<uint32_t>(n / 8) << 17 | static_cast<uint32_t>(m / 16) << 24;
  const std::string name = cat("mma_", a.name, "_", b.name);
  e.define(name, cat("// D (", m, " x ", n, " in tensor memory) = A (", m, " x ", k, ") * B (", n, " x ", k, ") + (init ? 0 : D)\n",
                     "__device__ __forceinline__ void ", name, "(u32 d, u32 a, u32 b, bool init) {\n  constexpr u32 idesc = ", idesc, ";  // ", info(a.dtype).name, " x ",
                     info(b.dtype).name, " -> f32, M ", m, ", N ", n, ", both K-major\n#pragma unroll\n  for (u32 i = 0; i < ", k / 16,
                     "; ++i) tcgen05_mma(d, tcgen05_descriptor<", pa.swizzle, ">(a + ", offset(pa), "), tcgen05_descriptor<", pb.swizzle, ">(b + ", offset(pb),
                     "), idesc, i > 0 || !init);\n}"));
  const std::string condition = op.when == kNone ? std::string() : cat("if (", e.expr(op.when), ") ");
  e.leader_line(index, cat(condition, name, "(tmem_base + ", tmem.cols, ", ", e.view(op.a.resource, op.a.stage), ", ", e.view(op.b.resource, op.b.stage), ", ", e.expr(op.init), ");"));
}

void OpEmitter<OpCode::commit>::emit(Emitter& e, Index index) {
  const Op& op = e.schedule.ops[index];
  e.use("tcgen05_commit");
  const std::string commit = cat("tcgen05_commit(", e.barrier(op.barrier, op.stage), ");");
  if (e.plan.barriers[op.barrier].scale > 1) {
    e.use("mbarrier_arrive_n");
    e.leader_line(index, cat("mbarrier_arrive_n(", e.barrier(op.barrier, op.stage), ", ", e.plan.barriers[op.barrier].scale - 1, ");"));
  }
  e.leader_line(index, op.when == kNone ? commit : cat("if (", e.expr(op.when), ") ", commit));
}

}  // namespace bakery::lowering
