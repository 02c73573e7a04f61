// SPDX-License-Identifier: Apache-2.0
// Oracles on cases computed by hand.
#include <gtest/gtest.h>

#include "profiler/oracles/oracle.h"

namespace bakery {
namespace {

TEST(Oracles, AreFoundByName) {
  EXPECT_EQ(find_oracle("gemm_bf16"), &gemm_bf16_oracle);
  EXPECT_EQ(find_oracle("gemm"), nullptr);
  for (const Oracle* oracle : oracles()) {
    EXPECT_NE(std::string(oracle->doc), "");
    bool output = false;
    for (const OracleParameter& parameter : oracle->parameters) output |= parameter.output;
    EXPECT_TRUE(output) << oracle->name;
  }
}

TEST(GemmOracle, MultipliesByTheTranspose) {
  std::vector<OracleTensor> tensors = {
      {{2, 3}, {1, 2, 3, 4, 5, 6}},
      {{4, 3}, {1, 0, 0, 0, 1, 0, 1, 1, 1, -1, 2, 0.5}},
      {{2, 4}, {}},
  };
  ASSERT_EQ(gemm_bf16_oracle.compute(tensors), "");
  EXPECT_EQ(tensors[2].values, (std::vector<double>{1, 2, 6, 4.5, 4, 5, 15, 9}));
}

TEST(GemmOracle, KeepsWhatF32Loses) {
  std::vector<OracleTensor> tensors = {{{1, 3}, {1e8, 1, -1e8}}, {{1, 3}, {1, 1, 1}}, {{1, 1}, {}}};
  ASSERT_EQ(gemm_bf16_oracle.compute(tensors), "");
  EXPECT_EQ(tensors[2].values[0], 1.0);
}

TEST(GemmOracle, EmptySumIsZero) {
  std::vector<OracleTensor> tensors = {{{1, 0}, {}}, {{2, 0}, {}}, {{1, 2}, {}}};
  ASSERT_EQ(gemm_bf16_oracle.compute(tensors), "");
  EXPECT_EQ(tensors[2].values, (std::vector<double>{0, 0}));
}

TEST(GemmOracle, RefusesShapesThatDoNotFit) {
  std::vector<OracleTensor> rows = {{{1, 2}, {1, 2}}, {{1, 3}, {1, 2, 3}}, {{1, 1}, {}}};
  EXPECT_NE(gemm_bf16_oracle.compute(rows), "");
  std::vector<OracleTensor> result = {{{1, 2}, {1, 2}}, {{1, 2}, {1, 2}}, {{2, 1}, {}}};
  EXPECT_NE(gemm_bf16_oracle.compute(result), "");
  std::vector<OracleTensor> ranks = {{{2}, {1, 2}}, {{1, 2}, {1, 2}}, {{2, 1}, {}}};
  EXPECT_NE(gemm_bf16_oracle.compute(ranks), "");
  std::vector<OracleTensor> none;
  EXPECT_NE(gemm_bf16_oracle.compute(none), "");
}

}  // namespace
}  // namespace bakery
