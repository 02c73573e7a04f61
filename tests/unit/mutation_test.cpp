// SPDX-License-Identifier: Apache-2.0
// Breaks the shipped GEMM in one place at a time; the verdict must name that place.
#include <gtest/gtest.h>

#include "app/session/analysis.h"
#include "tests/unit/gemm_source.h"

namespace bakery {
namespace {

using testing::gemm;
using testing::replaced;

std::shared_ptr<const Analysis> check(const std::string& text) { return analyse("gemm.cake", text); }

bool names(const Finding& finding, const std::string& resource) {
  if (finding.resource == resource) return true;
  for (const Related& related : finding.related)
    if (related.resource == resource || related.resource.starts_with(resource + "[")) return true;
  return false;
}

TEST(Mutation, TheGemmItselfIsAccepted) {
  const auto analysis = check(gemm());
  EXPECT_EQ(analysis->verdict, Verdict::accepted) << to_text(*analysis);
}

TEST(Mutation, EveryDeletedSynchronisationIsNamed) {
  const auto lines = testing::sync_lines(gemm());
  ASSERT_GE(lines.size(), 10u);
  for (const testing::SyncLine& line : lines) {
    const auto analysis = check(line.without);
    EXPECT_EQ(analysis->verdict, Verdict::rejected) << line.text;
    const std::vector<std::string> resources = line.text.find("full") != std::string::npos    ? std::vector<std::string>{"full"}
                                               : line.text.find("empty") != std::string::npos ? std::vector<std::string>{"empty"}
                                               : line.text.find("mma_wait") != std::string::npos
                                                   ? std::vector<std::string>{"a_s", "acc"}
                                                   : std::vector<std::string>{"c_s"};
    bool named = false;
    for (const Finding& finding : analysis->findings) {
      if (finding.severity != Severity::error || finding.role.empty() || finding.resource.empty() || !finding.stage) continue;
      EXPECT_FALSE(finding.witness.empty()) << to_text(*analysis);
      for (const std::string& resource : resources) named |= names(finding, resource);
    }
    EXPECT_TRUE(named) << line.text << "\n" << to_text(*analysis);
    EXPECT_LE(analysis->count(Severity::error), 3u) << "one mistake, one story\n" << to_text(*analysis);
  }
}

void expect_named(const std::string& text, const std::string& resource) {
  const auto analysis = check(text);
  EXPECT_EQ(analysis->verdict, Verdict::rejected) << resource;
  bool named = false;
  for (const Finding& finding : analysis->findings)
    named |= finding.severity == Severity::error &&
             (names(finding, resource) || analysis->source.slice(analysis->source.line_span(analysis->source.position(finding.span.begin).line))
                                                  .find(resource) != std::string_view::npos);
  EXPECT_TRUE(named) << resource << "\n" << to_text(*analysis);
}

TEST(Mutation, OverlappingViewsAreNamed) {
  const std::vector<std::string> offsets = {"offset=0", "offset=S * 16384", "offset=S * 49152"};
  const std::vector<std::string> views = {"a_s", "b_s", "c_s"};
  for (size_t i = 0; i < 3; ++i)
    for (size_t k = 0; k < 3; ++k)
      if (i != k) expect_named(replaced(gemm(), offsets[i], offsets[k]), views[i]);
}

TEST(Mutation, WrongSwizzlesAreNamed) {
  for (size_t i = 0; i < 3; ++i)
    expect_named(replaced(gemm(), "swizzle=128", "swizzle=64", i), std::vector<std::string>{"a_s", "b_s", "c_s"}[i]);
}

TEST(Mutation, WrongCountsAreNamed) {
  expect_named(replaced(gemm(), "init_count=1", "init_count=0"), "full");
  expect_named(replaced(gemm(), "init_count=1", "init_count=2"), "full");
  expect_named(replaced(gemm(), "init_count=2", "init_count=1"), "empty");
  expect_named(replaced(gemm(), "init_count=2", "init_count=3"), "empty");
}

TEST(Mutation, StagesBeyondThePoolAreNamed) {
  expect_named(replaced(gemm(), "lm.smem(S * 49152 + 32768)", "lm.smem(3 * 49152 + 32768)"), "b_s");
  expect_named(replaced(gemm(), "\"stages\", 4, choices=[3, 4]", "\"stages\", 5"), "pool");
}

TEST(Mutation, TheFragmentIsForTensorMemory) {
  const std::string text = testing::read_repo_file("resources/schedules/fmha_fwd.cake");
  AnalysisOptions options;
  for (const char* target : {"sm_100a", "sm_103a"}) {
    options.target = target;
    EXPECT_EQ(analyse("fmha.cake", text, options)->count(Severity::error), 0u) << target;
  }
  for (const char* target : {"sm_80", "sm_89", "sm_90a", "sm_120a", "sm_121a"}) {
    options.target = target;
    const auto analysis = analyse("fmha.cake", text, options);
    bool named = false;
    for (const Finding& finding : analysis->findings)
      named |= finding.gate == Gate::hardware && finding.severity == Severity::error && finding.resource == "tmem_acc";
    EXPECT_TRUE(named) << target << "\n" << to_text(*analysis);
  }
}

TEST(Mutation, EveryChoiceOfTheTunablesIsAccepted) {
  AnalysisOptions options;
  options.all_tunables = true;
  EXPECT_EQ(analyse("gemm.cake", gemm(), options)->verdict, Verdict::accepted);
}

TEST(Mutation, TheSameTextGivesTheSameFindings) {
  const std::string broken = testing::sync_lines(gemm())[1].without;
  EXPECT_EQ(to_json(*check(broken)), to_json(*check(broken)));
}

}  // namespace
}  // namespace bakery
