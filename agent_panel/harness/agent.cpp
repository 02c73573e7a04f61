// SPDX-License-Identifier: Apache-2.0
#include "agent_panel/harness/agent.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>

#include "agent_panel/harness/repair.h"
#include "agent_panel/harness/run_command.h"

namespace bakery {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxCombinations = 256;
constexpr double kMeterEvery = 0.1;  // seconds

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string counted(size_t n, const std::string& one, const std::string& many) { return std::to_string(n) + " " + (n == 1 ? one : many); }

std::string name_of(const Finding& finding) {
  const std::string where = place(finding);
  return finding.id + (where.empty() ? "" : " " + where);
}

bool same_fault_as(const Finding& a, const Finding& b) { return a.id == b.id && a.role == b.role && a.resource == b.resource && a.stage == b.stage; }

class Worker {
 public:
  Worker(const AgentRequest& request, std::stop_token stop, const AgentListener& tell)
      : request_(request), stop_(std::move(stop)), tell_(tell), options_(request.options) {
    options_.stop = stop_;
    options_.timeline = true;
  }

  void work() {
    const auto failed = [&](const char* why) { finish(AgentEnd::failed, std::string("the run ended early: ") + why); };
    try {
      if (request_.goal == AgentGoal::explore) explore();
      else repair_goal();
    } catch (const std::exception& error) {
      failed(error.what());
    } catch (...) {
      failed("unknown");
    }
  }

 private:
  // ---- telling ----------------------------------------------------------------------------

  void tell(AgentEvent event) {
    event.analyses = analyses_;
    event.seconds = last_meter_ = seconds_since(start_);
    tell_(event);
  }

  int add_step(std::string title) {
    plan_.push_back({std::move(title)});
    return static_cast<int>(plan_.size()) - 1;
  }

  void tell_plan() { tell({.kind = AgentEvent::Kind::plan, .plan = plan_}); }

  void mark(int step, StepState state) {
    if (step < 0) return;
    plan_[static_cast<size_t>(step)].state = state;
    if (state == StepState::active) step_ = step;
    tell_plan();
  }

  ToolCall begin_tool(std::string name, std::string arguments) {
    ToolCall tool{.id = ++tools_, .step = step_, .name = std::move(name), .arguments = std::move(arguments)};
    tool_start_ = Clock::now();
    tell({.kind = AgentEvent::Kind::tool, .tool = tool});
    return tool;
  }

  void end_tool(ToolCall tool, std::string answer) {
    tool.answer = std::move(answer);
    tool.answered = true;
    tool.milliseconds = seconds_since(tool_start_) * 1000;
    tell({.kind = AgentEvent::Kind::tool, .tool = std::move(tool)});
  }

  void finish(AgentEnd end, std::string message) {
    for (PlanStep& step : plan_)
      if (step.state == StepState::active) step.state = StepState::failed;
    tell_plan();
    tell({.kind = AgentEvent::Kind::finished, .end = end, .message = std::move(message)});
  }

  // What ended the run before its time, if anything did.
  bool ended_early() {
    if (stop_.stop_requested()) return finish(AgentEnd::stopped, "stopped; what was proposed until then stands"), true;
    if (out_of_budget_)
      return finish(AgentEnd::out_of_budget, "the budget is spent: " + counted(static_cast<size_t>(analyses_), "analysis", "analyses") + "; what was proposed until then stands"), true;
    return false;
  }

  bool may_go_on() {
    if (stop_.stop_requested()) return false;
    out_of_budget_ = out_of_budget_ || analyses_ >= request_.budget.analyses || seconds_since(start_) >= request_.budget.seconds;
    return !out_of_budget_;
  }

  // Spends an analysis.
  bool may_try() {
    if (!may_go_on()) return false;
    ++analyses_;
    if (seconds_since(start_) - last_meter_ > kMeterEvery) tell({.kind = AgentEvent::Kind::meter});
    return true;
  }

  std::string file_argument() const { return request_.file_name + "  # private copy"; }

