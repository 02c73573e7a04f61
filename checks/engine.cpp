// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <tuple>

#include "checks/rule.h"

namespace bakery {

namespace {

constexpr const Rule* kRules[] = {
#define RULE(name, id) &rule_##name,
#include "checks/rules.def"
#undef RULE
};

}  // namespace

std::span<const Rule* const> rules() { return kRules; }

const Rule* find_rule(std::string_view id) {
  for (const Rule* rule : kRules)
    if (id == rule->id) return rule;
  return nullptr;
}

Finding& Reporter::report(Span span, std::string message) {
  Finding finding;
  finding.id = rule_.id;
  finding.gate = rule_.gate;
  finding.severity = rule_.severity;
  finding.confidence = rule_.confidence;
  finding.version = rule_.version;
  finding.contract = rule_.contract;
  finding.span = span;
  finding.message = std::move(message);
  findings_.push_back(std::move(finding));
  return findings_.back();
}

void Reporter::cover(Span span, std::string message) { coverage_.push_back({rule_.id, std::move(message), span}); }

void check(const Facts& facts, std::vector<Finding>& findings, std::vector<Coverage>& coverage) {
  for (const Rule* rule : kRules) {
    if (!rule->check) continue;
    Reporter reporter(*rule, findings, coverage);
    rule->check(facts, reporter);
  }
  // The same place in another sample or another warp is the same finding.
  std::set<std::tuple<std::string, uint32_t, std::string, std::string>> seen;
  std::erase_if(findings, [&](const Finding& f) {
    return f.gate != Gate::build && !seen.insert({f.id, f.span.begin, f.role, f.resource}).second;
  });
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tuple(a.severity, a.span.begin) < std::tuple(b.severity, b.span.begin);
  });
}

std::string Facts::barrier_stage(Index barrier, int stage) const {
  const Barrier& b = schedule.barriers[barrier];
  return b.count == 1 ? b.name : b.name + "[" + std::to_string(stage) + "]";
}

std::string Facts::slot(Space space, Index resource, int stage) const {
  if (space == Space::tensor) return schedule.tmems[resource].name;
  if (space == Space::fragment) return schedule.fragments[resource].name;
  const View& view = schedule.views[resource];
  return stage < 0 || !view.staged ? view.name : view.name + "[" + std::to_string(stage) + "]";
}

std::vector<std::pair<std::string, int64_t>> Facts::iteration(const Trace& trace, uint32_t iteration) const {
  std::vector<std::pair<std::string, int64_t>> values;
  for (uint32_t at = iteration; at != 0; at = trace.iterations[at].parent)
    values.emplace_back(schedule.symbols[trace.iterations[at].symbol].name, trace.iterations[at].value);
  std::reverse(values.begin(), values.end());
  return values;
}

std::string Facts::where(const Trace& trace, uint32_t at) const {
  std::string text;
  for (const auto& [name, value] : iteration(trace, at)) text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(value);
  return text;
}

std::string in_sample(const Facts& facts, int sample) {
  const std::string& text = facts.samples[sample].text;
  return text.empty() ? "" : " (with " + text + ")";
}

std::string action(const Facts& facts, Index op_index, Space space, Index resource, int slot) {
  const Op& op = facts.schedule.ops[op_index];
  const Operation& record = operation(op.code);
  bool writes = false;
  for (const Effect& effect : record.effects) {
    const std::string_view name = effect.operand;
    const Region& region = name == "a" ? op.a : name == "b" ? op.b : name == "self" && op.dst.space == Space::none ? op.a : op.dst;
    if (name != "value" && region.space == space && region.resource == resource) writes |= effect.write;
  }
  return "`" + facts.role(op.role) + "` " + (writes ? "writes" : "reads") + " `" + facts.slot(space, resource, slot) + "` (`" +
         record.spelling + "`)";
}

