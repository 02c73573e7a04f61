// SPDX-License-Identifier: Apache-2.0
#include "agent_panel/harness/repair.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace bakery {
namespace {

constexpr int kMaxSteps = 12;

}  // namespace

RepairResult repair(const std::string& file_name, const std::string& text, const AnalysisOptions& options, const RepairWatch& watch) {
  RepairResult result;
  result.text = text;
  result.before = result.after = analyse(file_name, text, options);
  const auto told_to_end = [&] { return options.stop.stop_requested() || (watch.may_try && !watch.may_try()); };
  for (int step = 0; step < kMaxSteps && result.after->count(Severity::error) > 0; ++step) {
    bool helped = false;
    for (const Finding& finding : result.after->findings) {
      if (finding.severity != Severity::error || (watch.wants && !watch.wants(finding)) || told_to_end()) continue;
      if (watch.looking) watch.looking(finding);
      auto fixes = find_fixes(*result.after, finding, options, 1, watch.may_try);
      if (watch.found) watch.found(finding, fixes);
      if (fixes.empty()) continue;
      result.steps.push_back({finding, fixes[0].fix, result.after->count(Severity::error), fixes[0].after->count(Severity::error)});
      const auto before = std::exchange(result.after, fixes[0].after);
      result.text = std::move(fixes[0].text);
      if (watch.stepped) watch.stepped(result.steps.back(), *before, *result.after);
      helped = true;
      break;
    }
    if (!helped) break;
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
