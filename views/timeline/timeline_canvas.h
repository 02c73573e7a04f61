// SPDX-License-Identifier: GPL-3.0-or-later
// The painted part of the timeline: lanes against logical time.
#pragma once

#include <QAbstractScrollArea>
#include <QHash>
#include <QPixmap>
#include <QTimer>
#include <QUndoStack>

#include <functional>
#include <optional>
#include <vector>

#include "app/session/wait_graph.h"
#include "views/common/view_context.h"
#include "views/timeline/area.h"
#include "views/timeline/event_filter.h"
#include "views/timeline/lane_layout.h"
#include "views/timeline/scene.h"
#include "views/timeline/timeline_marks.h"

class QMenu;

namespace bakery::views {

class TimelineCanvas : public QAbstractScrollArea {
  Q_OBJECT

 public:
  TimelineCanvas(const ViewContext& context, QWidget* parent = nullptr);

  const Snapshot& snapshot() const { return data_; }
  // True while what is drawn is older than the text, because the newest text has no run to show.
  bool stale() const { return stale_; }
  uint32_t selected_event() const { return selected_; }
  const Lighting& lighting() const { return lighting_; }
  const Viewport& viewport_mapping() const { return view_; }
  const LaneLayout& layout_rows() const { return layout_; }
  size_t memory() const { return index_.memory(); }

  void fit_all();
  void centre_or_fit_selection();
  void zoom_by(double factor, double x);  // x: device pixels from the first lane pixel
  void pan_by(double device_pixels);
  void step(int direction);               // through all events in canonical order, or through the witness
  void step_to_end(bool last);
  void step_on_lane(int direction);
  void step_to_wait(int direction);       // longer than the threshold
  void follow_edge(bool forward);
  void undo_zoom();
  void choose(uint32_t event);

  // Areas, measures, markers and places.
  const std::optional<Area>& area() const { return area_; }
  void set_area(std::optional<Area> area);
  AreaTotals area_totals() const;
  void area_of_selection();
  struct Measure {
    double from = 0, to = 0;  // in steps
    int y = 0;
  };
  const std::optional<Measure>& measure() const { return measure_; }
  QString measure_text() const;
  const TimelineMarks& marks() const { return marks_; }
  void add_marker(Marker marker);
  void remove_marker(size_t index);

  // What is bright; the rest is dimmed, and lanes with nothing bright of a filter are left out.
  // A text that can't be read leaves the filter as it is.
  void set_filter(const QString& text);
  QString filter_answer() const;  // what is wrong with the filter; empty: nothing
  bool filtering() const { return !matches_.empty(); }
  const std::vector<uint8_t>& matches() const { return matches_; }  // by event; empty: all
  std::optional<std::vector<LoopValue>> isolated() const { return isolated_; }
  void isolate(bool on);
  void isolate_next(int direction);
  int64_t wait_threshold() const { return filter_.wait_threshold().value_or(wait_threshold_); }
  void set_wait_threshold(int64_t steps) { wait_threshold_ = steps; }

  // Lanes.
  void arrange(const QString& title, LaneArrangement next);
  void fill_lane_menu(QMenu* menu, uint32_t lane);

  // Replay of a witness.
  void start_replay(int finding);
  void leave_replay();
  const Replay* replay() const { return replay_ ? &replay_->replay : nullptr; }
  size_t replay_step() const { return replay_ ? replay_->step : 0; }
  QString replay_text() const;

  bool playing() const { return play_.isActive(); }
  void set_playing(bool on);
  void set_speed(double speed);

  // Middle of an event's bar in viewport pixels; nullopt if it is out of sight.
  std::optional<QPoint> place_of_event(uint32_t event) const;
  QRect area_of_lane(uint32_t lane) const;  // in viewport pixels
  QString lane_summary(uint32_t lane) const;
  // Paints a whole frame afresh.
  void render_now();

 signals:
  void selection_changed();
  void stale_changed(bool stale);
  void area_changed();
  void replay_changed();
  void filter_changed();
  void playing_changed(bool on);
  void told(const QString& message);
  void filter_wanted();
  void table_wanted();
  void keys_wanted();
  void note_wanted(qint64 begin, qint64 end);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
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
    bool operator==(const Hit&) const = default;
  };
  enum class Drag : uint8_t { none, pending, pan, area, measure, pending_measure };
  struct ReplayState {
    Replay replay;
    int finding = -1;
    size_t step = 0;
  };

