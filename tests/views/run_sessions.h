// SPDX-License-Identifier: GPL-3.0-or-later
// What tests of runs share: recorded sessions, schedules in a folder of their own, orders.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "views/common/runner.h"

namespace bakery::run_sessions {

inline std::string read_text(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

inline std::string good_gemm() { return read_text(BAKERY_SOURCE_DIR "/resources/schedules/gemm_bf16_sm90a.cake"); }
inline std::string broken_gemm() { return read_text(BAKERY_SOURCE_DIR "/tests/fixtures/gemm_missing_arrive.cake"); }
inline std::string small_contract() { return BAKERY_SOURCE_DIR "/resources/contracts/gemm_bf16_small.toml"; }

inline WorkerCommand replay_file(const std::string& path) { return {{BAKERY_BIN_DIR "/bakery", "worker", "--replay", path}}; }
inline WorkerCommand replay(const std::string& session) { return replay_file(BAKERY_SOURCE_DIR "/tests/fixtures/sessions/" + session + ".jsonl"); }

// A folder with a store of its own.
class Scratch {
 public:
  Scratch() {
    static std::atomic<int> count = 0;
    folder_ = std::filesystem::temp_directory_path() / ("bakery_runs_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(folder_);
    ::setenv("BAKERY_HOME", (folder_ / "home").c_str(), 1);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string schedule(const std::string& text) const { return file("gemm.cake", text); }

 private:
  std::filesystem::path folder_;
};

// The schedule in the file, at the first shape of the small contract.
inline views::RunOrder order(const std::string& file) {
  views::RunOrder order;
  order.file = file;
  order.text = read_text(file);
  order.contract = small_contract();
  order.options.shape = 0;
  return order;
}

}  // namespace bakery::run_sessions
