// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

bool reads(const Schedule& schedule, Index tile, Space space, Index resource) {
  if (tile == kNone) return false;
  const Tile& t = schedule.tiles[tile];
  if (t.kind == TileKind::fragment) return t.region.space == space && t.region.resource == resource;
  return reads(schedule, t.a, space, resource) || reads(schedule, t.b, space, resource);
}

void check(const Facts& facts, Reporter& out) {
  const Schedule& schedule = facts.schedule;
  const auto look = [&](Space space, Index resource, Span span, const std::string& name) {
    Index writer = kNone;
    bool read = false;
    for (Index i = 0; i < schedule.ops.size(); ++i) {
      const Op& op = schedule.ops[i];
      if (op.dst.space == space && op.dst.resource == resource && writer == kNone) writer = i;
      read |= reads(schedule, op.value, space, resource);
    }
    if (read || writer == kNone) return;
    Finding& finding = out.report(span, "nothing reads the accumulator `" + name + "`");
    finding.resource = name;
    finding.role = facts.role(schedule.ops[writer].role);
    finding.related.push_back({schedule.ops[writer].span, finding.role, name, {}, "`" + finding.role + "` accumulates in it here"});
  };
  for (Index i = 0; i < schedule.tmems.size(); ++i) look(Space::tensor, i, schedule.tmems[i].span, schedule.tmems[i].name);
  for (Index i = 0; i < schedule.fragments.size(); ++i) look(Space::fragment, i, schedule.fragments[i].span, schedule.fragments[i].name);
}

}  // namespace

const Rule rule_HINT_003 = {
    "HINT-003", Gate::hint, Severity::hint, Confidence::proved, 1,
    "an accumulator that nobody reads",
    "what an MMA computes is read",
    "The result of the accumulation is dropped: the schedule is an exercise, or its epilogue is missing.",
    "P2",
    "lm.mma(tmem_acc, a_s[s], b_s[s], init=True)  # and nothing stores tmem_acc",
    "Store the accumulator, or take the MMA out.",
    check,
};

}  // namespace bakery
