// SPDX-License-Identifier: Apache-2.0
// Schedules against the oracle on the reference machine.
#include "app/session/simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/unit/tiny_gemm.h"

namespace bakery {
namespace {

const std::string kContract = R"(schedule = "tiny.cake"
target = "sm_90a"
oracle = "gemm_bf16"
[shapes]
M = [64, 8, 136]
N = [32, 8, 72]
K = [16, 8, 88]
[tensors.A]
dtype = "bf16"
shape = ["M", "K"]
distribution = "normal"
[tensors.B]
dtype = "bf16"
shape = ["N", "K"]
distribution = "normal"
[tensors.C]
dtype = "bf16"
shape = ["M", "N"]
output = true
[tolerance]
rtol = 0.00390625
atol = 1e-3
)";

Contract contract(const std::string& text = kContract) {
  ContractResult result = parse_contract("tiny.toml", text);
  for (const ContractError& error : result.errors) ADD_FAILURE() << to_text("tiny.toml", error);
  return result.contract.value();
}

std::shared_ptr<const Analysis> analysis(const std::string& text) {
  AnalysisOptions options;
  options.timeline = false;
  return analyse("tiny.cake", text, options);
}

uint32_t line(const std::string& text, const std::string& part) {
  return 1 + static_cast<uint32_t>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(text.find(part)), '\n'));
}

std::string read(const std::string& path) {
  std::ifstream in(std::string(BAKERY_SOURCE_DIR) + "/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Simulation, AgreesAtEveryShape) {
  const auto tiny = analysis(kTinyGemm);
  std::vector<std::string> seen;
  const SimulationResult result = simulate(*tiny, contract(), {}, [&](size_t, size_t, const std::string& text) { seen.push_back(text); });
  EXPECT_TRUE(result.agrees()) << to_text(*tiny, contract(), result);
  EXPECT_TRUE(result.findings.empty());
  ASSERT_EQ(result.shapes.size(), 3u);
  EXPECT_EQ(seen[2], "M=136, N=72, K=88");
  EXPECT_EQ(result.shapes[2].checked, 136 * 72);
  EXPECT_GT(result.shapes[2].max_abs_error, 0);
  EXPECT_LT(result.shapes[2].max_rel_error, 0.01);
  EXPECT_TRUE(result.shapes[2].observations.empty());
}

TEST(Simulation, InitTrueIsLocated) {
  const std::string text = replaced(kTinyGemm, "init=(k == 0)", "init=True");
  const auto broken = analysis(text);
  const SimulationResult result = simulate(*broken, contract());
  EXPECT_FALSE(result.agrees());
  ASSERT_EQ(result.shapes.size(), 3u);
  EXPECT_TRUE(result.shapes[0].correct);  // one block of K: the mistake does not show
  EXPECT_FALSE(result.shapes[2].correct);
  ASSERT_EQ(result.findings.size(), 1u);
  const Finding& finding = result.findings[0];
  EXPECT_EQ(finding.id, "NUM-001");
  EXPECT_EQ(broken->source.position(finding.span.begin).line, line(text, "c_s.tma_store"));
  EXPECT_EQ(finding.role, "mma");
  EXPECT_EQ(finding.resource, "C");
  ASSERT_EQ(finding.related.size(), 1u);
  EXPECT_EQ(broken->source.position(finding.related[0].span.begin).line, line(text, "lm.mma("));
  EXPECT_NE(finding.related[0].note.find("init=True"), std::string::npos);
  ASSERT_EQ(result.shapes[2].first.size(), 8u);
  EXPECT_EQ(result.shapes[2].first[0].tensor, "C");
  EXPECT_EQ(result.shapes[2].first[0].index, (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(result.shapes[2].first[0].cta, 0);
}

TEST(Simulation, WrongCoordinatesLeaveElementsUnwritten) {
  const std::string text = replaced(kTinyGemm, "C, coords=(n * 32, m * 64)", "C, coords=(n * 32, m * 32)");
  const auto broken = analysis(text);
  const SimulationResult result = simulate(*broken, contract());
  EXPECT_FALSE(result.agrees());
  std::vector<std::string> ids;
  for (const Finding& finding : result.findings) ids.push_back(finding.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"NUM-001", "NUM-002"}));
  EXPECT_EQ(result.shapes[2].unwritten, 72 * 8);
  EXPECT_TRUE(result.shapes[0].correct);
}

TEST(Simulation, NoStoreAtAll) {
  const std::string text = replaced(kTinyGemm, "c_s.tma_store(C, coords=(n * 32, m * 64))", "pass");
  const auto broken = analysis(text);
  const SimulationResult result = simulate(*broken, contract());
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].id, "NUM-002");
  EXPECT_EQ(broken->source.slice(result.findings[0].span).substr(0, 1), "C");
}

TEST(Simulation, StuckIsAFinding) {
  const std::string text = replaced(kTinyGemm, "lm.arrive(empty, stage=s)", "pass");
  const auto broken = analysis(text);
  const SimulationResult result = simulate(*broken, contract());
  EXPECT_FALSE(result.agrees());
  ASSERT_FALSE(result.findings.empty());
  const Finding& finding = result.findings[0];
  EXPECT_EQ(finding.id, "NUM-003");
  EXPECT_EQ(finding.resource, "empty");
  EXPECT_EQ(finding.role, "load");
  EXPECT_EQ(broken->source.position(finding.span.begin).line, line(text, "lm.wait(empty"));
  EXPECT_TRUE(result.shapes.back().stuck);
  EXPECT_FALSE(result.shapes.back().observations.empty());
}

