// SPDX-License-Identifier: Apache-2.0
// What the NUM- findings mean.
#include "app/session/simulation.h"

namespace bakery {
namespace {

constexpr Rule kWrongValue{
    "NUM-001", Gate::numerical, Severity::error, Confidence::refuted, 1,
    "an output differs from the oracle",
    "every output element agrees with the oracle within the contract's tolerance",
    "The schedule ran to its end, but computed something else: an accumulator that is overwritten instead of\n"
    "added to, a box at the wrong coordinates, operands of different stages, views that overlap, a tail that is\n"
    "counted twice. The finding stands at the operation that wrote the first wrong element.",
    "harness.md, numerical validation",
    "lm.mma(acc, a_s[s], b_s[s], init=True)",
    "Look at which elements differ: all of them points to the accumulator or an operand, whole tiles to\n"
    "coordinates or stages, the last rows or columns to tails. With `init=(k == 0)` the first block of a tile\n"
    "overwrites the accumulator and all later ones add to it.",
    nullptr,
};

constexpr Rule kNeverWritten{
    "NUM-002", Gate::numerical, Severity::error, Confidence::refuted, 1,
    "an output element is never written",
    "the boxes of all stores together cover every output",
    "Outputs are poisoned before the run, and this element still holds the poison: no store of any CTA has a\n"
    "box that contains it.",
    "harness.md, numerical validation",
    "tiles = lm.tiles(M // BM, N // BN)",
    "Round the number of tiles up (`lm.cdiv(M, BM)`), store every slice of the accumulator, and check that the\n"
    "coordinates advance by the size of the box.",
    nullptr,
};

constexpr Rule kStuck{
    "NUM-003", Gate::numerical, Severity::error, Confidence::refuted, 1,
    "the machine is stuck at a shape of the contract",
    "every shape of the contract runs to its end",
    "Some role waits for a completion that never comes, at trip counts that this shape gives and the samples\n"
    "of the check do not.",
    "harness.md, numerical validation; checks.md, S1",
    "lm.wait(full, stage=s)  # once more than `full` completes",
    "The finding names the wait, its barrier and completion. Compare the trips of the loops that produce and\n"
    "await it at the shape that the finding names.",
    nullptr,
};

constexpr const Rule* kRules[] = {&kWrongValue, &kNeverWritten, &kStuck};

}  // namespace

std::span<const Rule* const> numerical_rules() { return kRules; }

const Rule* find_numerical_rule(std::string_view id) {
  for (const Rule* rule : kRules)
    if (id == rule->id) return rule;
  return nullptr;
}

}  // namespace bakery
