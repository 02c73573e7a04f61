// SPDX-License-Identifier: Apache-2.0
// The command table, what calls of it are refused, and the pages made from the tables.
#include "app/session/commands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "app/session/docs.h"
#include "app/session/export_timeline.h"
#include "tests/unit/process.h"
#include "tests/unit/tiny_gemm.h"

namespace bakery {
namespace {

CommandCall call(const char* id, std::vector<std::pair<std::string, std::vector<std::string>>> values = {}) {
  return {find_command(id), std::move(values)};
}

TEST(Commands, TheTableIsWellFormed) {
  std::set<std::string> ids;
  for (const Command& command : commands()) {
    EXPECT_TRUE(ids.insert(command.id).second) << command.id;
    EXPECT_NE(std::string(command.doc), "") << command.id;
    EXPECT_TRUE(std::string(command.example).starts_with("bakery " + std::string(command.id))) << command.id;
    std::set<std::string> names;
    bool edits = command.effect == CommandEffect::edits, may_follow = true;
    for (const CommandParameter& parameter : command.parameters) {
      EXPECT_TRUE(names.insert(parameter.name).second) << command.id << " " << parameter.name;
      EXPECT_NE(std::string(parameter.doc), "") << command.id << " " << parameter.name;
      EXPECT_TRUE(!parameter.positional || may_follow) << command.id << ": a positional parameter behind an option";
      may_follow = may_follow && parameter.positional;
      edits = edits || parameter.effect == CommandEffect::edits;
    }
    EXPECT_TRUE(!edits || command.effect == CommandEffect::runs_code || command.undo[0] != 0)
        << command.id << " edits, but says not how to undo";
  }
}

TEST(Commands, TheEffectIsThatOfTheCall) {
  EXPECT_EQ(effect(call("fmt", {{"file", {"a.cake"}}})), CommandEffect::reads);
  EXPECT_EQ(effect(call("fmt", {{"file", {"a.cake"}}, {"write", {"true"}}})), CommandEffect::edits);
  EXPECT_EQ(effect(call("docs")), CommandEffect::edits);
}

TEST(Commands, WrongCallsAreRefused) {
  const auto refusal = [](const CommandCall& wrong) {
    const CommandResult result = run(wrong);
    EXPECT_EQ(result.exit_code, kWrongUse);
    EXPECT_EQ(result.output, "");
    return result.error.substr(0, result.error.find("; see"));
  };
  EXPECT_EQ(refusal(call("check")), "`bakery check` needs a FILE");
  EXPECT_EQ(refusal(call("simulate", {{"file", {"a"}}})), "`bakery simulate` needs `--contract CONTRACT`");
  EXPECT_EQ(refusal(call("check", {{"file", {"a", "b"}}})), "`bakery check` takes one FILE, but `b` follows `a`");
  EXPECT_EQ(refusal(call("check", {{"file", {""}}})), "`FILE` is empty");
  EXPECT_EQ(refusal(call("check", {{"file", {"a"}}, {"speed", {"9"}}})), "`bakery check` has no parameter `speed`");
  for (const char* pin : {"stages", "=3", "stages=", "stages=x", "stages=3.5", "stages=99999999999999999999"})
    EXPECT_EQ(refusal(call("check", {{"file", {"a"}}, {"tunable", {pin}}})),
              "`--tunable` takes NAME=VALUE with a whole number, not `" + std::string(pin) + "`");
  for (const char* limit : {"0", "-5", "many", "1e9"})
    EXPECT_EQ(refusal(call("check", {{"file", {"a"}}, {"event-limit", {limit}}})),
              "`--event-limit` takes a whole number of at least 1, not `" + std::string(limit) + "`");
}

TEST(Commands, AFaultOfOursSaysSo) {
  for (const CommandRunner runner : {CommandRunner([](const CommandCall&, std::stop_token) -> CommandResult { throw std::logic_error("oh"); }),
                                     CommandRunner([](const CommandCall&, std::stop_token) -> CommandResult { throw 7; })}) {
    const CommandResult result = run_guarded(call("version", {{"json", {"true"}}}), {}, runner);
    EXPECT_EQ(result.exit_code, kOurFault);
    EXPECT_NE(result.error.find("a fault of bakery, not of your schedule"), std::string::npos) << result.error;
    EXPECT_NE(result.output.find("\"internal\""), std::string::npos) << result.output;
  }
}

TEST(Commands, AStoppedCallIsNoAnswer) {
  const TemporaryFolder folder;
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(run(call("check", {{"file", {folder.file("tiny.cake", kTinyGemm)}}}), source.get_token()).exit_code, kStopped);
}

TEST(Commands, NearMatches) {
  const std::vector<std::string> ids = {"SAFE-001", "SAFE-002", "HW-001"};
  EXPECT_EQ(near_matches("SAFE-1", ids).at(0), "SAFE-001");
  EXPECT_EQ(near_matches("safe", ids), (std::vector<std::string>{"SAFE-001", "SAFE-002"}));
  EXPECT_TRUE(near_matches("nothing at all", ids).empty());
  EXPECT_TRUE(near_matches(std::string(1000000, 'x'), ids).size() <= 5);
}

TEST(Commands, UsageNamesEveryParameter) {
  EXPECT_EQ(usage_line(*find_command("fmt")), "bakery fmt FILE [--write] [--check] [--json]");
  EXPECT_EQ(usage_line(*find_command("simulate")), "bakery simulate FILE --contract CONTRACT [--tunable NAME=VALUE]… [--json]");
  for (const Command& command : commands()) {
    EXPECT_NE(usage().find(std::string("  ") + command.id + " "), std::string::npos);
    for (const CommandParameter& parameter : command.parameters)
      EXPECT_NE(usage(command).find(parameter.positional ? placeholder(parameter.kind) : "--" + std::string(parameter.name)),
                std::string::npos);
  }
}

TEST(Commands, ReferencePagesAreUpToDate) {
  for (const DocPage& page : doc_pages()) {
    const std::string path = std::string(BAKERY_SOURCE_DIR "/resources/docs/generated/") + page.name;
    EXPECT_TRUE(read_all(path) == page.text)
        << path << " is not what the tables say; to mend it: build/bin/bakery docs --out resources/docs/generated";
  }
}

TEST(ExportTimeline, LanesBarsAndArrows) {
  const auto analysis = analyse("tiny.cake", kTinyGemm);
  const std::string trace = export_timeline(*analysis, analysis->timeline);
  const auto count = [&](const std::string& text) {
    size_t n = 0;
    for (size_t at = trace.find(text); at != std::string::npos; at = trace.find(text, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("\"time_unit\": \"logical steps\""), 1u);
  EXPECT_EQ(count("\"process_name\""), 4u);
  EXPECT_GE(count("\"thread_name\""), analysis->timeline.lanes.size());
  EXPECT_EQ(count("\"ph\": \"X\""), analysis->timeline.bars.size());
  EXPECT_EQ(count("\"ph\": \"i\""), analysis->timeline.marks.size());
  EXPECT_GT(count("\"ph\": \"s\""), 0u);
  EXPECT_EQ(count("\"ph\": \"s\""), count("\"ph\": \"f\""));
}

}  // namespace
}  // namespace bakery
