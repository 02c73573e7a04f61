// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for (const Op& op : facts.schedule.ops) {
    if (op.a.space != Space::shared || op.b.space != Space::shared) continue;
    const Role& role = facts.schedule.roles[op.role];
    const View& a = facts.schedule.views[op.a.resource];
    const View& b = facts.schedule.views[op.b.resource];
    const std::string accumulator = facts.schedule.resource_name(op.dst);
    const auto report = [&](Span span, const std::string& resource, std::string message, std::string expected, std::string declared) {
      Finding& finding = out.report(span, std::move(message));
      finding.role = role.name;
      finding.resource = resource;
      finding.expected = std::move(expected);
      finding.declared = std::move(declared);
    };
    if (a.shape.size() != 2 || b.shape.size() != 2) {
      report(op.span, a.shape.size() != 2 ? a.name : b.name, "operands of `lm.mma` have two dimensions", "M x K and N x K", "");
      continue;
    }
    const int64_t m = a.shape[0], n = b.shape[0], k = a.shape[1];
    const auto dims = [](int64_t x, int64_t y) { return std::to_string(x) + " x " + std::to_string(y); };
    if (b.shape[1] != k) {
      report(op.b.span, b.name, "`" + a.name + "` and `" + b.name + "` differ in K", "N x " + std::to_string(k), dims(n, b.shape[1]));
      continue;
    }
    if (op.dst.rows != m || op.dst.cols != n) {
      report(op.dst.span, accumulator, "the accumulator `" + accumulator + "` does not have the operands' M x N", dims(m, n), dims(op.dst.rows, op.dst.cols));
      continue;
    }
    if (a.dtype != b.dtype || (a.dtype != DType::bf16 && a.dtype != DType::f16)) {
      report(op.span, b.name, "`lm.mma` takes two bf16 or two f16 operands", "bf16 and bf16, or f16 and f16",
             std::string(info(a.dtype).name) + " and " + info(b.dtype).name);
      continue;
    }
    if (k % 16 != 0) {
      report(op.a.span, a.name, "K of `" + a.name + "` is no multiple of the instruction's 16", "a multiple of 16", std::to_string(k));
      continue;
    }
    const DType accumulates = op.dst.space == Space::tensor ? facts.schedule.tmems[op.dst.resource].dtype : facts.schedule.fragments[op.dst.resource].dtype;
    if (accumulates != DType::f32) {
      report(op.dst.span, accumulator, "`" + accumulator + "` accumulates in " + info(accumulates).name, "f32", info(accumulates).name);
      continue;
    }
    if (op.dst.space == Space::tensor) {
      const int64_t step = m == 64 ? 8 : 16;
      if ((m != 64 && m != 128) || n < 8 || n > 256 || n % step != 0)
        report(op.span, accumulator, "tcgen05 has no " + dims(m, n) + " MMA", "M 64 or 128, N up to 256 in steps of " + std::to_string(step), dims(m, n));
      continue;
    }
    if (!role.whole_warpgroups()) {
      report(role.warps_span, role.name, "`" + role.name + "` issues wgmma but is not made of whole warpgroups",
             "multiples of 4 warps, the first a multiple of 4", std::to_string(role.warps.size()) + " warps from " + std::to_string(role.warps.front()));
      continue;
    }
    if (m % (64 * role.agents()) != 0)
      report(op.dst.span, accumulator, "`" + accumulator + "` has " + std::to_string(m) + " rows for " + std::to_string(role.agents()) + " warpgroups",
             "a multiple of " + std::to_string(64 * role.agents()), std::to_string(m));
    else if (n < 8 || n > 256 || n % 8 != 0)
      report(op.b.span, b.name, "wgmma has no N of " + std::to_string(n), "8 to 256 in steps of 8", std::to_string(n));
    const int64_t registers = m / role.agents() * n / 128;
    const int budget = role.regs == 0 ? 255 : role.regs;
    if (registers > budget)
      report(op.dst.span, accumulator, "`" + accumulator + "` takes " + std::to_string(registers) + " registers a thread, more than `" + role.name + "` has",
             "at most " + std::to_string(budget), std::to_string(registers));
  }
}

}  // namespace

const Rule rule_HW_007 = {
    "HW-007", Gate::hardware, Severity::error, Confidence::proved, 1,
    "an MMA shape that the tensor core lacks",
    "`lm.mma` has operands and a shape that the target's instruction takes",
    "wgmma: 64 rows an instruction and warpgroup, N from 8 to 256 in steps of 8, K in steps of 16 for 16-bit types, roles of\n"
    "whole aligned warpgroups, f32 accumulators. tcgen05 (one CTA): M 64 (N in steps of 8) or 128 (N in steps of 16), N to 256.\n"
    "A is M x K, B is N x K, both with K innermost.\n"
    "Source: PTX ISA, wgmma.mma_async and tcgen05.mma shapes.",
    "H11, H15, S1, R16, R18, R21",
    "mma = lm.role(warps=range(1, 5))  # not an aligned warpgroup",
    "Use whole warpgroups (4 warps, the first a multiple of 4), 64 rows each, and operands with equal K.",
    check,
};

}  // namespace bakery
