// SPDX-License-Identifier: Apache-2.0
// The reference pages that are made from the tables, so that they can't drift from them.
#pragma once

#include <string>
#include <vector>

#include "app/session/commands.h"
#include "checks/rule.h"

namespace bakery {

struct DocPage {
  std::string name;  // "rules.md"
  std::string text;
};

std::vector<DocPage> doc_pages();

// Those of checks/rules.def, then those that need a run.
std::vector<const Rule*> all_rules();

// "bakery check FILE [--target TARGET] …"
std::string usage_line(const Command& command);
// Usage of one command, and of the program, for `--help`.
std::string usage(const Command& command);
std::string usage();

}  // namespace bakery
