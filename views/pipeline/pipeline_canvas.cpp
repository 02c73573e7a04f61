// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/pipeline/pipeline_canvas.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

#include "views/common/qt_text.h"
#include "views/common/rich_text.h"
#include "views/common/view_requests.h"

namespace bakery::views {

namespace {

constexpr double kReadable = 0.8;    // below this scale the data path is left out
constexpr double kLeastScale = 0.2, kMostScale = 4;
constexpr int kMoveTime = 180;       // milliseconds
constexpr double kNear = 6;          // pixels from a curve that still hit it

// Sizes in steps, so that another number does not move everything.
double stepped(double size) { return std::ceil(size / 24) * 24; }

std::string key_of(const PipeNode& node) { return std::string(to_string(node.kind)) + " " + node.name; }

std::string key_of(const PipelineScene& scene, const PipeEdge& edge) {
  return std::string(to_string(edge.kind)) + " " + edge.name + " " + key_of(scene.nodes[edge.from]) + " " + key_of(scene.nodes[edge.to]);
}

bool same_structure(const PipelineScene& a, const PipelineScene& b) {
  return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                    [](const PipeNode& x, const PipeNode& y) { return key_of(x) == key_of(y); }) &&
         std::equal(a.edges.begin(), a.edges.end(), b.edges.begin(), b.edges.end(), [&](const PipeEdge& x, const PipeEdge& y) {
           return x.kind == y.kind && x.from == y.from && x.to == y.to && x.name == y.name;
         });
}

template <class Items, class Key>
int find_key(const Items& items, const std::string& key, Key of) {
  for (size_t i = 0; i < items.size(); ++i)
    if (of(items[i]) == key) return static_cast<int>(i);
  return -1;
}

}  // namespace

