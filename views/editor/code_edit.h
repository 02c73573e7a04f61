// SPDX-License-Identifier: GPL-3.0-or-later
// The text widget: QScintilla with the core's byte offsets, marks and line lights.
#pragma once

#include <Qsci/qsciscintilla.h>

#include <QAction>
#include <QPointer>

#include <functional>
#include <string>
#include <vector>

#include "core_ir/finding.h"
#include "views/common/document.h"
#include "views/common/tokens.h"

namespace bakery::views {

class CakeLexer;

class CodeEdit : public QsciScintilla, public TextStore {
  Q_OBJECT

 public:
  explicit CodeEdit(QWidget* parent = nullptr);

  // TextStore
  std::string text() const override;
  void replace_text(const std::string& text) override;
  void apply(const std::vector<TextEdit>& edits, const std::string& label) override;
  void mark_saved() override;

  void apply_theme(const Theme& theme);
  void show_findings(const std::vector<Finding>& findings);
  // 1-based lines; 0: none.
  void light_lines(uint32_t first, uint32_t last, bool finding);
  // Boxes around every whole word out of `names`.
  void light_words(const std::vector<std::string>& names);
  void show_matches(const std::vector<Span>& matches);  // of a search; the first 5000
  void show_offset(uint32_t offset);   // scrolls there and puts the caret, without taking the focus
  uint32_t caret_offset() const;
  uint32_t caret_line() const;         // 1-based
  void select_span(Span span);
  Span selection() const;
  std::string word_at(uint32_t offset) const;
  QRect caret_box(uint32_t offset) const;  // of the character, in the viewport

  // Each one undo step.
  void toggle_comment();
  void type_over(Span span, const std::string& text);  // the caret goes behind it
  void duplicate();                    // the selection, else the line
  void move_lines(bool up);
  void indent(bool deeper);            // the lines of the selection
  void toggle_fold();                  // the block at the caret
  void undo() override;
  void redo() override;

  // A text with a line longer than this has no colours, so that it can be edited at all.
  static constexpr size_t kColouredColumns = 10000;
  bool plain() const { return plain_; }

  // Their keys are the window's, whatever Scintilla does with them by itself.
  void set_window_actions(const QList<QAction*>& actions) { window_actions_.assign(actions.begin(), actions.end()); }
  // Sees keys first; true: the key is dealt with.
  void set_key_filter(std::function<bool(const QKeyEvent&)> filter) { key_filter_ = std::move(filter); }

  static constexpr uint32_t kNowhere = UINT32_MAX;
  static constexpr int kIndicators = 8;  // container indicators begin here: error, review, hint, word

 signals:
  void text_edited();                    // once an edit, an undo, or an applied fix
  void hovered(uint32_t offset, QPoint global);
  void hover_left();
  void key_done(int key);                // a key has had its effect
  void pointed(uint32_t offset);         // the mouse is over it now; kNowhere: over no text
  void definition_asked(uint32_t offset);
  void undone(const QString& label);     // a labelled step was taken back
  void redone(const QString& label);
  void margin_mark_clicked(uint32_t line);

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  template <class Change>
  void as_one_step(Change change);
  uint32_t offset_at(QPoint point) const;
  void set_plain(bool plain);
  std::string range(long begin, long end) const;
  void replace_range(long begin, long end, const std::string& with);
  void fit_number_margin();

  CakeLexer* lexer_;
  bool quiet_ = false;
  bool plain_ = false;
  std::vector<std::string> words_;
  std::vector<QString> labels_;  // of undo steps, by their token
  std::function<bool(const QKeyEvent&)> key_filter_;
  std::vector<QPointer<QAction>> window_actions_;
  uint32_t pointed_ = kNowhere;
  ThemeId theme_ = ThemeId::light;
};

}  // namespace bakery::views
