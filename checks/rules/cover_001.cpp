// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  for (const Tunable& tunable : facts.schedule.tunables) {
    if (tunable.choices.size() < 2) continue;
    std::string others;
    size_t named = 0;
    for (int64_t choice : tunable.choices)
      if (choice != tunable.value && ++named <= 8) others += (others.empty() ? "" : ", ") + std::to_string(choice);
    if (named > 8) others += " and " + std::to_string(named - 8) + " more";
    out.cover(tunable.span, "`" + tunable.name + "` was checked at " + std::to_string(tunable.value) + ", not at " + others + " (`--all-tunables` does)");
  }
}

}  // namespace

const Rule rule_COVER_001 = {
    "COVER-001", Gate::coverage, Severity::hint, Confidence::proved, 1,
    "tunable choices that were not checked",
    "a verdict holds for the tunables in force",
    "A schedule is checked at the values of its tunables that are in force; another choice is another schedule.",
    "language.md, tunables",
    "S = lm.tunable(\"stages\", 4, choices=[3, 4])",
    "Pass `--all-tunables` to check every choice.",
    check,
};

}  // namespace bakery
