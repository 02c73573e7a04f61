// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/session/suite.h"

namespace bakery {
namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("bakery_suite_" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
};

Contract contract() {
  Contract c;
  c.parameters = {"M", "N"};
  return c;
}

PeerAnswer ask(const std::vector<std::string>& command, double timeout_s = 20) {
  const Folder folder;
  Suite suite;
  suite.file = folder.write("suite.toml", "");
  suite.peer = "peer";
  suite.peer_command = command;
  ShapeRow row;
  row.values = {128, 256};
  return ask_peer(suite, contract(), row, timeout_s);
}

TEST(Suite, ThePeersLastFigureCounts) {
  const PeerAnswer answer = ask({"sh", "-c", "sleep 0.5; echo noise; echo '{\"device\": \"x\"}'; echo \"{\\\"span_ms\\\": $0.$1}\"", "{M}", "{N}"});
  EXPECT_EQ(answer.error, "");
  EXPECT_DOUBLE_EQ(answer.span_ms, 128.256);
}

TEST(Suite, APeerThatPrintsMuchOnBothSides) {
  const PeerAnswer answer = ask({"sh", "-c", "i=0; while [ $i -lt 3000 ]; do echo warning $i >&2; echo line $i; i=$((i+1)); done; echo '{\"span_ms\": 2}'"});
  EXPECT_DOUBLE_EQ(answer.span_ms, 2);
}

TEST(Suite, FailuresAreSentences) {
  EXPECT_NE(ask({"sh", "-c", "echo no module >&2; exit 3"}).error.find("no module"), std::string::npos);
  EXPECT_NE(ask({"no-such-program-here"}).error, "");
  EXPECT_NE(ask({"sh", "-c", "sleep 30"}, 0.5).error.find("in time"), std::string::npos);
}

TEST(Suite, ReadsTheShippedOne) {
  const SuiteResult result = read_suite(std::string(BAKERY_SOURCE_DIR) + "/resources/suites/gemm.toml");
  EXPECT_TRUE(result.errors.empty());
  EXPECT_EQ(result.suite.contracts.size(), 3u);
  for (const std::string& path : result.suite.contracts) EXPECT_TRUE(fs::exists(path)) << path;
  EXPECT_EQ(result.suite.peer, "cublas");
}

TEST(Suite, ErrorsAreLocated) {
  const Folder folder;
  const SuiteResult unknown = read_suite(folder.write("a.toml", "name = \"x\"\ncolour = 3\ncontracts = [\"a\"]\n"));
  ASSERT_EQ(unknown.errors.size(), 1u);
  EXPECT_EQ(unknown.errors[0].line, 2u);
  EXPECT_FALSE(read_suite(folder.write("b.toml", "name = [")).errors.empty());
  EXPECT_FALSE(read_suite(folder.write("c.toml", "")).errors.empty());
  EXPECT_FALSE(read_suite((folder.path / "missing.toml").string()).errors.empty());
}

}  // namespace
}  // namespace bakery
