// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_canvas.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

#include "views/common/qt_text.h"
#include "views/common/rich_text.h"

namespace bakery::views {

namespace {
constexpr double kNotch = 1.2;          // zoom a wheel notch or key
constexpr double kMostPixelsAStep = 160;
constexpr size_t kZoomHistory = 50;
}  // namespace

TimelineCanvas::TimelineCanvas(const ViewContext& context, QWidget* parent)
    : QAbstractScrollArea(parent), context_(context), data_(context.snapshots.shown()) {
  setObjectName(QStringLiteral("timeline_canvas"));
  setFocusPolicy(Qt::StrongFocus);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  setAccessibleName(tr("Timeline of roles, engines, barriers and ring slots"));
  viewport()->setMouseTracking(true);
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
  small_ = font();
  connect(&context_.snapshots, &Snapshots::changed, this, &TimelineCanvas::take_snapshot);
  connect(&context_.focus, &Focus::changed, this, &TimelineCanvas::take_focus);
  connect(&context_.theme, &Theme::changed, this, [this] {
    hatch_ = {};
    repaint_base();
  });
  take_snapshot();
}

int TimelineCanvas::lanes_top() const { return fontMetrics().height() + 12; }

void TimelineCanvas::take_snapshot() {
  const Snapshot& next = context_.snapshots.shown();
  const bool nothing = next.timeline->lanes.empty();
  const bool stale = nothing && !data_.timeline->lanes.empty();
  if (stale != stale_) {
    stale_ = stale;
    emit stale_changed(stale_);
  }
  if (!stale) {
    data_ = next;
    index_ = TimelineIndex(*data_.timeline);
    layout_ = lay_out(*data_.timeline, collapsed_);
    measure_header();
    if (current_lane_ >= data_.timeline->lanes.size()) current_lane_ = UINT32_MAX;
    if (fitted_) fit_all();
  }
  lighting_ = stale_ ? Lighting{} : light(data_, context_.focus.state());
  update_scroll_bars();
  repaint_base();
  emit selection_changed();
}

void TimelineCanvas::take_focus() {
  if (!stale_) lighting_ = light(data_, context_.focus.state());
  const Origin origin = context_.focus.state().origin;
  if (origin == Origin::findings || origin == Origin::command) reveal();
  if (lighting_.event != kNoEvent) {
    const uint32_t bar = index_.bar_of_event(lighting_.event);
    if (bar != kNoBar && origin != Origin::timeline) current_lane_ = index_.lane_of_bar(*data_.timeline, bar);
    setAccessibleDescription(to_qstring(describe(*data_.analysis, *data_.timeline, lighting_.event)));
  } else {
    setAccessibleDescription({});
  }
  repaint_base();
  emit selection_changed();
}

// ---- mapping ----------------------------------------------------------------------------

double TimelineCanvas::fit_scale() const {
  const double steps = std::max<double>(1, static_cast<double>(data_.timeline->end));
  return steps * 1.02 / std::max(1, view_.width);
}

void TimelineCanvas::fit_all() {
  view_.begin = 0;
  view_.steps_per_pixel = std::max(fit_scale(), 1 / (kMostPixelsAStep * ratio()));
  fitted_ = true;
  update_scroll_bars();
  repaint_base();
}

void TimelineCanvas::set_view(double begin, double steps_per_pixel, bool remember) {
  if (remember) {
    zooms_.emplace_back(view_.begin, fitted_ ? 0 : view_.steps_per_pixel);
    if (zooms_.size() > kZoomHistory) zooms_.erase(zooms_.begin());
  }
  const double widest = std::max(fit_scale() * 1.25, 1 / (kMostPixelsAStep * ratio()));
  view_.steps_per_pixel = std::clamp(steps_per_pixel, 1 / (kMostPixelsAStep * ratio()), widest);
  const double shown = view_.width * view_.steps_per_pixel;
  const double margin = shown * 0.5;
  const double last = static_cast<double>(data_.timeline->end);
  view_.begin = std::clamp(begin, -margin, std::max(-margin, last - margin));
  fitted_ = false;
  update_scroll_bars();
  repaint_base();
}

void TimelineCanvas::undo_zoom() {
  if (zooms_.empty()) return;
  const auto [begin, scale] = zooms_.back();
  zooms_.pop_back();
  if (scale == 0) fit_all();
  else set_view(begin, scale, false);
}

void TimelineCanvas::zoom_by(double factor, double x) {
  const double time = view_.time(x);
  const double scale = view_.steps_per_pixel / factor;
  set_view(time - x * scale, scale, false);
  // Clamped zooming keeps the time under the cursor, too.
  if (std::abs(view_.steps_per_pixel - scale) > 1e-12) set_view(time - x * view_.steps_per_pixel, view_.steps_per_pixel, false);
}

void TimelineCanvas::pan_by(double device_pixels) {
  set_view(view_.begin + device_pixels * view_.steps_per_pixel, view_.steps_per_pixel, false);
}

void TimelineCanvas::centre_or_fit_selection() {
  const FocusState& focus = context_.focus.state();
  if (focus.begin < 0 || stale_) return;
  const double begin = static_cast<double>(focus.begin), end = static_cast<double>(std::max(focus.end, focus.begin + 1));
  const double middle = (begin + end) / 2;
  if (centred_) {
    const double scale = (end - begin) / (0.6 * std::max(1, view_.width));
    set_view(middle - scale * view_.width / 2, scale, true);
  } else {
    set_view(middle - view_.steps_per_pixel * view_.width / 2, view_.steps_per_pixel, true);
  }
  if (lighting_.event != kNoEvent) reveal_lane(current_lane_);
}

void TimelineCanvas::reveal() {
  const FocusState& focus = context_.focus.state();
  if (stale_) return;
  uint32_t lane = UINT32_MAX;
  if (lighting_.event != kNoEvent) {
    const uint32_t bar = index_.bar_of_event(lighting_.event);
    if (bar != kNoBar) lane = index_.lane_of_bar(*data_.timeline, bar);
  }
  if (lane == UINT32_MAX)
    for (uint32_t l = 0; l < lighting_.lanes.size() && lane == UINT32_MAX; ++l)
      if (lighting_.lanes[l]) lane = l;
  if (lane != UINT32_MAX) reveal_lane(lane);
  if (focus.begin < 0 || view_.width <= 0) return;
  const double begin = static_cast<double>(focus.begin), end = static_cast<double>(std::max(focus.end, focus.begin + 1));
  const double shown = view_.width * view_.steps_per_pixel;
  const bool in_sight = begin >= view_.begin && end <= view_.end();
  const bool legible = 4 * ratio() * view_.steps_per_pixel <= end - begin;
  if (in_sight && legible) return;
  const double wanted = legible ? std::max(shown, (end - begin) * 1.5) : std::max(120.0, (end - begin) * 3);
  const double steps = std::min(wanted, fit_scale() * view_.width);
  set_view(std::max((begin + end - steps) / 2, -0.02 * steps), steps / view_.width, true);
}

void TimelineCanvas::reveal_lane(uint32_t lane) {
  const LaneRow* row = layout_.of_lane(lane);
  if (!row) return;
  QScrollBar* bar = verticalScrollBar();
  if (row->y < bar->value()) bar->setValue(row->y - 30);
  else if (row->y + row->height > bar->value() + lanes_height()) bar->setValue(row->y + row->height - lanes_height() + 30);
}

void TimelineCanvas::update_scroll_bars() {
  updating_scroll_bars_ = true;
  verticalScrollBar()->setRange(0, std::max(0, layout_.height - lanes_height()));
  verticalScrollBar()->setPageStep(std::max(1, lanes_height()));
  verticalScrollBar()->setSingleStep(24);
  const double pixels = static_cast<double>(data_.timeline->end) / std::max(1e-9, view_.steps_per_pixel);
  const double squeeze = std::max(1.0, pixels / 1e8);  // scroll bars count in int
  horizontalScrollBar()->setRange(0, static_cast<int>(std::max(0.0, (pixels - view_.width) / squeeze)));
  horizontalScrollBar()->setPageStep(std::max(1, static_cast<int>(view_.width / squeeze)));
  horizontalScrollBar()->setSingleStep(std::max(1, horizontalScrollBar()->pageStep() / 20));
  horizontalScrollBar()->setValue(static_cast<int>(view_.begin / view_.steps_per_pixel / squeeze));
  updating_scroll_bars_ = false;
}

void TimelineCanvas::scrollContentsBy(int dx, int) {
  if (updating_scroll_bars_) return;
  if (dx != 0) {
    const double pixels = static_cast<double>(data_.timeline->end) / view_.steps_per_pixel;
    view_.begin = horizontalScrollBar()->value() * std::max(1.0, pixels / 1e8) * view_.steps_per_pixel;
    fitted_ = false;
  }
  repaint_base();
}

void TimelineCanvas::measure_header() {
  small_ = font();
  small_.setPointSizeF(std::max(7.5, font().pointSizeF() - 1));
  widths_.clear();
  int widest = fontMetrics().horizontalAdvance(tr("logical steps"));
  for (const Lane& lane : data_.timeline->lanes)
    widest = std::max(widest, fontMetrics().horizontalAdvance(to_qstring(lane.name)));
  header_width_ = std::min(widest + 26, std::max(80, viewport()->width() / 3));
  view_.width = std::max(1, static_cast<int>((viewport()->width() - header_width_) * ratio()));
}

void TimelineCanvas::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  measure_header();
  if (fitted_) fit_all();
  update_scroll_bars();
  repaint_base();
}

