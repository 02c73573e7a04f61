// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
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

// How close a rule is to the cause: structure, then arrival counts, then order, then data.
int tier(const Finding& finding) {
  if (finding.gate == Gate::build || finding.gate == Gate::hardware) return 0;
  static const std::map<std::string_view, int> tiers = {
      {"SCHED-003", 1}, {"SCHED-004", 1}, {"SCHED-007", 1}, {"SAFE-001", 2},  {"SCHED-005", 2}, {"SCHED-006", 2}, {"SAFE-003", 3},
      {"DATA-002", 3},  {"DATA-003", 3},  {"DATA-004", 4},  {"DATA-005", 3}, {"DATA-006", 4},  {"DATA-007", 3}};
  const auto it = tiers.find(finding.id);
  return it == tiers.end() ? 0 : it->second;
}

// The hand-off that a finding is about: a pipeline with its barriers and the views they fill, or a
// single resource.
std::string hand_off(const Schedule& schedule, const std::string& resource) {
  const auto of_barrier = [&](const Barrier& barrier) {
    return barrier.pipeline == kNone ? barrier.name : schedule.pipelines[barrier.pipeline].name;
  };
  for (const Barrier& barrier : schedule.barriers)
    if (barrier.name == resource) return of_barrier(barrier);
  for (const Op& op : schedule.ops)
    if (op.barrier != kNone && op.dst.space == Space::shared && schedule.views[op.dst.resource].name == resource)
      return of_barrier(schedule.barriers[op.barrier]);
  return resource;
}

// One mistake, one story: of the errors about one hand-off, those nearest to the cause stay, and one
// about data as evidence. The rest are consequences.
void consolidate(const Schedule& schedule, std::vector<Finding>& findings) {
  // The same place in another sample or another warp is the same finding.
  std::set<std::tuple<std::string, uint32_t, std::string, std::string>> seen;
  std::erase_if(findings, [&](const Finding& f) {
    return f.gate != Gate::build && f.gate != Gate::hardware && tier(f) == 0 && !seen.insert({f.id, f.span.begin, f.role, f.resource}).second;
  });
  // Where a slot does not exist the machine took slot 0: what it saw then is no evidence. Rings of
  // different depth explain the missing slot.
  const auto has = [&](std::string_view id) {
    return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return f.id == id; });
  };
  if (has("SCHED-008")) {
    const bool depths = has("SCHED-009");
    std::erase_if(findings, [&](const Finding& f) { return tier(f) > 0 || (depths && f.id == "SCHED-008"); });
  }
  std::map<std::string, int> nearest;
  std::set<std::string> overlapping;
  for (const Finding& f : findings) {
    if (f.severity != Severity::error || f.gate == Gate::build || f.gate == Gate::hardware) continue;
    const auto [it, fresh] = nearest.emplace(hand_off(schedule, f.resource), tier(f));
    if (!fresh) it->second = std::min(it->second, tier(f));
    if (f.id == "DATA-001") overlapping.insert({f.resource, f.related.front().resource});
  }
  std::vector<size_t> order(findings.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    // Between warps last: what is unordered for one warp already is no matter of meeting.
    const auto rank = [](const Finding& f) { return std::tuple(tier(f), f.sample, f.id == "SAFE-003"); };
    return rank(findings[a]) < rank(findings[b]);
  });
  std::vector<Finding> kept;
  std::map<std::string, size_t> evidence, first;  // into kept
  std::set<std::tuple<bool, uint32_t, uint32_t>> races;  // of two operations, whichever is told as the culprit
  for (size_t i : order) {
    Finding& f = findings[i];
    if (f.severity != Severity::error || f.gate == Gate::build || f.gate == Gate::hardware) {
      kept.push_back(std::move(f));
      continue;
    }
    const std::string place = hand_off(schedule, f.resource);
    const int level = tier(f);
    const int cause = nearest[place];
    // A view that overlaps another one races with it by construction.
    if (level >= 3 && overlapping.contains(f.resource)) continue;
    if (level >= 3 && !f.related.empty()) {
      const auto [low, high] = std::minmax(f.span.begin, f.related.front().span.begin);
      if (!races.insert({f.id == "DATA-005", low, high}).second) continue;
    }
    const auto same = first.find(f.id + place + f.role);
    if (level > 0 && same != first.end()) {
      Finding& lead = kept[same->second];
      const bool told = lead.resource == f.resource || std::any_of(lead.related.begin(), lead.related.end(), [&](const Related& r) {
                          return r.resource == f.resource && r.span == f.span;
                        });
      if (!told) lead.related.push_back({f.span, f.role, f.resource, f.stage, "the same here: " + f.message});
      continue;
    }
    if (level > cause) {
      const bool data = level >= 3;
      if (!data || evidence.contains(place)) continue;
      evidence.emplace(place, kept.size());
    } else if (level >= 3) {
      evidence.emplace(place, kept.size());
    }
    first.emplace(f.id + place + f.role, kept.size());
    kept.push_back(std::move(f));
  }
  findings = std::move(kept);
}

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
  consolidate(facts.schedule, findings);
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tuple(a.severity, tier(a), a.span.begin) < std::tuple(b.severity, tier(b), b.span.begin);
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

const Observation* first_slip(const Facts& facts) {
  for (const SampleRun& sample : facts.runs)
    for (const Observation& seen : sample.run.observations)
      if (seen.kind == Observed::over_arrival || seen.kind == Observed::lapped_waiter) return &seen;
  return nullptr;
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

void report_races(const Facts& facts, Reporter& out, Observed kind, const char* between) {
  for_each_observation(facts, kind, [&](int sample, const Trace& trace, const Observation& seen) {
    const bool inside = seen.subject.role == seen.other.role && seen.subject.warp != seen.other.warp;
    if (inside && seen.space == Space::shared) return;
    const std::string at = facts.where(trace, seen.subject.iteration);
    const std::string before = facts.where(trace, seen.other.iteration);
    const Index other = seen.other_resource == kNone ? seen.resource : seen.other_resource;
    Finding& finding = out.report(facts.op_span(seen.subject.op),
                                  action(facts, seen.subject.op, seen.space, seen.resource, seen.slot) + (at.empty() ? "" : " at " + at) + between +
                                      action(facts, seen.other.op, seen.space, other, seen.slot) + (before.empty() ? "" : " of " + before) +
                                      in_sample(facts, sample));
    describe_conflict(facts, sample, trace, seen, finding);
    finding.declared = "no order between the two";
  });
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
