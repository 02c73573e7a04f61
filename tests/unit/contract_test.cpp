// SPDX-License-Identifier: Apache-2.0
// The contract reader: what it takes, and a located message for all else.
#include "app/session/contract.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/unit/tiny_gemm.h"

namespace bakery {
namespace {

const std::string kGood = R"(schedule = "gemm.cake"
target = "sm_90a"
oracle = "gemm_bf16"
held_out = { M = [16], N = [24], K = [32] }

[shapes]
M = [128, 136]
N = [256, 264]
K = [64, 72]

[tensors.A]
dtype = "bf16"
shape = ["M", "K"]
strides = ["2*K", 1]
distribution = "normal"
seed = 7

[tensors.B]
dtype = "bf16"
shape = ["N", "K"]
distribution = "uniform"

[tensors.C]
dtype = "bf16"
shape = ["M", "N"]
output = true

[tolerance]
rtol = 0.004
atol = 1e-3

[tunables]
stages = [3, 4]
depth = 2

[budget]
candidates = 10
gpu_seconds = 1.5
)";

Contract good() {
  ContractResult result = parse_contract("contracts/test.toml", kGood);
  for (const ContractError& error : result.errors) ADD_FAILURE() << to_text("test.toml", error);
  return result.contract.value();
}

TEST(Contract, ReadsEveryKey) {
  const Contract contract = good();
  EXPECT_EQ(contract.schedule_path(), "contracts/gemm.cake");
  EXPECT_EQ(contract.target, "sm_90a");
  EXPECT_EQ(contract.oracle, &gemm_bf16_oracle);
  EXPECT_EQ(contract.parameters, (std::vector<std::string>{"M", "N", "K"}));
  ASSERT_EQ(contract.shapes.size(), 2u);
  EXPECT_EQ(contract.text(contract.shapes[1]), "M=136, N=264, K=72");
  EXPECT_EQ(contract.shapes[1].line, 7u);
  EXPECT_EQ(contract.shapes[1].column, 11u);
  ASSERT_EQ(contract.held_out.size(), 1u);
  EXPECT_EQ(contract.text(contract.held_out[0]), "M=16, N=24, K=32");
  ASSERT_EQ(contract.tensors.size(), 3u);
  const TensorSpec& a = *contract.tensor("A");
  EXPECT_EQ(contract.shape(a, contract.shapes[0]), (std::vector<int64_t>{128, 64}));
  EXPECT_EQ(contract.strides(a, contract.shapes[0]), (std::vector<int64_t>{128, 1}));
  EXPECT_EQ(contract.strides(*contract.tensor("C"), contract.shapes[0]), (std::vector<int64_t>{256, 1}));
  EXPECT_EQ(a.seed, 7u);
  EXPECT_TRUE(contract.tensor("C")->output);
  EXPECT_EQ(contract.tensor("D"), nullptr);
  EXPECT_EQ(contract.rtol, 0.004);
  EXPECT_EQ(contract.atol, 1e-3);
  EXPECT_EQ(contract.tunables.size(), 2u);
  EXPECT_EQ(contract.analysis_options().tunables, (std::vector<std::pair<std::string, int64_t>>{{"depth", 2}}));
  EXPECT_EQ(contract.budget.candidates, 10);
  EXPECT_EQ(contract.budget.gpu_seconds, 1.5);
  EXPECT_FALSE(contract.budget.tokens);
}

TEST(Contract, TensorsAreTheSameEverywhere) {
  const Contract contract = good();
  const GlobalTensor a = make_tensor(contract, *contract.tensor("A"), contract.shapes[1]);
  const GlobalTensor again = make_tensor(contract, *contract.tensor("A"), contract.shapes[1]);
  EXPECT_EQ(a.bytes, again.bytes);
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < a.elements(); ++i) {
    sum += a.get(a.offset(i));
    squares += a.get(a.offset(i)) * a.get(a.offset(i));
  }
  const double n = static_cast<double>(a.elements());
  EXPECT_NEAR(sum / n, 0, 0.05);
  EXPECT_NEAR(squares / n, 1, 0.05);
  const GlobalTensor b = make_tensor(contract, *contract.tensor("B"), contract.shapes[1]);
  for (int64_t i = 0; i < b.elements(); ++i) EXPECT_LE(std::fabs(b.get(b.offset(i))), 1.0f);
  EXPECT_TRUE(std::isnan(make_tensor(contract, *contract.tensor("C"), contract.shapes[0]).get(5)));
}

