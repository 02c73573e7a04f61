// SPDX-License-Identifier: GPL-3.0-or-later
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

#include "views/common/qt_text.h"
#include "views/common/view_requests.h"
#include "views/timeline/timeline_canvas.h"

namespace bakery::views {

namespace {

constexpr double kNotch = 1.2;  // zoom a wheel notch or key
constexpr int kDragDistance = 4;

// 1 to 9 of the digit row, whatever the layout makes of it with Shift; 0: another key.
int digit_of(const QKeyEvent* event) {
  if (event->key() >= Qt::Key_1 && event->key() <= Qt::Key_9) return event->key() - Qt::Key_0;
  const quint32 code = event->nativeScanCode();  // X11 and Wayland count alike
  if (code >= 10 && code <= 18) return static_cast<int>(code) - 9;
  const qsizetype us = QStringLiteral("!@#$%^&*(").indexOf(event->text().isEmpty() ? QChar(event->key()) : event->text().at(0));
  return (event->modifiers() & Qt::ShiftModifier) && us >= 0 ? static_cast<int>(us) + 1 : 0;
}

}  // namespace

// Keys that the window might take for its own.
bool TimelineCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool store = key->modifiers() == (Qt::ControlModifier | Qt::ShiftModifier) && digit_of(key) > 0;
    if (store || key->key() == Qt::Key_Escape || key->key() == Qt::Key_Delete || key->key() == Qt::Key_Space) {
      event->accept();
      return true;
    }
  }
  return QAbstractScrollArea::event(event);
}

