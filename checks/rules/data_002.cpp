// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) { report_races(facts, out, Observed::read_before_write, " and nothing orders that after the write: "); }

}  // namespace

const Rule rule_DATA_002 = {
    "DATA-002", Gate::data, Severity::error, Confidence::refuted, 1,
    "data read before it is complete",
    "data is read after the write that makes it is complete",
    "A TMA copy is complete when its bytes have arrived on its barrier and the reader has waited for that completion; an\n"
    "MMA result when an `mma_wait` covers it or a commit has arrived. Nothing else orders the two: not program order, not\n"
    "elapsed time.\n"
    "Source: PTX ISA, async operations; checks.md D1, D3.",
    "D1, D3, R13, R15",
    "a_s.tma_load(A, coords=(0, 0), stage=0, barrier=full)   # load\n"
    "lm.mma(acc, a_s[0], b_s[0], init=True)                   # mma, without lm.wait(full, stage=0)",
    "Wait on the barrier of the copy before the read, in the reading role.",
    check,
};

}  // namespace bakery