TEST(Simulation, RefusalsAreLocated) {
  const auto tiny = analysis(kTinyGemm);
  const auto refused = [&](const std::string& text, const std::string& message) {
    const Contract given = contract(text);
    const SimulationResult result = simulate(*tiny, given);
    EXPECT_FALSE(result.agrees());
    EXPECT_TRUE(result.shapes.empty());
    ASSERT_FALSE(result.errors.empty()) << message;
    EXPECT_NE(to_text("tiny.toml", result.errors[0]).find(message), std::string::npos) << to_text("tiny.toml", result.errors[0]);
    EXPECT_EQ(nlohmann::json::parse(to_json(*tiny, given, result))["verdict"], "refused");
  };
  refused(replaced(kContract, "M = [64, 8, 136]", "M = [64, 9, 136]"), "5:10: error: M=9, N=8, K=8 breaks the schedule's `lm.assume(");
  refused(replaced(kContract, "M = [64, 8, 136]", "M = [64, 8, 1000000]"), "5:13: error: M=1000000, N=72, K=88 is too large");
  refused(replaced(kContract, "shape = [\"M\", \"K\"]", "shape = [\"M\", \"K\"]\nstrides = [\"2*K\", 2]"), "the innermost stride");
  refused(replaced(kContract, "[tolerance]", "[tunables]\nS = 3\n[tolerance]"), "21:1: error: the schedule has no tunable `S`");
  refused(replaced(replaced(replaced(kContract, "K = [", "L = ["), "\"K\"", "\"L\""), "\"K\"", "\"L\""), "scalar `K` has no list");
  const auto unbuilt = analysis("@cake.schedule()\ndef f(lm):\n    x = lm.nothing(\n");
  EXPECT_FALSE(simulate(*unbuilt, contract()).errors.empty());
  const auto empty = analysis("");
  EXPECT_FALSE(to_text(*empty, contract(), simulate(*empty, contract())).empty());
}

TEST(Simulation, AbsurdSchedulesAreRefused) {
  for (const auto& [from, to] : {std::pair("lm.range(0, lm.cdiv(K, 16))", "lm.range(0, 1000000000)"),
                                 {"lm.range(0, lm.cdiv(K, 16))", "lm.range(0, 1000000000 * K)"},
                                 {"lm.tiles(lm.cdiv(M, 64), lm.cdiv(N, 32))", "lm.tiles(1000000000 * M, 1000000000 * N)"},
                                 {"lm.frag(shape=(64, 32)", "lm.frag(shape=(65536, 65536)"},
                                 {"lm.smem(10240)", "lm.smem(2000000000)"}}) {
    const auto absurd = analysis(replaced(kTinyGemm, from, to));
    const SimulationResult result = simulate(*absurd, contract());
    EXPECT_FALSE(result.errors.empty()) << to;
  }
}

TEST(Simulation, Stops) {
  std::stop_source source;
  source.request_stop();
  const SimulationResult result = simulate(*analysis(kTinyGemm), contract(), source.get_token());
  EXPECT_TRUE(result.stopped);
  EXPECT_FALSE(result.agrees());
}

TEST(Simulation, Json) {
  const auto broken = analysis(replaced(kTinyGemm, "init=(k == 0)", "init=(k == 1)"));
  const Contract given = contract();
  const SimulationResult result = simulate(*broken, given);
  const nlohmann::json json = nlohmann::json::parse(to_json(*broken, given, result));
  EXPECT_EQ(json["verdict"], "differs");
  EXPECT_EQ(json["oracle"], "gemm_bf16");
  EXPECT_EQ(json["shapes"].size(), 3u);
  EXPECT_EQ(json["shapes"][0]["shape"]["M"], 64);
  EXPECT_TRUE(json["shapes"][0]["first_mismatches"][0]["got"].is_null());  // NaN
  EXPECT_EQ(json["findings"][0]["id"], "NUM-001");
  EXPECT_GT(json["findings"][0]["line"], 1);
}

TEST(Simulation, EveryNumericalFindingIsExplained) {
  for (const char* id : {"NUM-001", "NUM-002", "NUM-003"}) {
    ASSERT_NE(find_numerical_rule(id), nullptr);
    EXPECT_GE(std::string(find_numerical_rule(id)->rationale).size(), 100u);
  }
  EXPECT_EQ(find_numerical_rule("NUM-999"), nullptr);
}

TEST(Simulation, TheGemmAgreesAlsoWhereItWasNotTuned) {
  ContractResult read_result = read_contract(std::string(BAKERY_SOURCE_DIR) + "/resources/contracts/gemm_bf16_small.toml");
  ASSERT_TRUE(read_result.contract);
  Contract& small = *read_result.contract;
  const auto gemm = analysis(read("resources/schedules/gemm_bf16_sm90a.cake"));
  const SimulationResult tuned = simulate(*gemm, small);
  EXPECT_TRUE(tuned.agrees()) << to_text(*gemm, small, tuned);
  small.shapes = small.held_out;
  const SimulationResult held_out = simulate(*gemm, small);
  EXPECT_TRUE(held_out.agrees()) << to_text(*gemm, small, held_out);
}

TEST(Simulation, TheBenchmarkShapesAreRefusedAtOnce) {
  const auto gemm = analysis(read("resources/schedules/gemm_bf16_sm90a.cake"));
  for (const char* name : {"4096", "8192"}) {
    const ContractResult big = read_contract(std::string(BAKERY_SOURCE_DIR) + "/resources/contracts/gemm_bf16_" + name + ".toml");
    ASSERT_TRUE(big.contract);
    const SimulationResult result = simulate(*gemm, *big.contract);
    ASSERT_EQ(result.errors.size(), 1u);
    EXPECT_NE(result.errors[0].message.find("too large for the reference machine"), std::string::npos);
  }
}

}  // namespace
}  // namespace bakery
