// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "profiler/store/store.h"

namespace bakery {
namespace {

namespace fs = std::filesystem;

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("bakery_store_" + std::to_string(::getpid()) + "_" + std::to_string(now_ms()));
    fs::create_directories(folder_);
    path_ = (folder_ / "store.db").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  static StoredRun sample(int figures) {
    StoredRun run;
    run.kind = "bench";
    run.candidate = "abc";
    run.status = "correct";
    run.shape = "M=8";
    run.detail = "{}";
    run.started = run.ended = now_ms();
    run.findings.push_back({"NUM-001", "error", "differs", "{}", 7});
    for (int i = 0; i < figures; ++i) run.figures.push_back({"span_ms", i * 0.5, "ms"});
    return run;
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(StoreTest, KeepsWhatIsAdded) {
  {
    auto store = Store::open(path_);
    ASSERT_TRUE(store);
    store->add(StoredCandidate{"abc", "gemm", "gemm.cake", "sm_90a", "text", "", "person", 0});
    store->add(StoredCandidate{"abc", "gemm", "gemm.cake", "sm_90a", "text", "", "person", 0});
    EXPECT_EQ(store->add(sample(3)), 1);
    store->add(StoredDecision{0, "abc", "accept", "person", "faster", "{}", 0});
  }
  auto store = Store::open(path_);
  ASSERT_TRUE(store);
  const auto runs = store->history(10);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].schedule, "gemm");
  EXPECT_EQ(runs[0].findings.at(0).line, 7);
  EXPECT_EQ(runs[0].figures.size(), 3u);
  EXPECT_EQ(store->decisions(5).at(0).reason, "faster");
  EXPECT_EQ(store->candidates(5).size(), 1u);
  EXPECT_TRUE(store->history(10, "other").empty());
}

TEST_F(StoreTest, ADamagedStoreIsMovedAside) {
  std::ofstream(path_) << std::string(100000, 'x');
  std::string note;
  auto store = Store::open(path_, &note);
  ASSERT_TRUE(store);
  EXPECT_NE(note.find("damaged"), std::string::npos);
  size_t aside = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) aside += entry.path().string().find(".damaged-") != std::string::npos;
  EXPECT_EQ(aside, 1u);
  EXPECT_TRUE(store->history(1).empty());
}

TEST_F(StoreTest, AFolderInItsPlaceIsAnAnswer) {
  fs::create_directories(path_);
  std::string note;
  EXPECT_FALSE(Store::open(path_, &note));
  EXPECT_NE(note.find("no store"), std::string::npos);
}

TEST_F(StoreTest, SeveralWritersAtOnce) {
  ASSERT_TRUE(Store::open(path_));
  std::vector<std::thread> writers;
  for (int t = 0; t < 4; ++t)
    writers.emplace_back([&] {
      auto store = Store::open(path_);
      for (int i = 0; i < 25; ++i) store->add(sample(2));
    });
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(Store::open(path_)->history(1000).size(), 100u);
}

// Killed at any moment: the store opens, and every run is whole.
TEST_F(StoreTest, KillLeavesNoHalfRow) {
  for (int round = 0; round < 12; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      auto store = Store::open(path_);
      for (;;) store->add(sample(20));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(15 + 7 * round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    std::string note;
    auto store = Store::open(path_, &note);
    ASSERT_TRUE(store) << note;
    EXPECT_EQ(note, "");
    for (const StoredRun& run : store->history(100000)) {
      ASSERT_EQ(run.figures.size(), 20u);
      ASSERT_EQ(run.findings.size(), 1u);
    }
  }
}

}  // namespace
}  // namespace bakery