struct Bad {
  const char* from;
  const char* to;
  uint32_t line, column;
  const char* message;
};

TEST(Contract, ErrorsAreLocatedAndSayWhatToDo) {
  const Bad kBad[] = {
      {"oracle = \"gemm_bf16\"", "oracle = \"gemm\"", 3, 10, "the oracles are `gemm_bf16`"},
      {"target = \"sm_90a\"", "target = \"sm_90\"", 2, 10, "the targets are"},
      {"target = \"sm_90a\"", "target = 90", 2, 10, "is a string"},
      {"target = \"sm_90a\"", "taget = \"sm_90a\"", 2, 1, "did you mean `target`"},
      {"schedule = \"gemm.cake\"\n", "", 1, 1, "`schedule` is missing"},
      {"[budget]", "[budgets]", 36, 2, "did you mean `budget`"},
      {"candidates = 10", "candiates = 10", 37, 1, "did you mean `candidates`"},
      {"candidates = 10", "candidates = -1", 37, 14, "lies in 0"},
      {"gpu_seconds = 1.5", "gpu_seconds = nan", 38, 15, "a number from 0"},
      {"M = [128, 136]", "M = [128]", 8, 5, "`M` has 1"},
      {"M = [128, 136]", "M = 128", 7, 5, "list of 1 to"},
      {"M = [128, 136]", "M = []", 7, 5, "list of 1 to"},
      {"M = [128, 136]", "M = [128, \"x\"]", 7, 11, "is an integer"},
      {"M = [128, 136]", "M = [128, 99999999999]", 7, 11, "it lies in"},
      {"M = [128, 136]", "M = [128, 0]", 7, 11, "extents are at least 1"},
      {"M = [128, 136]", "M = [128, -8]", 7, 11, "extents are at least 1"},
      {"M = [128, 136]", "M = [128, 2000000000]", 7, 11, "choose a smaller shape"},
      {"M = [16], ", "", 4, 12, "`M` has no list in `[held_out]`"},
      {"M = [16]", "Q = [16], M = [16]", 4, 14, "not a parameter of `[shapes]`"},
      {"shape = [\"M\", \"K\"]", "shape = [\"M\", \"Q\"]", 13, 15, "`Q` is no number and no parameter"},
      {"shape = [\"M\", \"K\"]", "shape = [\"M\", \"M**K\"]", 13, 15, "is no number and no parameter"},
      {"shape = [\"M\", \"K\"]", "shape = [\"M\", -3]", 13, 15, "at least 1"},
      {"shape = [\"M\", \"K\"]", "shape = \"M\"", 13, 9, "list of 1 to 5 extents"},
      {"shape = [\"M\", \"K\"]", "shape = [\"M\", \"K\", 2]", 14, 11, "one entry for each dimension"},
      {"shape = [\"M\", \"N\"]", "shape = [\"M\"]", 23, 10, "has 2 dimensions (M x N), not 1"},
      {"strides = [\"2*K\", 1]", "strides = [1, 1]", 11, 10, "overlaps itself"},
      {"distribution = \"normal\"", "distribution = \"gauss\"", 15, 16, "they are `normal`"},
      {"distribution = \"uniform\"\n", "", 18, 1, "`distribution` is missing"},
      {"output = true", "output = 1", 26, 10, "`true` or `false`"},
      {"output = true", "output = true\ndistribution = \"ones\"", 27, 16, "an output is poisoned"},
      {"output = true", "distribution = \"ones\"", 23, 10, "write `output = true`"},
      {"seed = 7", "seed = -7", 16, 8, "`seed` is -7"},
      {"dtype = \"bf16\"", "dtype = \"bfloat\"", 12, 9, "unknown element type `bfloat`"},
      {"[tensors.C]", "[tensors.D]", 23, 10, "`D` is no operand"},
      {"rtol = 0.004\n", "", 28, 1, "`rtol` is missing"},
      {"rtol = 0.004", "rtol = -1", 29, 8, "a number from 0 to 1"},
      {"stages = [3, 4]", "stages = \"four\"", 33, 10, "is an integer"},
      {"stages = [3, 4]", "stages = [3, 4", 34, 1, ""},
      {"held_out", "\u00e4 = \u00fc\nheld_out", 4, 1, ""},
      {"seed = 7", "seed = 7 \"\u00e4\u00e4\u00e4\"", 16, 10, ""},
      {"schedule = \"gemm.cake\"", "schedule = \"ge\\\"\u00e4.cake\" \u00e4", 1, 26, "beyond ASCII"},
      {"schedule = \"gemm.cake\"", "schedule = \"\"\"gemm.cake\"\"\"", 1, 12, "several lines"},
      {"target = \"sm_90a\"", "target = \"sm_90a\"\ntarget = \"sm_90a\"", 3, 1, ""},
  };
  for (const Bad& bad : kBad) {
    const ContractResult result = parse_contract("t.toml", replaced(kGood, bad.from, bad.to));
    EXPECT_FALSE(result.contract) << bad.to;
    bool found = false;
    std::string all;
    for (const ContractError& error : result.errors) {
      all += to_text("t.toml", error) + "\n";
      found |= error.line == bad.line && (error.column == bad.column || bad.message[0] == '\0') && error.message.find(bad.message) != std::string::npos;
    }
    EXPECT_TRUE(found) << "`" << bad.to << "`: wanted " << bad.line << ":" << bad.column << " " << bad.message << "\n" << all;
  }
}

