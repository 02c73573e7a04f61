// SPDX-License-Identifier: Apache-2.0
// Tokens of a schedule, with Python's layout: newline, indent and dedent are tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core_ir/source.h"
#include "core_ir/syntax.h"

namespace bakery {

enum class TokenKind : uint8_t {
  end,
  newline,  // empty span behind the line's last token
  indent,   // the white space in front of the line's first token
  dedent,
  name,
  keyword,
  integer,
  floating,
  string,  // with its quotes
  symbol,
  bad,  // a problem about it is already reported
};

struct Token {
  TokenKind kind = TokenKind::end;
  Span span;
};

struct TokenStream {
  std::vector<Token> tokens;      // ends with `end`; every line ends with `newline`
  std::vector<Comment> comments;  // in source order
  std::vector<Problem> problems;  // not sorted, at most Tree::kMaxProblems
};

// Nesting that the parser follows; more open brackets than this are the parser's problem.
inline constexpr int kMaxNesting = 100;

// Linear. A bracket that is never closed ends with its statement: at the next line that is
// not indented deeper, so that the lines below are read as usual.
TokenStream tokenize(const SourceText& source);

bool is_keyword(std::string_view word);
// Those of the subset.
std::vector<std::string_view> usable_keywords();

// For a keyword or symbol of Python outside the subset: what the language has instead.
std::string_view instead_of(std::string_view token);

// Value of an integer token; nothing if it exceeds int64.
std::optional<int64_t> integer_value(std::string_view token);
// Value of a floating token; nothing if it is out of range.
std::optional<double> floating_value(std::string_view token);

// Text of a string token with its escapes resolved. An unknown escape is kept and reported;
// `offset` is the token's place in the source.
std::string string_value(std::string_view token, uint32_t offset, std::vector<Problem>& problems);

// Source text for use in a message: short, one line, valid UTF-8, in back-ticks.
std::string quoted(std::string_view text);

}  // namespace bakery