bool TimelineCanvas::press_digit(QKeyEvent* event) {
  const bool store = event->modifiers() == (Qt::ControlModifier | Qt::ShiftModifier);
  if (!store && (event->modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier) return false;
  const int digit = digit_of(event);
  if (digit == 0) return false;
  auto& place = marks_.places[static_cast<size_t>(digit - 1)];
  if (store) {
    place = StoredPlace{view_.begin, view_.steps_per_pixel};
    save();
    emit told(tr("Place and zoom are kept; %1 comes back to them.").arg(digit));
  } else if (place) {
    set_view(place->begin, place->steps_per_pixel, true);
  } else {
    emit told(tr("Nothing is kept under %1; Ctrl+Shift+%1 keeps this place and zoom.").arg(digit));
  }
  return true;
}

void TimelineCanvas::press_escape() {
  if (replay_) return leave_replay();
  if (playing()) return set_playing(false);
  if (area_ || measure_) {
    measure_.reset();
    return set_area(std::nullopt);
  }
  if (isolated_) return isolate(false);
  context_.focus.clear();
}

void TimelineCanvas::press_marker(bool span) {
  if (stale_ || data_.timeline->lanes.empty()) return;
  const FocusState& focus = context_.focus.state();
  if (span) {
    const int64_t begin = area_ ? area_->begin : focus.begin, end = area_ ? area_->end : focus.end;
    if (begin < 0) emit told(tr("Choose an event or drag an area first; Shift+M then marks its time with a note."));
    else emit note_wanted(begin, std::max(end, begin + 1));
    return;
  }
  const double at = hover_x_ >= header_width_ ? time_at(hover_x_) : focus.begin >= 0 ? static_cast<double>(focus.begin) : view_.time(view_.width / 2.0);
  add_marker({std::clamp<int64_t>(static_cast<int64_t>(at), 0, data_.timeline->end), -1, {}});
}

// The one under the pointer, else the one nearest to the selection.
void TimelineCanvas::remove_marker_at_cursor() {
  if (marks_.markers.empty()) return;
  const double at = hover_x_ >= header_width_ ? time_at(hover_x_) : static_cast<double>(std::max<int64_t>(0, context_.focus.state().begin));
  size_t best = 0;
  double nearest = 1e300;
  for (size_t i = 0; i < marks_.markers.size(); ++i) {
    const Marker& marker = marks_.markers[i];
    const double begin = static_cast<double>(marker.begin), end = static_cast<double>(std::max(marker.end, marker.begin));
    const double distance = at < begin ? begin - at : at > end ? at - end : 0;
    if (distance >= nearest) continue;
    nearest = distance;
    best = i;
  }
  remove_marker(best);
}

void TimelineCanvas::open_source() {
  if (!context_.focus.state().span) {
    emit told(tr("Choose an event first; Enter then opens its line."));
    return;
  }
  ViewRequests::of(context_.focus).show_view(QStringLiteral("editor"));
}

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
  const double middle = view_.width / 2.0;
  const double cursor = hover_x_ >= header_width_ ? (hover_x_ - header_width_) * ratio() : middle;
  const bool was_centred = std::exchange(centred_, false);
  if (press_digit(event)) return event->accept();
  if (event->modifiers() == Qt::AltModifier && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down) && current_lane_ != UINT32_MAX) {
    LaneArrangement next = marks_.lanes;
    next.move(*data_.timeline, current_lane_, event->key() == Qt::Key_Up ? -1 : 1);
    arrange(tr("Move lane"), std::move(next));
    return event->accept();
  }
  if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) {
    QAbstractScrollArea::keyPressEvent(event);
    return;
  }
  const bool shift = event->modifiers() & Qt::ShiftModifier;
  switch (event->key()) {
    case Qt::Key_W: case Qt::Key_Plus: case Qt::Key_Equal: zoom_by(kNotch, cursor); break;
    case Qt::Key_S: case Qt::Key_Minus: zoom_by(1 / kNotch, cursor); break;
    case Qt::Key_A: case Qt::Key_Left: pan_by(-view_.width * 0.1); break;
    case Qt::Key_D: case Qt::Key_Right: pan_by(view_.width * 0.1); break;
    case Qt::Key_Up:
      if (shift) choose_lane(-1);
      else verticalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepSub);
      break;
    case Qt::Key_Down:
      if (shift) choose_lane(1);
      else verticalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepAdd);
      break;
    case Qt::Key_PageUp: isolate_next(-1); break;
    case Qt::Key_PageDown: isolate_next(1); break;
    case Qt::Key_0: fit_all(); break;
    case Qt::Key_F:
      centred_ = was_centred;
      centre_or_fit_selection();
      centred_ = true;
      break;
    case Qt::Key_Backspace: undo_zoom(); break;
    case Qt::Key_Greater: step_to_wait(1); break;
    case Qt::Key_Less: step_to_wait(-1); break;
    case Qt::Key_Period: shift ? step_to_wait(1) : step_on_lane(1); break;
    case Qt::Key_Comma: shift ? step_to_wait(-1) : step_on_lane(-1); break;
    case Qt::Key_BracketRight: follow_edge(true); break;
    case Qt::Key_BracketLeft: follow_edge(false); break;
    case Qt::Key_K: step(1); break;
    case Qt::Key_J: step(-1); break;
    case Qt::Key_Home: step_to_end(false); break;
    case Qt::Key_End: step_to_end(true); break;
    case Qt::Key_Escape: press_escape(); break;
    case Qt::Key_M: press_marker(shift); break;
    case Qt::Key_Delete: remove_marker_at_cursor(); break;
    case Qt::Key_R: shift ? start_replay(context_.focus.state().finding) : area_of_selection(); break;
    case Qt::Key_E: isolate(!isolated_); break;
    case Qt::Key_Return: case Qt::Key_Enter: open_source(); break;
    case Qt::Key_P: set_playing(!playing()); break;
    case Qt::Key_T: emit table_wanted(); break;
    case Qt::Key_U: shift ? lane_history_.redo() : lane_history_.undo(); break;
    case Qt::Key_Question: emit keys_wanted(); break;
    case Qt::Key_Slash: shift ? emit keys_wanted() : emit filter_wanted(); break;
    case Qt::Key_Menu:
      if (current_lane_ != UINT32_MAX)
        show_lane_menu(current_lane_, viewport()->mapToGlobal(area_of_lane(current_lane_).topLeft() + QPoint(header_width_ / 2, 8)));
      break;
    case Qt::Key_Space:
      if (!event->isAutoRepeat()) {
        space_ = true;
        viewport()->setCursor(Qt::OpenHandCursor);
      }
      break;
    default: QAbstractScrollArea::keyPressEvent(event); return;
  }
  event->accept();
}

