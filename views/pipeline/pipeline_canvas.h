// SPDX-License-Identifier: GPL-3.0-or-later
// The diagram itself: painted, walked through and changed.
#pragma once

#include <QPainterPath>
#include <QVariantAnimation>
#include <QWidget>

#include <optional>

#include "views/common/view_context.h"
#include "views/pipeline/edit_form.h"
#include "views/pipeline/layouter.h"
#include "views/pipeline/pipeline_scene.h"

namespace bakery::views {

class PipelineCanvas : public QWidget {
  Q_OBJECT
  Q_PROPERTY(bool pending READ pending)  // pictures wait for it

 public:
  enum class Detail : uint8_t { automatic, hand_offs, everything };

  PipelineCanvas(const ViewContext& context, QWidget* parent);

  const PipelineScene& scene() const { return shown_.scene; }
  const Snapshot& data() const { return shown_.data; }
  const PipeLighting& lighting() const { return lighting_; }
  PipePlace current() const { return current_; }
  bool stale() const { return stale_; }
  bool pending() const { return layouter_.busy() || moving_.state() == QAbstractAnimation::Running; }
  QString trouble() const { return layouter_.trouble(); }
  Detail detail() const { return detail_; }
  void set_detail(Detail detail);
  // True while engines, buffers and tensors are left out.
  bool compact() const { return compact_; }
  double zoom() const { return scale_; }
  EditForm* form() const { return form_; }

  // Middle of a node or of a hand-off's label, in pixels.
  std::optional<QPoint> place_of(const std::string& name, const std::string& from = {}) const;
  QString tip_at(QPoint position) const;
  QString name_of(PipePlace place) const;

  void choose(PipePlace place);
  void go_to_source(PipePlace place);
  void edit(PipePlace place);
  void fit();
  void zoom_by(double factor, QPointF around);

 signals:
  void shown_changed();   // another scene, layout or detail
  void table_wanted();

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  struct Shown {
    Snapshot data;
    PipelineScene scene;
    Graph graph;
  };

  void take_snapshot();
  void take_lit();
  void show_scene();
  void take_layout(const Graph& graph, const GraphLayout& layout);
  void move_to(GraphLayout layout, const PipelineScene& before);
  Graph graph_of(const PipelineScene& scene) const;
  bool fits_whole() const;
  double fit_scale(double width, double height) const;
  void follow_bounds();

  std::vector<PipePlace> walk() const;
  void step(int direction);
  void step_towards(int dx, int dy);
  LayoutPoint middle(PipePlace place) const;
  void reveal(PipePlace place);
  PipePlace hit(QPointF position) const;
  QPointF to_scene(QPointF position) const;
  QPointF to_screen(LayoutPoint point) const;
  QRectF node_box(int node) const;
  QRectF label_box(int edge) const;
  QPainterPath curve(int edge) const;
  void close_form();
  QString tip(PipePlace place) const;

  void paint_edge(QPainter& p, int edge) const;
  void paint_label(QPainter& p, int edge) const;
  void paint_node(QPainter& p, int node) const;
  double badge_width() const;
  void paint_badge(QPainter& p, QPointF centre, int finding) const;

  ViewContext context_;
  Layouter layouter_;
  Shown shown_, next_;         // `next_` waits for its layout
  PipelineScene full_;
  Graph full_graph_, measured_;
  double full_width_ = 0, full_height_ = 0;  // of `measured_`
  Graph laid_;                 // the graph that `layout_` is of
  GraphLayout layout_, from_;  // `from_`: where a movement began
  QVariantAnimation moving_;
  PipeLighting lighting_;
  Detail detail_ = Detail::automatic;
  bool compact_ = false, stale_ = false, fitted_ = true;
  double scale_ = 1;
  QPointF offset_;
  QFont bold_, small_;
  PipePlace hover_, current_;
  std::optional<QPointF> drag_;
  bool dragged_ = false;
  EditForm* form_ = nullptr;
};

}  // namespace bakery::views
