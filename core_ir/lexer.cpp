// SPDX-License-Identifier: Apache-2.0
#include "core_ir/lexer.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>

namespace bakery {
namespace {

constexpr std::string_view kKeywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

// Their second character is one of `=*/<>.`.
constexpr std::string_view kSymbols3[] = {"**=", "//=", ">>=", "<<=", "..."};
constexpr std::string_view kSymbols2[] = {
    "==", "!=", "<=", ">=", "->", ":=", "**", "//", "<<", ">>",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@="};
constexpr std::string_view kSymbols1 = "+-*/%@&|^~<>()[]{},:.;=";

struct Outside {
  std::string_view word;
  std::string_view instead;
};

constexpr Outside kOutside[] = {
    {"as", "name the value with `=`"},
    {"assert", "use `lm.assume(condition)`"},
    {"async", "roles run concurrently; use `lm.wait` and `lm.arrive`"},
    {"await", "use `lm.wait`"},
    {"break", "use `with lm.when(condition):`"},
    {"class", "use a `def`, which is inlined where it is called"},
    {"continue", "use `with lm.when(condition):`"},
    {"del", "a resource lives as long as its declaration says"},
    {"except", "a schedule has no exceptions"},
    {"finally", "a schedule has no exceptions"},
    {"from", "`cake`, `lm` and `LM` are always known"},
    {"global", "pass the value as an argument"},
    {"import", "`cake`, `lm` and `LM` are always known"},
    {"in", "use comparisons with `==`"},
    {"is", "use `==`"},
    {"lambda", "use a nested `def`, which is inlined where it is called"},
    {"nonlocal", "pass the value as an argument"},
    {"raise", "a schedule has no exceptions"},
    {"return", "a `def` is inlined where it is called and has no value"},
    {"try", "a schedule has no exceptions"},
    {"while", "use `for i in lm.range(lo, hi)`"},
    {"yield", "use `for i in lm.range(lo, hi)`"},
    {"&", "use `and` for conditions and `%` for remainders"},
    {"|", "use `or` for conditions and `+` for numbers"},
    {"^", "use `!=` for conditions"},
    {"~", "use `not` for conditions"},
    {"@", "use `lm.mma`"},
    {":=", "write the assignment on its own line"},
    {"->", "a `def` is inlined where it is called and has no value"},
    {";", "write one statement a line"},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string hex_byte(char c) {
  char text[8];
  std::snprintf(text, sizeof text, "0x%02x", static_cast<unsigned char>(c));
  return text;
}

// Length of the UTF-8 sequence that starts `text`, 0 if it is not valid.
size_t utf8_length(std::string_view text) {
  for (size_t length = 1; length <= std::min<size_t>(4, text.size()); ++length)
    if (find_invalid_utf8(text.substr(0, length)) == std::string_view::npos) return length;
  return 0;
}

void append_utf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

struct RawToken {
  Token token;
  uint32_t indent = 0;  // columns in front of it, if first_on_line
  bool first_on_line = false;
  bool cut = false;       // an unterminated string: nothing on this line closes a bracket
  bool unclosed = false;  // an opening bracket without its partner
  int8_t delta = 0;       // +1 opens and -1 closes a matched pair of brackets
};

class Lexer {
 public:
  explicit Lexer(const SourceText& source) : text_(source.text()) {}

  TokenStream run() {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
    if (const size_t bad = find_invalid_utf8(text_); bad != std::string_view::npos) {
      invalid_utf8_ = true;
      problem(bad, bad + 1, "byte " + hex_byte(text_[bad]) + " is not UTF-8");
    }
    while (at_ < text_.size() && !full()) read_line();
    match_brackets();
    lay_out();
    return std::move(out_);
  }

 private:
  bool full() const { return out_.problems.size() >= Tree::kMaxProblems; }
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  std::string_view slice(Span span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }

  void problem(size_t begin, size_t end, std::string message, std::string note = {}) {
    if (full()) return;
    const Span span{static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
    out_.problems.push_back({span, std::move(message), std::move(note)});
  }

  // --- characters to raw tokens -----------------------------------------------------------

  void read_line() {
    uint32_t indent = 0;
    const size_t start = at_;
    for (; at_ < text_.size() && is_blank(text_[at_]); ++at_) {
      if (text_[at_] == '\t') {
        indent = indent / 8 * 8 + 8;
      } else {
        ++indent;
      }
    }
    const size_t tab = text_.substr(start, at_ - start).find('\t');
    const bool has_code = at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '#';
    if (tab != std::string_view::npos && has_code && !continued_ && !tab_reported_) {
      tab_reported_ = true;
      problem(start + tab, start + tab + 1, "tab in the indentation; use spaces",
              "said once a file; a tab counts as up to 8 columns");
    }
    bool first = !continued_;
    bool own_line = true;
    continued_ = false;
    while (at_ < text_.size() && !full()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++at_;
        return;
      }
      if (is_blank(c)) {
        ++at_;
      } else if (c == '#') {
        read_comment(own_line);
      } else if (c == '\\' && is_line_end(at_ + 1)) {
        at_ = text_.find('\n', at_);
        at_ = at_ == std::string_view::npos ? text_.size() : at_ + 1;
        continued_ = true;
        return;
      } else {
        read_token();
        RawToken& token = raw_.back();
        token.first_on_line = first;
        token.indent = indent;
        first = false;
        own_line = false;
      }
    }
  }

  bool is_line_end(size_t at) const {
    if (at < text_.size() && text_[at] == '\r') ++at;
    return at >= text_.size() || text_[at] == '\n';
  }

  void read_comment(bool own_line) {
    size_t end = std::min(text_.find('\n', at_), text_.size());
    const size_t next = end;
    if (end > at_ && text_[end - 1] == '\r') --end;
    out_.comments.push_back({{static_cast<uint32_t>(at_), static_cast<uint32_t>(end)}, own_line});
    at_ = next;
  }

  void add(TokenKind kind, size_t begin) {
    RawToken token;
    token.token = {kind, {static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)}};
    raw_.push_back(token);
  }

  void read_token() {
    const size_t begin = at_;
    const char c = text_[at_];
    if (is_name_start(c)) {
      while (is_name_part(peek())) ++at_;
      const std::string_view word = text_.substr(begin, at_ - begin);
      if ((peek() == '"' || peek() == '\'') && is_string_prefix(word))
        return read_prefixed_string(begin);
      return add(is_keyword(word) ? TokenKind::keyword : TokenKind::name, begin);
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return read_number();
    if (c == '"' || c == '\'') return read_string(begin);
    if (constexpr std::string_view kSecond = "=*/<>.";
        kSecond.find(peek(1)) != std::string_view::npos) {
      const std::string_view rest = text_.substr(at_, 3);
      for (const std::string_view symbol : kSymbols3)
        if (rest == symbol) return at_ += 3, add(TokenKind::symbol, begin);
      for (const std::string_view symbol : kSymbols2)
        if (rest.substr(0, 2) == symbol) return at_ += 2, add(TokenKind::symbol, begin);
    }
    if (kSymbols1.find(c) != std::string_view::npos) return ++at_, add(TokenKind::symbol, begin);
    read_bad();
  }

  static bool is_string_prefix(std::string_view word) {
    return word.size() <= 2 && word.find_first_not_of("rRbBuUfFtT") == std::string_view::npos;
  }

  void read_prefixed_string(size_t begin) {
    const std::string_view prefix = text_.substr(begin, at_ - begin);
    const bool formatted = prefix.find_first_of("fFtT") != std::string_view::npos;
    const size_t quote = at_;
    const size_t known = out_.problems.size();
    read_string(begin);
    raw_.back().token.kind = TokenKind::bad;
    if (out_.problems.size() != known) return;
    problem(begin, quote,
            formatted ? "f-strings are not part of CAKE IR; use a plain string"
                      : "string prefix " + quoted(prefix) +
                            " is not part of CAKE IR; use a plain string");
  }

  void read_string(size_t begin) {
    const size_t open = at_;
    const char quote = text_[at_];
    const bool triple = peek(1) == quote && peek(2) == quote;
    at_ += triple ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\' && at_ + 1 < text_.size()) {
        at_ += text_[at_ + 1] == '\r' && peek(2) == '\n' ? 3 : 2;
      } else if (c == quote && (!triple || (peek(1) == quote && peek(2) == quote))) {
        at_ += triple ? 3 : 1;
        return add(TokenKind::string, begin);
      } else if (c == '\n' && !triple) {
        break;
      } else {
        ++at_;
      }
    }
    add(TokenKind::bad, begin);
    raw_.back().cut = true;
    problem(open, open + (triple ? 3 : 1), "this string is never closed");
  }

  void read_number() {
    const size_t begin = at_;
    bool valid = true;
    bool floating = false;
    const auto digits = [&](auto accepts) {
      size_t count = 0;
      for (; accepts(peek()) || (peek() == '_' && count > 0 && accepts(peek(1))); ++at_) ++count;
      return count;
    };
    const char base = peek(1) | 0x20;
    if (text_[at_] == '0' && (base == 'x' || base == 'b' || base == 'o')) {
      at_ += 2;
      const int limit = base == 'x' ? 16 : base == 'b' ? 2 : 8;
      valid = digits([&](char c) { return hex_digit(c) >= 0 && hex_digit(c) < limit; }) > 0;
    } else {
      digits(is_digit);
      if (peek() == '.') {
        floating = true;
        ++at_;
        digits(is_digit);
      }
      const size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
        floating = true;
        at_ += 1 + sign;
        digits(is_digit);
      }
      const std::string_view token = text_.substr(begin, at_ - begin);
      const bool padded = !floating && token.size() > 1 && token[0] == '0';
      valid = !padded || token.find_first_not_of("0_") == std::string_view::npos;
    }
    if (is_name_part(peek())) {
      valid = false;
      while (is_name_part(peek())) ++at_;
    }
    add(!valid ? TokenKind::bad : floating ? TokenKind::floating : TokenKind::integer, begin);
    if (!valid) problem(begin, at_, quoted(text_.substr(begin, at_ - begin)) + " is not a number");
  }

