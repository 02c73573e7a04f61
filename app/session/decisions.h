// SPDX-License-Identifier: Apache-2.0
// Writes what an agent proposed and what a person decided to the store beside the schedule.
#pragma once

#include <string>

#include "app/session/analysis.h"

namespace bakery {

struct DecisionRecord {
  std::string file;         // the schedule's path, to find the store
  std::string text_before;  // the person's text
  std::string text_after;
  std::string kind;         // accept, edit, reject, restore, undo accept …
  std::string reason;
  std::string detail;       // JSON object about the hunks; errors and hashes are added
  AnalysisOptions options;
};

// Each returns what went wrong, empty: nothing.
std::string record_decision(const DecisionRecord& record);
std::string record_proposal(const std::string& file, const std::string& text, const std::string& parent, const AnalysisOptions& options);

}  // namespace bakery