void TimelineCanvas::keyReleaseEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) {
    space_ = false;
    if (drag_ == Drag::none) viewport()->unsetCursor();
    return event->accept();
  }
  QAbstractScrollArea::keyReleaseEvent(event);
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

FocusState TimelineCanvas::focus_at(const Hit& at) const {
  FocusState state;
  if (!at.row || at.row->group || stale_) return state;
  const Lane& lane = data_.timeline->lanes[at.row->lane];
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
  return state;
}

void TimelineCanvas::hover(QPoint position) {
  const Hit at = hit(position);
  if (at == hovered_) return;
  hovered_ = at;
  context_.focus.hover(focus_at(at));
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event) {
  const QPoint position = event->position().toPoint();
  drag_from_ = position;
  drag_begin_ = view_.begin;
  drag_scroll_ = verticalScrollBar()->value();
  const bool left = event->button() == Qt::LeftButton, right = event->button() == Qt::RightButton;
  if (event->button() == Qt::MiddleButton || (left && space_)) {
    drag_ = Drag::pan;
    viewport()->setCursor(Qt::ClosedHandCursor);
    return;
  }
  if (!left && !right) return;
  const Hit at = hit(position);
  const bool on_lanes = position.x() >= header_width_ && !(at.row && at.row->group) && !stale_ && !data_.timeline->lanes.empty();
  if (right || (event->modifiers() & Qt::ShiftModifier)) {
    drag_ = Drag::pending_measure;
    return;
  }
  if (at.row && at.row->group) {
    LaneArrangement next = marks_.lanes;
    bool& collapsed = next.collapsed[static_cast<size_t>(at.row->kind)];
    collapsed = !collapsed;
    return arrange(collapsed ? tr("Fold lanes") : tr("Unfold lanes"), std::move(next));
  }
  if (on_lanes) drag_ = Drag::pending;
  if (at.row) current_lane_ = at.row->lane;
  FocusState state = focus_at(at);
  if (replay_) state.finding = replay_->finding;
  if (!state.empty()) context_.focus.set(std::move(state));
}

void TimelineCanvas::drag_to(QPoint position) {
  const bool moved = (position - drag_from_).manhattanLength() >= kDragDistance;
  if (drag_ == Drag::pending && moved) drag_ = Drag::area;
  if (drag_ == Drag::pending_measure && moved && drag_from_.x() >= header_width_) drag_ = Drag::measure;
  const double last = static_cast<double>(data_.timeline->end);
  const double from = std::clamp(time_at(drag_from_.x()), 0.0, last), to = std::clamp(time_at(std::max(position.x(), header_width_)), 0.0, last);
  if (drag_ == Drag::pan) {
    verticalScrollBar()->setValue(drag_scroll_ - (position.y() - drag_from_.y()));
    set_view(drag_begin_ - (position.x() - drag_from_.x()) * ratio() * view_.steps_per_pixel, view_.steps_per_pixel, false);
  } else if (drag_ == Drag::area) {
    Area area{std::llround(std::min(from, to)), std::llround(std::max(from, to)), {}};
    area.end = std::max(area.end, area.begin + 1);
    area.lanes = drag_from_.y() < lanes_top() ? all_shown_lanes() : lanes_between(drag_from_.y(), std::max(position.y(), lanes_top()));
    if (area_ != area) set_area(std::move(area));
  } else if (drag_ == Drag::measure) {
    measure_ = Measure{std::round(from), std::round(to), position.y()};
  }
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) {
  const QPoint position = event->position().toPoint();
  if (drag_ != Drag::none) drag_to(position);
  else hover(position);
  hover_x_ = position.x();
  viewport()->update();
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event) {
  const Drag ended = std::exchange(drag_, Drag::none);
  viewport()->unsetCursor();
  if (ended == Drag::pending && (area_ || measure_)) {  // a click elsewhere takes them away
    measure_.reset();
    set_area(std::nullopt);
  }
  if (ended == Drag::pending_measure && event->button() == Qt::RightButton) {
    const Hit at = hit(drag_from_);
    if (at.row && !at.row->group) show_lane_menu(at.row->lane, event->globalPosition().toPoint());
  }
  viewport()->update();
}

