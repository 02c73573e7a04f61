// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  size_t cut = 0;
  for (const SampleRun& sample : facts.runs) cut += sample.trace.truncated;
  const size_t missing = facts.samples.size() - facts.runs.size();
  if (cut + missing == 0) return;
  out.cover(facts.schedule.name_span, "the event limit was reached: " + std::to_string(cut) + " of " + std::to_string(facts.samples.size()) +
                                          " samples were cut short and " + std::to_string(missing) + " were not run");
}

}  // namespace

const Rule rule_COVER_003 = {
    "COVER-003", Gate::coverage, Severity::hint, Confidence::proved, 1,
    "the event limit was reached",
    "a live check stops at its event limit and says so",
    "A live check runs at most 20000 machine events so that it answers between two keystrokes. What lies behind the limit\n"
    "was not looked at, so the verdict is \"incomplete\".\n"
    "Source: architecture.md 1.",
    "architecture.md 1",
    "for k in lm.range(0, 1000000000):",
    "Shorten the loop, make its bound a parameter, or raise `--event-limit`.",
    check,
};

}  // namespace bakery
