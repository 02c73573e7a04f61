// SPDX-License-Identifier: Apache-2.0
// What a rule is. One file a rule under checks/rules/, one line in checks/rules.def.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core_ir/finding.h"
#include "core_ir/machine/machine.h"
#include "core_ir/machine/trace.h"
#include "core_ir/schedule.h"
#include "core_ir/targets.h"

namespace bakery {

// What the machine saw in one sample.
struct SampleRun {
  Trace trace;
  MachineRun run;
};

struct Facts {
  const Schedule& schedule;
  const Target* target;                 // nullptr: none known
  std::string_view requested_target;    // as asked for, perhaps unknown
  const std::vector<Sample>& samples;
  const std::vector<SampleRun>& runs;   // by sample; fewer if the limit was reached

  std::string barrier_stage(Index barrier, int stage) const;  // "full[2]"
  std::string slot(Space space, Index resource, int stage) const;
  std::vector<std::pair<std::string, int64_t>> iteration(const Trace& trace, uint32_t iteration) const;
  // "k=3" or "m=0, n=0, k=3"; empty outside of loops.
  std::string where(const Trace& trace, uint32_t iteration) const;
  std::string role(Index role) const { return role == kNone ? "" : schedule.roles[role].name; }
  Span op_span(Index op) const { return schedule.ops[op].span; }
};

struct Rule;

class Reporter {
 public:
  Reporter(const Rule& rule, std::vector<Finding>& findings, std::vector<Coverage>& coverage)
      : rule_(rule), findings_(findings), coverage_(coverage) {}
  // A finding with the rule's id, gate, severity and contract filled in.
  Finding& report(Span span, std::string message);
  void cover(Span span, std::string message);

 private:
  const Rule& rule_;
  std::vector<Finding>& findings_;
  std::vector<Coverage>& coverage_;
};

struct Rule {
  const char* id;
  Gate gate;
  Severity severity;
  Confidence confidence;
  int version;
  const char* title;
  const char* contract;    // the rule in one sentence, also in every finding
  const char* rationale;   // what goes wrong on the machine, and the source of the rule
  const char* cites;       // properties and legality rules: "S5, R13"
  const char* example;     // breaks the rule
  const char* remedy;      // how to mend it
  void (*check)(const Facts&, Reporter&);  // nullptr: emitted by the parser, the builder or a run
};

#define RULE(name, id) extern const Rule rule_##name;
#include "checks/rules.def"
#undef RULE

std::span<const Rule* const> rules();
const Rule* find_rule(std::string_view id);

// Runs every rule. Findings are sorted: errors, reviews, hints; then by position.
void check(const Facts& facts, std::vector<Finding>& findings, std::vector<Coverage>& coverage);

// ---- for the rules that read observations ------------------------------------------------

// Calls `report(sample, trace, observation)` for the observations of a kind, one a place.
template <class Visitor>
void for_each_observation(const Facts& facts, Observed kind, Visitor visit) {
  for (size_t s = 0; s < facts.runs.size(); ++s)
    for (const Observation& seen : facts.runs[s].run.observations)
      if (seen.kind == kind) visit(static_cast<int>(s), facts.runs[s].trace, seen);
}

// Fills role, resource, stage, iteration, sample and the witness of a two-sided conflict.
void describe_conflict(const Facts& facts, int sample, const Trace& trace, const Observation& seen, Finding& finding);
void describe_barrier(const Facts& facts, int sample, const Trace& trace, const Observation& seen, Finding& finding);
// One finding a conflict of the kind, except between warps of one role, which SAFE-003 tells. `between`
// joins the two sides: "`load` writes `a_s[0]`" + between + "`mma` reads `a_s[0]`".
void report_races(const Facts& facts, Reporter& out, Observed kind, const char* between);
// What an operation does, as in "`mma` reads `a_s[0]`".
std::string action(const Facts& facts, Index op, Space space, Index resource, int slot);
// The first arrival too many or lapped waiter: after it all counts are shifted.
const Observation* first_slip(const Facts& facts);
// Completes the sentence with its sample: " (K=320, grid=1)".
std::string in_sample(const Facts& facts, int sample);

}  // namespace bakery
