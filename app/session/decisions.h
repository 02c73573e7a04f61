// SPDX-License-Identifier: Apache-2.0
// Writes what an agent proposed and what a person decided to the store beside the schedule.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "app/session/analysis.h"
#include "profiler/store/store.h"

namespace bakery {

struct DecisionRecord {
  std::string file;         // the schedule's path, to find the store
  std::string text_before;  // the person's text
  std::string text_after;
  std::string kind;         // accept, edit, reject, restore, undo accept …
  std::string reason;
  std::string detail;       // JSON object about the hunks; errors and hashes are added
  AnalysisOptions options;
  std::shared_ptr<const Analysis> known;  // of one of the texts, with these options; may be null
};

// Keeps the store open, and what the newest texts were worth, so that each is analysed once at most. For one
// thread at a time.
class DecisionRecorder {
 public:
  // Each returns what went wrong, empty: nothing.
  std::string add(const DecisionRecord& record);
  std::string add_proposal(const std::string& file, const Analysis& proposal, const std::string& parent, const AnalysisOptions& options);

 private:
  struct Measured {
    std::string target;               // asked for
    StoredCandidate candidate;
    size_t errors = 0, findings = 0;
  };

  template <class Write>
  std::string with_store(const std::string& file, Write write);
  Measured note(const std::string& file, const Analysis& analysis, const AnalysisOptions& options);
  Measured measure(const std::string& text, const DecisionRecord& record);

  std::optional<Store> store_;
  std::deque<Measured> measured_;     // oldest first
};

}  // namespace bakery