  std::shared_ptr<const Analysis> check(const std::string& text) {
    ToolCall tool = begin_tool("check", file_argument());
    ++analyses_;
    auto analysis = analyse(request_.file_name, text, options_);
    end_tool(std::move(tool), analysis->stopped ? "stopped" : to_text(*analysis));
    return analysis;
  }

  void explain(const std::string& rule) {
    ToolCall tool = begin_tool("explain", rule);
    const CommandResult result = run_command({find_command("explain"), {{"rule", {rule}}}}, stop_);
    end_tool(std::move(tool), result.output + result.error);
  }

  // ---- repair -----------------------------------------------------------------------------

  bool wanted(const Finding& finding) const {
    return finding.severity == Severity::error && (request_.goal == AgentGoal::repair_all || same_fault_as(finding, request_.finding));
  }

  int step_of(const Finding& finding, const SourceText& source) {
    const std::string key = name_of(finding);
    for (const auto& [known, step] : steps_)
      if (known == key) return step;
    const int step = add_step("Repair " + key + ", line " + std::to_string(source.position(finding.span.begin).line));
    steps_.emplace_back(key, step);
    return step;
  }

  void repair_goal() {
    const int first = add_step("Check the private copy");
    mark(first, StepState::active);
    const auto before = check(request_.text);
    if (ended_early()) return;
    mark(first, StepState::done);
    size_t errors = 0;
    for (const Finding& finding : before->findings)
      if (wanted(finding)) ++errors, step_of(finding, before->source);
    if (errors == 0) {
      const bool one = request_.goal == AgentGoal::repair_one;
      return finish(AgentEnd::nothing, one ? "`" + name_of(request_.finding) + "` is not there any more" : "there are no errors to repair");
    }
    tell_plan();

    ToolCall tool;
    std::shared_ptr<const SourceText> source = std::make_shared<SourceText>(before->source);
    size_t proposals = 0;
    RepairWatch watch;
    watch.wants = [&](const Finding& finding) { return wanted(finding); };
    watch.may_go_on = [&] { return may_go_on(); };
    watch.may_try = [&] { return may_try(); };
    watch.looking = [&](const Finding& finding, const Analysis& now) {
      source = std::make_shared<SourceText>(now.source);
      mark(step_of(finding, *source), StepState::active);
      explain(finding.id);
      tool = begin_tool("fix", file_argument() + ", " + name_of(finding));
      tried_before_ = analyses_;
    };
    watch.found = [&](const Finding& finding, const std::vector<VerifiedFix>& fixes) {
      const std::string tried = counted(static_cast<size_t>(analyses_ - tried_before_), "candidate", "candidates") + " checked";
      if (fixes.empty()) {
        end_tool(tool, tried + (stop_.stop_requested() ? "; stopped" : "; none clears it without a new error"));
        mark(step_of(finding, *source), StepState::failed);
        return;
      }
      std::string answer = tried + "\n" + fixes[0].fix.title + "\n";
      answer += unified_diff(request_.file_name, source->text(), fixes[0].text);
      end_tool(tool, answer);
    };
    watch.kept = [&](const RepairStep& step, const Analysis& was, const std::shared_ptr<const Analysis>& after) {
      const Analysis& now = *after;
      end_tool(begin_tool("check", file_argument()), to_text(now));
      Evidence evidence = compare_analyses(was, now);
      evidence.title = step.fix.title;
      evidence.finding = step.finding.id;
      evidence.message = step.finding.message;
      mark(step_of(step.finding, *source), StepState::done);
      source = std::make_shared<SourceText>(now.source);
      for (const Finding& finding : now.findings)
        if (wanted(finding)) step_of(finding, *source);
      close_steps(now);
      ++proposals;
      tell({.kind = AgentEvent::Kind::proposal, .text = now.source.text(), .analysis = after, .evidence = std::move(evidence)});
    };
    const RepairResult result = repair(request_.file_name, request_.text, options_, watch);
    if (ended_early()) return;
    const size_t left = static_cast<size_t>(std::count_if(result.after->findings.begin(), result.after->findings.end(), [&](const Finding& f) { return wanted(f); }));
    if (proposals == 0) return finish(AgentEnd::nothing, "no verified fix is known for " + std::string(errors == 1 ? "this error" : "these errors"));
    finish(AgentEnd::done, counted(proposals, "proposal", "proposals") + "; with " + (proposals == 1 ? "it" : "all of them") + " " +
                               (left == 0 ? "no error is left" : counted(left, "error is left", "errors are left")));
  }

