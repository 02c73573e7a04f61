// SPDX-License-Identifier: Apache-2.0
// Decisions in the store: what is known of a text is not worked out again.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "app/session/decisions.h"
#include "tests/unit/gemm_source.h"

namespace bakery {
namespace {

namespace fs = std::filesystem;
using testing::gemm;
using testing::replaced;

class Decisions : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("bakery_decisions_" + std::to_string(::getpid()) + "_" + std::to_string(now_ms()));
    fs::create_directories(folder_);
    ::setenv("BAKERY_HOME", folder_.c_str(), 1);
    file_ = (folder_ / "gemm.cake").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  DecisionRecord record(const std::string& kind, const std::string& before, const std::string& after) {
    return {.file = file_, .text_before = before, .text_after = after, .kind = kind, .reason = "why", .detail = R"({"author": "x"})"};
  }

  Store store() { return std::move(*Store::open(Store::path_for(file_))); }
  nlohmann::json newest() { return nlohmann::json::parse(store().decisions(1).at(0).detail); }

  fs::path folder_;
  std::string file_;
  const std::string bad_ = replaced(gemm(), "init_count=2", "init_count=3"), good_ = gemm();
};

TEST_F(Decisions, TellWhatBothTextsAreWorth) {
  DecisionRecorder recorder;
  EXPECT_EQ(recorder.add(record("accept", bad_, good_)), "");
  const auto bad = analyse(file_, bad_), good = analyse(file_, good_);
  const auto detail = newest();
  EXPECT_EQ(detail["author"], "x");
  EXPECT_EQ(detail["before"]["hash"], bad->hash);
  EXPECT_EQ(detail["before"]["errors"], bad->count(Severity::error));
  EXPECT_EQ(detail["after"]["hash"], good->hash);
  EXPECT_EQ(detail["after"]["findings"], good->findings.size());
  const auto candidate = store().candidate(good->hash);
  ASSERT_TRUE(candidate);
  EXPECT_EQ(candidate->parent, bad->hash);
  EXPECT_EQ(candidate->author, "person");
  EXPECT_EQ(candidate->file, file_);
}

// The known analyses say what no analysis of these texts would.
TEST_F(Decisions, AreNotAnalysedAgain) {
  DecisionRecorder recorder;
  Analysis proposal = *analyse("gemm.cake", good_);
  proposal.hash = "proposed";
  auto shown = std::make_shared<Analysis>(*analyse("gemm.cake", bad_));
  shown->hash = "shown";
  EXPECT_EQ(recorder.add_proposal(file_, proposal, "shown", {}), "");
  DecisionRecord accept = record("accept", bad_, good_);
  accept.known = shown;
  EXPECT_EQ(recorder.add(accept), "");
  EXPECT_EQ(newest()["before"]["hash"], "shown");
  EXPECT_EQ(newest()["after"]["hash"], "proposed");
  EXPECT_EQ(store().candidate("proposed")->author, "built-in agent");
  EXPECT_EQ(recorder.add(record("undo accept", good_, bad_)), "");
  EXPECT_EQ(newest()["after"]["hash"], "shown");

  // Under another target they are other analyses.
  DecisionRecord other = record("redo accept", bad_, good_);
  other.options.target = "sm_100a";
  EXPECT_EQ(recorder.add(other), "");
  EXPECT_NE(newest()["after"]["hash"], "proposed");
}

TEST_F(Decisions, SayWhyThereIsNoStore) {
  DecisionRecorder recorder;
  fs::create_directories(Store::path_for(file_));  // a folder where the store should be
  EXPECT_NE(recorder.add(record("accept", bad_, good_)), "");
  fs::remove(Store::path_for(file_));
  EXPECT_EQ(recorder.add(record("accept", bad_, good_)), "");
}

TEST_F(Decisions, OfTextsThatCannotBeReadHaveAHash) {
  DecisionRecorder recorder;
  EXPECT_EQ(recorder.add(record("reject", "x = (", "x = (")), "");
  EXPECT_FALSE(newest()["after"]["hash"].get<std::string>().empty());
}

}  // namespace
}  // namespace bakery
