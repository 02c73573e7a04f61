// SPDX-License-Identifier: Apache-2.0
#include "agent_panel/harness/repair.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace bakery {
namespace {

constexpr size_t kMaxSteps = 12;
constexpr int kMaxSearches = 40;  // for fixes of one error
constexpr size_t kAlternatives = 3;

// One error of one text, and what may mend it, best first.
struct Choice {
  std::shared_ptr<const Analysis> before;
  Finding finding;
  std::vector<VerifiedFix> fixes;
  size_t taken = 0;
};

class Search {
 public:
  Search(std::shared_ptr<const Analysis> start, const AnalysisOptions& options, const RepairWatch& watch)
      : now_(std::move(start)), options_(options), watch_(watch), best_errors_(now_->count(Severity::error)) {}

  // The choices that leave the fewest errors.
  std::vector<Choice> run() {
    while (now_->count(Severity::error) > 0 && !told_to_end() && searches_ < kMaxSearches)
      if (!go_on() && !go_back()) break;
    keep_best();
    return std::move(best_);
  }

 private:
  bool told_to_end() const { return options_.stop.stop_requested() || (watch_.may_go_on && !watch_.may_go_on()); }

  bool go_on() {
    if (path_.size() >= kMaxSteps) return false;
    for (const Finding& finding : now_->findings) {
      if (finding.severity != Severity::error || (watch_.wants && !watch_.wants(finding)) || told_to_end()) continue;
      ++searches_;
      if (watch_.looking) watch_.looking(finding, *now_);
      auto fixes = find_fixes(*now_, finding, options_, kAlternatives, watch_.may_try);
      if (watch_.found) watch_.found(finding, fixes);
      if (fixes.empty()) continue;
      path_.push_back({now_, finding, std::move(fixes)});
      now_ = path_.back().fixes[0].after;
      keep_best();
      return true;
    }
    return false;
  }

  bool go_back() {
    if (wanted_errors() == 0) return false;
    while (!path_.empty() && path_.back().taken + 1 >= path_.back().fixes.size()) path_.pop_back();
    if (path_.empty()) return false;
    Choice& choice = path_.back();
    now_ = choice.fixes[++choice.taken].after;
    keep_best();
    return true;
  }

  size_t wanted_errors() const {
    return static_cast<size_t>(std::count_if(now_->findings.begin(), now_->findings.end(),
                                             [&](const Finding& f) { return f.severity == Severity::error && (!watch_.wants || watch_.wants(f)); }));
  }

  void keep_best() {
    if (now_->count(Severity::error) >= best_errors_) return;
    best_errors_ = now_->count(Severity::error);
    best_ = path_;
  }

  std::shared_ptr<const Analysis> now_;
  const AnalysisOptions& options_;
  const RepairWatch& watch_;
  int searches_ = 0;
  size_t best_errors_;
  std::vector<Choice> path_, best_;
};

}  // namespace

RepairResult repair(const std::string& file_name, const std::string& text, const AnalysisOptions& options, const RepairWatch& watch) {
  RepairResult result;
  result.text = text;
  result.before = result.after = analyse(file_name, text, options);
  for (Choice& choice : Search(result.before, options, watch).run()) {
    VerifiedFix& taken = choice.fixes[choice.taken];
    result.steps.push_back({choice.finding, taken.fix, choice.before->count(Severity::error), taken.after->count(Severity::error)});
    result.text = std::move(taken.text);
    result.after = taken.after;
    if (watch.kept) watch.kept(result.steps.back(), *choice.before, result.after);
  }
  result.repaired = result.after->count(Severity::error) == 0;
  result.diff = unified_diff(file_name, text, result.text);
  return result;
}

std::string to_text(const RepairResult& result) {
  std::string out;
  for (const RepairStep& step : result.steps)
    out += "# " + step.finding.id + ": " + step.finding.message + "\n#   " + step.fix.title + " (errors " + std::to_string(step.errors_before) +
           " -> " + std::to_string(step.errors_after) + ")\n";
  out += result.diff;
  if (result.before->count(Severity::error) == 0) {
    out += "nothing to repair: " + result.before->source.name() + " has no errors\n";
  } else if (!result.repaired) {
    out += "not repaired: " + std::to_string(result.after->count(Severity::error)) + " errors remain\n" + to_text(*result.after);
  }
  return out;
}

std::string to_json(const RepairResult& result) {
  using Json = nlohmann::ordered_json;
  Json out;
  out["file"] = result.before->source.name();
  out["repaired"] = result.repaired;
  out["diff"] = result.diff;
  out["steps"] = Json::array();
  for (const RepairStep& step : result.steps)
    out["steps"].push_back({{"id", step.finding.id}, {"message", step.finding.message}, {"title", step.fix.title},
                            {"errors_before", step.errors_before}, {"errors_after", step.errors_after}});
  out["before"] = Json::parse(to_json(*result.before));
  out["after"] = Json::parse(to_json(*result.after));
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace bakery
