// SPDX-License-Identifier: Apache-2.0
// One finding: what a rule, the parser or the builder says about a schedule.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core_ir/source.h"

namespace bakery {

enum class Gate { build, safety, hardware, data, schedule, numerical, performance, hint, coverage };
enum class Severity { error, review, hint };
enum class Confidence { proved, refuted, likely };

const char* to_string(Gate gate);
const char* to_string(Severity severity);
const char* to_string(Confidence confidence);

struct TextEdit {
  Span span;
  std::string text;
};

struct Fix {
  std::string title;
  std::vector<TextEdit> edits;  // sorted, not overlapping
};

// Another place that takes part in the story.
struct Related {
  Span span;
  std::string role;
  std::string resource;
  std::optional<int> stage;
  std::string note;
};

// One event of the shortest known sequence that shows the finding.
struct WitnessStep {
  std::string role;
  Span span;
  std::string event;
  uint32_t event_index = UINT32_MAX;  // into Timeline::events of the finding's sample
};

struct Finding {
  std::string id;  // SAFE-001 …
  Gate gate = Gate::build;
  Severity severity = Severity::error;
  Confidence confidence = Confidence::proved;
  std::string message;
  std::string contract;  // the rule in one sentence
  Span span;
  std::string role;
  std::string resource;
  std::optional<int> stage;
  std::optional<int64_t> completion;
  std::vector<std::pair<std::string, int64_t>> iteration;
  std::string expected;
  std::string declared;
  std::vector<Related> related;
  std::vector<WitnessStep> witness;
  std::vector<Fix> fixes;
  int version = 1;
  int sample = -1;  // index into Analysis samples, -1: no sample needed
};

// What was not analysed, and why.
struct Coverage {
  std::string id;
  std::string message;
  Span span;
};

// Applies edits that do not overlap; offsets refer to `text`.
std::string apply_edits(std::string_view text, std::vector<TextEdit> edits);

}  // namespace bakery
