// SPDX-License-Identifier: GPL-3.0-or-later
// The list of what may stand at the caret, with what the chosen one is beside it.
#pragma once

#include <QFrame>
#include <QLabel>
#include <QListWidget>

#include "app/session/language.h"
#include "views/common/tokens.h"

namespace bakery::views {

class CodeEdit;

class CompletionPopup : public QFrame {
  Q_OBJECT

 public:
  CompletionPopup(CodeEdit* edit, const Theme& theme);
  // Offers what fits at the caret; `asked`: by a person, so also without a letter typed.
  void offer(bool asked);
  // True if the key was for the list.
  bool take_key(const QKeyEvent& event);
  void accept();

 private:
  void fill(Suggestions suggestions);
  void place();
  void show_doc();

  CodeEdit* edit_;
  const Theme& theme_;
  QListWidget* list_;
  QLabel* doc_;
  Suggestions shown_;
};

}  // namespace bakery::views
