// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

std::string names_of(TargetSet set) {
  std::string names;
  for (const Target& target : targets())
    if (contains(set, target.id)) names += (names.empty() ? "" : ", ") + std::string(target.name);
  return names;
}

void check(const Facts& facts, Reporter& out) {
  if (!facts.target) return;
  const Target& target = *facts.target;
  for (const Tmem& tmem : facts.schedule.tmems) {
    if (target.tmem_columns > 0) continue;
    Finding& finding = out.report(tmem.span, "`" + tmem.name + "` needs tensor memory, which `" + target.name + "` does not have");
    finding.resource = tmem.name;
    finding.expected = names_of(kDatacenterBlackwell);
    finding.declared = target.name;
    for (const Op& op : facts.schedule.ops)
      if (op.dst.space == Space::tensor && facts.schedule.tmems[op.dst.resource].name == tmem.name) {
        finding.related.push_back({op.span, facts.role(op.role), tmem.name, {}, "`" + facts.role(op.role) + "` accumulates in it here"});
        break;
      }
  }
  for (const Op& op : facts.schedule.ops) {
    const Operation& record = operation(op.code);
    if (contains(record.targets, target.id)) continue;
    if (op.dst.space == Space::tensor && target.tmem_columns == 0) continue;  // said of the resource
    Finding& finding = out.report(op.span, "`lm." + std::string(record.spelling) + "` here is `" + record.hardware + "`, which `" +
                                               target.name + "` does not have");
    if (record.receiver == Receiver::view)
      finding.message = "`" + std::string(record.spelling) + "` is `" + record.hardware + "`, which `" + target.name + "` does not have";
    finding.role = facts.role(op.role);
    finding.resource = op.barrier != kNone ? facts.schedule.barriers[op.barrier].name
                       : op.dst.space != Space::none ? facts.schedule.resource_name(op.dst) : facts.schedule.resource_name(op.a);
    finding.expected = names_of(record.targets);
    finding.declared = target.name;
  }
  for (const Role& role : facts.schedule.roles) {
    if (role.regs == 0 || target.register_budgets) continue;
    Finding& finding = out.report(role.regs_span, "`" + role.name + "` has a register budget, which `" + target.name + "` cannot change");
    finding.role = role.name;
    finding.resource = role.name;
    finding.declared = target.name;
  }
}

}  // namespace

const Rule rule_HW_002 = {
    "HW-002", Gate::hardware, Severity::error, Confidence::proved, 1,
    "the target lacks this",
    "every resource and operation exists on the exact target",
    "Tensor memory and tcgen05 exist on sm_100a and sm_103a only, wgmma on sm_90a only, TMA and register budgets from\n"
    "sm_90a on. Nothing is emulated.\n"
    "Source: PTX ISA, target notes of each instruction.",
    "H1",
    "acc = lm.tmem(cols=0, width=128, shape=(128, 128), dtype=lm.f32)  # for sm_90a",
    "Use what the target has (a register fragment on sm_90a, tensor memory on sm_100a), or another target.",
    check,
};

}  // namespace bakery
