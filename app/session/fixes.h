// SPDX-License-Identifier: Apache-2.0
// Repairs of a finding. Candidates come from what the schedule's own statements look like; each is
// analysed, and only those that clear the finding and add no error are offered.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/session/analysis.h"

namespace bakery {

struct VerifiedFix {
  Fix fix;
  std::string text;                          // the whole text with the fix applied
  std::shared_ptr<const Analysis> after;
  int64_t logical_end = 0;                   // of the longest sample: how much the fix slows it down
  size_t added_errors = 0;                   // that the fault hid until now
};

// Best first: those that bring no other error to light, that leave the fewest errors, then the fastest in logical steps, then the
// smallest. Empty if nothing known helps. At most `limit`. `may_try` is asked before each candidate is
// analysed; when it says no, the best of those found so far are returned.
std::vector<VerifiedFix> find_fixes(const Analysis& analysis, const Finding& finding, const AnalysisOptions& options,
                                    size_t limit = 3, const std::function<bool()>& may_try = {});

// Each candidate is analysed: worth it for what a person wrote, not for noise.
bool worth_fixing(const Analysis& analysis);

// A copy of the analysis whose errors carry their verified fixes; nullptr if stopped.
std::shared_ptr<const Analysis> with_fixes(const Analysis& analysis, const AnalysisOptions& options);

// A unified diff of two texts, three lines of context.
std::string unified_diff(const std::string& name, const std::string& before, const std::string& after);

}  // namespace bakery
