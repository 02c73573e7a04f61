// SPDX-License-Identifier: Apache-2.0
// The built-in agent's repair: fixes one finding after the other until the schedule is accepted.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/session/analysis.h"

namespace bakery {

struct RepairStep {
  Finding finding;        // that it repairs
  Fix fix;                // against the text of the step before
  size_t errors_before = 0, errors_after = 0;
};

struct RepairResult {
  std::shared_ptr<const Analysis> before, after;
  std::vector<RepairStep> steps;
  std::string text;       // repaired; the original if nothing helped
  std::string diff;       // unified, empty if nothing changed
  bool repaired = false;  // `after` has no errors
};

// Pure: the file is not touched. Polls `options.stop`; what was found until then is returned.
RepairResult repair(const std::string& file_name, const std::string& text, const AnalysisOptions& options);

std::string to_text(const RepairResult& result);
std::string to_json(const RepairResult& result);

}  // namespace bakery
