// SPDX-License-Identifier: Apache-2.0
// Every receipt is one JSON line a run, and belongs to the schedule as it is now. When a schedule
// changes, its receipts move to `retired/`; at most three may wait for a new measurement.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "app/session/analysis.h"

namespace bakery {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Receipts, AreCurrent) {
  const fs::path root = BAKERY_SOURCE_DIR;
  const fs::path folder = root / "tests/gpu/receipts";
  ASSERT_TRUE(fs::exists(folder));
  std::set<std::string> measured;
  size_t lines = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".jsonl") continue;
    std::stringstream in(read(entry.path()));
    for (std::string line; std::getline(in, line);) {
      const auto json = nlohmann::json::parse(line, nullptr, false);
      ASSERT_TRUE(json.is_object()) << entry.path() << ": " << line;
      ASSERT_TRUE(json.contains("kind")) << line;
      ++lines;
      if (!json.contains("schedule_hash")) continue;
      const std::string schedule = json["schedule"];
      const auto analysis = analyse(schedule, read(root / schedule));
      EXPECT_EQ(json["schedule_hash"], analysis->hash) << entry.path() << ": the schedule has changed; move the receipt to retired/ and measure again";
      EXPECT_TRUE(json["correct"].get<bool>()) << line;
      EXPECT_GT(json["checked"].get<int64_t>(), 0) << line;
      measured.insert(schedule);
    }
  }
  EXPECT_GT(lines, 0u);
  size_t waiting = 0;
  if (fs::exists(folder / "retired"))
    for (const auto& entry : fs::directory_iterator(folder / "retired")) {
      std::stringstream in(read(entry.path()));
      std::set<std::string> schedules;
      for (std::string line; std::getline(in, line);) {
        const auto json = nlohmann::json::parse(line, nullptr, false);
        if (json.is_object() && json.contains("schedule")) schedules.insert(json["schedule"].get<std::string>());
      }
      for (const std::string& schedule : schedules) waiting += !measured.contains(schedule) && fs::exists(root / schedule);
    }
  EXPECT_LE(waiting, 3u);
}

}  // namespace
}  // namespace bakery