void TimelineCanvas::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange) {
    measure_header();
    repaint_base();
  }
}

// ---- stepping ---------------------------------------------------------------------------

void TimelineCanvas::choose(uint32_t event) {
  if (stale_ || event >= data_.timeline->events.size()) return;
  FocusState state = focus_on_event(data_, event);
  state.origin = Origin::timeline;
  context_.focus.set(std::move(state));
  const uint32_t bar = index_.bar_of_event(event);
  if (bar != kNoBar) current_lane_ = index_.lane_of_bar(*data_.timeline, bar);
  reveal();
}

void TimelineCanvas::step(int direction) {
  const uint32_t count = static_cast<uint32_t>(data_.timeline->events.size());
  if (count == 0) return;
  const uint32_t current = lighting_.event;
  if (current == kNoEvent) return choose(direction > 0 ? 0 : count - 1);
  if (direction > 0 ? current + 1 < count : current > 0) choose(direction > 0 ? current + 1 : current - 1);
}

void TimelineCanvas::step_to_end(bool last) {
  const uint32_t count = static_cast<uint32_t>(data_.timeline->events.size());
  if (count > 0) choose(last ? count - 1 : 0);
}

void TimelineCanvas::step_on_lane(int direction) {
  if (data_.timeline->lanes.empty()) return;
  const uint32_t l = current_lane_ < data_.timeline->lanes.size() ? current_lane_ : 0;
  const Lane& lane = data_.timeline->lanes[l];
  const auto has_event = [&](uint32_t b) { return data_.timeline->bars[b].event != kNoEvent; };
  int64_t at = direction > 0 ? static_cast<int64_t>(lane.first_bar) - 1 : lane.first_bar + int64_t{lane.bar_count};
  if (lighting_.event != kNoEvent)
    for (uint32_t b = lane.first_bar; b < lane.first_bar + lane.bar_count; ++b)
      if (data_.timeline->bars[b].event == lighting_.event) at = b;
  for (int64_t b = at + direction; b >= lane.first_bar && b < lane.first_bar + int64_t{lane.bar_count}; b += direction) {
    const uint32_t event = data_.timeline->bars[static_cast<size_t>(b)].event;
    if (!has_event(static_cast<uint32_t>(b)) || event == lighting_.event) continue;
    choose(event);
    current_lane_ = l;
    return;
  }
}