PipelineCanvas::PipelineCanvas(const ViewContext& context, QWidget* parent)
    : QWidget(parent), context_(context), layouter_(this), moving_(this) {
  setObjectName(QStringLiteral("pipeline_canvas"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setAccessibleName(tr("Pipeline diagram"));
  setMinimumSize(120, 80);
  shown_.data = next_.data = context_.snapshots.shown();
  moving_.setStartValue(0.0);
  moving_.setEndValue(1.0);
  moving_.setDuration(kMoveTime);
  moving_.setEasingCurve(QEasingCurve::OutCubic);
  connect(&moving_, &QVariantAnimation::valueChanged, this, qOverload<>(&QWidget::update));
  connect(&layouter_, &Layouter::laid_out, this, &PipelineCanvas::take_layout);
  connect(&context_.snapshots, &Snapshots::changed, this, &PipelineCanvas::take_snapshot);
  connect(&context_.focus, &Focus::changed, this, [this] {
    take_lit();
    if (context_.focus.state().origin == Origin::pipeline) return;
    for (size_t n = 0; n < lighting_.nodes.size(); ++n)
      if (lighting_.nodes[n]) return reveal({false, static_cast<int>(n)});
    for (size_t e = 0; e < lighting_.edges.size(); ++e)
      if (lighting_.edges[e]) return reveal({true, static_cast<int>(e)});
  });
  connect(&context_.focus, &Focus::lit_changed, this, &PipelineCanvas::take_lit);
  connect(&context_.theme, &Theme::changed, this, qOverload<>(&QWidget::update));
  bold_ = small_ = font();
  bold_.setBold(true);
  small_.setPointSizeF(std::max(7.5, font().pointSizeF() - 0.5));
  take_snapshot();
}

// ---- what is shown ----------------------------------------------------------------------

void PipelineCanvas::take_snapshot() {
  const Snapshot& next = context_.snapshots.shown();
  PipelineScene scene = make_pipeline_scene(*next.analysis);
  const bool was_stale = stale_;
  stale_ = scene.nodes.empty() && !full_.nodes.empty() && !next.analysis->schedule.complete && next.analysis->source.line_count() > 1;
  if (!stale_) {
    full_ = std::move(scene);
    full_graph_ = graph_of(full_);
    next_.data = next;
    show_scene();
  }
  if (was_stale != stale_) emit shown_changed();
  take_lit();
}

// Shows what the detail asks for: at once where places are known, else when the layout has come.
void PipelineCanvas::show_scene() {
  const bool measured = measured_ == full_graph_;
  if (detail_ == Detail::automatic && measured) compact_ = !fits_whole();
  if (detail_ != Detail::automatic || !measured) compact_ = detail_ == Detail::hand_offs;
  next_.scene = compact_ ? only_hand_offs(full_) : full_;
  next_.graph = compact_ ? graph_of(next_.scene) : full_graph_;
  if (next_.graph == laid_ || same_structure(next_.scene, shown_.scene)) {
    shown_ = next_;
    take_lit();
    emit shown_changed();
  }
  if (!(next_.graph == laid_)) layouter_.request(next_.graph);
  update();
}

void PipelineCanvas::take_layout(const Graph& graph, const GraphLayout& layout) {
  if (!(graph == next_.graph)) return;
  if (graph == full_graph_) {
    measured_ = graph;
    full_width_ = layout.width;
    full_height_ = layout.height;
    if (detail_ == Detail::automatic && !compact_ && !fits_whole()) return show_scene();
  }
  const PipelineScene before = std::move(shown_.scene);
  shown_ = next_;
  laid_ = graph;
  move_to(layout, before);
  hover_ = {};
  if (current_.index >= 0)
    current_.index = current_.edge ? find_key(shown_.scene.edges, key_of(before, before.edges[current_.index]), [this](const PipeEdge& edge) { return key_of(shown_.scene, edge); })
                                   : find_key(shown_.scene.nodes, key_of(before.nodes[current_.index]), [](const PipeNode& node) { return key_of(node); });
  take_lit();
  emit shown_changed();
}

// What was there before glides to its new place, and the picture as a whole stays where it was.
void PipelineCanvas::move_to(GraphLayout layout, const PipelineScene& before) {
  const GraphLayout old = std::move(layout_);
  layout_ = std::move(layout);
  from_ = layout_;
  int kept = 0;
  LayoutPoint shift;
  const auto node_key = [](const PipeNode& node) { return key_of(node); };
  const bool known = old.nodes.size() == before.nodes.size() && old.edges.size() == before.edges.size();
  for (size_t n = 0; known && n < shown_.scene.nodes.size(); ++n) {
    const int was = find_key(before.nodes, key_of(shown_.scene.nodes[n]), node_key);
    if (was < 0) continue;
    from_.nodes[n] = old.nodes[was];
    shift.x += old.nodes[was].x - layout_.nodes[n].x;
    shift.y += old.nodes[was].y - layout_.nodes[n].y;
    ++kept;
  }
  for (size_t e = 0; known && e < shown_.scene.edges.size(); ++e) {
    const int was = find_key(before.edges, key_of(shown_.scene, shown_.scene.edges[e]), [&](const PipeEdge& edge) { return key_of(before, edge); });
    if (was >= 0) from_.edges[e] = old.edges[was];
  }
  if (fitted_) fit();
  else if (kept > 0) {
    shift = {shift.x / kept, shift.y / kept};
    offset_ += QPointF(shift.x, shift.y) * scale_;
    for (LayoutPoint& node : from_.nodes) node = {node.x - shift.x, node.y - shift.y};
    for (auto& edge : from_.edges) {
      for (LayoutPoint& point : edge.points) point = {point.x - shift.x, point.y - shift.y};
      edge.label = {edge.label.x - shift.x, edge.label.y - shift.y};
    }
  }
  moving_.stop();
  if (kept > 0 && isVisible()) moving_.start();
  update();
}

void PipelineCanvas::set_detail(Detail detail) {
  detail_ = detail;
  show_scene();
  emit shown_changed();
}

void PipelineCanvas::take_lit() {
  const bool old = stale_ || shown_.data.analysis != context_.snapshots.shown().analysis;
  if (!old) shown_.data = next_.data = context_.snapshots.shown();
  lighting_ = light(shown_.scene, shown_.data, old ? FocusState{} : context_.focus.lit());
  update();
}

// ---- measures ---------------------------------------------------------------------------

Graph PipelineCanvas::graph_of(const PipelineScene& scene) const {
  const QFontMetrics names(bold_), facts(small_);
  Graph graph;
  for (const PipeNode& node : scene.nodes) {
    const double width = std::max(names.horizontalAdvance(to_qstring(node.name)), facts.horizontalAdvance(to_qstring(node.facts))) + 18.0;
    graph.nodes.push_back({stepped(std::clamp(width, 60.0, 260.0)), names.height() + facts.height() + 9.0});
  }
  for (const PipeEdge& edge : scene.edges) {
    GraphEdge line{edge.from, edge.to, edge.kind == PipeEdgeKind::backward, false, 0, 0};
    if (!edge.name.empty()) {
      // With room for a finding before the name, so that one that comes moves nothing.
      const double name = names.horizontalAdvance(to_qstring(edge.name)) + (edge.barrier == kNone ? 0 : badge_width() + 5);
      const double width = std::max(name, facts.horizontalAdvance(to_qstring(edge.facts)) + 0.0) + 10;
      line.label_width = stepped(std::min(width, 300.0));
      line.label_height = edge.facts.empty() ? facts.height() + 4.0 : names.height() + facts.height() + 6.0;
    }
    graph.edges.push_back(line);
  }
  return graph;
}

double PipelineCanvas::fit_scale(double w, double h) const {
  if (w <= 0 || h <= 0) return 1;
  return std::clamp(std::min(width() / w, height() / h), kLeastScale, 1.5);
}

bool PipelineCanvas::fits_whole() const { return fit_scale(full_width_, full_height_) >= kReadable; }

void PipelineCanvas::fit() {
  fitted_ = true;
  scale_ = fit_scale(layout_.width, layout_.height);
  offset_ = QPointF((width() - layout_.width * scale_) / 2, (height() - layout_.height * scale_) / 2);
  update();
}

void PipelineCanvas::zoom_by(double factor, QPointF around) {
  const double next = std::clamp(scale_ * factor, kLeastScale, kMostScale);
  offset_ = around - (around - offset_) * (next / scale_);
  scale_ = next;
  fitted_ = false;
  follow_bounds();
}

// Something of the diagram stays in sight.
void PipelineCanvas::follow_bounds() {
  const double w = layout_.width * scale_, h = layout_.height * scale_;
  offset_.setX(std::clamp(offset_.x(), 40 - w, width() - 40.0));
  offset_.setY(std::clamp(offset_.y(), 30 - h, height() - 30.0));
  update();
}

void PipelineCanvas::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (detail_ == Detail::automatic && measured_ == full_graph_ && compact_ == fits_whole()) show_scene();
  if (fitted_) fit();
}

void PipelineCanvas::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::FontChange) return;
  bold_ = small_ = font();
  bold_.setBold(true);
  small_.setPointSizeF(std::max(7.5, font().pointSizeF() - 0.5));
  full_graph_ = graph_of(full_);
  show_scene();
}

