// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
const Rule rule_LANG_004 = {
    "LANG-004", Gate::build, Severity::error, Confidence::proved, 1,
    "wrong type or value",
    "every value has the type and range that its use needs",
    "Types are checked while building, so that a wrongly typed schedule never reaches analysis: stages are positive,\n"
    "shapes are constants, index arithmetic is affine, barriers count 1 to 1048575 arrivals (PTX ISA, mbarrier object).",
    "P4, H6",
    "pipe = lm.pipeline(stages=0)",
    "Use a value of the type and range that the message names.",
    nullptr,
};

}  // namespace bakery