void TimelineCanvas::follow_edge(bool forward) {
  if (lighting_.event == kNoEvent) return;
  const auto edges = forward ? index_.edges_from(lighting_.event) : index_.edges_to(lighting_.event);
  if (edges.empty()) return;
  // Backwards: the arrival that came last is the one that let the wait go.
  const auto& events = data_.timeline->events;
  uint32_t best = forward ? edges.front().to : edges.front().from;
  if (!forward)
    for (const TimelineEdge& edge : edges)
      if (events[edge.from].end > events[best].end) best = edge.from;
  choose(best);
}

void TimelineCanvas::clear_focus() { context_.focus.clear(); }

// ---- input ------------------------------------------------------------------------------

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
  const double middle = view_.width / 2.0;
  const double cursor = hover_x_ >= header_width_ ? (hover_x_ - header_width_) * ratio() : middle;
  const bool was_centred = std::exchange(centred_, false);
  if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) {
    QAbstractScrollArea::keyPressEvent(event);
    return;
  }
  switch (event->key()) {
    case Qt::Key_W: case Qt::Key_Plus: case Qt::Key_Equal: zoom_by(kNotch, cursor); break;
    case Qt::Key_S: case Qt::Key_Minus: zoom_by(1 / kNotch, cursor); break;
    case Qt::Key_A: case Qt::Key_Left: pan_by(-view_.width * 0.1); break;
    case Qt::Key_D: case Qt::Key_Right: pan_by(view_.width * 0.1); break;
    case Qt::Key_Up: verticalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepSub); break;
    case Qt::Key_Down: verticalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepAdd); break;
    case Qt::Key_PageUp: verticalScrollBar()->triggerAction(QAbstractSlider::SliderPageStepSub); break;
    case Qt::Key_PageDown: verticalScrollBar()->triggerAction(QAbstractSlider::SliderPageStepAdd); break;
    case Qt::Key_0: fit_all(); break;
    case Qt::Key_F:
      centred_ = was_centred;
      centre_or_fit_selection();
      centred_ = true;
      break;
    case Qt::Key_Backspace: undo_zoom(); break;
    case Qt::Key_Period: step_on_lane(1); break;
    case Qt::Key_Comma: step_on_lane(-1); break;
    case Qt::Key_BracketRight: follow_edge(true); break;
    case Qt::Key_BracketLeft: follow_edge(false); break;
    case Qt::Key_K: step(1); break;
    case Qt::Key_J: step(-1); break;
    case Qt::Key_Home: step_to_end(false); break;
    case Qt::Key_End: step_to_end(true); break;
    case Qt::Key_Escape: clear_focus(); break;
    default: QAbstractScrollArea::keyPressEvent(event); return;
  }
  event->accept();
}

