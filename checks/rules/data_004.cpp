// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) { report_races(facts, out, Observed::write_conflict, " and nothing orders that after this write: "); }

}  // namespace

const Rule rule_DATA_004 = {
    "DATA-004", Gate::data, Severity::error, Confidence::refuted, 1,
    "two writes that nothing orders",
    "two writes of the same bytes are ordered",
    "If nothing orders two writes, either of them can be the last one. Two copies into one slot need the consumer's release\n"
    "between them.\n"
    "Source: checks.md D2.",
    "D2",
    "a_s.tma_load(A, coords=(0, 0), stage=0, barrier=full)\n"
    "a_s.tma_load(A, coords=(64, 0), stage=0, barrier=full)",
    "Fill another stage, or wait for the slot's release before the second write.",
    check,
};

}  // namespace bakery
