// SPDX-License-Identifier: Apache-2.0
#include "app/session/analysis.h"

#include <algorithm>
#include <numeric>

#include "checks/rule.h"
#include "core_ir/machine/machine.h"

namespace bakery {

// FNV-1a, 128 bits.
std::string content_hash(std::string_view text) {
  unsigned __int128 hash = (static_cast<unsigned __int128>(0x6c62272e07bb0142u) << 64) | 0x62b821756295c58du;
  const unsigned __int128 prime = (static_cast<unsigned __int128>(0x0000000001000000u) << 64) | 0x000000000000013Bu;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= prime;
  }
  std::string hex;
  for (int shift = 124; shift >= 0; shift -= 4) hex += "0123456789abcdef"[static_cast<int>(hash >> shift) & 15];
  return hex;
}

namespace {

Timeline record(const Schedule& schedule, const Sample& sample, size_t limit, std::stop_token stop) {
  const Trace trace = expand(schedule, sample, limit, stop);
  MachineOptions options;
  options.timeline = true;
  options.stop = std::move(stop);
  Timeline timeline = run(schedule, trace, options).timeline;
  timeline.sample = sample.text;
  return timeline;
}

void run_machine(Analysis& analysis, const AnalysisOptions& options) {
  SampleSet set = choose_samples(analysis.schedule);
  analysis.samples = std::move(set.samples);
  analysis.assumptions = std::move(set.assumptions);
  // Shortest first, so that a finding comes with its smallest case.
  std::vector<Trace> traces;
  size_t steps = 0;
  for (const Sample& sample : analysis.samples) {
    if (steps >= options.event_limit) break;
    traces.push_back(expand(analysis.schedule, sample, options.event_limit - steps, options.stop));
    steps += traces.back().step_count + 1;
    if (traces.back().stopped) {
      analysis.stopped = true;
      return;
    }
  }
  std::vector<size_t> order(traces.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return traces[a].step_count < traces[b].step_count; });
  std::vector<Sample> sorted;
  for (size_t i : order) sorted.push_back(analysis.samples[i]);
  sorted.insert(sorted.end(), analysis.samples.begin() + static_cast<std::ptrdiff_t>(traces.size()), analysis.samples.end());
  analysis.samples = std::move(sorted);
  std::vector<SampleRun> runs;
  for (size_t i : order) {
    SampleRun one;
    one.trace = std::move(traces[i]);
    MachineOptions machine;
    machine.stop = options.stop;
    one.run = run(analysis.schedule, one.trace, machine);
    if (one.run.stopped) {
      analysis.stopped = true;
      return;
    }
    runs.push_back(std::move(one));
  }
  const std::string requested = options.target.empty() ? analysis.schedule.declared_target : options.target;
  const Facts facts{analysis.schedule, analysis.target, requested, analysis.samples, runs};
  check(facts, analysis.findings, analysis.coverage);
  analysis.coverage.insert(analysis.coverage.end(), set.coverage.begin(), set.coverage.end());

  if (!options.timeline || runs.empty()) return;
  int chosen = -1;
  for (const Finding& finding : analysis.findings)
    if (finding.sample >= 0 && finding.severity == Severity::error) {
      chosen = finding.sample;
      break;
    }
  if (chosen < 0) {
    // The longest run that is still readable: several laps and tiles, not the stress samples.
    constexpr size_t kReadableEvents = 400;
    chosen = 0;
    for (size_t i = 0; i < runs.size(); ++i)
      if (runs[i].run.events > runs[chosen].run.events && runs[i].run.events <= kReadableEvents) chosen = static_cast<int>(i);
  }
  analysis.timeline_sample = chosen;
  analysis.timeline = record(analysis.schedule, analysis.samples[chosen], options.event_limit, options.stop);
}

// Checks every other choice of every tunable, one at a time; of very many only the first ones.
void check_choices(Analysis& analysis, const AnalysisOptions& options) {
  constexpr size_t kMaxChoices = 50, kMaxBytes = size_t{2} << 20;
  size_t checked = 0, left_out = 0;
  for (const Tunable& tunable : analysis.schedule.tunables)
    for (int64_t choice : tunable.choices) {
      if (choice == tunable.value || options.stop.stop_requested()) continue;
      if (checked >= kMaxChoices || checked * analysis.source.text().size() > kMaxBytes) {
        ++left_out;
        continue;
      }
      ++checked;
      AnalysisOptions other = options;
      other.all_tunables = false;
      other.timeline = false;
      std::erase_if(other.tunables, [&](const auto& pin) { return pin.first == tunable.name; });
      other.tunables.emplace_back(tunable.name, choice);
      const auto result = analyse(analysis.source.name(), analysis.source.text(), other);
      for (Finding finding : result->findings) {
        if (finding.severity != Severity::error) continue;
        finding.message += " (with " + tunable.name + "=" + std::to_string(choice) + ")";
        finding.sample = -1;
        analysis.findings.push_back(std::move(finding));
      }
    }
  std::erase_if(analysis.coverage, [](const Coverage& c) { return c.id == "COVER-001"; });
  if (left_out > 0)
    analysis.coverage.push_back({"COVER-001", "the first " + std::to_string(checked) + " choices of the tunables were checked, " +
                                                  std::to_string(left_out) + " more were not",
                                 analysis.schedule.name_span});
  std::stable_sort(analysis.findings.begin(), analysis.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::accepted: return "accepted";
    case Verdict::incomplete: return "incomplete";
    case Verdict::rejected: return "rejected";
  }
  return "";
}

