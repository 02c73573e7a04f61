// SPDX-License-Identifier: Apache-2.0
// The immutable snapshot that every view, the command line and the agent read.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core_ir/finding.h"
#include "core_ir/machine/timeline.h"
#include "core_ir/machine/trace.h"
#include "core_ir/schedule.h"
#include "core_ir/source.h"
#include "core_ir/syntax.h"
#include "core_ir/targets.h"

namespace bakery {

enum class Verdict { accepted, incomplete, rejected };
const char* to_string(Verdict verdict);

struct AnalysisOptions {
  std::string target;           // empty: the decorator's
  std::vector<std::pair<std::string, int64_t>> tunables;  // pinned values
  bool all_tunables = false;
  size_t event_limit = 20000;   // machine events of one sample set
  bool timeline = true;
  std::stop_token stop;
  uint64_t revision = 0;
};

struct Analysis {
  uint64_t revision = 0;
  SourceText source;
  Tree tree;
  Schedule schedule;
  const Target* target = nullptr;      // nullptr: none named, or unknown (then a finding says so)
  std::vector<Finding> findings;       // sorted: errors first, then by source position
  std::vector<Coverage> coverage;
  std::vector<std::string> assumptions;
  std::vector<Sample> samples;         // that the machine ran
  Timeline timeline;                   // of the first error's sample, else of the longest one
  int timeline_sample = -1;
  std::string hash;                    // of the canonical text without comments
  Verdict verdict = Verdict::accepted;
  bool stopped = false;                // cancelled through `stop`; do not show

  size_t count(Severity severity) const;
};

// Pure: text in, snapshot out. Polls `options.stop`.
std::shared_ptr<const Analysis> analyse(std::string file_name, std::string text,
                                        const AnalysisOptions& options = {});

// The timeline of the sample that `finding` was seen in; the default one if it has none.
Timeline timeline_of(const Analysis& analysis, const Finding& finding);

// "full[2], completion 2", "role mma": the finding's place for lists and titles.
std::string place(const Finding& finding);

// One line about an event: "`mma` waits for completion 2 of `full[2]` (k=6)".
std::string describe(const Analysis& analysis, const Timeline& timeline, uint32_t event);

// What hashes in findings, receipts and the store are: 128-bit FNV-1a as 32 hex digits.
std::string content_hash(std::string_view text);

std::string to_json(const Analysis& analysis);
std::string to_text(const Analysis& analysis);

// One finding: the JSON object (no newline behind it), or what a person reads.
std::string to_json(const Analysis& analysis, const Finding& finding);
std::string to_text(const Analysis& analysis, const Finding& finding);

}  // namespace bakery
