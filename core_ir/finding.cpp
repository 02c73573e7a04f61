// SPDX-License-Identifier: Apache-2.0
#include "core_ir/finding.h"

#include <algorithm>
#include <string_view>

namespace bakery {

const char* to_string(Gate gate) {
  switch (gate) {
    case Gate::build:
      return "build";
    case Gate::safety:
      return "safety";
    case Gate::hardware:
      return "hardware";
    case Gate::data:
      return "data";
    case Gate::schedule:
      return "schedule";
    case Gate::numerical:
      return "numerical";
    case Gate::performance:
      return "performance";
    case Gate::hint:
      return "hint";
    case Gate::coverage:
      return "coverage";
  }
  return "build";
}

const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::review:
      return "review";
    case Severity::hint:
      return "hint";
  }
  return "error";
}

const char* to_string(Confidence confidence) {
  switch (confidence) {
    case Confidence::proved:
      return "proved";
    case Confidence::refuted:
      return "refuted";
    case Confidence::likely:
      return "likely";
  }
  return "likely";
}

std::string apply_edits(std::string_view text, std::vector<TextEdit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const TextEdit& a, const TextEdit& b) {
    return a.span.begin < b.span.begin;
  });
  std::string out;
  size_t done = 0;
  for (const TextEdit& edit : edits) {
    const size_t begin = std::min<size_t>(edit.span.begin, text.size());
    const size_t end = std::clamp<size_t>(edit.span.end, begin, text.size());
    if (begin < done) continue;  // overlaps the edit before it
    out += text.substr(done, begin - done);
    out += edit.text;
    done = end;
  }
  out += text.substr(done);
  return out;
}

}  // namespace bakery
