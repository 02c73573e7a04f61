// SPDX-License-Identifier: GPL-3.0-or-later
// The PTX of the kernel, linked with the schedule and the CUDA line by line. It is compiled in the worker
// process, and only while this can be seen.
#pragma once

#include <QLabel>
#include <QTimer>
#include <QToolButton>
#include <QWidget>

#include <Qsci/qsciscintilla.h>

#include <vector>

#include "views/common/compiles.h"
#include "views/common/view_context.h"
#include "views/cuda/cuda_text.h"
#include "views/cuda/ptx_lexer.h"
#include "views/cuda/ptx_text.h"

namespace bakery::views {

class PtxPane : public QWidget {
  Q_OBJECT

 public:
  PtxPane(const ViewContext& context, QWidget* parent);

  QsciScintilla* edit() const { return edit_; }
  QLabel* caption() const { return caption_; }
  const PtxText& text() const { return text_; }
  const std::vector<uint32_t>& lit() const { return lit_; }  // shown lines
  bool pending() const { return isVisible() && (delay_.isActive() || compiles_.busy()); }
  void show_directives(bool on);
  // Lights what comes from a line of the CUDA that the schedule does not name.
  void light_cuda(uint32_t cuda_line);

 signals:
  void cuda_line_entered(uint32_t cuda_line);  // the caret is on PTX that only the CUDA names

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void want();
  void take_result();
  void take_lit(bool scroll);
  void take_caret();
  void take_hover(uint32_t line);
  std::optional<FocusState> focus_of(uint32_t shown_line) const;
  void show_text();
  void show_caption();
  void apply_theme();
  void mark();
  bool stale() const;

  ViewContext context_;
  Compiles& compiles_;
  QLabel* caption_;
  QToolButton* act_;
  QsciScintilla* edit_;
  PtxLexer* lexer_;
  QTimer delay_;
  std::shared_ptr<const Analysis> made_from_;  // of the shown text
  std::shared_ptr<const CompiledKernel> compiled_;
  std::shared_ptr<const LoweredKernel> kernel_;
  CudaText link_;
  PtxText text_;
  std::vector<uint32_t> lit_;
  bool directives_ = false, quiet_ = false, looks_stale_ = false;
  int last_line_ = -1;
};

}  // namespace bakery::views
