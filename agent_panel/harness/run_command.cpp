// SPDX-License-Identifier: Apache-2.0
#include "agent_panel/harness/run_command.h"

#include "agent_panel/harness/repair.h"

namespace bakery {
namespace {

CommandResult fix(const CommandCall& call, std::stop_token stop) {
  CommandInput input;
  if (auto failed = read_input(call, stop, input)) return *failed;
  const RepairResult repaired = repair(input.file, input.text, input.options);
  if (auto none = no_answer(call, input, *repaired.before)) return *none;
  if (stop.stop_requested()) return stopped(call.json());
  CommandResult result;
  result.exit_code = repaired.after->verdict == Verdict::rejected ? kRejected : kAccepted;
  result.output = call.json() ? to_json(repaired) : to_text(repaired);
  if (call.has("apply") && repaired.text != input.text) {
    if (const auto error = write_file(input.file, repaired.text)) return file_error(call.json(), {*error});
    result.error = "wrote `" + input.file + "`";
  }
  return result;
}

}  // namespace

CommandResult run_command(const CommandCall& call, std::stop_token stop) {
  if (call.command && std::string_view(call.command->id) == "fix") return run_guarded(call, std::move(stop), fix);
  return run(call, std::move(stop));
}

}  // namespace bakery
