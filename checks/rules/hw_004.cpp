// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  const Schedule& schedule = facts.schedule;
  bool budgets = false;
  for (const Role& role : schedule.roles) {
    if (role.regs == 0) continue;
    budgets = true;
    if (role.regs >= 24 && role.regs <= 256 && role.regs % 8 == 0) continue;
    Finding& finding = out.report(role.regs_span, "`" + role.name + "` asks for " + std::to_string(role.regs) + " registers a thread");
    finding.role = finding.resource = role.name;
    finding.expected = "a multiple of 8 from 24 to 256";
    finding.declared = std::to_string(role.regs);
  }
  if (!budgets) return;

  // One value a warpgroup: roles in one warpgroup must agree.
  std::map<int, const Role*> owner;
  for (const Role& role : schedule.roles)
    for (int warp : role.warps) {
      const auto [it, fresh] = owner.emplace(warp / 4, &role);
      if (fresh || it->second == &role || it->second->regs == role.regs) continue;
      Finding& finding = out.report(role.span, "`" + role.name + "` and `" + it->second->name + "` share warpgroup " +
                                                   std::to_string(warp / 4) + " but ask for different registers");
      finding.role = finding.resource = role.name;
      finding.expected = std::to_string(it->second->regs);
      finding.declared = std::to_string(role.regs);
      finding.related.push_back({it->second->span, it->second->name, it->second->name, {}, "the other role of the warpgroup"});
      it->second = &role;
    }

  const int threads = schedule.threads();
  if (threads <= 0) return;
  int largest = 0;
  for (const Role& role : schedule.roles) largest = std::max(largest, role.regs);
  const int launch = std::min({255, 65536 / threads / 8 * 8, largest == 0 ? 255 : largest});
  int asked = 0;
  for (int group = 0; group < threads / 128; ++group) {
    const auto it = owner.find(group);
    asked += it == owner.end() || it->second->regs == 0 ? launch : it->second->regs;
  }
  const int available = launch * (threads / 128);
  if (asked <= available) return;
  const Role* worst = nullptr;
  for (const Role& role : schedule.roles)
    if (!worst || role.regs > worst->regs) worst = &role;
  Finding& finding = out.report(worst->regs_span, "the warpgroups ask for " + std::to_string(asked) + " registers a thread slot, but the CTA is launched with " +
                                                      std::to_string(available));
  finding.role = finding.resource = worst->name;
  finding.expected = "a sum of at most " + std::to_string(threads / 128) + " x " + std::to_string(launch) + " = " + std::to_string(available);
  finding.declared = std::to_string(asked);
}

}  // namespace

const Rule rule_HW_004 = {
    "HW-004", Gate::hardware, Severity::error, Confidence::proved, 1,
    "a register budget that cannot be",
    "register budgets are legal and fit the register file",
    "`setmaxnreg` takes 24 to 256 in steps of 8 and is executed by whole warpgroups with one value. The CTA is launched\n"
    "with floor8(65536 / threads) registers a thread at most; what the warpgroups ask for together must not exceed it, or\n"
    "the increase blocks for ever. ptxas does not check this.\n"
    "Source: PTX ISA, setmaxnreg; hardware.md 4.6.",
    "H4, R6",
    "load = lm.role(warps=[0], regs=40)\n"
    "mma = lm.role(warps=range(4, 12), regs=256)",
    "For one producer and two consumer warpgroups use 40 and 232 or 24 and 240.",
    check,
};

}  // namespace bakery
