// SPDX-License-Identifier: Apache-2.0
// The built-in agent repairs the GEMM without being told what was broken; check and simulate agree.
#include <gtest/gtest.h>

#include "agent_panel/harness/repair.h"
#include "app/session/contract.h"
#include "app/session/simulation.h"
#include "tests/unit/gemm_source.h"

namespace bakery {
namespace {

using testing::gemm;
using testing::replaced;

void expect_repaired(const std::string& broken, const std::string& what) {
  const RepairResult result = repair("gemm.cake", broken, {});
  EXPECT_GT(result.before->count(Severity::error), 0u) << what;
  EXPECT_TRUE(result.repaired) << what << "\n" << to_text(result);
  EXPECT_NE(result.diff.find("@@"), std::string::npos) << what;
  EXPECT_EQ(analyse("gemm.cake", result.text)->verdict, Verdict::accepted) << what;
}

TEST(Repair, EveryDeletedSynchronisation) {
  for (const testing::SyncLine& line : testing::sync_lines(gemm())) expect_repaired(line.without, line.text);
}

TEST(Repair, WrongCounts) {
  expect_repaired(replaced(gemm(), "init_count=1", "init_count=2"), "full 2");
  expect_repaired(replaced(gemm(), "init_count=2", "init_count=1"), "empty 1");
  expect_repaired(replaced(gemm(), "init_count=2", "init_count=3"), "empty 3");
}

TEST(Repair, FourFaultsAtOnce) {
  // The first repair that clears the missing `mma_wait` leaves a wrong count that no later one mends: one
  // has to go back.
  expect_repaired(testing::read_repo_file("tests/fixtures/gemm_four_faults.cake"), "four faults");
}

TEST(Repair, OverlappingViews) {
  expect_repaired(replaced(gemm(), "offset=S * 16384", "offset=0"), "b_s on a_s");
  expect_repaired(replaced(gemm(), "offset=0", "offset=S * 16384"), "a_s on b_s");
  expect_repaired(replaced(gemm(), "offset=S * 49152", "offset=S * 16384"), "c_s on b_s");
}

TEST(Repair, ValuesAndNames) {
  expect_repaired(replaced(gemm(), "swizzle=128", "swizzle=64"), "swizzle");
  expect_repaired(replaced(gemm(), "lm.mma_wait(pending=1)", "lm.mma_wait(pending=2)"), "pending");
  expect_repaired(replaced(gemm(), "lm.wait(full", "lm.wiat(full"), "spelling");
}

TEST(Repair, TwoFaultsAtOnce) {
  expect_repaired(replaced(replaced(gemm(), "                lm.fence_proxy()\n", ""), "init_count=2", "init_count=3"), "fence and count");
}

TEST(Repair, AnAcceptedScheduleIsLeftAlone) {
  const RepairResult result = repair("gemm.cake", gemm(), {});
  EXPECT_TRUE(result.repaired);
  EXPECT_TRUE(result.diff.empty());
  EXPECT_EQ(result.text, gemm());
}

// One of each kind, with its values against the oracle at every shape of the small contract.
TEST(Repair, TheResultComputesTheRightValues) {
  const ContractResult contract = read_contract(std::string(BAKERY_SOURCE_DIR) + "/resources/contracts/gemm_bf16_small.toml");
  ASSERT_TRUE(contract.contract);
  const std::vector<std::string> broken = {
      replaced(gemm(), "                lm.wait(full, stage=s)\n", ""), replaced(gemm(), "init_count=2", "init_count=1"),
      replaced(gemm(), "                lm.fence_proxy()\n", ""), replaced(gemm(), "offset=S * 16384", "offset=0")};
  for (const std::string& text : broken) {
    const RepairResult result = repair("gemm.cake", text, {});
    ASSERT_TRUE(result.repaired);
    const SimulationResult simulated = simulate(*result.after, *contract.contract);
    EXPECT_TRUE(simulated.agrees()) << to_text(*result.after, *contract.contract, simulated);
  }
}

TEST(Repair, KeepsCommentsAndOtherLines) {
  const std::string broken = replaced(gemm(), "                lm.wait(full, stage=s)\n", "");
  const RepairResult result = repair("gemm.cake", broken, {});
  EXPECT_EQ(result.text, gemm());
}

}  // namespace
}  // namespace bakery
