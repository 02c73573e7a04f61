// SPDX-License-Identifier: GPL-3.0-or-later
// The editor: text, marks, hover, search; every edit starts an analysis.
#pragma once

#include <QWidget>

#include "views/common/view_context.h"

namespace bakery::views {

class CodeEdit;
class FindBar;

class EditorView : public QWidget {
  Q_OBJECT

 public:
  EditorView(const ViewContext& context, QWidget* parent = nullptr);
  CodeEdit* edit() const { return edit_; }
  FindBar* find_bar() const { return find_bar_; }
  // 1: next, -1: previous, by source position.
  void go_to_finding(int direction);

 private:
  void take_snapshot();
  void take_focus();
  void take_caret();
  void submit();
  void show_hover(uint32_t offset, QPoint global);
  int finding_at(uint32_t offset) const;

  ViewContext context_;
  CodeEdit* edit_;
  FindBar* find_bar_;
  uint32_t last_line_ = 0;
  bool moving_caret_ = false;
};

// Rich text of a finding for tooltips.
QString finding_tip(const Finding& finding, const Theme& theme);

}  // namespace bakery::views