  // A run of bytes that start no token is one problem.
  void read_bad() {
    const size_t begin = at_;
    const auto stray = [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return byte >= 0x7F || (byte < 0x20 && !is_blank(c) && c != '\n');
    };
    if (text_[at_] == '\\') {
      ++at_;
      add(TokenKind::bad, begin);
      return problem(begin, at_, "`\\` continues a line only at its end");
    }
    ++at_;
    if (stray(text_[begin]))
      while (at_ < text_.size() && stray(text_[at_])) ++at_;
    add(TokenKind::bad, begin);
    const size_t length = utf8_length(text_.substr(begin, 4));
    if (length == 0 && invalid_utf8_) return;  // said once for the file
    const bool control = stray(text_[begin]) && length == 1;
    problem(begin, at_,
            control ? "unexpected byte " + hex_byte(text_[begin])
                    : "unexpected character " + quoted(text_.substr(begin, length)));
  }

  // --- brackets ---------------------------------------------------------------------------

  bool is_word(const RawToken& token, std::initializer_list<std::string_view> words) const {
    return token.token.kind == TokenKind::keyword &&
           std::find(words.begin(), words.end(), slice(token.token.span)) != words.end();
  }

  // Can only begin a statement, so an open bracket above it was forgotten.
  bool begins_statement(const RawToken& token) const {
    if (token.token.kind == TokenKind::symbol) return slice(token.token.span) == "@";
    return is_word(token, {"assert", "break", "class", "continue", "def", "del", "elif", "except",
                           "finally", "from", "global", "import", "nonlocal", "pass", "raise",
                           "return", "try", "while", "with"});
  }
  // Begins a statement unless it is indented as part of an expression.
  bool may_begin_statement(const RawToken& token) const {
    return is_word(token, {"for", "if", "else"});
  }

