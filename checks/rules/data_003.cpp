// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) { report_races(facts, out, Observed::overwrite_in_use, " while this may still run: "); }

}  // namespace

const Rule rule_DATA_003 = {
    "DATA-003", Gate::data, Severity::error, Confidence::refuted, 1,
    "a slot overwritten while in use",
    "bytes are overwritten after all earlier accesses to them are complete",
    "Before a slot is filled again, every reader must be done with it: an asynchronous reader (wgmma, a bulk store) is done\n"
    "only when an `mma_wait` or `store_wait` covers it, and the writer knows that only through a barrier.\n"
    "Source: checks.md D2; PTX ISA, wgmma.wait_group, cp.async.bulk.wait_group.read.",
    "D2, R13, R25",
    "lm.mma(acc, a_s[s], b_s[s], init=False)\n"
    "lm.arrive(empty, stage=s)   # no lm.mma_wait before the release",
    "Put `lm.mma_wait` (or `lm.store_wait`) before the release, and a wait on the empty barrier before the next fill.",
    check,
};

}  // namespace bakery
