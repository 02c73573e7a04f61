// SPDX-License-Identifier: Apache-2.0
// The templates of new schedules: titled, and accepted with every value of their tunables.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "app/session/analysis.h"
#include "app/session/resources.h"

namespace bakery {
namespace {

TEST(Templates, AreTitledAndAccepted) {
  const std::filesystem::path folder = std::filesystem::path(resources_folder()) / "templates";
  std::set<std::string> titles;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".cake") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_TRUE(text.starts_with("# ")) << entry.path();
    EXPECT_TRUE(titles.insert(text.substr(0, text.find('\n'))).second) << entry.path();
    AnalysisOptions options;
    options.all_tunables = true;
    const auto analysis = analyse(entry.path().filename().string(), text, options);
    EXPECT_EQ(analysis->verdict, Verdict::accepted) << to_text(*analysis);
    EXPECT_EQ(analysis->count(Severity::review), 0u) << to_text(*analysis);
  }
  EXPECT_GE(titles.size(), 3u);
}

}  // namespace
}  // namespace bakery