  void match_brackets() {
    static constexpr std::string_view kOpen = "([{", kClose = ")]}";
    size_t open_of[3] = {0, 0, 0};
    uint32_t statement_indent = 0;
    const auto kind_of = [&](size_t index) {
      return kOpen.find(text_[raw_[index].token.span.begin]);
    };
    const auto abandon = [&](size_t keep, bool report) {
      if (report && stack_.size() > keep && stack_.size() <= kMaxNesting) {
        const Span span = raw_[stack_.back()].token.span;
        problem(span.begin, span.end, quoted(slice(span)) + " is never closed");
      }
      for (; stack_.size() > keep; stack_.pop_back()) {
        raw_[stack_.back()].unclosed = true;
        --open_of[kind_of(stack_.back())];
      }
    };
    for (uint32_t i = 0; i < raw_.size() && !full(); ++i) {
      RawToken& token = raw_[i];
      if (token.first_on_line) {
        if (begins_statement(token) ||
            (may_begin_statement(token) && token.indent <= statement_indent))
          abandon(0, true);
        if (stack_.empty()) statement_indent = token.indent;
      }
      if (token.cut) abandon(0, false);
      if (token.token.kind != TokenKind::symbol) continue;
      const Span span = token.token.span;
      if (span.end - span.begin != 1) continue;
      const char c = text_[span.begin];
      if (const size_t kind = kOpen.find(c); kind != std::string_view::npos) {
        stack_.push_back(i);
        ++open_of[kind];
      } else if (const size_t kind = kClose.find(c); kind != std::string_view::npos) {
        close_bracket(token, kind, open_of, kind_of, abandon);
      }
    }
    abandon(0, true);
  }

