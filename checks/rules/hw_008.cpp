// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  if (!facts.target || facts.target->tmem_columns == 0) return;
  const auto& ranges = facts.schedule.tmems;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const Tmem& tmem = ranges[i];
    const auto report = [&](std::string message, std::string expected, std::string declared) -> Finding& {
      Finding& finding = out.report(tmem.span, std::move(message));
      finding.resource = tmem.name;
      finding.expected = std::move(expected);
      finding.declared = std::move(declared);
      return finding;
    };
    if (tmem.cols + tmem.width > facts.target->tmem_columns)
      report("`" + tmem.name + "` ends at column " + std::to_string(tmem.cols + tmem.width), "at most " + std::to_string(facts.target->tmem_columns),
             std::to_string(tmem.cols) + " + " + std::to_string(tmem.width));
    const int64_t columns = tmem.shape.back() * info(tmem.dtype).bytes / 4;
    if (tmem.shape.size() != 2 || tmem.shape.front() > 128 || columns > tmem.width)
      report("`" + tmem.name + "` does not hold its shape", "at most 128 rows, and " + std::to_string(columns) + " columns of width",
             std::to_string(tmem.width) + " columns");
    for (size_t k = 0; k < i; ++k)
      if (tmem.cols < ranges[k].cols + ranges[k].width && ranges[k].cols < tmem.cols + tmem.width)
        report("`" + tmem.name + "` overlaps `" + ranges[k].name + "`", "columns of its own", std::to_string(tmem.cols))
            .related.push_back({ranges[k].span, "", ranges[k].name, {}, "`" + ranges[k].name + "` is declared here"});
  }
}

}  // namespace

const Rule rule_HW_008 = {
    "HW-008", Gate::hardware, Severity::error, Confidence::proved, 1,
    "tensor memory beyond its columns",
    "tensor-memory ranges lie in 512 columns and do not overlap",
    "Tensor memory has 128 lanes of 512 columns of 32 bits per SM; it is allocated in powers of two from 32 columns. Two\n"
    "ranges that overlap would overwrite each other's accumulators.\n"
    "Source: PTX ISA, tensor memory.",
    "H14, R20",
    "acc = lm.tmem(cols=448, width=128, shape=(128, 128), dtype=lm.f32)",
    "Choose columns inside of 0 … 512 that no other range uses, as many as the shape needs.",
    check,
};

}  // namespace bakery
