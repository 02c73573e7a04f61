// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  const Schedule& schedule = facts.schedule;
  std::string names;
  for (const Target& target : targets()) names += (names.empty() ? "" : ", ") + std::string(target.name);
  if (!facts.requested_target.empty() && !find_target(facts.requested_target)) {
    const bool declared = schedule.declared_target == facts.requested_target;
    Finding& finding = out.report(declared ? schedule.target_span : schedule.name_span,
                                  "unknown target `" + std::string(facts.requested_target) + "`");
    finding.resource = schedule.name;
    finding.expected = "one of " + names;
    finding.declared = std::string(facts.requested_target);
    return;
  }
  if (schedule.declared_target.empty() || schedule.declared_target == facts.requested_target) return;
  if (facts.requested_target.empty()) return;
  Finding& finding = out.report(schedule.target_span, "`" + schedule.name + "` is written for `" + schedule.declared_target +
                                                          "`, but is checked for `" + std::string(facts.requested_target) + "`");
  finding.resource = schedule.name;
  finding.expected = schedule.declared_target;
  finding.declared = std::string(facts.requested_target);
}

}  // namespace

const Rule rule_HW_001 = {
    "HW-001", Gate::hardware, Severity::error, Confidence::proved, 1,
    "the target is unknown or contradicted",
    "a schedule is checked for exactly one known target",
    "A schedule for one target runs on that target only; there is no stepping down. The decorator and the command line\n"
    "must agree.\n"
    "Source: architecture.md 11.",
    "H1",
    "@cake.schedule(target=\"sm_90\")",
    "Name one of sm_80, sm_89, sm_90a, sm_100a, sm_103a, sm_120a, sm_121a.",
    check,
};

}  // namespace bakery