QPointF PipelineCanvas::to_scene(QPointF position) const { return (position - offset_) / scale_; }

QPointF PipelineCanvas::to_screen(LayoutPoint point) const { return QPointF(point.x, point.y) * scale_ + offset_; }

QRectF PipelineCanvas::node_box(int n) const {
  const double w = laid_.nodes[n].width, h = laid_.nodes[n].height;
  return {layout_.nodes[n].x - w / 2, layout_.nodes[n].y - h / 2, w, h};
}

QRectF PipelineCanvas::label_box(int e) const {
  const double w = laid_.edges[e].label_width, h = laid_.edges[e].label_height;
  return {layout_.edges[e].label.x - w / 2, layout_.edges[e].label.y - h / 2, w, h};
}

QPainterPath PipelineCanvas::curve(int e) const {
  const auto& points = layout_.edges[e].points;
  QPainterPath path;
  if (points.empty()) return path;
  path.moveTo(points[0].x, points[0].y);
  for (size_t i = 1; i + 2 < points.size(); i += 3)
    path.cubicTo(points[i].x, points[i].y, points[i + 1].x, points[i + 1].y, points[i + 2].x, points[i + 2].y);
  return path;
}

LayoutPoint PipelineCanvas::middle(PipePlace place) const {
  if (!place.edge) return layout_.nodes[place.index];
  const auto& edge = layout_.edges[place.index];
  if (laid_.edges[place.index].label_width > 0) return edge.label;
  const QPointF half = curve(place.index).pointAtPercent(0.5);
  return {half.x(), half.y()};
}

