// SPDX-License-Identifier: GPL-3.0-or-later
// The colour table is readable in every theme: text 4.5:1, marks 3:1 where they stand alone.
#include <gtest/gtest.h>

#include "views/common/tokens.h"

using namespace bakery::views;

namespace {

struct Pair {
  Token ink, ground;
  double least;
};

TEST(Tokens, AreReadable) {
  std::vector<Pair> pairs;
  for (const Token ground : {Token::window, Token::panel, Token::base, Token::alternate, Token::raised, Token::tooltip,
                             Token::selection, Token::lane, Token::lane_alternate, Token::lane_header, Token::lane_group,
                             Token::lane_lit, Token::focus_line, Token::error_line, Token::added_line, Token::removed_line})
    pairs.push_back({Token::text, ground, 7});
  for (const Token ground : {Token::window, Token::panel, Token::base, Token::lane, Token::lane_header, Token::lane_group})
    pairs.push_back({Token::muted, ground, 4.5});
  for (const Token ink : {Token::error, Token::review, Token::hint, Token::uncovered, Token::ok, Token::accent, Token::agent,
                          Token::code_keyword, Token::code_operation, Token::code_definition, Token::code_decorator,
                          Token::code_string, Token::code_number, Token::code_comment, Token::code_operator})
    pairs.push_back({ink, Token::base, 4.5});
  for (const Token ink : {Token::code_keyword, Token::code_operation, Token::code_string, Token::code_number, Token::code_comment})
    for (const Token ground : {Token::focus_line, Token::error_line}) pairs.push_back({ink, ground, 4});
  for (const Token ground : {Token::working, Token::waiting, Token::stuck, Token::transfer, Token::phase_even, Token::phase_odd,
                             Token::filling, Token::full, Token::in_use, Token::draining})
    pairs.push_back({Token::bar_text, ground, 4.5});
  pairs.push_back({Token::margin_text, Token::margin, 3});
  pairs.push_back({Token::accent_text, Token::accent, 4.5});
  pairs.push_back({Token::lit, Token::lane, 3});
  for (const ThemeId theme : kThemes)
    for (const Pair& pair : pairs)
      EXPECT_GE(contrast(color(theme, pair.ink), color(theme, pair.ground)), pair.least)
          << to_string(theme) << ": " << name(pair.ink) << " on " << name(pair.ground);
}

TEST(Tokens, StatesDifferFromTheirNeighbours) {
  for (const ThemeId theme : kThemes)
    for (const auto& [a, b] : {std::pair{Token::working, Token::waiting}, std::pair{Token::phase_even, Token::phase_odd},
                               std::pair{Token::filling, Token::full}, std::pair{Token::full, Token::in_use},
                               std::pair{Token::in_use, Token::draining}}) {
      const QColor x = color(theme, a), y = color(theme, b);
      const int distance = std::abs(x.red() - y.red()) + std::abs(x.green() - y.green()) + std::abs(x.blue() - y.blue());
      EXPECT_GE(distance, 60) << to_string(theme) << ": " << name(a) << " and " << name(b);
    }
}

TEST(Tokens, StyleSheetUsesThemAll) {
  for (const ThemeId theme : kThemes) EXPECT_FALSE(style_sheet(theme).contains('%'));
}

}  // namespace
