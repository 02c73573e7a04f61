// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline with its caption, step buttons, selection line and legend.
#pragma once

#include <QLabel>
#include <QWidget>

#include "views/common/view_context.h"

namespace bakery::views {

class TimelineCanvas;

class TimelineView : public QWidget {
  Q_OBJECT

 public:
  TimelineView(const ViewContext& context, QWidget* parent = nullptr);
  TimelineCanvas* canvas() const { return canvas_; }

 private:
  void show_caption();
  void show_selection();

  ViewContext context_;
  TimelineCanvas* canvas_;
  QLabel* caption_;
  QLabel* selection_;
};

}  // namespace bakery::views
