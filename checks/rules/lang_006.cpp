// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
const Rule rule_LANG_006 = {
    "LANG-006", Gate::build, Severity::error, Confidence::proved, 1,
    "no schedule in the file",
    "a file holds one schedule",
    "A schedule is a function decorated with `@cake.schedule(...)`. Without one there is nothing to check.",
    "language.md",
    "def gemm(lm): pass",
    "Decorate the function: `@cake.schedule(target=\"sm_90a\")`.",
    nullptr,
};

}  // namespace bakery
