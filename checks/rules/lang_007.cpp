// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
const Rule rule_LANG_007 = {
    "LANG-007", Gate::build, Severity::error, Confidence::proved, 1,
    "beyond the builder's limits",
    "a schedule stays within the builder's limits",
    "Python's `range` and nested functions unroll while building. Beyond 200000 statements, 50 nested calls or 200\n"
    "nested index operations the text is refused instead of taking minutes.",
    "P5",
    "for i in range(1000000):\n"
    "    lm.sync()",
    "Use `lm.range` for long loops.",
    nullptr,
};

}  // namespace bakery
