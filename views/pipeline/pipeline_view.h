// SPDX-License-Identifier: GPL-3.0-or-later
// The pipeline of a CTA: roles, engines and buffers, and the barriers that hand slots to and fro.
#pragma once

#include <QLabel>
#include <QStackedWidget>
#include <QToolButton>
#include <QWidget>

#include "views/common/table_twin.h"
#include "views/common/view_context.h"

namespace bakery::views {

class PipelineCanvas;

class PipelineView : public QWidget {
  Q_OBJECT

 public:
  PipelineView(const ViewContext& context, QWidget* parent = nullptr);

  PipelineCanvas* canvas() const { return canvas_; }
  TableTwin* table() const { return table_; }
  QLabel* caption() const { return caption_; }
  bool shows_table() const;
  void show_table(bool table);

 private:
  void show_caption();
  void fill_table();
  void take_lit();

  ViewContext context_;
  PipelineCanvas* canvas_;
  TableTwin* table_;
  QStackedWidget* stack_;
  QLabel* caption_;
  QToolButton *detail_, *table_button_;
};

}  // namespace bakery::views
