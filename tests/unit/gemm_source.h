// SPDX-License-Identifier: Apache-2.0
// The shipped GEMM as text, and edits of it, for tests that break it.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace bakery::testing {

inline std::string read_repo_file(const std::string& path) {
  std::ifstream in(std::string(BAKERY_SOURCE_DIR) + "/" + path);
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

inline std::string gemm() { return read_repo_file("resources/schedules/gemm_bf16_sm90a.cake"); }

inline std::string replaced(const std::string& text, const std::string& from, const std::string& to, size_t nth = 0) {
  size_t at = text.find(from);
  while (nth-- > 0 && at != std::string::npos) at = text.find(from, at + 1);
  EXPECT_NE(at, std::string::npos) << from;
  std::string changed = text;
  changed.replace(at, from.size(), to);
  return changed;
}

struct SyncLine {
  int line;          // 1-based
  std::string text;  // trimmed
  std::string without;
};

// Every line with a synchronising call, and the text without it.
inline std::vector<SyncLine> sync_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::stringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::vector<SyncLine> found;
  for (size_t i = 0; i < lines.size(); ++i) {
    bool synchronises = false;
    for (const char* call : {"lm.wait(", "lm.arrive(", "lm.fence_proxy(", "lm.sync(", "lm.mma_wait(", "lm.store_wait("})
      synchronises |= lines[i].find(call) != std::string::npos;
    if (!synchronises) continue;
    SyncLine one{static_cast<int>(i) + 1, lines[i].substr(lines[i].find_first_not_of(' ')), ""};
    for (size_t k = 0; k < lines.size(); ++k)
      if (k != i) one.without += lines[k] + "\n";
    found.push_back(std::move(one));
  }
  return found;
}

}  // namespace bakery::testing
