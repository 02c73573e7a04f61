// SPDX-License-Identifier: Apache-2.0
// `bakery lower`, `run`, `bench`, `history` and `doctor` on a machine that may lack a GPU.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "profiler/store/store.h"
#include "tests/unit/gemm_source.h"
#include "tests/unit/process.h"

namespace bakery {
namespace {

const std::string kGemm = std::string(BAKERY_SOURCE_DIR) + "/resources/schedules/gemm_bf16_sm90a.cake";
const std::string kSmall = std::string(BAKERY_SOURCE_DIR) + "/resources/contracts/gemm_bf16_small.toml";

Finished bakery_command(std::vector<std::string> words, double limit = 60) {
  words.insert(words.begin(), std::string(BAKERY_BIN_DIR) + "/bakery");
  return run_program(words, 0, limit);
}

bool has_driver() {
  const auto json = nlohmann::json::parse(bakery_command({"doctor", "--json"}).output, nullptr, false);
  return json.is_object() && json.contains("device") && json["device"]["ok"].get<bool>();
}

TEST(KernelCommands, LowerTwiceGivesTheSameBytes) {
  const auto a = bakery_command({"lower", kGemm}), b = bakery_command({"lower", kGemm});
  EXPECT_EQ(a.code, 0);
  EXPECT_GT(a.output.size(), 5000u);
  EXPECT_EQ(a.output, b.output);
}

TEST(KernelCommands, RunWithoutADeviceSaysWhatIsMissing) {
  if (has_driver()) GTEST_SKIP() << "this machine has a GPU";
  const auto text = bakery_command({"run", kGemm, "--contract", kSmall});
  EXPECT_EQ(text.code, 3);
  EXPECT_NE(text.error.find("driver"), std::string::npos) << text.error;
  EXPECT_NE(text.error.find("bakery doctor"), std::string::npos) << text.error;
  const auto json = nlohmann::json::parse(bakery_command({"run", kGemm, "--contract", kSmall, "--json"}).output, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["error"]["kind"], "missing");
  EXPECT_EQ(bakery_command({"bench", std::string(BAKERY_SOURCE_DIR) + "/resources/suites/gemm.toml"}).code, 3);
}

TEST(KernelCommands, UncheckedIsNeverTimed) {
  EXPECT_EQ(bakery_command({"run", kGemm, "--contract", kSmall, "--unchecked", "--time"}).code, 2);
}

TEST(KernelCommands, DoctorNamesARemedyForWhatIsMissing) {
  const auto result = bakery_command({"doctor", "--json"});
  EXPECT_EQ(result.code, 0);
  const auto json = nlohmann::json::parse(result.output, nullptr, false);
  ASSERT_TRUE(json.is_object());
  for (const auto& [name, what] : json.items())
    EXPECT_TRUE(what["ok"].get<bool>() || !what["remedy"].get<std::string>().empty()) << name;
}

// kill -9 of the command at any moment of a run: the store opens, with whole rows.
TEST(KernelCommands, KilledAtAnyMomentLeavesAStoreThatOpens) {
  const char* home = std::getenv("BAKERY_HOME");
  ASSERT_TRUE(home);
  for (int delay = 5; delay <= 905; delay += 100) {
    bakery_command({"compile", kGemm}, delay / 1000.0);
    std::string note;
    const auto store = Store::open(Store::path_for(kGemm), &note);
    ASSERT_TRUE(store) << note;
    EXPECT_EQ(note, "");
    for (const StoredRun& run : store->history(1000))
      EXPECT_TRUE(run.kind != "compile" || run.figures.size() == 3) << run.id;
  }
  EXPECT_EQ(bakery_command({"history", "--json"}).code, 0);
}

}  // namespace
}  // namespace bakery
