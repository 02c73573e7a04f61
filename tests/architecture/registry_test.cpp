// SPDX-License-Identifier: Apache-2.0
// Completeness: every rule of checks/rules.def has its file, a case that it must reject, a
// near-miss that it must accept, and a page that `bakery explain` prints; every operation of
// core_ir/operations.def has a schedule that uses it in all its forms.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <regex>
#include <set>

#include "tests/architecture/tree.h"

namespace bakery::architecture {
namespace {

namespace fs = std::filesystem;

std::string lower_name(std::string id) {
  for (char& c : id) c = c == '-' ? '_' : static_cast<char>(std::tolower(c));
  return id;
}

// Ids of the lines `RULE(SAFE_001, "SAFE-001", …)`, in order.
std::vector<std::string> rules_of(const std::string& text) {
  static const std::regex kRule(R"re(^RULE\(\s*(\w+)\s*,\s*"([A-Z]+-[0-9]{3})".*)re");
  std::vector<std::string> out;
  for (const std::string& line : lines(text)) {
    std::smatch match;
    if (std::regex_match(line, match, kRule)) out.push_back(match[2]);
  }
  return out;
}

// Names of the lines `OPERATION(tma_load)`, in order.
std::vector<std::string> operations_of(const std::string& text) {
  static const std::regex kOperation(R"re(^OPERATION\(\s*(\w+)\s*\).*)re");
  std::vector<std::string> out;
  for (const std::string& line : lines(text)) {
    std::smatch match;
    if (std::regex_match(line, match, kOperation)) out.push_back(match[1]);
  }
  return out;
}

std::vector<std::string> rules() { return rules_of(read(root() / "checks/rules.def")); }

bool expects(const std::string& text, const std::string& id) {
  for (const std::string& line : lines(text)) {
    const size_t at = line.find("expect:");
    if (at != std::string::npos && line.find(id, at) != std::string::npos) return true;
  }
  return false;
}

class Registry : public ::testing::Test {};

TEST_F(Registry, RulesAreListedOnce) {
  const std::vector<std::string> ids = rules();
  EXPECT_GE(ids.size(), 15u);
  std::set<std::string> seen;
  for (const std::string& id : ids) EXPECT_TRUE(seen.insert(id).second) << id << " is listed twice";
}

TEST_F(Registry, EveryRuleHasItsFileAndEveryFileItsRule) {
  std::set<std::string> wanted;
  for (const std::string& id : rules()) {
    const std::string file = "checks/rules/" + lower_name(id) + ".cpp";
    wanted.insert(file);
    EXPECT_TRUE(fs::exists(root() / file)) << id << " has no " << file;
  }
  static const std::regex kRuleFile(R"re(checks/rules/[a-z]+_[0-9]{3}\.cpp)re");
  for (const std::string& file : files()) {
    if (!std::regex_match(file, kRuleFile)) continue;
    EXPECT_TRUE(wanted.count(file)) << file << " is in no line of checks/rules.def";
  }
}

TEST_F(Registry, EveryRuleHasABadAndAnOkCase) {
  const std::vector<std::string> all = files();
  std::set<std::string> ids;
  for (const std::string& id : rules()) {
    ids.insert(id);
    const std::string folder = "tests/corpus/rules/" + id;
    bool bad = false;
    bool ok = false;
    for (const std::string& file : all) {
      if (!is_in(file, folder) || !file.ends_with(".cake")) continue;
      const std::string name = fs::path(file).filename().string();
      bad = bad || (name.starts_with("bad_") && expects(read(root() / file), id));
      ok = ok || name.starts_with("ok_");
    }
    EXPECT_TRUE(bad) << folder << " has no bad_*.cake with `# expect: " << id << "`";
    EXPECT_TRUE(ok) << folder << " has no ok_*.cake";
  }
  for (const std::string& file : all) {
    const std::string prefix = "tests/corpus/rules/";
    if (!file.starts_with(prefix)) continue;
    const std::string rest = file.substr(prefix.size());
    const std::string folder = rest.substr(0, rest.find('/'));
    EXPECT_TRUE(ids.count(folder)) << file << ": `" << folder << "` is no rule of checks/rules.def";
  }
}

TEST_F(Registry, EveryOperationHasItsSchedule) {
  const std::vector<std::string> operations = operations_of(read(root() / "core_ir/operations.def"));
  EXPECT_GE(operations.size(), 10u);
  std::set<std::string> wanted;
  for (const std::string& name : operations) {
    const std::string file = "tests/corpus/ops/" + name + ".cake";
    wanted.insert(file);
    ASSERT_TRUE(fs::exists(root() / file)) << "operation `" << name << "` has no " << file;
    EXPECT_EQ(read(root() / file).find("expect"), std::string::npos) << file << " must be accepted";
  }
  for (const std::string& file : files()) {
    if (!is_in(file, "tests/corpus/ops") || !file.ends_with(".cake")) continue;
    EXPECT_TRUE(wanted.count(file)) << file << " is named after no operation";
  }
}

TEST_F(Registry, EveryBugHasItsCleanTwin) {
  const std::vector<std::string> all = files();
  const std::set<std::string> known(all.begin(), all.end());
  size_t bugs = 0;
  for (const std::string& file : all) {
    if (!is_in(file, "tests/corpus/bugs") || !file.ends_with(".cake")) continue;
    const fs::path path(file);
    const std::string name = path.filename().string();
    const bool bad = name.starts_with("bad_");
    bugs += bad;
    const std::string twin = bad ? "ok_" + name.substr(4) : "bad_" + name.substr(3);
    EXPECT_TRUE(known.count((path.parent_path() / twin).generic_string())) << file << " has no " << twin;
  }
  EXPECT_GE(bugs, 25u);
}

TEST_F(Registry, EveryRuleIsExplained) {
  const fs::path program = fs::path(BAKERY_BIN_DIR) / "bakery";
  std::map<std::string, std::string> pages;  // page -> rule: no two are the same
  for (const std::string& id : rules()) {
    std::string page;
    FILE* pipe = popen(("'" + program.string() + "' explain " + id + " 2>&1").c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    char buffer[4096];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) page.append(buffer, n);
    EXPECT_EQ(pclose(pipe), 0) << "`bakery explain " << id << "`: " << page;
    EXPECT_NE(page.find(id), std::string::npos) << page;
    EXPECT_GE(page.size(), 200u) << "`bakery explain " << id << "` is no explanation: " << page;
    const auto [other, is_new] = pages.emplace(page, id);
    EXPECT_TRUE(is_new) << id << " and " << other->second << " have one page";
  }
}

TEST(RegistryReader, ReadsLines) {
  EXPECT_EQ(rules_of("// RULE(X, \"X-001\")\nRULE(SAFE_001, \"SAFE-001\", a)\n"
                     "RULE(HW_012, \"HW-012\", b)\n"),
            (std::vector<std::string>{"SAFE-001", "HW-012"}));
  EXPECT_EQ(operations_of("// OPERATION(x)\nOPERATION(tma_load)\nOPERATION( wait ) // y\n"),
            (std::vector<std::string>{"tma_load", "wait"}));
  EXPECT_EQ(lower_name("SAFE-001"), "safe_001");
}

}  // namespace
}  // namespace bakery::architecture
