// SPDX-License-Identifier: GPL-3.0-or-later
// The generated CUDA and, if wanted, its PTX; both linked with the schedule line by line.
#pragma once

#include <QLabel>
#include <QSplitter>
#include <QToolButton>
#include <QWidget>

#include <Qsci/qsciscintilla.h>

#include <memory>
#include <vector>

#include "views/common/view_context.h"
#include "views/cuda/cuda_text.h"
#include "views/cuda/kernels.h"
#include "views/cuda/ptx_pane.h"

class QsciLexerCPP;

namespace bakery::views {

class CudaView : public QWidget {
  Q_OBJECT
  Q_PROPERTY(bool pending READ pending)  // pictures wait for it

 public:
  enum class Panes : uint8_t { cuda, ptx, both };

  CudaView(const ViewContext& context, QWidget* parent = nullptr);

  QsciScintilla* edit() const { return edit_; }
  QToolButton* directives() const { return directives_; }
  QLabel* caption() const { return caption_; }
  const CudaText& text() const { return text_; }
  const std::vector<uint32_t>& lit() const { return lit_; }  // shown lines
  // True while the text is older than the schedule, which can't be lowered as it stands.
  bool stale() const { return stale_; }
  // True while the newest schedule is being lowered, or waits for the view to be seen.
  bool pending() const { return wanted_ || kernels_.busy() || ptx_->pending(); }
  PtxPane* ptx() const { return ptx_; }
  Panes panes() const { return panes_; }
  void show_panes(Panes panes);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void take_snapshot();
  void take_kernel(std::shared_ptr<const Analysis> analysis, std::shared_ptr<const LoweredKernel> kernel);
  void take_focus();
  void take_lit();
  void take_caret();
  void take_hover(uint32_t line);
  void light_cuda(uint32_t cuda_line);
  std::optional<FocusState> focus_of(uint32_t shown_line) const;
  void show_text();
  void show_caption();
  void apply_theme();

  ViewContext context_;
  Kernels kernels_;
  QLabel* caption_;
  QToolButton* directives_;
  QToolButton* pane_buttons_[3] = {};
  QSplitter* splitter_;
  QsciScintilla* edit_;
  PtxPane* ptx_;
  Panes panes_ = Panes::cuda;
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
