// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of a CTA: one row a view against the addresses, lit by the shared focus.
#pragma once

#include <QAbstractScrollArea>

#include <optional>

#include "views/common/table_twin.h"
#include "views/common/view_context.h"
#include "views/memory_map/memory_map.h"

namespace bakery::views {

class MemoryMapView : public QAbstractScrollArea {
  Q_OBJECT

 public:
  MemoryMapView(const ViewContext& context, QWidget* parent = nullptr);

  const MemoryMap& map() const { return map_; }
  const MemoryLighting& lighting() const { return lighting_; }
  // True while what is drawn is older than the text, because the newest text has no schedule.
  bool stale() const { return stale_; }
  // Middle of a cell in viewport pixels, for tests; -1: the row's heading. nullopt: out of sight.
  std::optional<QPoint> place_of(const std::string& row, int stage) const;
  QString tip_at(QPoint position) const;
  TableTwin* table() const { return table_; }
  void show_table(bool table);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Hit {
    int row = -1, cell = -1;  // cell -1: the heading, or no cell there
    bool operator==(const Hit&) const = default;
  };

  void take_snapshot();
  void take_focus();
  void take_lit();
  void fill_table();
  void select_in_table();
  FocusState focus_at(Hit at) const;
  void go_to_source(Hit at);
  void measure();
  void choose(Hit at);
  void move_row(int direction);
  void move_cell(int direction);
  void reveal(int row);
  bool can_choose(int row) const;
  Hit hit(QPoint position) const;
  QString tip(Hit at) const;
  QString name_of(Hit at) const;
  int row_height() const;
  int axis_height() const;
  int row_top(int row) const;
  int rows_height() const;
  QRectF cell_box(int row, int cell) const;
  double x_of(const MemoryRow& row, int64_t at) const;

  void paint_row(QPainter& p, int row);
  void paint_cell(QPainter& p, int row, int cell);
  void paint_axis(QPainter& p, int y, int64_t end, bool columns);

  ViewContext context_;
  Snapshot data_;
  MemoryMap map_;
  MemoryLighting lighting_;
  QFont small_;
  int header_ = 0, names_ = 0;
  Hit hover_, current_;
  TableTwin* table_;
  std::vector<Hit> table_rows_;  // by row of the table
  bool stale_ = false;
};

}  // namespace bakery::views
