// SPDX-License-Identifier: Apache-2.0
// The runner itself: a runner that passes everything would hide every other fault.
#include "tests/runner/expectations.h"

#include <gtest/gtest.h>

namespace bakery::corpus {
namespace {

std::vector<std::string> judge(std::string_view name, std::string_view text,
                               const std::vector<Observed>& observed) {
  return compare(name, read_expectations(text), observed);
}

TEST(Expectations, TrailingAndOwnLine) {
  const Expectations read = read_expectations(
      "# target: sm_90a\n"
      "a  # expect: SAFE-004\n"
      "# expect: HW-002 \"part\", DATA-001\n"
      "\n"
      "# another comment\n"
      "b  # words  # ok-todo: SAFE-009\n"
      "c  # target: sm_100a\n");
  EXPECT_TRUE(read.errors.empty());
  EXPECT_EQ(read.target, "sm_90a");
  ASSERT_EQ(read.items.size(), 4u);
  EXPECT_EQ(read.items[0].line, 2u);
  EXPECT_EQ(read.items[1].line, 6u);
  EXPECT_EQ(read.items[1].message_part, "part");
  EXPECT_EQ(read.items[2].id, "DATA-001");
  EXPECT_EQ(read.items[2].line, 6u);
  EXPECT_EQ(read.items[3].kind, ExpectationKind::ok_todo);
}

TEST(Expectations, NoCodeFollows) {
  const Expectations read = read_expectations("# expect: LANG-001");
  ASSERT_EQ(read.items.size(), 1u);
  EXPECT_EQ(read.items[0].line, 1u);
}

TEST(Expectations, UnreadableListIsReported) {
  EXPECT_EQ(read_expectations("a  # expect: the wait\n").errors.size(), 1u);
  EXPECT_EQ(read_expectations("a  # expect:\n").errors.size(), 1u);
  EXPECT_EQ(read_expectations("a  # expect: SAFE-004 \"open\n").errors.size(), 1u);
}

TEST(Compare, MatchedAndClean) {
  EXPECT_TRUE(judge("bad_x.cake", "a  # expect: SAFE-004\n",
                    {{"SAFE-004", Level::error, 1, "m"}})
                  .empty());
  EXPECT_TRUE(judge("ok_x.cake", "a\n", {}).empty());
}

TEST(Compare, EachFaultFails) {
  // missing; on another line; another message; one too many; of another id
  EXPECT_EQ(judge("bad_x.cake", "a  # expect: SAFE-004\n", {}).size(), 1u);
  EXPECT_EQ(judge("bad_x.cake", "a  # expect: SAFE-004\n",
                  {{"SAFE-004", Level::error, 2, "m"}})
                .size(),
            2u);
  EXPECT_EQ(judge("bad_x.cake", "a  # expect: SAFE-004 \"other\"\n",
                  {{"SAFE-004", Level::error, 1, "m"}})
                .size(),
            2u);
  EXPECT_EQ(judge("bad_x.cake", "a  # expect: SAFE-004\n",
                  {{"SAFE-004", Level::error, 1, "m"}, {"SAFE-004", Level::error, 1, "n"}})
                .size(),
            1u);
  EXPECT_EQ(judge("ok_x.cake", "a\n", {{"SAFE-004", Level::review, 1, "m"}}).size(), 1u);
}

TEST(Compare, NamesOfFiles) {
  EXPECT_EQ(judge("bad_x.cake", "a\n", {}).size(), 1u);
  EXPECT_EQ(judge("ok_x.cake", "a  # expect: SAFE-004\n", {{"SAFE-004", Level::error, 1, "m"}})
                .size(),
            1u);
}

TEST(Compare, MessagePartsChooseFirst) {
  EXPECT_TRUE(judge("bad_x.cake", "a  # expect: SAFE-004, SAFE-004 \"two\"\n",
                    {{"SAFE-004", Level::error, 1, "two"}, {"SAFE-004", Level::error, 1, "one"}})
                  .empty());
}

TEST(Compare, HintsAndCoverageOnlyWhereNamed) {
  const std::vector<Observed> observed = {{"HINT-001", Level::hint, 1, "h"},
                                          {"HINT-002", Level::hint, 1, "h"},
                                          {"COVER-001", Level::coverage, 1, "c"}};
  EXPECT_TRUE(judge("ok_x.cake", "a\n", observed).empty());
  EXPECT_EQ(judge("x.cake", "a  # expect: HINT-001\n", observed).size(), 1u);
  EXPECT_EQ(judge("x.cake", "a  # expect: COVER-001\n", observed).size(), 0u);
  EXPECT_EQ(judge("x.cake", "a  # expect: COVER-002\n", observed).size(), 2u);
}

TEST(Compare, TodosFailWhenTheGapCloses) {
  EXPECT_TRUE(judge("bad_x.cake", "a  # expect-todo: SAFE-004\n", {}).empty());
  EXPECT_EQ(judge("bad_x.cake", "a  # expect-todo: SAFE-004\n",
                  {{"SAFE-004", Level::error, 1, "m"}})
                .size(),
            1u);
  EXPECT_TRUE(judge("ok_x.cake", "a  # ok-todo: SAFE-004\n",
                    {{"SAFE-004", Level::error, 1, "m"}})
                  .empty());
  EXPECT_EQ(judge("ok_x.cake", "a  # ok-todo: SAFE-004\n", {}).size(), 1u);
}

}  // namespace
}  // namespace bakery::corpus
