// SPDX-License-Identifier: Apache-2.0
#include "app/session/commands.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>
#include <numeric>

#include "app/session/contract.h"

namespace bakery {
namespace {

using P = ParameterKind;
using E = CommandEffect;

constexpr CommandParameter kFile = {"file", P::schedule, "the schedule", true, true};
constexpr CommandParameter kTarget = {"target", P::target, "the exact GPU; the decorator's if left out"};
constexpr CommandParameter kTunable = {"tunable", P::name_value, "pins a tunable", false, false, true};
constexpr CommandParameter kEventLimit = {
    "event-limit", P::integer, "machine events after which a check stops and says so", false, false, false, 0, "20000"};
constexpr CommandParameter kJson = {"json", P::flag, "prints one JSON object"};

constexpr CommandParameter kCheck[] = {
    kFile,
    kTarget,
    {"contract", P::contract, "takes target and pinned tunables from a workload contract"},
    kTunable,
    {"all-tunables", P::flag, "checks every choice of every tunable"},
    kEventLimit,
    kJson,
};
constexpr CommandParameter kExplain[] = {
    {"rule", P::rule, "the rule's id; all rules if left out", true},
    kJson,
};
constexpr CommandParameter kFix[] = {
    kFile,
    kTarget,
    kTunable,
    {"apply", P::flag, "writes the repaired text to the file", false, false, false, 0, "", E::edits},
    kEventLimit,
    kJson,
};
constexpr CommandParameter kFmt[] = {
    kFile,
    {"write", P::flag, "writes the canonical text to the file", false, false, false, 0, "", E::edits},
    {"check", P::flag, "prints nothing; exit code 1 if the text is not canonical"},
    kJson,
};
constexpr CommandParameter kSimulate[] = {
    kFile,
    {"contract", P::contract, "the shapes, tensors, oracle and tolerance", false, true},
    kTunable,
    kJson,
};
constexpr CommandParameter kTimeline[] = {
    kFile,
    kTarget,
    kTunable,
    kEventLimit,
    {"output", P::output, "the file to write; stdout if left out", false, false, false, 'o', "", E::edits},
    kJson,
};
constexpr CommandParameter kUnchecked = {"unchecked", P::flag, "waives refutations; nothing of it is timed or recorded"};
constexpr CommandParameter kBounded = {"bounded", P::flag, "waits that give up and say what they waited for"};
constexpr CommandParameter kLower[] = {
    kFile, kTarget, kTunable, kUnchecked, kBounded,
    {"output", P::output, "the CUDA file to write, with its launch manifest beside it; stdout if left out", false, false, false, 'o', "", E::edits},
    kJson,
};
constexpr CommandParameter kCompile[] = {
    kFile, kTarget,
    {"contract", P::contract, "shapes to count waves for"},
    kTunable, kUnchecked, kBounded,
    {"output", P::output, "the cubin to write", false, false, false, 'o', "", E::edits},
    kJson,
};
constexpr CommandParameter kAllowEvents = {"allow-events", P::flag, "times with CUDA events where CUPTI can't be used"};
constexpr CommandParameter kReceipt = {"receipt", P::output, "the receipt file to write, one JSON line a run", false, false, false, 0, "", E::edits};
constexpr CommandParameter kRun[] = {
    kFile,
    {"contract", P::contract, "the shapes, tensors, oracle and tolerance", false, true},
    kTunable, kUnchecked,
    {"time", P::flag, "times too: CUPTI spans with the L2 flushed before each sample"},
    kAllowEvents,
    {"held-out", P::flag, "runs the held-out shapes too"},
    {"distribution", P::word, "values of the inputs in place of the contract's: normal, uniform, ones, integers"},
    {"shape", P::integer, "runs only the n-th shape, counted from 1"},
    {"record", P::output, "writes the worker's session, to be replayed by `bakery worker --replay`", false, false, false, 0, "", E::edits},
    kReceipt, kJson,
};
constexpr CommandParameter kBench[] = {
    {"suite", P::suite, "the suite", true, true},
    kAllowEvents, kReceipt, kJson,
};
constexpr CommandParameter kHistory[] = {
    {"file", P::schedule, "a schedule, to read the store beside it", true},
    {"limit", P::integer, "runs to show, newest first", false, false, false, 0, "50"},
    kJson,
};
constexpr CommandParameter kLessons[] = {
    {"lesson", P::word, "the lesson's name; all lessons if left out", true},
    kJson,
};
constexpr CommandParameter kOnlyJson[] = {kJson};
constexpr CommandParameter kDocs[] = {
    {"out", P::folder, "the folder to write to", false, false, false, 0, "resources/docs/generated"},
    kJson,
};

constexpr Command kCommands[] = {
    {"check", "check a schedule",
     "Runs the four gates that come before compilation, and says what was not checked. Exit code 1 if an error was found.",
     "bakery check gemm.cake --target sm_90a", kCheck, E::reads, ""},
    {"explain", "explain a rule",
     "Prints what the rule protects, an example that breaks it, the remedy and the source. Without an id, lists all rules.",
     "bakery explain SAFE-001", kExplain, E::reads, ""},
    {"fix", "repair a schedule",
     "Prints the built-in agent's repair as a diff, with the errors before and after. The file is changed only with `--apply`.",
     "bakery fix gemm.cake", kFix, E::reads, "apply the diff in reverse (`patch -R`)"},
    {"fmt", "print the canonical form",
     "Prints the schedule with one spelling an operation; comments are kept. A text with syntax problems is left alone: exit code 1.",
     "bakery fmt gemm.cake --write", kFmt, E::reads, "undo in the editor, or take the file from version control"},
    {"simulate", "run on the reference machine",
     "Runs the schedule on the abstract machine at the contract's shapes, and compares its values with the oracle's.",
     "bakery simulate gemm.cake --contract gemm_small.toml", kSimulate, E::reads, ""},
    {"timeline", "export the timeline",
     "Writes the logical timeline as Trace Event JSON, which Perfetto and Chrome open. Times are logical steps.",
     "bakery timeline gemm.cake -o gemm.json", kTimeline, E::reads, "delete the file that was written"},
    {"lower", "lower to CUDA", "Prints the CUDA that the schedule becomes; with `-o` writes it, with its launch manifest beside it.",
     "bakery lower gemm.cake -o gemm.cu", kLower, E::reads, "delete the files that were written"},
    {"compile", "compile with NVRTC",
     "Compiles the lowered schedule in a worker process; prints registers, spills, shared memory, CTAs an SM, waves, and what the compiler remarked, on schedule lines.",
     "bakery compile gemm.cake --contract gemm_4096.toml", kCompile, E::runs_code, ""},
    {"run", "run on the device",
     "Compiles, launches in a worker process and compares every output with the oracle, at each shape of the contract. Waits give up after 2 s and say who waits for what; with `--time`, what is correct is built again with plain waits, and spans are measured.",
     "bakery run gemm.cake --contract gemm_4096.toml --time", kRun, E::runs_code, ""},
    {"bench", "time beside a peer", "Runs and times the contracts of a suite beside its peer, arms alternating; prints one table.",
     "bakery bench suites/gemm.toml", kBench, E::runs_code, ""},
    {"history", "show what was recorded", "Lists compilations, runs, findings, figures and decisions from the store.", "bakery history gemm.cake", kHistory, E::reads, ""},
    {"doctor", "look at this machine", "Says which driver, device and libraries this machine has, what is missing, and how to mend it.", "bakery doctor", kOnlyJson, E::reads, ""},
    {"lessons", "read a lesson", "Prints a lesson with its schedule and its broken twin. Without a name, lists all lessons.", "bakery lessons ring",
     kLessons, E::reads, ""},
    {"targets", "list the targets", "Lists the exact targets and their limits.", "bakery targets", kOnlyJson, E::reads, ""},
    {"operations", "list the operations", "Lists the operations of CAKE IR with their targets.", "bakery operations", kOnlyJson,
     E::reads, ""},
    {"docs", "write the reference pages", "Writes the pages on rules, operations and commands that are made from the tables.",
     "bakery docs", kDocs, E::edits, "take the files from version control"},
    {"version", "print the version", "Prints the version.", "bakery version", kOnlyJson, E::reads, ""},
};

bool is_integer(const std::string& text) {
  return !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789", text[0] == '-' ? 1 : 0) == std::string::npos &&
         text != "-";
}

std::string spelled(const CommandParameter& parameter) {
  return parameter.positional ? placeholder(parameter.kind) : "--" + std::string(parameter.name);
}

std::string wrong_value(const CommandParameter& parameter, const std::string& value) {
  if (parameter.kind == P::integer && (!is_integer(value) || std::stoll(value) < 1))
    return "`" + spelled(parameter) + "` takes a whole number of at least 1, not `" + value + "`";
  if (parameter.kind == P::name_value) {
    const size_t at = value.find('=');
    if (at == 0 || at == std::string::npos || !is_integer(value.substr(at + 1)))
      return "`" + spelled(parameter) + "` takes NAME=VALUE with a whole number, not `" + value + "`";
  }
  if (value.empty() && parameter.kind != P::flag) return "`" + spelled(parameter) + "` is empty";
  return "";
}

// What is wrong with the call's values; empty: nothing.
std::string wrong_call(const CommandCall& call) {
  const Command& command = *call.command;
  for (const auto& [name, values] : call.values) {
    const CommandParameter* parameter = find_parameter(command, name);
    if (!parameter) return "`bakery " + std::string(command.id) + "` has no parameter `" + name + "`";
    if (values.size() > 1 && !parameter->repeated)
      return "`bakery " + std::string(command.id) + "` takes one " + spelled(*parameter) + ", but `" + values[1] + "` follows `" +
             values[0] + "`";
    for (const std::string& value : values)
      if (const std::string wrong = wrong_value(*parameter, value); !wrong.empty()) return wrong;
  }
  // An output must not be written over what the command reads.
  for (const CommandParameter& out : command.parameters)
    for (const CommandParameter& in : command.parameters) {
      std::error_code ignored;
      if (out.kind == P::output && in.kind != P::output && in.kind != P::flag && call.has(out.name) && call.has(in.name) &&
          std::filesystem::equivalent(call.value(out.name), call.value(in.name), ignored))
        return "`" + spelled(out) + "` would overwrite `" + call.value(in.name) + "`";
    }
  for (const CommandParameter& parameter : command.parameters)
    if (parameter.required && !call.has(parameter.name))
      return "`bakery " + std::string(command.id) + "` needs " +
             (parameter.positional ? "a " + spelled(parameter) : "`" + spelled(parameter) + " " + placeholder(parameter.kind) + "`");
  return "";
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t k = 1; k <= b.size(); ++k) {
      const size_t next = std::min({row[k] + 1, row[k - 1] + 1, diagonal + (a[i - 1] != b[k - 1])});
      diagonal = row[k];
      row[k] = next;
    }
  }
  return row.back();
}