void TimelineCanvas::wheelEvent(QWheelEvent* event) {
  const double notches = event->angleDelta().y() / 120.0;
  const double sideways = event->angleDelta().x() / 120.0;
  if (event->modifiers() & Qt::ControlModifier) {
    const double x = std::max(0.0, (event->position().x() - header_width_) * ratio());
    zoom_by(std::pow(kNotch, notches), x);
  } else if (event->modifiers() & Qt::ShiftModifier) {
    pan_by(-(notches + sideways) * view_.width * 0.1);
  } else {
    if (sideways != 0) pan_by(-sideways * view_.width * 0.1);
    QScrollBar* bar = verticalScrollBar();
    bar->setValue(bar->value() - static_cast<int>(std::lround(notches * 3 * bar->singleStep())));
  }
  event->accept();
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event) {
  const QPoint position = event->position().toPoint();
  if (event->button() == Qt::MiddleButton) {
    dragging_ = true;
    drag_from_ = position;
    drag_begin_ = view_.begin;
    drag_scroll_ = verticalScrollBar()->value();
    viewport()->setCursor(Qt::ClosedHandCursor);
    return;
  }
  if (event->button() != Qt::LeftButton) return;
  const Hit at = hit(position);
  if (!at.row) return;
  if (at.row->group) {
    bool& collapsed = collapsed_[static_cast<size_t>(at.row->kind)];
    collapsed = !collapsed;
    layout_ = lay_out(*data_.timeline, collapsed_);
    update_scroll_bars();
    repaint_base();
    return;
  }
  if (stale_) return;
  const Lane& lane = data_.timeline->lanes[at.row->lane];
  current_lane_ = at.row->lane;
  FocusState state;
  if (at.mark != UINT32_MAX && data_.timeline->marks[at.mark].event < data_.timeline->events.size()) {
    state = focus_on_event(data_, data_.timeline->marks[at.mark].event);
  } else if (at.bar != kNoBar) {
    const Bar& bar = data_.timeline->bars[at.bar];
    if (lane.kind == LaneKind::barrier) {
      state = focus_on_resource(data_, lane.resource, lane.stage, bar.number);
      state.begin = bar.begin;
      state.end = bar.end;
    } else {
      state = focus_on_event(data_, bar.event);
      if (lane.kind == LaneKind::slot) {
        if (state.empty()) state = focus_on_resource(data_, lane.resource, lane.stage);
        state.buffer = lane.resource;
        state.slot = lane.stage;
        state.begin = bar.begin;
        state.end = bar.end;
      }
    }
  } else if (at.header) {
    state = focus_on_resource(data_, lane.resource, lane.stage);
  }
  state.origin = Origin::timeline;
  if (!state.empty()) context_.focus.set(std::move(state));
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) {
  const QPoint position = event->position().toPoint();
  if (dragging_) {
    verticalScrollBar()->setValue(drag_scroll_ - (position.y() - drag_from_.y()));
    set_view(drag_begin_ - (position.x() - drag_from_.x()) * ratio() * view_.steps_per_pixel, view_.steps_per_pixel, false);
  }
  hover_x_ = position.x();
  viewport()->update();
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::MiddleButton) return;
  dragging_ = false;
  viewport()->unsetCursor();
}