void describe_conflict(const Facts& facts, int sample, const Trace& trace, const Observation& seen, Finding& finding) {
  finding.role = facts.role(seen.subject.role);
  finding.resource = seen.space == Space::shared   ? facts.schedule.views[seen.resource].name
                     : seen.space == Space::tensor ? facts.schedule.tmems[seen.resource].name
                                                   : facts.schedule.fragments[seen.resource].name;
  if (seen.slot >= 0) finding.stage = seen.slot;
  finding.iteration = facts.iteration(trace, seen.subject.iteration);
  finding.sample = sample;
  if (seen.other.role != kNone) {
    const Index other = seen.other_resource == kNone ? seen.resource : seen.other_resource;
    Related side;
    side.span = facts.op_span(seen.other.op);
    side.role = facts.role(seen.other.role);
    side.resource = facts.slot(seen.space, other, -1);
    if (seen.slot >= 0) side.stage = seen.slot;
    const std::string at = facts.where(trace, seen.other.iteration);
    side.note = "the other side: " + action(facts, seen.other.op, seen.space, other, seen.slot) + (at.empty() ? "" : " at " + at);
    finding.related.push_back(std::move(side));
    finding.witness.push_back({facts.role(seen.other.role), facts.op_span(seen.other.op),
                               action(facts, seen.other.op, seen.space, other, seen.slot) + (at.empty() ? "" : " at " + at),
                               seen.other.event});
  }
  const std::string at = facts.where(trace, seen.subject.iteration);
  finding.witness.push_back({facts.role(seen.subject.role), facts.op_span(seen.subject.op),
                             action(facts, seen.subject.op, seen.space, seen.resource, seen.slot) + (at.empty() ? "" : " at " + at) +
                                 (seen.other.role == kNone ? "" : "; nothing orders it after the other side"),
                             seen.subject.event});
  // The barriers that could order the two: those that guard the slot.
  for (const Op& op : facts.schedule.ops) {
    if (seen.space != Space::shared || op.barrier == kNone || op.dst.space != Space::shared || op.dst.resource != seen.resource) continue;
    const Barrier& barrier = facts.schedule.barriers[op.barrier];
    for (const Barrier& candidate : facts.schedule.barriers) {
      const bool full = &candidate == &barrier;
      const bool companion = candidate.pipeline != kNone && candidate.pipeline == barrier.pipeline;
      if (!full && !companion) continue;
      Related guard;
      guard.span = candidate.span;
      guard.resource = candidate.name;
      guard.note = full ? "`" + candidate.name + "` says when the slot is filled" : "`" + candidate.name + "` says when the slot is free";
      const bool known = std::any_of(finding.related.begin(), finding.related.end(), [&](const Related& r) { return r.span == guard.span; });
      if (!known) finding.related.push_back(std::move(guard));
    }
  }
}

void describe_barrier(const Facts& facts, int sample, const Trace& trace, const Observation& seen, Finding& finding) {
  finding.role = facts.role(seen.subject.role);
  finding.resource = facts.schedule.barriers[seen.barrier].name;
  finding.stage = seen.stage;
  finding.completion = seen.completion;
  finding.sample = sample;
  if (seen.subject.op != kNone) finding.iteration = facts.iteration(trace, seen.subject.iteration);
  Related declared;
  declared.span = facts.schedule.barriers[seen.barrier].span;
  declared.resource = finding.resource;
  declared.note = "`" + finding.resource + "` is declared here";
  finding.related.push_back(std::move(declared));
  if (seen.other.role != kNone && seen.other.op != kNone) {
    Related side;
    side.span = facts.op_span(seen.other.op);
    side.role = facts.role(seen.other.role);
    side.resource = finding.resource;
    side.stage = seen.stage;
    const std::string at = facts.where(trace, seen.other.iteration);
    side.note = "`" + side.role + "` arrives here" + (at.empty() ? "" : ", at " + at);
    finding.related.push_back(std::move(side));
  }
  for (const Party& party : seen.cycle) {
    const Op& op = facts.schedule.ops[party.op];
    const std::string at = facts.where(trace, party.iteration);
    const std::string event = "`" + facts.role(party.role) + "` waits for `" + facts.barrier_stage(op.barrier, party.stage) + "`" +
                              (at.empty() ? "" : " at " + at);
    finding.witness.push_back({facts.role(party.role), op.span, event + ", and stays there", party.event});
    if (party.op == seen.subject.op && party.role == seen.subject.role) continue;
    Related side;
    side.span = op.span;
    side.role = facts.role(party.role);
    side.resource = facts.schedule.barriers[op.barrier].name;
    side.stage = party.stage;
    side.note = event + " meanwhile";
    finding.related.push_back(std::move(side));
  }
  if (finding.witness.empty()) {
    for (const Party& party : {seen.other, seen.subject}) {
      if (party.op == kNone) continue;
      const std::string at = facts.where(trace, party.iteration);
      finding.witness.push_back({facts.role(party.role), facts.op_span(party.op),
                                 "`" + facts.role(party.role) + "` " + operation(facts.schedule.ops[party.op].code).spelling + " `" +
                                     facts.barrier_stage(seen.barrier, seen.stage) + "`" + (at.empty() ? "" : " at " + at),
                                 party.event});
    }
  }
}

}  // namespace bakery