void TimelineCanvas::fill_lane_menu(QMenu* menu, uint32_t lane) {
  const std::string name = data_.timeline->lanes[lane].name;
  const LaneArrangement& now = marks_.lanes;
  const auto item = [&](const QString& title, std::function<void(LaneArrangement&)> change) {
    QAction* action = menu->addAction(title);
    connect(action, &QAction::triggered, this, [this, title, change] {
      LaneArrangement next = marks_.lanes;
      change(next);
      arrange(QString(title).remove(QLatin1Char('&')), std::move(next));
    });
    return action;
  };
  if (now.pinned.contains(name)) item(tr("Un&pin"), [name](LaneArrangement& a) { a.pinned.erase(name); });
  else item(tr("&Pin to the top"), [name](LaneArrangement& a) { a.pinned.insert(name); });
  item(tr("&Hide"), [name](LaneArrangement& a) { a.hidden.insert(name); });
  item(tr("Move &up (Alt+Up)"), [this, lane](LaneArrangement& a) { a.move(*data_.timeline, lane, -1); });
  item(tr("Move &down (Alt+Down)"), [this, lane](LaneArrangement& a) { a.move(*data_.timeline, lane, 1); });
  menu->addSeparator();
  const auto factor = now.height.find(name);
  for (const int times : {1, 2, 4}) {
    QAction* action = item(tr("Height &%1x").arg(times), [name, times](LaneArrangement& a) {
      if (times == 1) a.height.erase(name);
      else a.height[name] = times;
    });
    action->setCheckable(true);
    action->setChecked(times == (factor == now.height.end() ? 1 : factor->second));
  }
  menu->addSeparator();
  QAction* all = item(tr("&Show all lanes (%1 hidden)").arg(now.hidden.size()), [](LaneArrangement& a) {
    a.hidden.clear();
    a.collapsed = {};
  });
  all->setEnabled(!now.hidden.empty() || now.collapsed != LaneArrangement{}.collapsed);
  item(tr("&Reset lanes"), [](LaneArrangement& a) { a = {}; })->setEnabled(now != LaneArrangement{});
  menu->addSeparator();
  QAction* undo = menu->addAction(lane_history_.canUndo() ? tr("U&ndo: %1 (U)").arg(lane_history_.undoText()) : tr("U&ndo"));
  undo->setEnabled(lane_history_.canUndo());
  connect(undo, &QAction::triggered, &lane_history_, &QUndoStack::undo);
  QAction* redo = menu->addAction(lane_history_.canRedo() ? tr("R&edo: %1 (Shift+U)").arg(lane_history_.redoText()) : tr("R&edo"));
  redo->setEnabled(lane_history_.canRedo());
  connect(redo, &QAction::triggered, &lane_history_, &QUndoStack::redo);
}

void TimelineCanvas::show_lane_menu(uint32_t lane, QPoint global) {
  auto* menu = new QMenu(this);
  menu->setObjectName(QStringLiteral("lane_menu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  fill_lane_menu(menu, lane);
  menu->popup(global);
}

void TimelineCanvas::focusInEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusInEvent(event);
  viewport()->update();
}

void TimelineCanvas::focusOutEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusOutEvent(event);
  space_ = false;
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
  if (event->type() == QEvent::ContextMenu) return true;  // a right drag measures; the menu comes on release
  if (event->type() == QEvent::Leave) {
    hover_x_ = -1;
    hovered_ = {};
    context_.focus.end_hover();
    viewport()->update();
  }
  return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace bakery::views