  template <class KindOf, class Abandon>
  void close_bracket(RawToken& token, size_t kind, size_t (&open_of)[3], KindOf kind_of,
                     Abandon abandon) {
    const Span span = token.token.span;
    if (stack_.empty()) {
      token.token.kind = TokenKind::bad;
      return problem(span.begin, span.end, quoted(slice(span)) + " closes nothing");
    }
    if (open_of[kind] == 0) {
      const Span open = raw_[stack_.back()].token.span;
      token.token.kind = TokenKind::bad;
      problem(span.begin, span.end, quoted(slice(span)) + " does not close " + quoted(slice(open)));
    } else {
      size_t partner = stack_.size() - 1;
      while (kind_of(stack_[partner]) != kind) --partner;
      abandon(partner + 1, true);
    }
    --open_of[kind_of(stack_.back())];
    raw_[stack_.back()].delta = 1;
    token.delta = -1;
    stack_.pop_back();
  }

  // --- layout -----------------------------------------------------------------------------

  void lay_out() {
    std::vector<uint32_t> indents{0};
    uint32_t statement_indent = 0;
    int depth = 0;
    bool open_end = false;  // the statement holds a bracket that is never closed
    out_.tokens.reserve(raw_.size() + raw_.size() / 8 + 8);
    for (const RawToken& raw : raw_) {
      const bool new_statement =
          raw.first_on_line && depth == 0 &&
          !(open_end && raw.indent > statement_indent && !begins_statement(raw));
      if (new_statement) {
        end_line();
        open_end = false;
        statement_indent = raw.indent;
        indent_to(indents, raw);
      }
      out_.tokens.push_back(raw.token);
      depth += raw.delta;
      open_end |= raw.unclosed;
    }
    end_line();
    const uint32_t size = static_cast<uint32_t>(text_.size());
    for (size_t i = 1; i < indents.size(); ++i)
      out_.tokens.push_back({TokenKind::dedent, {size, size}});
    out_.tokens.push_back({TokenKind::end, {size, size}});
  }

  void end_line() {
    if (out_.tokens.empty()) return;
    const uint32_t end = out_.tokens.back().span.end;
    out_.tokens.push_back({TokenKind::newline, {end, end}});
  }

  void indent_to(std::vector<uint32_t>& indents, const RawToken& raw) {
    const uint32_t begin = raw.token.span.begin;
    uint32_t line = begin;
    while (line > 0 && is_blank(text_[line - 1])) --line;
    if (raw.indent > indents.back()) {
      indents.push_back(raw.indent);
      out_.tokens.push_back({TokenKind::indent, {line, begin}});
      return;
    }
    while (raw.indent < indents.back()) {
      indents.pop_back();
      out_.tokens.push_back({TokenKind::dedent, {begin, begin}});
    }
    if (raw.indent > indents.back())
      problem(line, begin, "this indentation matches no block above");
  }

  std::string_view text_;
  size_t at_ = 0;
  bool continued_ = false;  // the line before ended with a backslash
  bool tab_reported_ = false;
  bool invalid_utf8_ = false;
  std::vector<RawToken> raw_;
  std::vector<uint32_t> stack_;  // open brackets, as places in raw_
  TokenStream out_;
};

}  // namespace

