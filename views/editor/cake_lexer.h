// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of CAKE IR: Python's tokens, with the operations table's names as a second word list.
#pragma once

#include <Qsci/qscilexerpython.h>

#include "views/common/tokens.h"

namespace bakery::views {

class CakeLexer : public QsciLexerPython {
  Q_OBJECT

 public:
  explicit CakeLexer(QObject* parent = nullptr);
  const char* language() const override { return "CAKE IR"; }
  const char* keywords(int set) const override;
  void apply(const Theme& theme);

 private:
  std::string operations_;
};

}  // namespace bakery::views
