// SPDX-License-Identifier: Apache-2.0
// What the commands of this layer do.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/session/commands.h"
#include "app/session/docs.h"
#include "app/session/export_timeline.h"
#include "app/session/fixes.h"
#include "app/session/files.h"
#include "app/session/lessons.h"
#include "app/session/resources.h"
#include "app/session/kernel_commands.h"
#include "app/session/simulation.h"
#include "core_ir/operations.h"

namespace bakery {
namespace {

using Json = nlohmann::ordered_json;

// Paths may hold any bytes; JSON must not.
std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

CommandResult failure(bool json, int code, const char* kind, const std::string& text, const std::vector<FileError>& errors) {
  CommandResult result{code, "", text};
  if (!json) return result;
  Json out;
  const auto put = [&](const FileError& error) {
    Json one;
    one["kind"] = kind;
    one["message"] = error.message;
    if (!error.file.empty()) one["file"] = error.file;
    if (error.line > 0) {
      one["line"] = error.line;
      one["column"] = error.column;
    }
    return one;
  };
  out["error"] = put(errors[0]);
  for (size_t i = 1; i < errors.size(); ++i) out["more_errors"].push_back(put(errors[i]));
  result.output = dump(out);
  return result;
}

CommandResult answer(const CommandCall& call, const Analysis& analysis) {
  return {analysis.verdict == Verdict::rejected ? kRejected : kAccepted, call.json() ? to_json(analysis) : to_text(analysis), ""};
}

CommandResult check(const CommandCall& call, std::stop_token stop) {
  CommandInput input;
  if (auto failed = read_input(call, stop, input)) return *failed;
  input.options.timeline = false;
  auto analysis = analyse(input.file, input.text, input.options);
  if (auto none = no_answer(call, input, *analysis)) return *none;
  if (worth_fixing(*analysis)) analysis = with_fixes(*analysis, input.options);
  if (!analysis) return stopped(call.json());
  return answer(call, *analysis);
}

Json rule_json(const Rule& rule) {
  Json out;
  out["id"] = rule.id;
  out["title"] = rule.title;
  out["gate"] = to_string(rule.gate);
  out["severity"] = to_string(rule.severity);
  out["confidence"] = to_string(rule.confidence);
  out["version"] = rule.version;
  out["contract"] = rule.contract;
  out["rationale"] = rule.rationale;
  out["cites"] = rule.cites;
  out["example"] = rule.example;
  out["remedy"] = rule.remedy;
  return out;
}

std::string indented(std::string_view text) {
  std::string out = "  ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out + "\n";
}

std::string page(const Rule& rule) {
  std::string out = std::string(rule.id) + ": " + rule.title + "\n";
  out += indented(std::string(to_string(rule.gate)) + " gate, " + to_string(rule.severity) + ", version " + std::to_string(rule.version));
  out += "\nthe rule\n" + indented(rule.contract);
  out += "\nwhy\n" + indented(rule.rationale);
  out += "\nan example that breaks it\n" + indented(rule.example);
  out += "\nremedy\n" + indented(rule.remedy);
  out += "\nsee also\n" + indented(rule.cites);
  return out;
}

CommandResult explain(const CommandCall& call, std::stop_token) {
  if (!call.has("rule")) {
    Json all;
    std::string text;
    for (const Rule* rule : all_rules()) {
      all["rules"].push_back({{"id", rule->id}, {"title", rule->title}, {"gate", to_string(rule->gate)}, {"severity", to_string(rule->severity)}});
      const std::string id = rule->id;
      text += id + std::string(id.size() < 11 ? 11 - id.size() : 1, ' ') + rule->title + "\n";
    }
    return {kAccepted, call.json() ? dump(all) : text, ""};
  }
  std::string id = call.value("rule");
  for (char& c : id)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  std::vector<std::string> ids;
  for (const Rule* rule : all_rules()) {
    if (id == rule->id) return {kAccepted, call.json() ? dump(rule_json(*rule)) : page(*rule), ""};
    ids.emplace_back(rule->id);
  }
  std::string message = "no rule `" + call.value("rule") + "`";
  const std::vector<std::string> near = near_matches(id, ids);
  for (size_t i = 0; i < near.size(); ++i) message += (i == 0 ? "; did you mean `" : "`, `") + near[i];
  message += near.empty() ? "; `bakery explain` lists all" : "`?";
  return usage_error(call.json(), message);
}

CommandResult fmt(const CommandCall& call, std::stop_token stop) {
  if (call.has("write") && call.has("check")) return usage_error(call.json(), "give `--write` or `--check`, not both");
  CommandInput input;
  if (auto failed = read_input(call, stop, input)) return *failed;
  const SourceText source(input.file, input.text);
  const Tree tree = parse(source);
  if (!tree.problems.empty()) {
    const auto analysis = analyse(input.file, input.text, input.options);
    if (analysis->stopped) return stopped(call.json());
    return {kRejected, call.json() ? to_json(*analysis) : to_text(*analysis), "`" + input.file + "` has syntax problems and was left alone"};
  }
  const std::string text = print(source, tree);
  const bool changed = text != input.text;
  if (call.has("write") && changed)
    if (const auto error = write_file(input.file, text)) return file_error(call.json(), {*error});
  CommandResult result;
  if (call.has("check") && changed) {
    result.exit_code = kRejected;
    result.error = "`" + input.file + "` is not in canonical form; `bakery fmt " + input.file + " --write` mends it";
  }
  if (call.json())
    result.output = dump({{"file", input.file}, {"changed", changed}, {"written", call.has("write") && changed}, {"text", text}});
  else if (!call.has("write") && !call.has("check"))
    result.output = text;
  return result;
}

CommandResult timeline(const CommandCall& call, std::stop_token stop) {
  CommandInput input;
  if (auto failed = read_input(call, stop, input)) return *failed;
  const auto analysis = analyse(input.file, input.text, input.options);
  if (auto none = no_answer(call, input, *analysis)) return *none;
  if (!analysis->schedule.complete) {
    CommandResult result = answer(call, *analysis);
    result.error = "`" + input.file + "` can't be run, so it has no timeline";
    return result;
  }
  CommandResult result = answer(call, *analysis);
  if (result.exit_code == kRejected) result.error = "the schedule is rejected; `bakery check " + input.file + "` says why";
  const std::string trace = export_timeline(*analysis, analysis->timeline);
  result.output = trace;
  if (call.has("output")) {
    const std::string path = call.value("output");
    if (const auto error = write_file(path, trace)) return file_error(call.json(), {*error});
    const size_t events = analysis->timeline.events.size();
    result.output = call.json() ? dump({{"file", input.file}, {"output", path}, {"events", events}, {"verdict", to_string(analysis->verdict)}})
                                : "wrote " + path + ": " + std::to_string(events) + " events" +
                                      (analysis->timeline.sample.empty() ? "" : " (" + analysis->timeline.sample + ")") + "\n";
  }
  return result;
}

CommandResult simulate_values(const CommandCall& call, std::stop_token stop) {
  CommandInput input;
  if (auto failed = read_input(call, stop, input)) return *failed;
  input.options.timeline = false;
  const auto analysis = analyse(input.file, input.text, input.options);
  if (auto none = no_answer(call, input, *analysis)) return *none;
  if (!analysis->schedule.complete) {
    CommandResult result = answer(call, *analysis);
    result.error = "`" + input.file + "` can't be run";
    return result;
  }
  const SimulationResult values = simulate(*analysis, *input.contract, stop);
  if (values.stopped) return stopped(call.json());
  if (!values.errors.empty()) {
    std::vector<FileError> errors;
    for (const ContractError& error : values.errors) errors.push_back({input.contract->file, error.message, error.line, error.column});
    return file_error(call.json(), errors);
  }
  const bool accepted = values.agrees() && analysis->verdict != Verdict::rejected;
  return {accepted ? kAccepted : kRejected,
          call.json() ? to_json(*analysis, *input.contract, values) : to_text(*analysis, *input.contract, values), ""};
}

CommandResult list_targets(const CommandCall& call, std::stop_token) {
  Json all;
  std::string text;
  for (const Target& target : targets()) {
    all["targets"].push_back({{"name", target.name},
                              {"gpus", target.gpus},
                              {"shared_bytes", target.shared_bytes},
                              {"tmem_columns", target.tmem_columns},
                              {"tensor_path", target.tensor_path},
                              {"register_budgets", target.register_budgets}});
    const std::string name = target.name;
    text += name + std::string(name.size() < 10 ? 10 - name.size() : 1, ' ') + target.gpus + ": " + target.tensor_path + ", " +
            std::to_string(target.shared_bytes) + " bytes of shared memory a CTA" +
            (target.tmem_columns > 0 ? ", " + std::to_string(target.tmem_columns) + " tensor-memory columns" : "") + "\n";
  }
  return {kAccepted, call.json() ? dump(all) : text, ""};
}

CommandResult list_operations(const CommandCall& call, std::stop_token) {
  Json all;
  std::string text;
  for (const Operation& op : operations()) {
    Json names = Json::array();
    for (const Target& target : targets())
      if (contains(op.targets, target.id)) names.push_back(target.name);
    all["operations"].push_back(
        {{"spelling", op.spelling}, {"summary", op.summary}, {"example", op.example}, {"targets", names}, {"hardware", op.hardware}});
    const std::string example = op.example;
    text += example + "\n    " + op.summary + "\n";
  }
  return {kAccepted, call.json() ? dump(all) : text, ""};
}

CommandResult docs(const CommandCall& call, std::stop_token) {
  const std::string folder = call.value("out");
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return file_error(call.json(), {{folder, "can't make the folder `" + folder + "`: " + code.message()}});
  Json written = Json::array();
  std::string text;
  for (const DocPage& page : doc_pages()) {
    const std::string path = (std::filesystem::path(folder) / page.name).string();
    if (const auto error = write_file(path, page.text)) return file_error(call.json(), {*error});
    written.push_back(path);
    text += "wrote " + path + "\n";
  }
  return {kAccepted, call.json() ? dump({{"written", written}}) : text, ""};
}

CommandResult version(const CommandCall& call, std::stop_token) {
  return {kAccepted, call.json() ? dump({{"version", BAKERY_VERSION}}) : "bakery " BAKERY_VERSION "\n", ""};
}

CommandResult lessons(const CommandCall& call, std::stop_token) {
  const std::string resources = resources_folder();
  Json all{{"lessons", Json::array()}};
  std::string text;
  std::vector<FileError> broken;
  std::vector<std::string> ids;
  for (const std::string& folder : lesson_folders(resources)) {
    LessonFile file = read_lesson(folder);
    const Lesson& lesson = file.lesson;
    if (call.has("lesson") && call.value("lesson") != lesson.id) {
      ids.push_back(lesson.id);
      continue;
    }
    for (const ContractError& e : file.errors) broken.push_back({folder + "/lesson.toml", e.message, e.line, e.column});
    Json steps = Json::array();
    for (const LessonStep& step : lesson.steps) steps.push_back({{"title", step.title}, {"text", step.text}, {"focus", step.focus}});
    all["lessons"].push_back({{"id", lesson.id}, {"title", lesson.title}, {"about", lesson.about}, {"schedule", lesson.schedule_file},
                              {"broken", lesson.broken_file}, {"steps", steps}});
    text += call.has("lesson") ? to_text(lesson) : lesson.id + std::string(lesson.id.size() < 16 ? 16 - lesson.id.size() : 1, ' ') + lesson.title + "\n";
  }
  if (!broken.empty()) return file_error(call.json(), broken);
  if (!call.has("lesson")) text += "\nTen broken schedules to understand are in " + resources + "/lessons/broken.\n";
  if (!text.empty()) return {kAccepted, call.json() ? dump(all) : text, ""};
  if (resources.empty()) return usage_error(call.json(), "the folder `resources` was not found; name it in BAKERY_RESOURCES");
  std::string message = "no lesson `" + call.value("lesson") + "`; there are";
  for (const std::string& id : ids) message += " `" + id + "`";
  return usage_error(call.json(), message);
}

CommandResult dispatch(const CommandCall& call, std::stop_token stop) {
  static constexpr std::pair<const char*, CommandRunner> kRunners[] = {
      {"check", check},       {"explain", explain},         {"fmt", fmt},       {"timeline", timeline},
      {"simulate", simulate_values}, {"targets", list_targets}, {"operations", list_operations}, {"docs", docs}, {"version", version},
      {"lessons", lessons},
  };
  for (const auto& [id, runner] : kRunners)
    if (std::string_view(id) == call.command->id) return runner(call, std::move(stop));
  for (const auto& [id, runner] : kernel_runners())
    if (std::string_view(id) == call.command->id) return runner(call, std::move(stop));
  return our_fault(call.json(), "`" + std::string(call.command->id) + "` is in the table, but nothing runs it");
}

}  // namespace

CommandResult run(const CommandCall& call, std::stop_token stop) { return run_guarded(call, std::move(stop), dispatch); }

CommandResult usage_error(bool json, const std::string& message) {
  return failure(json, kWrongUse, "usage", message, {{"", message}});
}

CommandResult file_error(bool json, const std::vector<FileError>& errors) {
  std::string text;
  for (const FileError& error : errors) text += (text.empty() ? "" : "\n") + to_text(error);
  return failure(json, kWrongUse, "file", text, errors);
}

CommandResult stopped(bool json) { return failure(json, kStopped, "stopped", "stopped", {{"", "stopped before the end"}}); }

CommandResult our_fault(bool json, const std::string& what) {
  const std::string message = "a fault of bakery, not of your schedule: " + what + "; please report it with the schedule";
  return failure(json, kOurFault, "internal", message, {{"", message}});
}

}  // namespace bakery
