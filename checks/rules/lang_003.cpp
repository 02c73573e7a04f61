// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
const Rule rule_LANG_003 = {
    "LANG-003", Gate::build, Severity::error, Confidence::proved, 1,
    "wrong arguments",
    "an operation gets exactly the arguments that it declares",
    "An argument that is missing, unknown or given twice is refused: an ignored argument would look like a decision\n"
    "that took effect.",
    "P3, P4",
    "lm.wait(full)",
    "Give the arguments that the operation declares; a staged barrier needs `stage=`.",
    nullptr,
};

}  // namespace bakery