std::optional<QPoint> PipelineCanvas::place_of(const std::string& name, const std::string& from) const {
  for (size_t n = 0; n < layout_.nodes.size(); ++n)
    if (shown_.scene.nodes[n].name == name) return to_screen(layout_.nodes[n]).toPoint();
  for (size_t e = 0; e < layout_.edges.size(); ++e) {
    const PipeEdge& edge = shown_.scene.edges[e];
    if (edge.name == name && (from.empty() || shown_.scene.nodes[edge.from].name == from)) return to_screen(layout_.edges[e].label).toPoint();
  }
  return std::nullopt;
}

PipePlace PipelineCanvas::hit(QPointF position) const {
  if (laid_.nodes.size() != shown_.scene.nodes.size() || laid_.edges.size() != shown_.scene.edges.size()) return {};
  const QPointF at = to_scene(position);
  for (int n = static_cast<int>(layout_.nodes.size()) - 1; n >= 0; --n)
    if (node_box(n).contains(at)) return {false, n};
  for (int e = static_cast<int>(layout_.edges.size()) - 1; e >= 0; --e)
    if (laid_.edges[e].label_width > 0 && label_box(e).contains(at)) return {true, e};
  PipePlace best;
  double nearest = kNear / scale_;
  for (int e = 0; e < static_cast<int>(layout_.edges.size()); ++e) {
    const QPainterPath path = curve(e);
    if (!path.controlPointRect().adjusted(-nearest, -nearest, nearest, nearest).contains(at)) continue;
    const int steps = std::clamp(static_cast<int>(path.length() / 4), 8, 400);
    for (int i = 0; i <= steps; ++i) {
      const QPointF d = path.pointAtPercent(static_cast<double>(i) / steps) - at;
      const double distance = std::hypot(d.x(), d.y());
      if (distance >= nearest) continue;
      nearest = distance;
      best = {true, e};
    }
  }
  return best;
}

// ---- going around -----------------------------------------------------------------------

void PipelineCanvas::reveal(PipePlace place) {
  if (fitted_ || place.index < 0 || place.index >= static_cast<int>(place.edge ? layout_.edges.size() : layout_.nodes.size())) return;
  const QPointF at = to_screen(middle(place));
  const QRectF inner = QRectF(rect()).adjusted(60, 30, -60, -30);
  if (inner.contains(at)) return;
  const QPointF inside(std::clamp(at.x(), inner.left(), std::max(inner.left(), inner.right())), std::clamp(at.y(), inner.top(), std::max(inner.top(), inner.bottom())));
  offset_ += inside - at;
  update();
}

void PipelineCanvas::choose(PipePlace place) {
  current_ = place;
  update();
  if (place.index < 0) return;
  reveal(place);
  setAccessibleDescription(name_of(place));
  if (stale_ || context_.snapshots.busy() || shown_.data.analysis != context_.snapshots.shown().analysis) return;
  context_.focus.end_hover();
  context_.focus.set(focus_on_place(shown_.scene, shown_.data, place));
}

void PipelineCanvas::go_to_source(PipePlace place) {
  if (place.index < 0) return;
  choose(place);
  ViewRequests::of(context_.focus).show_view(QStringLiteral("editor"));
}

std::vector<PipePlace> PipelineCanvas::walk() const {
  std::vector<PipePlace> places;
  for (int n = 0; n < static_cast<int>(layout_.nodes.size()); ++n) places.push_back({false, n});
  for (int e = 0; e < static_cast<int>(layout_.edges.size()); ++e) places.push_back({true, e});
  std::stable_sort(places.begin(), places.end(), [this](PipePlace a, PipePlace b) {
    const LayoutPoint x = middle(a), y = middle(b);
    return x.x != y.x ? x.x < y.x : x.y < y.y;
  });
  return places;
}

