// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/session/docs.h"

namespace bakery {
namespace {

CommandLine done(CommandResult result) { return {{}, std::move(result)}; }

}  // namespace

CommandLine read_command_line(const std::vector<std::string>& words) {
  const bool json = std::find(words.begin(), words.end(), "--json") != words.end();
  if (words.empty()) return done(usage_error(json, "no command was named\n\n" + usage()));
  std::string id = words[0];
  std::vector<std::string> rest(words.begin() + 1, words.end());
  if (id == "-h" || id == "--help" || (id == "help" && rest.empty())) return done({kAccepted, usage(), ""});
  if (id == "--version") id = "version";
  if (id == "help") {
    id = rest[0];
    rest = {"--help"};
  }
  const Command* command = find_command(id);
  if (!command) {
    std::vector<std::string> ids;
    for (const Command& known : commands()) ids.emplace_back(known.id);
    const std::vector<std::string> near = near_matches(id, ids);
    return done(usage_error(json, "no command `" + id + "`; " +
                                      (near.empty() ? "`bakery --help` lists them" : "did you mean `" + near[0] + "`?")));
  }

  CLI::App app;
  app.set_help_flag();
  bool help = false;
  app.add_flag("-h,--help", help);
  CommandLine line;
  line.call.command = command;
  // CLI11 keeps references to where the values go.
  std::vector<std::vector<std::string>> values(command->parameters.size());
  std::vector<CLI::Option*> options;
  for (size_t i = 0; i < values.size(); ++i) {
    const CommandParameter& parameter = command->parameters[i];
    const std::string name = (parameter.positional ? "" : "--") + std::string(parameter.name) +
                             (parameter.short_name != 0 ? std::string(",-") + parameter.short_name : "");
    if (parameter.kind == ParameterKind::flag)
      options.push_back(app.add_flag(name));
    else
      options.push_back(app.add_option(name, values[i])->allow_extra_args(parameter.positional));
  }
  try {
    std::reverse(rest.begin(), rest.end());  // as CLI11 wants them
    app.parse(rest);
  } catch (const CLI::ParseError& error) {
    std::string message = error.what();
    if (!message.empty() && message[0] >= 'A' && message[0] <= 'Z') message[0] = static_cast<char>(message[0] - 'A' + 'a');
    return done(usage_error(json, message + "; see `bakery " + id + " --help`"));
  }
  if (help) return done({kAccepted, usage(*command), ""});
  for (size_t i = 0; i < values.size(); ++i) {
    if (options[i]->count() == 0) continue;
    const CommandParameter& parameter = command->parameters[i];
    // CLI11 takes whatever follows an option for its value.
    for (const std::string& value : values[i])
      if (!parameter.positional && value.starts_with("--"))
        return done(usage_error(json, "`--" + std::string(parameter.name) + "` needs a value, but `" + value + "` follows"));
    line.call.values.emplace_back(parameter.name,
                                  parameter.kind == ParameterKind::flag ? std::vector<std::string>{"true"} : values[i]);
  }
  return line;
}

}  // namespace bakery
