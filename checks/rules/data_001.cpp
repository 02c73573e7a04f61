// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  const auto& views = facts.schedule.views;
  for (size_t i = 0; i < views.size(); ++i)
    for (size_t k = 0; k < i; ++k) {
      const View &a = views[k], &b = views[i];
      if (a.pool != b.pool || a.offset >= b.offset + b.bytes() || b.offset >= a.offset + a.bytes()) continue;
      if (!a.alias.empty() && a.alias == b.alias) continue;
      const auto range = [](const View& v) { return std::to_string(v.offset) + " … " + std::to_string(v.offset + v.bytes()); };
      Finding& finding = out.report(b.offset_span, "`" + b.name + "` (bytes " + range(b) + ") overlaps `" + a.name + "` (bytes " + range(a) + ")");
      finding.resource = b.name;
      finding.expected = "bytes that `" + a.name + "` does not use";
      finding.declared = "offset " + std::to_string(b.offset);
      finding.related.push_back({a.offset_span, "", a.name, {}, "`" + a.name + "` lies here"});
    }
}

}  // namespace

const Rule rule_DATA_001 = {
    "DATA-001", Gate::data, Severity::error, Confidence::proved, 1,
    "overlapping views",
    "views overlap only inside one alias group",
    "Two views with common bytes are two names for one memory. That is meant only where both name the same `alias=` group;\n"
    "then their uses must also be ordered (DATA-003, DATA-004).\n"
    "Source: checks.md D9.",
    "D9, R4",
    "a_s = pool.view(offset=0, shape=(128, 64), dtype=lm.bf16)\n"
    "b_s = pool.view(offset=0, shape=(128, 64), dtype=lm.bf16)",
    "Move one view past the end of the other, or give both the same `alias=` if they share bytes on purpose.",
    check,
};

}  // namespace bakery
