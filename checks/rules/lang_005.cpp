// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
const Rule rule_LANG_005 = {
    "LANG-005", Gate::build, Severity::error, Confidence::proved, 1,
    "statement in the wrong place",
    "resources stand outside of role bodies, device statements inside of them",
    "Everything outside role bodies happens while building; everything inside runs on the device. A compile-time `if`\n"
    "on a run-time value, a barrier declared inside a loop, or a name rebound in a device loop would mean something else\n"
    "than it says.",
    "language.md, meaning",
    "with load:\n"
    "    full = lm.barrier(count=1, prod=[load], cons=[mma], init_count=1)",
    "Move resources to the schedule, device operations into a role; use `when=` for run-time conditions.",
    nullptr,
};

}  // namespace bakery