size_t Analysis::count(Severity severity) const {
  return static_cast<size_t>(
      std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.severity == severity; }));
}

std::shared_ptr<const Analysis> analyse(std::string file_name, std::string text, const AnalysisOptions& options) {
  auto analysis = std::make_shared<Analysis>();
  analysis->revision = options.revision;
  analysis->source = SourceText(std::move(file_name), std::move(text));
  analysis->tree = parse(analysis->source);
  BuildOptions build_options;
  build_options.tunables = options.tunables;
  Built built = build(analysis->source, analysis->tree, build_options);
  analysis->schedule = std::move(built.schedule);
  analysis->findings = std::move(built.findings);
  analysis->target = find_target(options.target.empty() ? analysis->schedule.declared_target : options.target);
  if (analysis->tree.problems.empty()) analysis->hash = content_hash(print_without_comments(analysis->source, analysis->tree));
  if (options.stop.stop_requested()) {
    analysis->stopped = true;
    return analysis;
  }
  if (analysis->schedule.complete) {
    run_machine(*analysis, options);
    if (options.all_tunables && !analysis->stopped) check_choices(*analysis, options);
  }
  const bool incomplete =
      analysis->samples.empty() || !analysis->target || std::any_of(analysis->coverage.begin(), analysis->coverage.end(), [](const Coverage& c) { return c.id == "COVER-003"; });
  analysis->verdict = analysis->count(Severity::error) > 0 ? Verdict::rejected
                      : incomplete                         ? Verdict::incomplete
                                                           : Verdict::accepted;
  return analysis;
}

Timeline timeline_of(const Analysis& analysis, const Finding& finding) {
  if (finding.sample < 0 || finding.sample == analysis.timeline_sample ||
      finding.sample >= static_cast<int>(analysis.samples.size()))
    return analysis.timeline;
  return record(analysis.schedule, analysis.samples[finding.sample], AnalysisOptions{}.event_limit, {});
}

std::string place(const Finding& finding) {
  std::string text = finding.resource;
  if (finding.stage && !text.empty()) text += "[" + std::to_string(*finding.stage) + "]";
  if (finding.completion) text += " completion " + std::to_string(*finding.completion);
  if (!finding.role.empty() && finding.role != finding.resource) text += (text.empty() ? "" : " · ") + finding.role;
  return text;
}

std::string describe(const Analysis& analysis, const Timeline& timeline, uint32_t index) {
  if (index >= timeline.events.size()) return "";
  const TimelineEvent& event = timeline.events[index];
  const Schedule& schedule = analysis.schedule;
  if (event.op >= schedule.ops.size() || event.role < 0 || event.role >= static_cast<int>(schedule.roles.size())) return "";
  const Op& op = schedule.ops[event.op];
  const Operation& record = operation(op.code);
  const auto staged = [](const std::string& name, int count, int stage) {
    return "`" + name + (count > 1 ? "[" + std::to_string(stage) + "]" : "") + "`";
  };
  std::string text = "`" + schedule.roles[event.role].name + "` " + record.spelling;
  if (event.barrier >= 0) {
    const Barrier& barrier = schedule.barriers[event.barrier];
    if (record.barrier == BarrierAction::wait) {
      text = "`" + schedule.roles[event.role].name + "` " + (event.blocked ? "waits for ever for completion " : "waits for completion ") +
             std::to_string(event.completion) + " of " + staged(barrier.name, barrier.count, event.stage);
    } else if (event.slot_view >= 0) {
      const View& view = schedule.views[event.slot_view];
      text += " " + staged(view.name, view.stages, event.slot_stage) + " (" + std::to_string(view.stage_bytes()) + " bytes) on " +
              staged(barrier.name, barrier.count, event.stage);
    } else {
      text += " " + staged(barrier.name, barrier.count, event.stage);
    }
  } else if (op.a.space == Space::shared && op.b.space == Space::shared) {
    text += " `" + schedule.resource_name(op.dst) + "` += `" + schedule.resource_name(op.a) + "` x `" + schedule.resource_name(op.b) + "`";
  } else if (event.slot_view >= 0) {
    const View& view = schedule.views[event.slot_view];
    text += " " + staged(view.name, view.stages, event.slot_stage);
  } else if (record.waits_for != Completion::immediate) {
    text += " pending=" + std::to_string(op.pending);
  }
  if (event.iteration < timeline.iterations.size() && !timeline.iterations[event.iteration].empty()) {
    text += " at ";
    bool first = true;
    for (const LoopValue& value : timeline.iterations[event.iteration]) {
      text += (first ? "" : ", ") + value.name + "=" + std::to_string(value.value);
      first = false;
    }
  }
  return text;
}

}  // namespace bakery
