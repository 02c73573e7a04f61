// SPDX-License-Identifier: GPL-3.0-or-later
// The painted part of the timeline: lanes against logical time.
#pragma once

#include <QAbstractScrollArea>
#include <QElapsedTimer>
#include <QHash>
#include <QPixmap>

#include <array>
#include <optional>
#include <vector>

#include "views/common/view_context.h"
#include "views/timeline/lane_layout.h"
#include "views/timeline/scene.h"

namespace bakery::views {

class TimelineCanvas : public QAbstractScrollArea {
  Q_OBJECT

 public:
  TimelineCanvas(const ViewContext& context, QWidget* parent = nullptr);

  const Snapshot& snapshot() const { return data_; }
  // True while what is drawn is older than the text, because the newest text has no run to show.
  bool stale() const { return stale_; }
  uint32_t selected_event() const { return lighting_.event; }
  const Lighting& lighting() const { return lighting_; }
  const Viewport& viewport_mapping() const { return view_; }

  void fit_all();
  void centre_or_fit_selection();
  void zoom_by(double factor, double x);  // x: device pixels from the first lane pixel
  void pan_by(double device_pixels);
  void step(int direction);               // through all events in canonical order
  void step_to_end(bool last);
  void step_on_lane(int direction);
  void follow_edge(bool forward);
  void undo_zoom();
  void clear_focus();
  // Middle of an event's bar in viewport pixels, for tests; nullopt if it is out of sight.
  std::optional<QPoint> place_of_event(uint32_t event) const;
  // Paints a whole frame afresh.
  void render_now();

 signals:
  void selection_changed();
  void stale_changed(bool stale);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Hit {
    const LaneRow* row = nullptr;
    bool header = false;
    uint32_t bar = kNoBar;
    uint32_t mark = UINT32_MAX;
  };

  void take_snapshot();
  void take_focus();
  void choose(uint32_t event);
  void reveal();
  void reveal_lane(uint32_t lane);
  void set_view(double begin, double steps_per_pixel, bool remember);
  void update_scroll_bars();
  void repaint_base();
  Hit hit(QPoint position) const;
  QString tooltip(const Hit& hit) const;
  void measure_header();
  double ratio() const { return devicePixelRatioF(); }
  double fit_scale() const;
  int lanes_top() const;
  int lanes_height() const { return viewport()->height() - lanes_top(); }

  void paint_base(QPainter& p);
  void paint_lane(QPainter& p, const LaneRow& row, const LaneScene& scene);
  void paint_piece(QPainter& p, const Piece& piece, const QRectF& area);
  void paint_ticks(QPainter& p, const LaneScene& scene, const QRectF& area);
  void paint_header(QPainter& p, const LaneRow& row, bool lit);
  void paint_ruler(QPainter& p, const Scene& scene);
  void paint_edges(QPainter& p, const Scene& scene);
  double text_width(const QString& text);
  QRectF text_box(const QRectF& area, const QString& text) const;

  ViewContext context_;
  Snapshot data_;
  TimelineIndex index_;
  LaneLayout layout_;
  Lighting lighting_;
  Viewport view_;
  std::array<bool, 4> collapsed_{};
  bool fitted_ = true;   // follows the whole run until the person zooms
  bool stale_ = false;
  bool centred_ = false; // the last key was F
  uint32_t current_lane_ = UINT32_MAX;
  std::vector<std::pair<double, double>> zooms_;

  QPixmap base_;
  bool base_dirty_ = true;
  QPixmap hatch_;
  QFont small_;
  QHash<QString, double> widths_;
  int header_width_ = 120;
  int hover_x_ = -1;
  QPoint drag_from_;
  double drag_begin_ = 0;
  int drag_scroll_ = 0;
  bool dragging_ = false;
  bool updating_scroll_bars_ = false;
};

}  // namespace bakery::views
