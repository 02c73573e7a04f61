// SPDX-License-Identifier: Apache-2.0
// The rounds that a grid takes on a device.
#include <gtest/gtest.h>

#include "app/session/waves.h"
#include "tests/unit/gemm_source.h"

namespace bakery {
namespace {

using testing::gemm;
using testing::replaced;

const std::vector<std::pair<std::string, int64_t>> kShape = {{"M", 4096}, {"N", 4096}, {"K", 4096}};

TEST(Waves, OfTheWholeDevice) {
  const auto analysis = analyse("gemm.cake", gemm());
  const Waves waves = waves_of(*analysis, kShape, 1);
  ASSERT_TRUE(waves.known());
  EXPECT_EQ(waves.tiles, 512);
  EXPECT_EQ(waves.resident, 132);
  EXPECT_EQ(waves.rounds, 4);
  EXPECT_EQ(waves.last, 512 - 3 * 132);
  EXPECT_DOUBLE_EQ(waves.count(), 512.0 / 132);
  EXPECT_DOUBLE_EQ(waves.used(), 512.0 / (4 * 132));
  EXPECT_EQ(waves_of(*analysis, kShape, 2).resident, 264);
  EXPECT_EQ(waves_of(*analysis, kShape, 0).tiles, 512);
  EXPECT_FALSE(waves_of(*analysis, kShape, 0).known());
}

TEST(Waves, ADeclaredGridIsTheMostThatIsResident) {
  const auto analysis = analyse("gemm.cake", replaced(gemm(), "order=\"grouped\"", "grid=64, order=\"grouped\""));
  const Waves waves = waves_of(*analysis, kShape, 1);
  EXPECT_EQ(waves.resident, 64);
  EXPECT_EQ(waves.rounds, 8);
  EXPECT_EQ(waves.last, 64);
  EXPECT_DOUBLE_EQ(waves.used(), 1);
}

TEST(Waves, WithoutAValueOrTilesAreNotKnown) {
  const auto analysis = analyse("gemm.cake", gemm());
  EXPECT_EQ(waves_of(*analysis, {{"M", 4096}}, 1).missing, "N, K");
  EXPECT_EQ(waves_of(*analysis, {{"M", 4096}}, 1).tiles, 0);
  EXPECT_FALSE(waves_of(*analysis, {{"M", 0}, {"N", 0}, {"K", 0}}, 1).known());
  EXPECT_FALSE(waves_of(*analyse("x.cake", "(((("), kShape, 1).known());
}

}  // namespace
}  // namespace bakery