void PipelineCanvas::step(int direction) {
  const std::vector<PipePlace> places = walk();
  if (places.empty()) return;
  const auto it = std::find(places.begin(), places.end(), current_);
  if (it == places.end()) return choose(direction > 0 ? places.front() : places.back());
  const ptrdiff_t next = (it - places.begin()) + direction;
  if (next >= 0 && next < static_cast<ptrdiff_t>(places.size())) choose(places[static_cast<size_t>(next)]);
}

// The nearest one in the direction; what lies aside counts as farther.
void PipelineCanvas::step_towards(int dx, int dy) {
  if (current_.index < 0) return step(dx + dy);
  const LayoutPoint here = middle(current_);
  PipePlace best;
  double nearest = 1e12;
  for (const PipePlace place : walk()) {
    const LayoutPoint there = middle(place);
    const double along = (there.x - here.x) * dx + (there.y - here.y) * dy;
    const double aside = std::abs((there.x - here.x) * dy) + std::abs((there.y - here.y) * dx);
    if (place == current_ || along < 4 || along + 2 * aside >= nearest) continue;
    nearest = along + 2 * aside;
    best = place;
  }
  if (best.index >= 0) choose(best);
}

bool PipelineCanvas::event(QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool forward = key->key() == Qt::Key_Tab, back = key->key() == Qt::Key_Backtab;
    if (forward || back) {
      const std::vector<PipePlace> places = walk();
      const auto it = std::find(places.begin(), places.end(), current_);
      const bool leaves = places.empty() || (it != places.end() && (forward ? it + 1 == places.end() : it == places.begin()));
      if (!leaves) {
        step(forward ? 1 : -1);
        return true;
      }
    }
  }
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = tip_at(help->pos());
    if (text.isEmpty()) QToolTip::hideText();
    else QToolTip::showText(help->globalPos(), text, this);
    return true;
  }
  return QWidget::event(event);
}

void PipelineCanvas::keyPressEvent(QKeyEvent* event) {
  const QPointF centre = QRectF(rect()).center();
  switch (event->key()) {
    case Qt::Key_Right: case Qt::Key_L: step_towards(1, 0); break;
    case Qt::Key_Left: case Qt::Key_H: step_towards(-1, 0); break;
    case Qt::Key_Down: case Qt::Key_J: step_towards(0, 1); break;
    case Qt::Key_Up: case Qt::Key_K: step_towards(0, -1); break;
    case Qt::Key_Return: case Qt::Key_Enter: go_to_source(current_); break;
    case Qt::Key_F2: edit(current_); break;
    case Qt::Key_0: fit(); break;
    case Qt::Key_Plus: case Qt::Key_Equal: zoom_by(1.2, centre); break;
    case Qt::Key_Minus: zoom_by(1 / 1.2, centre); break;
    case Qt::Key_D: set_detail(compact_ ? Detail::everything : Detail::hand_offs); break;
    case Qt::Key_T: emit table_wanted(); break;
    case Qt::Key_Escape:
      current_ = {};
      context_.focus.clear();
      update();
      break;
    default: QWidget::keyPressEvent(event); return;
  }
  event->accept();
}

void PipelineCanvas::wheelEvent(QWheelEvent* event) {
  if (event->modifiers() & Qt::ControlModifier) {
    zoom_by(std::pow(1.0015, event->angleDelta().y()), event->position());
  } else {
    QPointF delta = event->pixelDelta().isNull() ? QPointF(event->angleDelta()) / 3 : QPointF(event->pixelDelta());
    if (event->modifiers() & Qt::ShiftModifier) delta = delta.transposed();
    offset_ += delta;
    fitted_ = false;
    follow_bounds();
  }
  event->accept();
}

void PipelineCanvas::mousePressEvent(QMouseEvent* event) {
  close_form();
  dragged_ = false;
  if (event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton) drag_ = event->position();
  if (event->button() == Qt::LeftButton)
    if (const PipePlace place = hit(event->position()); place.index >= 0) {
      drag_.reset();
      choose(place);
    }
}

