// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
const Rule rule_LANG_001 = {
    "LANG-001", Gate::build, Severity::error, Confidence::proved, 1,
    "the text is not CAKE IR",
    "a schedule is written in the syntax of CAKE IR",
    "CAKE IR is a small part of Python's syntax: assignments, `with`, `for`, `if`, `def`, `pass` and calls.\n"
    "The rest of Python (classes, imports, `while`, comprehensions …) has no meaning here.",
    "language.md, meaning",
    "lm.wait(full, stage=s",
    "Close the bracket; the message points at the place where it opens.",
    nullptr,
};

}  // namespace bakery
