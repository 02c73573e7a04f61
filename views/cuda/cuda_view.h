// SPDX-License-Identifier: GPL-3.0-or-later
// The generated CUDA, linked with the schedule line by line.
#pragma once

#include <QLabel>
#include <QToolButton>
#include <QWidget>

#include <Qsci/qsciscintilla.h>

#include <memory>
#include <vector>

#include "views/common/view_context.h"
#include "views/cuda/cuda_text.h"
#include "views/cuda/kernels.h"

class QsciLexerCPP;

namespace bakery::views {

class CudaView : public QWidget {
  Q_OBJECT

 public:
  CudaView(const ViewContext& context, QWidget* parent = nullptr);

  QsciScintilla* edit() const { return edit_; }
  QToolButton* directives() const { return directives_; }
  QLabel* caption() const { return caption_; }
  const CudaText& text() const { return text_; }
  const std::vector<uint32_t>& lit() const { return lit_; }  // shown lines
  // True while the text is older than the schedule, which can't be lowered as it stands.
  bool stale() const { return stale_; }
  // True while the newest schedule is being lowered, or waits for the view to be seen.
  bool pending() const { return wanted_ || kernels_.busy(); }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void take_snapshot();
  void take_kernel(std::shared_ptr<const Analysis> analysis, std::shared_ptr<const LoweredKernel> kernel);
  void take_focus();
  void take_caret();
  void show_text();
  void show_caption();
  void apply_theme();

  ViewContext context_;
  Kernels kernels_;
  QLabel* caption_;
  QToolButton* directives_;
  QsciScintilla* edit_;
  QsciLexerCPP* lexer_;
  std::shared_ptr<const Analysis> made_from_;       // of the shown text
  std::shared_ptr<const LoweredKernel> kernel_;     // null: none yet
  std::vector<Finding> refused_;                    // why the newest schedule has none
  CudaText text_;
  std::vector<uint32_t> lit_;
  bool stale_ = false, wanted_ = false, quiet_ = false;
  int last_line_ = -1;
};

}  // namespace bakery::views