void PipelineCanvas::mouseMoveEvent(QMouseEvent* event) {
  if (drag_) {
    const QPointF by = event->position() - *drag_;
    if (!dragged_ && by.manhattanLength() < 4) return;
    dragged_ = true;
    drag_ = event->position();
    offset_ += by;
    fitted_ = false;
    setCursor(Qt::ClosedHandCursor);
    return follow_bounds();
  }
  const PipePlace place = hit(event->position());
  if (place == hover_) return;
  hover_ = place;
  setCursor(place.index >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  update();
  const bool old = stale_ || shown_.data.analysis != context_.snapshots.shown().analysis;
  if (place.index < 0 || old) context_.focus.end_hover();
  else context_.focus.hover(focus_on_place(shown_.scene, shown_.data, place));
}

void PipelineCanvas::mouseReleaseEvent(QMouseEvent* event) {
  if (!drag_) return;
  drag_.reset();
  setCursor(Qt::ArrowCursor);
  if (!dragged_ && event->button() == Qt::LeftButton) {
    current_ = {};
    update();
  }
}

void PipelineCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) edit(hit(event->position()));
}

void PipelineCanvas::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  hover_ = {};
  context_.focus.end_hover();
  update();
}

void PipelineCanvas::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  update();
}

void PipelineCanvas::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

void PipelineCanvas::contextMenuEvent(QContextMenuEvent* event) {
  PipePlace place = event->reason() == QContextMenuEvent::Mouse ? hit(QPointF(event->pos())) : current_;
  if (place.index >= 0) choose(place);
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const auto add = [&](const QString& text, const char* keys, bool enabled, auto act) {
    QAction* action = menu->addAction(text + QLatin1Char('\t') + QLatin1String(keys));
    action->setEnabled(enabled);
    connect(action, &QAction::triggered, this, act);
  };
  const bool can_edit = !stale_ && !fields_of(shown_.scene, *shown_.data.analysis, place).empty();
  add(tr("Change…"), "F2", can_edit, [this, place] { edit(place); });
  add(tr("Go to the text"), "Enter", place.index >= 0, [this, place] { go_to_source(place); });
  menu->addSeparator();
  add(compact_ ? tr("Show engines and buffers") : tr("Show only roles and barriers"), "D", true,
      [this] { set_detail(compact_ ? Detail::everything : Detail::hand_offs); });
  add(tr("Fit"), "0", true, [this] { fit(); });
  add(tr("Show as a table"), "T", true, [this] { emit table_wanted(); });
  menu->popup(event->reason() == QContextMenuEvent::Mouse || place.index < 0 ? event->globalPos() : mapToGlobal(to_screen(middle(place)).toPoint()));
}

// ---- changes ----------------------------------------------------------------------------

void PipelineCanvas::close_form() {
  if (!form_) return;
  form_->hide();
  form_->deleteLater();
  form_ = nullptr;
  setFocus();
}

void PipelineCanvas::edit(PipePlace place) {
  close_form();
  if (place.index < 0 || stale_) return;
  choose(place);
  const QPoint at = to_screen(middle(place)).toPoint();
  if (context_.snapshots.busy() || shown_.data.analysis != context_.snapshots.shown().analysis) {
    QToolTip::showText(mapToGlobal(at), tr("The text is being checked; try again in a moment"), this);
    return;
  }
  std::vector<EditField> fields = fields_of(shown_.scene, *shown_.data.analysis, place);
  if (fields.empty()) {
    QToolTip::showText(mapToGlobal(at), tr("%1 has no number to change").arg(name_of(place)), this);
    return;
  }
  form_ = new EditForm(context_, shown_.data.analysis, name_of(place), std::move(fields), this);
  connect(form_, &EditForm::closed, this, &PipelineCanvas::close_form);
  form_->setMaximumWidth(std::max(260, width() - 8));
  form_->adjustSize();
  const QSize size = form_->size();
  form_->move(std::clamp(at.x() - size.width() / 2, 4, std::max(4, width() - size.width() - 4)),
              std::clamp(at.y() + 12, 4, std::max(4, height() - size.height() - 4)));
  form_->show();
  form_->setFocus();
}

