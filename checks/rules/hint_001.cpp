// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  const Schedule& schedule = facts.schedule;
  const auto hint = [&](Span span, const char* what, const std::string& name) {
    Finding& finding = out.report(span, std::string(what) + " `" + name + "` is never used");
    finding.resource = name;
  };
  for (const Parameter& parameter : schedule.params)
    if (!parameter.used) hint(parameter.span, "parameter", parameter.name);
  for (Index i = 0; i < schedule.views.size(); ++i) {
    bool used = false;
    for (const Op& op : schedule.ops)
      for (const Region* region : {&op.dst, &op.a, &op.b}) used |= region->space == Space::shared && region->resource == i;
    if (!used) hint(schedule.views[i].span, "view", schedule.views[i].name);
  }
  for (Index i = 0; i < schedule.barriers.size(); ++i) {
    bool used = false;
    for (const Op& op : schedule.ops) used |= op.barrier == i;
    if (!used) hint(schedule.barriers[i].span, "barrier", schedule.barriers[i].name);
  }
  for (const Role& role : schedule.roles)
    if (role.body.empty()) hint(role.span, "role", role.name);
}

}  // namespace

const Rule rule_HINT_001 = {
    "HINT-001", Gate::hint, Severity::hint, Confidence::proved, 1,
    "declared but unused",
    "what is declared is used",
    "An unused parameter, view, barrier or role costs nothing at run time but misleads whoever reads the schedule.",
    "P2",
    "def f(lm, Q: LM.tma3d, O: LM.tma2d):  # O is never stored",
    "Use it or take it out.",
    check,
};

}  // namespace bakery