void TimelineCanvas::focusInEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusInEvent(event);
  viewport()->update();
}

void TimelineCanvas::focusOutEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusOutEvent(event);
  viewport()->update();
}

bool TimelineCanvas::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = tooltip(hit(help->pos()));
    if (text.isEmpty()) QToolTip::hideText();
    else QToolTip::showText(help->globalPos(), text, viewport());
    return true;
  }
  if (event->type() == QEvent::Leave) {
    hover_x_ = -1;
    viewport()->update();
  }
  return QAbstractScrollArea::viewportEvent(event);
}

TimelineCanvas::Hit TimelineCanvas::hit(QPoint position) const {
  Hit result;
  if (position.y() < lanes_top()) return result;
  const int y = position.y() - lanes_top() + verticalScrollBar()->value();
  result.row = layout_.at(y);
  result.header = position.x() < header_width_;
  if (!result.row || result.row->group || result.header) return result;
  const Timeline& timeline = *data_.timeline;
  const Lane& lane = timeline.lanes[result.row->lane];
  const double x = (position.x() - header_width_) * ratio();
  const int inside = y - result.row->y - 3;
  if (lane.kind == LaneKind::barrier && inside < 12) {
    double nearest = 5 * ratio();
    const auto first = timeline.marks.begin() + lane.first_mark, last = first + lane.mark_count;
    auto it = std::lower_bound(first, last, view_.time(x - nearest),
                               [](const Mark& mark, double time) { return static_cast<double>(mark.time) < time; });
    for (; it != last; ++it) {
      const double distance = std::abs(view_.x(static_cast<double>(it->time)) - x);
      if (view_.x(static_cast<double>(it->time)) > x + 5 * ratio()) break;
      if (distance <= nearest) {
        nearest = distance;
        result.mark = static_cast<uint32_t>(it - timeline.marks.begin());
      }
    }
    if (result.mark != UINT32_MAX) return result;
  }
  const auto& rows = index_.rows(result.row->lane);
  const int stacked = lane.kind == LaneKind::barrier ? 0 : inside / row_height(lane.kind);
  const Pyramid& row = rows[static_cast<size_t>(std::clamp<int>(stacked, 0, static_cast<int>(rows.size()) - 1))];
  const std::vector<uint32_t>& order = row.order();
  const double tolerance = 3 * ratio();
  const double from = view_.time(x - tolerance), to = view_.time(x + 1 + tolerance), exact = view_.time(x);
  auto it = std::lower_bound(order.begin(), order.end(), from,
                             [&](uint32_t b, double time) { return static_cast<double>(timeline.bars[b].end) < time; });
  double best = 1e300;
  Fill best_fill = Fill::phase_even;
  for (; it != order.end() && static_cast<double>(timeline.bars[*it].begin) <= to; ++it) {
    const Bar& bar = timeline.bars[*it];
    const double begin = static_cast<double>(bar.begin), end = static_cast<double>(bar.end);
    const double distance = exact < begin ? begin - exact : exact >= end ? exact - end : 0;
    if (distance < best || (distance == best && fill_of(bar) > best_fill)) {
      best = distance;
      best_fill = fill_of(bar);
      result.bar = *it;
    }
  }
  return result;
}

