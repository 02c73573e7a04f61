// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cuda/ptx_lexer.h"

#include <Qsci/qsciscintilla.h>

#include <algorithm>
#include <string>

namespace bakery::views {

namespace {

bool in_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$'; }

}  // namespace

QString PtxLexer::description(int style) const {
  static const char* const names[] = {"plain", "comment", "directive", "instruction", "register", "number", "label"};
  return style >= 0 && style < style_count ? QString::fromLatin1(names[style]) : QString();
}

std::vector<std::pair<size_t, PtxLexer::Style>> PtxLexer::pieces(std::string_view line) {
  std::vector<std::pair<size_t, Style>> result;
  const auto add = [&](size_t length, Style style) {
    if (length == 0) return;
    if (!result.empty() && result.back().second == style) result.back().first += length;
    else result.emplace_back(length, style);
  };
  bool first = true;  // the first word names the instruction
  for (size_t at = 0; at < line.size();) {
    const char c = line[at];
    if (line.substr(at).starts_with("//")) {
      add(line.size() - at, comment);
      break;
    }
    size_t end = at + 1;
    if (c == '%' || c == '$' || c == '.' || in_word(c)) {
      // Dots belong to instructions and directives, not to what follows them.
      while (end < line.size() && (in_word(line[end]) || ((line[end] == '.' || line[end] == ':') && first && c != '%' && c != '$'))) ++end;
      Style style = plain;
      if (c == '%') style = register_name;
      else if (c == '$') style = label;
      else if (c == '.') style = directive;
      else if (c >= '0' && c <= '9') style = number;
      else if (first) style = instruction;
      if (style == instruction || style == directive) first = false;
      add(end - at, style);
    } else {
      if (c == '@') first = true;  // a guard; the instruction follows
      add(1, plain);
    }
    at = end;
  }
  return result;
}

void PtxLexer::styleText(int start, int end) {
  if (!editor() || end <= start) return;
  std::string text(static_cast<size_t>(end - start) + 1, '\0');
  editor()->SendScintilla(QsciScintilla::SCI_GETTEXTRANGE, start, end, text.data());
  text.resize(static_cast<size_t>(end - start));
  startStyling(start);
  for (size_t at = 0; at < text.size();) {
    const size_t line_end = std::min(text.find('\n', at), text.size());
    for (const auto& [length, style] : pieces(std::string_view(text).substr(at, line_end - at))) setStyling(static_cast<int>(length), style);
    if (line_end < text.size()) setStyling(1, plain);
    at = line_end + 1;
  }
}

void PtxLexer::apply(const Theme& theme, bool faded) {
  const QFont font = code_font();
  setDefaultFont(font);
  setDefaultPaper(theme[Token::base]);
  setFont(font, -1);
  setPaper(theme[Token::base], -1);
  const Token tokens[style_count] = {Token::text,      Token::code_comment, Token::code_decorator, Token::code_operation,
                                     Token::code_string, Token::code_number,  Token::code_definition};
  for (int style = 0; style < style_count; ++style) setColor(theme[faded ? Token::disabled : tokens[style]], style);
}

}  // namespace bakery::views
