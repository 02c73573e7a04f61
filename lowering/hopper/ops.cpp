// SPDX-License-Identifier: Apache-2.0
// sm_90a: wgmma.
#include <algorithm>

#include "lowering/emit/emitter.h"

namespace bakery::lowering {

namespace {

// Byte offset of K step `i` in a K-major tile.
std::string step_offset(const ViewPlan& plan) {
  const int64_t steps = plan.span / 32;
  if (plan.panels == 1) return "32 * i";
  return cat("i / ", steps, " * ", plan.panel_bytes(), " + i % ", steps, " * 32");
}

}  // namespace

void OpEmitter<OpCode::wgmma>::emit(Emitter& e, Index index) {
  const Op& op = e.schedule.ops[index];
  const View& a = e.schedule.views[op.a.resource];
  const View& b = e.schedule.views[op.b.resource];
  const ViewPlan& pa = e.plan.views[op.a.resource];
  const ViewPlan& pb = e.plan.views[op.b.resource];
  const std::string& acc = e.schedule.fragments[op.dst.resource].name;
  const int64_t n = b.shape[0], k = a.shape[1];
  const int64_t rows = a.shape[0] / e.agents();
  const int64_t blocks = rows / 64;
  const std::string instruction = cat("wgmma_m64n", n, "k16_", info(a.dtype).name);
  for (const char* helper : {instruction.c_str(), "wgmma_fence", "wgmma_commit", "pin", "descriptor"}) e.use(helper);

  const std::string name = cat("mma_", a.name, "_", b.name);
  std::string text = cat("// D (", rows, " x ", n, ") = A (", rows, " x ", k, ") * B (", n, " x ", k, ") + (init ? 0 : D), as one group\n",
                         "__device__ __forceinline__ void ", name, "(float (&d)[", blocks * n / 2, "], u32 a, u32 b, bool init) {\n  pin(d);\n  wgmma_fence();\n",
                         "#pragma unroll\n  for (u32 i = 0; i < ", k / 16, "; ++i) {\n");
  for (int64_t block = 0; block < blocks; ++block) {
    const std::string registers = blocks == 1 ? std::string("d") : cat("*reinterpret_cast<float(*)[", n / 2, "]>(d + ", block * n / 2, ")");
    text += cat("    ", instruction, "(", registers, ", descriptor<", pa.swizzle, ">(a + ", block == 0 ? std::string() : cat(block * 64 * pa.span, " + "),
                step_offset(pa), "), descriptor<", pb.swizzle, ">(b + ", step_offset(pb), "), i > 0 || !init);\n");
  }
  text += "  }\n  wgmma_commit();\n  pin(d);\n}";
  e.define(name, text);

  const std::string row = e.agents() == 1 ? std::string() : cat(" + agent * ", rows * pa.span);
  const std::string condition = op.when == kNone ? std::string() : cat("if (", e.expr(op.when), ") ");
  e.line(index, cat(condition, name, "(", acc, ", ", e.view(op.a.resource, op.a.stage), row, ", ", e.view(op.b.resource, op.b.stage), ", ", e.expr(op.init), ");"));
}

void OpEmitter<OpCode::mma_wait>::emit(Emitter& e, Index index) {
  const int pending = e.schedule.ops[index].pending;
  e.use("wgmma_wait");
  std::string text = cat("wgmma_wait<", pending, ">();");
  for (Index f = 0; f < e.schedule.fragments.size() && pending == 0; ++f) {
    const bool accumulates = std::any_of(e.schedule.ops.begin(), e.schedule.ops.end(), [&](const Op& op) {
      return op.role == e.role && op.code == OpCode::wgmma && op.dst.resource == f;
    });
    if (!accumulates) continue;
    e.use("pin");
    text += cat(" pin(", e.schedule.fragments[f].name, ");");
  }
  e.line(index, text);
}

}  // namespace bakery::lowering
