// SPDX-License-Identifier: Apache-2.0
// A schedule that the check engine has accepted, or whose refutations it was asked to waive. Nothing
// else can be lowered.
#pragma once

#include <string>
#include <vector>

#include "core_ir/schedule.h"
#include "core_ir/targets.h"

namespace bakery {

class CheckedSchedule {
 public:
  const Schedule& schedule() const { return schedule_; }
  const Target& target() const { return *target_; }
  const std::string& hash() const { return hash_; }
  const std::string& file() const { return file_; }
  // Line of a span's begin, 1-based.
  uint32_t line(Span span) const { return source_.position(span.begin).line; }
  std::string_view text(Span span) const { return source_.slice(span); }
  // Errors that were waived ("SCHED-003: …"); a schedule with any can be neither timed nor recorded.
  const std::vector<std::string>& waived() const { return waived_; }

 private:
  friend struct CheckSeal;  // checks/seal.cpp
  CheckedSchedule() = default;

  Schedule schedule_;
  SourceText source_;
  const Target* target_ = nullptr;
  std::string hash_;
  std::string file_;
  std::vector<std::string> waived_;
};

}  // namespace bakery