  void take_snapshot();
  void take_focus();
  void take_light();
  void reveal();
  void reveal_lane(uint32_t lane);
  void set_view(double begin, double steps_per_pixel, bool remember);
  void update_scroll_bars();
  void repaint_base();
  void relayout();
  void rematch();
  EventFilter parse_filter();
  void save();
  void load();
  Hit hit(QPoint position) const;
  FocusState focus_at(const Hit& hit) const;
  void hover(QPoint position);
  QString tooltip(const Hit& hit) const;
  void measure_header();
  double ratio() const { return devicePixelRatioF(); }
  double fit_scale() const;
  int lanes_top() const;
  int lanes_height() const { return viewport()->height() - lanes_top(); }
  double time_at(int x) const { return view_.time((x - header_width_) * ratio()); }
  double x_of(double time) const { return header_width_ + view_.x(time) / ratio(); }
  std::vector<uint32_t> lanes_between(int y0, int y1) const;
  std::vector<uint32_t> all_shown_lanes() const;
  size_t iterations_between(double from, double to) const;
  const Iterations& iterations() const;
  void begin_wanted_replay();
  void show_replay_step();
  void press_escape();
  void press_marker(bool span);
  void remove_marker_at_cursor();
  void open_source();
  bool press_digit(QKeyEvent* event);
  void choose_lane(int direction);
  void drag_to(QPoint position);
  void show_lane_menu(uint32_t lane, QPoint global);

  void paint_base(QPainter& p);
  void paint_group(QPainter& p, const LaneRow& row, int y);
  void paint_lane(QPainter& p, const LaneRow& row, const LaneScene& scene);
  void paint_piece(QPainter& p, const Piece& piece, const QRectF& area);
  void paint_ticks(QPainter& p, const LaneScene& scene, const QRectF& area);
  void paint_header(QPainter& p, const LaneRow& row, bool lit);
  void paint_ruler(QPainter& p, const Scene& scene);
  void paint_edges(QPainter& p, const Scene& scene);
  void paint_area(QPainter& p);
  void paint_measure(QPainter& p);
  void paint_markers(QPainter& p);
  void paint_replay(QPainter& p);
  void paint_arrow(QPainter& p, QPointF from, QPointF to, const QColor& colour, bool dashed, double bulge);
  void paint_plate(QPainter& p, QPointF at, const QString& text, const QColor& colour, std::vector<QRectF>& used);
  double middle_of_lane(uint32_t lane, int row) const;
  double text_width(const QString& text);
  QRectF text_box(const QRectF& area) const;

  ViewContext context_;
  Snapshot data_;
  TimelineIndex index_, bright_;  // `bright_`: only what the filter and the isolation let through
  mutable std::optional<Iterations> iterations_;
  LaneLayout layout_;
  Lighting lighting_;
  Viewport view_;
  TimelineMarks marks_;
  QString marks_path_;
  QUndoStack lane_history_;
  bool fitted_ = true;   // follows the whole run until the person zooms
  bool stale_ = false;
  bool centred_ = false; // the last key was F
  uint32_t selected_ = kNoEvent;
  uint32_t current_lane_ = UINT32_MAX;
  std::vector<std::pair<double, double>> zooms_;

  std::optional<Area> area_;
  std::optional<Measure> measure_;
  EventFilter filter_;
  QString filter_text_, filter_error_;
  std::optional<std::vector<LoopValue>> isolated_;
  std::vector<uint8_t> matches_;
  int64_t wait_threshold_ = 8;
  std::optional<ReplayState> replay_;
  int replay_wanted_ = -1;
  QTimer play_;
  double speed_ = 1;

  QPixmap base_;
  bool base_dirty_ = true;
  QPixmap hatch_;
  QFont small_;
  QHash<QString, double> widths_;
  int header_width_ = 120;
  int hover_x_ = -1;
  Hit hovered_;
  QPoint drag_from_;
  double drag_begin_ = 0;
  int drag_scroll_ = 0;
  Drag drag_ = Drag::none;
  bool space_ = false;
  bool updating_scroll_bars_ = false;
};

}  // namespace bakery::views
