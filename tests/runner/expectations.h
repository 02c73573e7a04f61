// SPDX-License-Identifier: Apache-2.0
// What a corpus file expects of the checks, read from its comments:
//   # expect: SAFE-004                       this finding, on this line
//   # expect: SAFE-004 "part of message"     and its message holds this text
//   # expect: SAFE-004, HW-002 "x"           several on one line
//   # expect-todo: SAFE-004                  a known miss; fails once it is found
//   # ok-todo: SAFE-004                      a known false alarm; fails once it is gone
//   # target: sm_90a                         in the header: the target to check for
// On a line of its own, a comment speaks of the next line of code (of its own line, if no
// code follows). Two findings of one id on one line need two expectations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bakery::corpus {

enum class ExpectationKind { expect, expect_todo, ok_todo };

struct Expectation {
  ExpectationKind kind = ExpectationKind::expect;
  std::string id;
  std::string message_part;   // empty: any message
  uint32_t line = 0;          // where the finding must be
  uint32_t written_line = 0;  // where the comment is
};

struct Expectations {
  std::string target;
  std::vector<Expectation> items;
  std::vector<std::string> errors;  // "LINE: what is wrong with the comment"
};

Expectations read_expectations(std::string_view text);

enum class Level { error, review, hint, coverage };

// A finding or a coverage note, reduced to what is compared.
struct Observed {
  std::string id;
  Level level = Level::error;
  uint32_t line = 0;
  std::string message;
};

// One complaint a line, each "LINE: …"; empty when the file does as it says. `file_name` is
// the last part of the path: `bad_*` must expect something, `ok_*` nothing.
std::vector<std::string> compare(std::string_view file_name, const Expectations& expected,
                                 const std::vector<Observed>& observed);

}  // namespace bakery::corpus
