// SPDX-License-Identifier: Apache-2.0
// The one line diff. Lines keep their newline, so that joining them gives the text back byte for byte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bakery {

using Lines = std::vector<std::string>;

Lines lines_of_text(std::string_view text);
std::string text_of_lines(const Lines& lines);

// "\r\n" if every line of the text ends so, else "\n".
std::string_view line_end_of(std::string_view text);
// `text` with its lines ended by `end`, one of the two.
std::string with_line_ends(std::string_view text, std::string_view end);

// Lines [begin, end) of the first text became [other_begin, other_end) of the second.
struct DiffRange {
  size_t begin = 0, end = 0;
  size_t other_begin = 0, other_end = 0;
};

// Smallest set of changes, in order; texts that differ in thousands of places are one change.
std::vector<DiffRange> diff_lines(const Lines& a, const Lines& b);

// Where each line of `a` is in `b`, -1: it is not there.
std::vector<long> matched_lines(const Lines& a, const Lines& b);

}  // namespace bakery
