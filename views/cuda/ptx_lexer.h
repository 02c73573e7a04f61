// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of PTX: comments, directives, instructions, registers, labels and numbers.
#pragma once

#include <Qsci/qscilexercustom.h>

#include <string_view>
#include <utility>
#include <vector>

#include "views/common/tokens.h"

namespace bakery::views {

class PtxLexer : public QsciLexerCustom {
  Q_OBJECT

 public:
  enum Style { plain, comment, directive, instruction, register_name, number, label, style_count };

  explicit PtxLexer(QObject* parent) : QsciLexerCustom(parent) {}
  const char* language() const override { return "PTX"; }
  QString description(int style) const override;
  void styleText(int start, int end) override;
  void apply(const Theme& theme, bool faded);

  // Lengths and styles of the pieces of a line without its newline.
  static std::vector<std::pair<size_t, Style>> pieces(std::string_view line);
};

}  // namespace bakery::views
