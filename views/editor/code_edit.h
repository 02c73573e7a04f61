// SPDX-License-Identifier: GPL-3.0-or-later
// The text widget: QScintilla with the core's byte offsets, marks and line lights.
#pragma once

#include <Qsci/qsciscintilla.h>

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
  void apply(const std::vector<TextEdit>& edits) override;
  void mark_saved() override;

  void apply_theme(const Theme& theme);
  void show_findings(const std::vector<Finding>& findings);
  // 1-based lines; 0: none.
  void light_lines(uint32_t first, uint32_t last, bool finding);
  // Boxes around every whole word out of `names`.
  void light_words(const std::vector<std::string>& names);
  void show_offset(uint32_t offset);   // scrolls there and puts the caret, without taking the focus
  uint32_t caret_offset() const;
  uint32_t caret_line() const;         // 1-based
  void select_span(Span span);
  void toggle_comment();

  static constexpr int kIndicators = 8;  // container indicators begin here: error, review, hint, word

 signals:
  void text_edited();                    // once an edit, an undo, or an applied fix
  void hovered(uint32_t offset, QPoint global);
  void hover_left();
  void margin_mark_clicked(uint32_t line);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  std::string range(long begin, long end) const;
  void replace_range(long begin, long end, const std::string& with);
  void fit_number_margin();

  CakeLexer* lexer_;
  bool quiet_ = false;
  std::vector<std::string> words_;
  ThemeId theme_ = ThemeId::light;
};

}  // namespace bakery::views