  // A fix often clears what was planned for later.
  void close_steps(const Analysis& now) {
    for (const auto& [key, step] : steps_) {
      PlanStep& planned = plan_[static_cast<size_t>(step)];
      const bool open = std::any_of(now.findings.begin(), now.findings.end(), [&, &key = key](const Finding& f) { return wanted(f) && name_of(f) == key; });
      if (!open && planned.state != StepState::done) planned.state = StepState::done;
    }
    tell_plan();
  }

  // ---- explore ----------------------------------------------------------------------------

  struct Trial {
    std::vector<std::pair<std::string, int64_t>> values;
    size_t errors = 0;
    int64_t steps = 0;
  };

  static std::string written(const std::vector<std::pair<std::string, int64_t>>& values) {
    std::string text;
    for (const auto& [name, value] : values) text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(value);
    return text;
  }

  void explore() {
    const int read = add_step("Read the tunables");
    const int try_all = add_step("Try their choices");
    const int verify = add_step("Check the best of them");
    mark(read, StepState::active);
    const auto before = check(request_.text);
    if (ended_early()) return;
    std::vector<Tunable> free;
    for (const Tunable& tunable : before->schedule.tunables) {
      const bool pinned = std::any_of(options_.tunables.begin(), options_.tunables.end(), [&](const auto& p) { return p.first == tunable.name; });
      if (!pinned && tunable.choices.size() > 1 && tunable.value_span.end > tunable.value_span.begin) free.push_back(tunable);
    }
    if (free.empty()) return finish(AgentEnd::nothing, "the schedule has no tunable with a choice");
    std::vector<std::vector<std::pair<std::string, int64_t>>> combinations = {{}};
    bool cut = false;
    for (const Tunable& tunable : free) {
      std::vector<std::vector<std::pair<std::string, int64_t>>> more;
      for (const auto& values : combinations)
        for (int64_t choice : tunable.choices) {
          if (more.size() == kMaxCombinations) {
            cut = true;
            break;
          }
          more.push_back(values);
          more.back().emplace_back(tunable.name, choice);
        }
      combinations = std::move(more);
    }
    mark(read, StepState::done);
    plan_[static_cast<size_t>(try_all)].title = "Try " + counted(combinations.size(), "combination", "combinations") + " of " +
                                                counted(free.size(), "tunable", "tunables") + (cut ? ", of more that there are" : "");
    mark(try_all, StepState::active);

    std::vector<std::pair<std::string, int64_t>> present;
    for (const Tunable& tunable : free) present.emplace_back(tunable.name, tunable.value);
    const Trial now{present, before->count(Severity::error), before->timeline.end};
    Trial best = now;
    for (const auto& values : combinations) {
      if (values == present) continue;
      if (!may_try()) break;
      std::string arguments = file_argument();
      for (const auto& [name, value] : values) arguments = "--tunable " + name + "=" + std::to_string(value) + " " + arguments;
      ToolCall tool = begin_tool("check", arguments);
      AnalysisOptions pinned = options_;
      pinned.tunables.insert(pinned.tunables.end(), values.begin(), values.end());
      const auto analysis = analyse(request_.file_name, request_.text, pinned);
      if (analysis->stopped) {
        end_tool(std::move(tool), "stopped");
        break;
      }
      const Trial trial{values, analysis->count(Severity::error), analysis->timeline.end};
      end_tool(std::move(tool), trial.errors == 0 ? "accepted; ends at logical step " + std::to_string(trial.steps) + "\n" : to_text(*analysis));
      if (std::pair(trial.errors, trial.steps) < std::pair(best.errors, best.steps)) best = trial;
    }
    const bool early = stop_.stop_requested() || out_of_budget_;
    if (best.values == present) {
      if (early) {
        ended_early();
        return;
      }
      mark(try_all, StepState::done);
      return finish(AgentEnd::nothing, "the values there are are the best in logical steps: " + written(present) + " ends at step " + std::to_string(now.steps));
    }
    if (!early) mark(try_all, StepState::done);
    propose_values(free, best, *before, verify);
  }

