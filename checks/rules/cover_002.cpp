// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
const Rule rule_COVER_002 = {
    "COVER-002", Gate::coverage, Severity::hint, Confidence::proved, 1,
    "scalars are sampled",
    "a verdict names the run-time scalars that it was checked for",
    "Loops run their full trip counts at chosen scalars: trips of 0, 1, S-1, S, S+1 and 2S+1 where the assumptions allow,\n"
    "ragged remainders, and one to three tiles a CTA. Protocol errors that need other values are not seen.\n"
    "Source: checks.md section 8.",
    "S5, M1",
    "for k in lm.range(0, lm.cdiv(K, 64)):",
    "Narrow the domain with `lm.assume`, or check with a contract.",
    nullptr,
};

}  // namespace bakery