std::string target_names() {
  std::string names;
  for (const Target& target : targets()) names += (names.empty() ? "" : ", ") + std::string(target.name);
  return names;
}

}  // namespace

const char* to_string(CommandEffect effect) {
  switch (effect) {
    case E::reads: return "reads";
    case E::edits: return "edits";
    case E::runs_code: return "runs code";
  }
  return "";
}

const char* placeholder(ParameterKind kind) {
  switch (kind) {
    case P::schedule: return "FILE";
    case P::contract: return "CONTRACT";
    case P::suite: return "SUITE";
    case P::word: return "WORD";
    case P::output: return "OUTPUT";
    case P::folder: return "FOLDER";
    case P::target: return "TARGET";
    case P::rule: return "RULE-ID";
    case P::name_value: return "NAME=VALUE";
    case P::integer: return "N";
    case P::flag: return "";
  }
  return "";
}

std::span<const Command> commands() { return kCommands; }

const Command* find_command(std::string_view id) {
  for (const Command& command : kCommands)
    if (id == command.id) return &command;
  return nullptr;
}

const CommandParameter* find_parameter(const Command& command, std::string_view name) {
  for (const CommandParameter& parameter : command.parameters)
    if (name == parameter.name) return &parameter;
  return nullptr;
}

bool CommandCall::has(std::string_view name) const { return !list(name).empty(); }