bool is_keyword(std::string_view word) {
  return std::binary_search(std::begin(kKeywords), std::end(kKeywords), word);
}

std::vector<std::string_view> usable_keywords() {
  std::vector<std::string_view> words;
  for (const std::string_view word : kKeywords)
    if (word == "in" || instead_of(word).empty()) words.push_back(word);  // `in` belongs to `for`
  return words;
}

std::string_view instead_of(std::string_view token) {
  for (const Outside& outside : kOutside)
    if (token == outside.word) return outside.instead;
  return {};
}

TokenStream tokenize(const SourceText& source) { return Lexer(source).run(); }

std::optional<int64_t> integer_value(std::string_view token) {
  std::string digits;
  for (const char c : token)
    if (c != '_') digits += c;
  int base = 10;
  size_t skip = 0;
  if (digits.size() > 2 && digits[0] == '0' && !is_digit(digits[1])) {
    const char mark = digits[1] | 0x20;
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    skip = 2;
  }
  int64_t value = 0;
  const auto result =
      std::from_chars(digits.data() + skip, digits.data() + digits.size(), value, base);
  if (result.ec != std::errc()) return std::nullopt;
  return value;
}

std::optional<double> floating_value(std::string_view token) {
  std::string digits;
  for (const char c : token)
    if (c != '_') digits += c;
  double value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec != std::errc()) return std::nullopt;
  return value;
}

std::string string_value(std::string_view token, uint32_t offset, std::vector<Problem>& problems) {
  const bool triple = token.size() >= 6 && token[1] == token[0] && token[2] == token[0];
  const size_t edge = triple ? 3 : 1;
  std::string out;
  const size_t end = token.size() - edge;
  for (size_t i = edge; i < end; ++i) {
    const char c = token[i];
    if (c == '\r' && i + 1 < end && token[i + 1] == '\n') continue;
    if (c != '\\') {
      out += c;
      continue;
    }
    const size_t begin = i++;
    size_t digits = 0;
    switch (token[i]) {
      case 'n':
        out += '\n';
        continue;
      case 't':
        out += '\t';
        continue;
      case 'r':
        out += '\r';
        continue;
      case '0':
        out += '\0';
        continue;
      case '\\':
      case '\'':
      case '"':
        out += token[i];
        continue;
      case '\n':
        continue;
      case '\r':
        i += i + 1 < end && token[i + 1] == '\n';
        continue;
      case 'x':
        digits = 2;
        break;
      case 'u':
        digits = 4;
        break;
      default:
        break;
    }
    uint32_t code = 0;
    bool valid = digits > 0 && i + digits < end;
    for (size_t k = 1; valid && k <= digits; ++k) {
      const int digit = hex_digit(token[i + k]);
      valid = digit >= 0;
      code = code << 4 | static_cast<uint32_t>(digit & 15);
    }
    valid = valid && (code < 0xD800 || code >= 0xE000);
    if (valid) {
      append_utf8(out, code);
      i += digits;
    } else {
      const size_t length = std::max<size_t>(1, utf8_length(token.substr(i, 4)));
      out += token.substr(begin, 1 + length);
      i += length - 1;
      const uint32_t at = offset + static_cast<uint32_t>(begin);
      const uint32_t to = at + 1 + static_cast<uint32_t>(length);
      if (problems.size() < Tree::kMaxProblems)
        problems.push_back(
            {{at, to}, "unknown escape " + quoted(token.substr(begin, 1 + length)), {}});
    }
  }
  return out;
}

std::string quoted(std::string_view text) {
  constexpr size_t kLimit = 40;
  std::string out(text.substr(0, kLimit));
  if (text.size() > kLimit) {
    while (!out.empty() && (out.back() & 0xC0) == 0x80) out.pop_back();
    if (!out.empty() && (out.back() & 0x80)) out.pop_back();
  }
  const bool invalid = find_invalid_utf8(out) != std::string_view::npos;
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = ' ';
    if (invalid && byte >= 0x80) c = '?';
  }
  return "`" + out + (text.size() > kLimit ? "…`" : "`");
}

}  // namespace bakery