// ---- words ------------------------------------------------------------------------------

QString PipelineCanvas::name_of(PipePlace place) const {
  if (place.index < 0) return {};
  const PipelineScene& scene = shown_.scene;
  if (!place.edge) {
    const PipeNode& node = scene.nodes[place.index];
    return to_qstring(node.name + ", " + (node.kind == PipeNodeKind::engine ? "engine" : std::string(to_string(node.kind)) + ", " + node.facts));
  }
  const PipeEdge& edge = scene.edges[place.index];
  const std::string ends = scene.nodes[edge.from].name + " to " + scene.nodes[edge.to].name;
  return to_qstring((edge.name.empty() ? std::string(to_string(edge.kind)) : edge.name) + ", " + ends + (edge.facts.empty() ? "" : ", " + edge.facts));
}

QString PipelineCanvas::tip_at(QPoint position) const { return tip(hit(QPointF(position))); }

QString PipelineCanvas::tip(PipePlace place) const {
  if (place.index < 0) return {};
  const Schedule& schedule = shown_.data.analysis->schedule;
  const PipelineScene& scene = shown_.scene;
  QString rows;
  const auto fact = [&](const QString& what, const QString& value) {
    rows += QStringLiteral("<tr><td style='color:%1; padding-right:12px'>%2</td><td>%3</td></tr>").arg(context_.theme.css(Token::muted), what, value.toHtmlEscaped());
  };
  int finding = -1;
  if (place.edge) {
    const PipeEdge& edge = scene.edges[place.index];
    finding = edge.finding;
    const QString from = to_qstring(scene.nodes[edge.from].name), to = to_qstring(scene.nodes[edge.to].name);
    if (edge.barrier < schedule.barriers.size()) {
      const Barrier& barrier = schedule.barriers[edge.barrier];
      fact(edge.kind == PipeEdgeKind::forward ? tr("says") : tr("says back"), edge.kind == PipeEdgeKind::forward ? tr("the data is there") : tr("the slot is free"));
      fact(tr("from"), from);
      fact(tr("to"), to);
      fact(tr("stages"), QString::number(barrier.count));
      fact(tr("a completion needs"), tr("%1 arrivals (init_count)").arg(barrier.init_count));
      fact(tr("completed by"), edge.completer.empty() ? tr("arrivals of %1").arg(from) : to_qstring(edge.completer));
      if (!edge.arrives) fact(tr("missing"), tr("no operation of %1 arrives").arg(from));
      if (barrier.free) fact(tr("at the start"), tr("free: the first wait on each stage passes"));
    } else {
      fact(edge.kind == PipeEdgeKind::issue ? tr("starts") : tr("bytes from"), from);
      fact(edge.kind == PipeEdgeKind::issue ? tr("the work of") : tr("to"), to);
      fact(tr("operations"), QString::number(edge.ops.size()));
    }
  } else {
    const PipeNode& node = scene.nodes[place.index];
    finding = node.finding;
    fact(QLatin1String(to_string(node.kind)), to_qstring(node.facts));
    if (node.kind == PipeNodeKind::role && node.index < schedule.roles.size()) {
      const Role& role = schedule.roles[node.index];
      fact(tr("arrives as"), role.whole_warpgroups() ? tr("%1 warpgroups").arg(role.agents()) : tr("%1 warps").arg(role.agents()));
    }
    if (node.kind == PipeNodeKind::engine) fact(tr("operations"), QString::number(node.ops.size()));
  }
  QString text = QStringLiteral("<b>%1</b><table>%2</table>")
                     .arg(to_qstring(place.edge ? scene.edges[place.index].name : scene.nodes[place.index].name).toHtmlEscaped(), rows);
  if (finding >= 0) {
    const Finding& f = shown_.data.analysis->findings[finding];
    text += QStringLiteral("<b style='color:%1'>%2</b> %3")
                .arg(context_.theme.css(f.severity == Severity::error ? Token::error : Token::review), to_qstring(f.id).toHtmlEscaped(), rich_text(f.message));
  }
  return text;
}

}  // namespace bakery::views
