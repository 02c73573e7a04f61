// SPDX-License-Identifier: Apache-2.0
#include "checks/seal.h"

namespace bakery {

struct CheckSeal {
  static CheckedSchedule make(const SealRequest& request) {
    CheckedSchedule checked;
    checked.schedule_ = request.schedule;
    checked.source_ = request.source;
    checked.target_ = request.target;
    checked.hash_ = request.hash;
    checked.file_ = request.source.name();
    for (const Finding& finding : request.findings)
      if (finding.severity == Severity::error) checked.waived_.push_back(finding.id + ": " + finding.message);
    return checked;
  }
};

std::optional<CheckedSchedule> seal(const SealRequest& request, std::vector<Finding>* blocking) {
  bool blocked = request.target == nullptr || !request.schedule.complete;
  for (const Finding& finding : request.findings) {
    if (finding.severity != Severity::error) continue;
    const bool waivable = request.unchecked && finding.gate != Gate::build && finding.gate != Gate::hardware;
    if (waivable) continue;
    blocked = true;
    if (blocking) blocking->push_back(finding);
  }
  if (blocked) return std::nullopt;
  return CheckSeal::make(request);
}

}  // namespace bakery
