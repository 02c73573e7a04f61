// SPDX-License-Identifier: GPL-3.0-or-later
// The operands of the call at the caret, above its line; the one at the caret stands out.
#pragma once

#include <QLabel>

#include "views/common/tokens.h"

namespace bakery::views {

class CodeEdit;

class CallTip : public QLabel {
  Q_OBJECT

 public:
  CallTip(CodeEdit* edit, const Theme& theme);
  // Follows the caret; hides where there is no call.
  void follow();

 private:
  CodeEdit* edit_;
  const Theme& theme_;
};

}  // namespace bakery::views