TEST(Contract, BadInputNeverCrashes) {
  EXPECT_FALSE(parse_contract("t", "").contract);
  EXPECT_FALSE(parse_contract("t", std::string(200000, '[')).contract);
  EXPECT_FALSE(parse_contract("t", "a = " + std::string(200000, '[')).contract);
  EXPECT_FALSE(parse_contract("t", std::string("a = 1\0b", 7)).contract);
  EXPECT_FALSE(parse_contract("t", std::string(kMaxContractBytes + 1, '#')).contract);
  const ContractResult latin = parse_contract("t", "schedule = \"x\"\n# \xE4\n");
  ASSERT_EQ(latin.errors.size(), 1u);
  EXPECT_EQ(latin.errors[0].line, 2u);
  EXPECT_EQ(latin.errors[0].column, 3u);
  EXPECT_TRUE(parse_contract("t", "# \u00e4 \"\"\" is fine here\n" + replaced(kGood, "gemm.cake", "\u00e4\u3000.cake")).contract);
  // Any cut, and any byte changed.
  for (size_t i = 0; i < kGood.size(); i += 3) parse_contract("t", kGood.substr(0, i));
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string text = kGood;
    for (int k = 0; k < 3; ++k) text[random() % text.size()] = static_cast<char>(32 + random() % 95);
    for (int k = i % 3; k > 0; --k) text.insert(random() % text.size(), k == 1 ? "\u00e4" : "\"\u2028\ufeff");
    parse_contract("t", text);
  }
}

TEST(Contract, FilesThatCannotBeRead) {
  const ContractResult missing = read_contract("no/such/contract.toml");
  ASSERT_EQ(missing.errors.size(), 1u);
  EXPECT_EQ(to_text("c.toml", missing.errors[0]), "c.toml: error: cannot read the contract: No such file or directory");
  EXPECT_NE(read_contract(".").errors[0].message.find("folder"), std::string::npos);
}

TEST(Contract, OursAreReadAndNameTheirSchedule) {
  for (const char* name : {"gemm_bf16_small", "gemm_bf16_4096", "gemm_bf16_8192"}) {
    const std::string path = std::string(BAKERY_SOURCE_DIR) + "/resources/contracts/" + name + ".toml";
    const ContractResult result = read_contract(path);
    for (const ContractError& error : result.errors) ADD_FAILURE() << to_text(path, error);
    ASSERT_TRUE(result.contract);
    EXPECT_TRUE(std::filesystem::exists(result.contract->schedule_path())) << result.contract->schedule_path();
  }
}

}  // namespace
}  // namespace bakery
