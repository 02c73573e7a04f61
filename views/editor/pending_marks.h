// SPDX-License-Identifier: GPL-3.0-or-later
// Draws pending hunks in the text: a bar in the margin, the lines that would go, and those that would
// come as a box between the lines. It changes no text.
#pragma once

#include <QObject>

#include "views/common/view_context.h"

namespace bakery::views {

class CodeEdit;

class PendingMarks : public QObject {
  Q_OBJECT

 public:
  PendingMarks(CodeEdit& edit, const ViewContext& context, QObject* parent);

  static constexpr int kMargin = 3;
  static constexpr int kBarMarker = 10, kRemovedMarker = 11;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show();
  void apply_theme();
  int hunk_at(int line) const;  // 0-based; 0: none

  CodeEdit& edit_;
  ViewContext context_;
};

}  // namespace bakery::views