QString TimelineCanvas::tooltip(const Hit& at) const {
  if (!at.row) return {};
  if (at.row->group) return tr("Click to fold or unfold");
  const Timeline& timeline = *data_.timeline;
  const Lane& lane = timeline.lanes[at.row->lane];
  QStringList lines;
  const auto about = [&](uint32_t event) {
    if (event < timeline.events.size()) lines << rich_text(describe(*data_.analysis, timeline, event));
  };
  if (at.header) return tr("%1: click to light it everywhere").arg(to_qstring(lane.name));
  if (at.mark != UINT32_MAX) {
    const Mark& mark = timeline.marks[at.mark];
    lines << tr("%1: arrival %2 of %3 at step %4").arg(to_qstring(lane.name)).arg(mark.arrived).arg(mark.expected).arg(mark.time);
    if (mark.bytes > 0) lines << tr("%L1 bytes").arg(mark.bytes);
    about(mark.event);
  } else if (at.bar != kNoBar) {
    const Bar& bar = timeline.bars[at.bar];
    const QString when = tr("steps %1 to %2").arg(bar.begin).arg(bar.end);
    if (lane.kind == LaneKind::barrier)
      lines << tr("%1: completion %2 in the making, parity %3").arg(to_qstring(lane.name)).arg(bar.number).arg(bar.number % 2);
    else if (lane.kind == LaneKind::slot)
      lines << tr("%1: use %2, %3").arg(to_qstring(lane.name)).arg(bar.number).arg(QLatin1String(name(fill_of(bar))));
    else
      lines << tr("%1: %2").arg(to_qstring(lane.name), QLatin1String(name(fill_of(bar))));
    about(bar.event);
    lines << when;
  }
  return lines.isEmpty() ? QString() : QStringLiteral("<div>%1</div>").arg(lines.join(QStringLiteral("<br>")));
}

std::optional<QPoint> TimelineCanvas::place_of_event(uint32_t event) const {
  const uint32_t b = index_.bar_of_event(event);
  if (b == kNoBar) return std::nullopt;
  const LaneRow* row = layout_.of_lane(index_.lane_of_bar(*data_.timeline, b));
  if (!row) return std::nullopt;
  const Bar& bar = data_.timeline->bars[b];
  const double middle = (view_.x(static_cast<double>(bar.begin)) + view_.x(static_cast<double>(bar.end))) / 2;
  const int x = header_width_ + static_cast<int>(middle / ratio());
  const int h = row_height(row->kind);
  const int y = lanes_top() + row->y - verticalScrollBar()->value() + 3 + bar.row * h + h / 2;
  const QPoint place(x, y);
  if (!viewport()->rect().contains(place) || x < header_width_ || y < lanes_top()) return std::nullopt;
  return place;
}

}  // namespace bakery::views
