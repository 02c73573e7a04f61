// SPDX-License-Identifier: GPL-3.0-or-later
// The editor: text, marks, hover, search; every edit starts an analysis.
#pragma once

#include <QWidget>

#include "app/session/language.h"
#include "views/common/view_context.h"

namespace bakery::views {

class CallTip;
class CodeEdit;
class CompletionPopup;
class FindBar;
class PlacesBar;

class EditorView : public QWidget {
  Q_OBJECT

 public:
  EditorView(const ViewContext& context, QWidget* parent = nullptr);
  CodeEdit* edit() const { return edit_; }
  FindBar* find_bar() const { return find_bar_; }
  // 1: next, -1: previous, by source position.
  void go_to_finding(int direction);

  void complete();          // the list of what may stand at the caret
  void show_call();         // the operands of the call at the caret
  void show_facts();        // of what is at the caret
  void go_to_line();        // asks for its number
  void go_to_line(int line);
  void go_to_definition();
  void find_references();
  void step_reference(int direction);
  void rename();            // asks for the new name
  bool rename_to(const QString& name);

 signals:
  void said(const QString& text);   // why something was not done
  void noted(const QString& text);  // what was done

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void light();
  void point_at(uint32_t offset);
  void jump_to_definition(uint32_t offset);
  void take_char(int character);
  void take_key(int key);
  void close_popups();
  void take_snapshot();
  void take_focus();
  void take_caret();
  void submit();
  bool show_hover(uint32_t offset, QPoint global);
  int finding_at(uint32_t offset) const;

  ViewContext context_;
  CodeEdit* edit_;
  FindBar* find_bar_;
  PlacesBar* places_;
  CompletionPopup* popup_;
  CallTip* call_tip_;
  uint32_t last_line_ = 0;
  bool moving_caret_ = false;
};

// Rich text of a finding, and of what something is, for tooltips.
QString finding_tip(const Finding& finding, const Theme& theme);
QString hover_tip(const Hover& hover, const Theme& theme);

}  // namespace bakery::views