std::string CommandCall::value(std::string_view name) const {
  const std::vector<std::string> all = list(name);
  if (!all.empty()) return all[0];
  const CommandParameter* parameter = command ? find_parameter(*command, name) : nullptr;
  return parameter ? parameter->fallback : "";
}

std::vector<std::string> CommandCall::list(std::string_view name) const {
  for (const auto& [key, value] : values)
    if (key == name) return value;
  return {};
}

CommandEffect effect(const CommandCall& call) {
  CommandEffect strongest = call.command->effect;
  for (const CommandParameter& parameter : call.command->parameters)
    if (call.has(parameter.name)) strongest = std::max(strongest, parameter.effect);
  return strongest;
}

CommandResult run_guarded(const CommandCall& call, std::stop_token stop, CommandRunner runner) {
  std::string what = "unknown";
  try {
    if (!call.command) return usage_error(call.json(), "no command was named");
    if (const std::string wrong = wrong_call(call); !wrong.empty())
      return usage_error(call.json(), wrong + "; see `bakery " + call.command->id + " --help`");
    return runner(call, std::move(stop));
  } catch (const std::bad_alloc&) {
    what = "out of memory";
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  return our_fault(call.json(), what);
}

std::optional<CommandResult> read_input(const CommandCall& call, std::stop_token stop, CommandInput& input) {
  input.file = call.value("file");
  AnalysisOptions& options = input.options;
  options.stop = std::move(stop);
  options.target = call.value("target");
  options.all_tunables = call.has("all-tunables");
  if (const std::string limit = call.value("event-limit"); !limit.empty()) options.event_limit = std::stoull(limit);
  for (const std::string& pin : call.list("tunable")) {
    const size_t at = pin.find('=');
    options.tunables.emplace_back(pin.substr(0, at), std::stoll(pin.substr(at + 1)));
  }
  if (call.has("contract")) {
    const std::string path = call.value("contract");
    FileText text = read_text_file(path);
    if (text.error) return file_error(call.json(), {*text.error});
    const ContractResult read = parse_contract(path, text.text);
    std::vector<FileError> errors;
    for (const ContractError& error : read.errors) errors.push_back({path, error.message, error.line, error.column});
    if (!errors.empty()) return file_error(call.json(), errors);
    input.contract = std::make_shared<const Contract>(*read.contract);
    const AnalysisOptions wanted = input.contract->analysis_options();
    if (!options.target.empty() && options.target != wanted.target)
      return usage_error(call.json(), "`--target` is `" + options.target + "`, but the contract `" + path + "` is for `" + wanted.target + "`");
    options.target = wanted.target;
    // The command line comes last, because the last pin of a name counts.
    options.tunables.insert(options.tunables.begin(), wanted.tunables.begin(), wanted.tunables.end());
  }
  FileText text = read_text_file(input.file);
  if (text.error) return file_error(call.json(), {*text.error});
  input.text = std::move(text.text);
  return std::nullopt;
}

std::optional<CommandResult> no_answer(const CommandCall& call, const CommandInput& input, const Analysis& analysis) {
  if (analysis.stopped) return stopped(call.json());
  const Schedule& schedule = analysis.schedule;
  if (!schedule.complete) return std::nullopt;  // the findings say why
  if (input.options.target.empty() && schedule.declared_target.empty())
    return usage_error(call.json(), "no target: `" + input.file + "` names none in its decorator; give `--target` with one of " + target_names());
  for (const auto& [name, value] : input.options.tunables) {
    const auto known = [&](const Tunable& tunable) { return tunable.name == name; };
    if (std::any_of(schedule.tunables.begin(), schedule.tunables.end(), known)) continue;
    std::string names;
    for (const Tunable& tunable : schedule.tunables) names += (names.empty() ? "it has " : ", ") + ("`" + tunable.name + "`");
    return usage_error(call.json(), "`" + schedule.name + "` has no tunable `" + name + "`; " + (names.empty() ? "it has none" : names));
  }
  return std::nullopt;
}

std::vector<std::string> near_matches(std::string_view word, const std::vector<std::string>& names) {
  const auto lower = [](std::string_view text) {
    std::string result(text.substr(0, 64));
    for (char& c : result)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
  };
  const std::string wanted = lower(word);
  std::vector<std::pair<size_t, std::string>> close;
  for (const std::string& name : names) {
    const std::string candidate = lower(name);
    const bool begins = !wanted.empty() && candidate.starts_with(wanted);
    const size_t distance = begins ? 0 : edit_distance(wanted, candidate);
    if (distance <= std::max<size_t>(2, wanted.size() / 3)) close.emplace_back(distance, name);
  }
  std::stable_sort(close.begin(), close.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> result;
  for (auto& [distance, name] : close)
    if (result.size() < 5) result.push_back(std::move(name));
  return result;
}

}  // namespace bakery
