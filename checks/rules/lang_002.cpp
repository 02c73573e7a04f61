// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
const Rule rule_LANG_002 = {
    "LANG-002", Gate::build, Severity::error, Confidence::proved, 1,
    "unknown name or operation",
    "every name and operation is known",
    "The vocabulary is closed: an operation exists only if its hardware behaviour, its effects and its legality are\n"
    "declared. A misspelt name would otherwise become a silent no-op.",
    "P3, P4",
    "lm.wiat(full, stage=s)",
    "Use the spelling that the message suggests; `bakery explain` and completion list the operations.",
    nullptr,
};

}  // namespace bakery
