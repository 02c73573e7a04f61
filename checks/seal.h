// SPDX-License-Identifier: Apache-2.0
// The only maker of a CheckedSchedule.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core_ir/checked_schedule.h"
#include "core_ir/finding.h"

namespace bakery {

struct SealRequest {
  const Schedule& schedule;
  const SourceText& source;
  const Target* target = nullptr;
  const std::string& hash;
  const std::vector<Finding>& findings;
  bool unchecked = false;  // waive refutations; LANG- and HW- findings cannot be waived
};

// nullopt if an error stands in the way; `blocking` then names it.
std::optional<CheckedSchedule> seal(const SealRequest& request, std::vector<Finding>* blocking = nullptr);

}  // namespace bakery
