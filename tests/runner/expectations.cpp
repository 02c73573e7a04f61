// SPDX-License-Identifier: Apache-2.0
#include "tests/runner/expectations.h"

#include <algorithm>

namespace bakery::corpus {
namespace {

constexpr std::string_view kBlank = " \t\r";

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

bool is_code(std::string_view line) {
  line = trimmed(line);
  return !line.empty() && line.front() != '#';
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads `SAFE-004` from the front of `text`; empty if there is none.
std::string_view take_id(std::string_view& text) {
  size_t n = 0;
  while (n < text.size() && is_upper(text[n])) ++n;
  if (n == 0 || n == text.size() || text[n] != '-') return {};
  size_t end = n + 1;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end == n + 1) return {};
  const std::string_view id = text.substr(0, end);
  text.remove_prefix(end);
  return id;
}

// Reads the list after `expect:`; stops at the next `#`, complains about anything else.
void read_list(std::string_view text, ExpectationKind kind, uint32_t line, uint32_t written,
               Expectations& out) {
  const auto complain = [&](std::string what) {
    out.errors.push_back(std::to_string(written) + ": " + std::move(what));
  };
  bool any = false;
  while (true) {
    while (!text.empty() && (text.front() == ',' || kBlank.find(text.front()) != kBlank.npos))
      text.remove_prefix(1);
    if (text.empty() || text.front() == '#') break;
    if (text.front() == '"') {
      const size_t close = text.find('"', 1);
      if (!any || close == text.npos || !out.items.back().message_part.empty()) {
        complain("a quoted part of a message must follow an id and be closed");
        return;
      }
      out.items.back().message_part = std::string(text.substr(1, close - 1));
      text.remove_prefix(close + 1);
      continue;
    }
    const std::string_view id = take_id(text);
    if (id.empty()) {
      complain("can't read the list of ids at `" + std::string(text) + "`");
      return;
    }
    out.items.push_back({kind, std::string(id), "", line, written});
    any = true;
  }
  if (!any) complain("no id is named");
}

std::string_view level_name(Level level) {
  switch (level) {
    case Level::error: return "error";
    case Level::review: return "review";
    case Level::hint: return "hint";
    case Level::coverage: return "coverage note";
  }
  return "";
}

}  // namespace

Expectations read_expectations(std::string_view text) {
  struct Keyword {
    std::string_view word;
    ExpectationKind kind;
  };
  static constexpr Keyword kKeywords[] = {
      {"expect:", ExpectationKind::expect},
      {"expect-todo:", ExpectationKind::expect_todo},
      {"ok-todo:", ExpectationKind::ok_todo},
  };
  Expectations out;
  const std::vector<std::string_view> lines = split_lines(text);
  bool header = true;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const auto number = static_cast<uint32_t>(i + 1);
    if (is_code(line)) header = false;
    const size_t first_hash = line.find('#');
    for (size_t hash = first_hash; hash != line.npos; hash = line.find('#', hash + 1)) {
      const std::string_view comment = trimmed(line.substr(hash + 1));
      if (header && comment.starts_with("target:")) {
        out.target = std::string(trimmed(comment.substr(7)));
        break;
      }
      for (const Keyword& keyword : kKeywords) {
        if (!comment.starts_with(keyword.word)) continue;
        uint32_t target_line = number;
        if (trimmed(line.substr(0, first_hash)).empty()) {
          for (size_t next = i + 1; next < lines.size(); ++next) {
            if (!is_code(lines[next])) continue;
            target_line = static_cast<uint32_t>(next + 1);
            break;
          }
        }
        read_list(comment.substr(keyword.word.size()), keyword.kind, target_line, number, out);
      }
    }
  }
  return out;
}

std::vector<std::string> compare(std::string_view file_name, const Expectations& expected,
                                 const std::vector<Observed>& observed) {
  std::vector<std::string> complaints = expected.errors;
  const auto complain = [&](uint32_t line, std::string what) {
    complaints.push_back(std::to_string(line) + ": " + std::move(what));
  };
  const auto names = [&](std::string_view prefix) {
    return std::any_of(expected.items.begin(), expected.items.end(),
                       [&](const Expectation& item) { return item.id.starts_with(prefix); });
  };
  const bool expects = std::any_of(
      expected.items.begin(), expected.items.end(),
      [](const Expectation& item) { return item.kind != ExpectationKind::ok_todo; });
  if (file_name.starts_with("bad_") && !expects)
    complain(1, "a `bad_` file must hold an `# expect:` comment");
  if (file_name.starts_with("ok_") && expects)
    complain(1, "an `ok_` file must not hold an `# expect:` comment");

  // Expectations with a message choose first, so that a vaguer one can't take their finding.
  std::vector<const Expectation*> order;
  for (const Expectation& item : expected.items) order.push_back(&item);
  std::stable_sort(order.begin(), order.end(), [](const Expectation* a, const Expectation* b) {
    return !a->message_part.empty() && b->message_part.empty();
  });
  std::vector<bool> taken(observed.size(), false);
  for (const Expectation* item : order) {
    size_t found = observed.size();
    const Observed* elsewhere = nullptr;  // same id, but another line or message
    for (size_t i = 0; i < observed.size(); ++i) {
      if (taken[i] || observed[i].id != item->id) continue;
      if (observed[i].line == item->line &&
          observed[i].message.find(item->message_part) != std::string::npos) {
        found = i;
        break;
      }
      elsewhere = &observed[i];
    }
    const bool is_found = found != observed.size();
    if (is_found) taken[found] = true;
    switch (item->kind) {
      case ExpectationKind::expect:
        if (is_found) break;
        complain(item->line,
                 "missing " + item->id +
                     (item->message_part.empty() ? "" : " \"" + item->message_part + "\"") +
                     (elsewhere == nullptr ? ""
                                           : "; line " + std::to_string(elsewhere->line) +
                                                 " has: " + elsewhere->message));
        break;
      case ExpectationKind::expect_todo:
        if (is_found)
          complain(item->written_line,
                   item->id + " is found now: write `expect:` instead of `expect-todo:`");
        break;
      case ExpectationKind::ok_todo:
        if (!is_found)
          complain(item->written_line,
                   item->id + " is a false alarm no more: delete this `ok-todo:`");
        break;
    }
  }

  const bool compare_hints = names("HINT-");
  const bool compare_coverage = names("COVER-");
  for (size_t i = 0; i < observed.size(); ++i) {
    const Observed& one = observed[i];
    if (taken[i]) continue;
    if (one.level == Level::hint && !compare_hints) continue;
    if (one.level == Level::coverage && !compare_coverage) continue;
    complain(one.line, "unexpected " + std::string(level_name(one.level)) + " " + one.id + ": " +
                           one.message);
  }
  return complaints;
}

}  // namespace bakery::corpus
