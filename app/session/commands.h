// SPDX-License-Identifier: Apache-2.0
// The command table: what Bakery can do, with typed parameters and effects. The command line, its
// usage and docs are made from it; so are a window's menu and palette, and the tools of agents.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/session/analysis.h"
#include "app/session/files.h"

namespace bakery {

// In rising order.
enum class CommandEffect { reads, edits, runs_code };
const char* to_string(CommandEffect effect);

enum class ParameterKind { schedule, contract, suite, word, output, folder, target, rule, name_value, integer, flag };
// What usage lines show for a value: "FILE", "NAME=VALUE"; empty for a flag.
const char* placeholder(ParameterKind kind);

struct CommandParameter {
  const char* name;
  ParameterKind kind;
  const char* doc;
  bool positional = false;
  bool required = false;
  bool repeated = false;
  char short_name = 0;
  const char* fallback = "";                     // the value if it is left out
  CommandEffect effect = CommandEffect::reads;   // of giving it
};

struct Command {
  const char* id;
  const char* title;
  const char* doc;
  const char* example;
  std::span<const CommandParameter> parameters;
  CommandEffect effect;  // of a call with only its required parameters
  const char* undo;      // how to take it back; empty: nothing to undo
};

std::span<const Command> commands();
const Command* find_command(std::string_view id);
const CommandParameter* find_parameter(const Command& command, std::string_view name);

struct CommandCall {
  const Command* command = nullptr;
  std::vector<std::pair<std::string, std::vector<std::string>>> values;  // by parameter; a flag: "true"

  bool has(std::string_view name) const;
  std::string value(std::string_view name) const;  // the first one, or the fallback
  std::vector<std::string> list(std::string_view name) const;
  bool json() const { return has("json"); }
};

// The strongest effect of the command and of what the call gives it.
CommandEffect effect(const CommandCall& call);

// Exit codes: see product.md. `output` is for stdout, `error` for stderr.
enum ExitCode : int { kAccepted = 0, kRejected = 1, kWrongUse = 2, kMissing = 3, kOurFault = 4, kStopped = 130 };

struct CommandResult {
  int exit_code = kAccepted;
  std::string output;
  std::string error;
};

// Checks the call against the table and runs it. Never throws: what goes wrong inside is a result
// of kOurFault. Runs the commands of this layer; see agent_panel/harness/run_command.h for all.
CommandResult run(const CommandCall& call, std::stop_token stop = {});

// ---- for the layers that run more commands -----------------------------------------------

using CommandRunner = CommandResult (*)(const CommandCall&, std::stop_token);
CommandResult run_guarded(const CommandCall& call, std::stop_token stop, CommandRunner runner);

// A result that says what went wrong: a sentence on stderr and, with --json, an object on stdout:
// {"error": {"kind": "usage", "message": …, "file": …, "line": …, "column": …}}.
CommandResult usage_error(bool json, const std::string& message);
CommandResult file_error(bool json, const std::vector<FileError>& errors);
CommandResult stopped(bool json);
CommandResult our_fault(bool json, const std::string& what);

struct Contract;

// The schedule that a call names, with its options read from `--target`, `--contract`, `--tunable` …
struct CommandInput {
  std::string file;
  std::string text;
  AnalysisOptions options;
  std::shared_ptr<const Contract> contract;  // nullptr: none was named
};
// The failure's result, or nothing and `input` is filled.
std::optional<CommandResult> read_input(const CommandCall& call, std::stop_token stop, CommandInput& input);
// What makes an analysis no answer at all: it was stopped, no target is known, a tunable is not there.
std::optional<CommandResult> no_answer(const CommandCall& call, const CommandInput& input, const Analysis& analysis);

// Those of `names` that a mistyped `word` may mean, best first.
std::vector<std::string> near_matches(std::string_view word, const std::vector<std::string>& names);

}  // namespace bakery
