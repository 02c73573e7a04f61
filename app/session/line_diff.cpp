// SPDX-License-Identifier: Apache-2.0
#include "app/session/line_diff.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace bakery {
namespace {

constexpr long kMaxEdits = 3000;

// Myers' greedy algorithm. `keep` gets the pairs of equal lines; false: too many edits.
bool match(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b, std::vector<std::pair<long, long>>& keep) {
  const long n = static_cast<long>(a.size()), m = static_cast<long>(b.size());
  std::vector<std::vector<long>> reached;  // furthest x on each diagonal -d..d, by number of edits
  for (long d = 0; d <= std::min(n + m, kMaxEdits); ++d) {
    std::vector<long> row(static_cast<size_t>(2 * d + 1));
    const auto before = [&](long k) { return reached.back()[static_cast<size_t>(k + d - 1)]; };
    for (long k = -d; k <= d; k += 2) {
      long x = 0;
      if (d > 0) x = k == -d || (k != d && before(k - 1) < before(k + 1)) ? before(k + 1) : before(k - 1) + 1;
      while (x < n && x - k < m && x - k >= 0 && a[x] == b[x - k]) ++x;
      row[static_cast<size_t>(k + d)] = x;
      if (x < n || x - k < m) continue;
      reached.push_back(std::move(row));
      for (long y = x - k, e = d; e >= 0; --e) {  // back along the way
        const long diagonal = x - y;
        long from_x = 0, from_y = 0, start_x = 0;
        if (e > 0) {
          const std::vector<long>& older = reached[static_cast<size_t>(e - 1)];
          const auto at = [&](long q) { return older[static_cast<size_t>(q + e - 1)]; };
          const bool down = diagonal == -e || (diagonal != e && at(diagonal - 1) < at(diagonal + 1));
          from_x = down ? at(diagonal + 1) : at(diagonal - 1);
          from_y = from_x - (down ? diagonal + 1 : diagonal - 1);
          start_x = down ? from_x : from_x + 1;
        }
        while (x > start_x) keep.emplace_back(--x, --y);
        x = from_x;
        y = from_y;
      }
      std::reverse(keep.begin(), keep.end());
      return true;
    }
    reached.push_back(std::move(row));
  }
  return false;
}

}  // namespace

Lines lines_of_text(std::string_view text) {
  Lines lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t newline = text.find('\n', begin);
    const size_t end = newline == std::string_view::npos ? text.size() : newline + 1;
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

std::string text_of_lines(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

std::string_view line_end_of(std::string_view text) {
  size_t at = text.find('\n');
  if (at == std::string_view::npos) return "\n";
  for (; at != std::string_view::npos; at = text.find('\n', at + 1))
    if (at == 0 || text[at - 1] != '\r') return "\n";
  return "\r\n";
}

std::string with_line_ends(std::string_view text, std::string_view end) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    if (text[i] == '\n') out += end;
    else out += text[i];
  }
  return out;
}

std::vector<long> matched_lines(const Lines& a, const Lines& b) {
  std::vector<long> image(a.size(), -1);
  size_t head = 0, tail = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  for (size_t i = 0; i < head; ++i) image[i] = static_cast<long>(i);
  for (size_t i = 1; i <= tail; ++i) image[a.size() - i] = static_cast<long>(b.size() - i);
  std::unordered_map<std::string_view, uint32_t> numbers;
  const auto numbered = [&](const Lines& lines) {
    std::vector<uint32_t> out;
    for (size_t i = head; i + tail < lines.size(); ++i)
      out.push_back(numbers.try_emplace(lines[i], static_cast<uint32_t>(numbers.size())).first->second);
    return out;
  };
  const std::vector<uint32_t> x = numbered(a), y = numbered(b);
  std::vector<std::pair<long, long>> keep;
  if (!x.empty() && !y.empty() && match(x, y, keep))
    for (const auto& [i, k] : keep) image[head + static_cast<size_t>(i)] = static_cast<long>(head) + k;
  return image;
}

std::vector<DiffRange> diff_lines(const Lines& a, const Lines& b) {
  const std::vector<long> image = matched_lines(a, b);
  std::vector<DiffRange> changes;
  size_t i = 0, k = 0;
  while (i < a.size() || k < b.size()) {
    const size_t begin = i, other = k;
    while (i < a.size() && image[i] < 0) ++i;
    k = i < a.size() ? static_cast<size_t>(image[i]) : b.size();
    if (i > begin || k > other) changes.push_back({begin, i, other, k});
    while (i < a.size() && image[i] == static_cast<long>(k)) ++i, ++k;
  }
  return changes;
}

}  // namespace bakery
