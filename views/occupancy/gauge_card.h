// SPDX-License-Identifier: GPL-3.0-or-later
// One number of the strip: a title, the number, a bar and a line of small print.
#pragma once

#include <QWidget>

#include "views/common/view_context.h"
#include "views/occupancy/occupancy.h"

namespace bakery::views {

class GaugeCard : public QWidget {
  Q_OBJECT

 public:
  GaugeCard(const ViewContext& context, QWidget* parent);

  void show_gauge(const Gauge& gauge, bool stale);
  const Gauge& gauge() const { return gauge_; }
  // Middle of a role's part of the bar.
  QPoint place_of(const std::string& role) const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  QRectF bar() const;
  QRectF part_box(size_t part) const;
  int part_at(QPointF position) const;
  QFont small_font() const;
  void choose(int part);

  ViewContext context_;
  Gauge gauge_;
  bool stale_ = false;
  int hover_ = -1, current_ = -1;
};

}  // namespace bakery::views
