// SPDX-License-Identifier: Apache-2.0
// The built-in agent's repair: fixes one finding after the other until the schedule is accepted.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/session/analysis.h"
#include "app/session/fixes.h"

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

// Who looks on; what is empty is not called.
struct RepairWatch {
  std::function<bool(const Finding&)> wants;  // which errors to repair
  std::function<bool()> may_go_on;            // asked often: whether to look any further
  std::function<bool()> may_try;              // as in find_fixes: once for each candidate
  std::function<void(const Finding&, const Analysis&)> looking;
  std::function<void(const Finding&, const std::vector<VerifiedFix>&)> found;
  // The steps that were kept, in order, when the search is over.
  std::function<void(const RepairStep&, const Analysis& before, const std::shared_ptr<const Analysis>& after)> kept;
};

// Takes the best fix of the first error that has one, and so on; where that leads nowhere, goes back to
// the next best. Pure: the file is not touched. Polls `options.stop`; what was found until then is returned.
RepairResult repair(const std::string& file_name, const std::string& text, const AnalysisOptions& options,
                    const RepairWatch& watch = {});

std::string to_text(const RepairResult& result);
std::string to_json(const RepairResult& result);

}  // namespace bakery