  void propose_values(const std::vector<Tunable>& free, const Trial& best, const Analysis& before, int verify) {
    std::vector<TextEdit> edits;
    for (size_t i = 0; i < free.size(); ++i)
      if (best.values[i].second != free[i].value) edits.push_back({free[i].value_span, std::to_string(best.values[i].second)});
    const std::string text = apply_edits(request_.text, edits);
    AnalysisOptions finish_it = options_;
    finish_it.stop = {};  // one analysis, so that partial work is kept with its evidence
    mark(verify, StepState::active);
    ToolCall tool = begin_tool("check", file_argument());
    const auto after = analyse(request_.file_name, text, finish_it);
    end_tool(std::move(tool), to_text(*after));
    Evidence evidence = compare_analyses(before, *after);
    evidence.title = "set " + written(best.values);
    evidence.message = "ends at logical step " + std::to_string(after->timeline.end) + ", now " + std::to_string(before.timeline.end);
    mark(verify, StepState::done);
    tell({.kind = AgentEvent::Kind::proposal, .text = text, .analysis = after, .evidence = std::move(evidence)});
    if (!ended_early()) finish(AgentEnd::done, "1 proposal: " + written(best.values) + " ends sooner in logical steps; that is no measured time");
  }

  const AgentRequest& request_;
  std::stop_token stop_;
  const AgentListener& tell_;
  AnalysisOptions options_;
  Clock::time_point start_ = Clock::now(), tool_start_ = start_;
  std::vector<PlanStep> plan_;
  std::vector<std::pair<std::string, int>> steps_;  // of the plan, by finding
  int step_ = -1, tools_ = 0, analyses_ = 0, tried_before_ = 0;
  double last_meter_ = 0;
  bool out_of_budget_ = false;
};

}  // namespace

Evidence compare_analyses(const Analysis& before, const Analysis& after) {
  Evidence evidence{.hash_before = before.hash, .hash_after = after.hash};
  const auto names = [](const Analysis& analysis) {
    std::vector<std::string> list;
    for (const Finding& finding : analysis.findings) list.push_back(name_of(finding));
    std::sort(list.begin(), list.end());
    return list;
  };
  const std::vector<std::string> was = names(before), now = names(after);
  std::set_difference(was.begin(), was.end(), now.begin(), now.end(), std::back_inserter(evidence.fixed));
  std::set_difference(now.begin(), now.end(), was.begin(), was.end(), std::back_inserter(evidence.added));
  evidence.errors_before = static_cast<int>(before.count(Severity::error));
  evidence.errors_after = static_cast<int>(after.count(Severity::error));
  evidence.findings_before = static_cast<int>(before.findings.size());
  evidence.findings_after = static_cast<int>(after.findings.size());
  const auto smem = [](const Analysis& analysis) { return analysis.schedule.pool_bytes() + analysis.schedule.hidden_bytes(); };
  evidence.smem_before = smem(before);
  evidence.smem_after = smem(after);
  evidence.steps_before = before.timeline.end;
  evidence.steps_after = after.timeline.end;
  return evidence;
}

void run_agent(const AgentRequest& request, std::stop_token stop, const AgentListener& tell) { Worker(request, std::move(stop), tell).work(); }

AgentRun::AgentRun(AgentRequest request, AgentListener tell)
    : thread_([request = std::move(request), tell = std::move(tell)](std::stop_token stop) { run_agent(request, std::move(stop), tell); }) {}

}  // namespace bakery
