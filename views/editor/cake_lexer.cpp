// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/editor/cake_lexer.h"

#include "core_ir/operations.h"
#include "core_ir/types.h"

namespace bakery::views {

CakeLexer::CakeLexer(QObject* parent) : QsciLexerPython(parent) {
  const auto add = [this](std::string_view spelling) {
    const size_t dot = spelling.rfind('.');
    operations_ += std::string(dot == std::string_view::npos ? spelling : spelling.substr(dot + 1)) + " ";
  };
  for (const Operation& operation : operations()) add(operation.spelling);
  for (const Declaration& declaration : declarations()) add(declaration.spelling);
  setHighlightSubidentifiers(true);
  setFoldComments(false);
}

const char* CakeLexer::keywords(int set) const {
  if (set == 1)
    return "and as def elif else for if in is not or pass return with True False None range lambda";
  if (set == 2) return operations_.c_str();
  return nullptr;
}

void CakeLexer::apply(const Theme& theme) {
  const QFont font = code_font();
  setDefaultFont(font);
  setDefaultColor(theme[Token::text]);
  setDefaultPaper(theme[Token::base]);
  setFont(font, -1);
  setColor(theme[Token::text], -1);
  setPaper(theme[Token::base], -1);
  const auto paint = [&](Token token, std::initializer_list<int> styles) {
    for (const int style : styles) setColor(theme[token], style);
  };
  paint(Token::code_comment, {Comment, CommentBlock});
  paint(Token::code_number, {Number});
  paint(Token::code_string,
        {DoubleQuotedString, SingleQuotedString, TripleSingleQuotedString, TripleDoubleQuotedString, UnclosedString,
         DoubleQuotedFString, SingleQuotedFString, TripleSingleQuotedFString, TripleDoubleQuotedFString});
  paint(Token::code_keyword, {Keyword});
  paint(Token::code_operation, {HighlightedIdentifier});
  paint(Token::code_definition, {ClassName, FunctionMethodName});
  paint(Token::code_decorator, {Decorator});
  paint(Token::code_operator, {Operator});
  QFont bold = font;
  bold.setBold(true);
  for (const int style : {static_cast<int>(Keyword), static_cast<int>(FunctionMethodName)}) setFont(bold, style);
}

}  // namespace bakery::views
