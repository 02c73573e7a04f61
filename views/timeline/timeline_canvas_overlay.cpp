// SPDX-License-Identifier: GPL-3.0-or-later
// What lies over the lanes: areas, measures, markers, and the waits of a replayed witness.
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

#include "views/common/qt_text.h"
#include "views/timeline/timeline_canvas.h"

namespace bakery::views {

namespace {
constexpr double kFar = 40000;  // what a painter holds
constexpr int kPadding = 3;
}  // namespace

double TimelineCanvas::middle_of_lane(uint32_t lane, int row) const {
  const LaneRow* at = layout_.of_lane(lane);
  if (!at) return lanes_top();
  return lanes_top() + at->y - verticalScrollBar()->value() + kPadding + row * at->unit + at->unit / 2.0;
}

void TimelineCanvas::paint_area(QPainter& p) {
  if (!area_) return;
  const double x0 = std::clamp(x_of(static_cast<double>(area_->begin)), header_width_ - 2.0, kFar);
  const double x1 = std::clamp(x_of(static_cast<double>(area_->end)), header_width_ - 2.0, kFar);
  QColor wash = context_.theme[Token::accent];
  wash.setAlphaF(0.16f);
  p.save();
  p.setClipRect(header_width_, 0, viewport()->width() - header_width_, viewport()->height());
  p.fillRect(QRectF(x0, 0, x1 - x0, lanes_top() - 1), wash);
  p.setClipRect(0, lanes_top(), viewport()->width(), lanes_height());
  for (const uint32_t lane : area_->lanes) {
    const QRect row = area_of_lane(lane);
    p.fillRect(QRectF(x0, row.top(), x1 - x0, row.height()), wash);
    p.fillRect(QRectF(header_width_ - 3, row.top(), 3, row.height()), context_.theme[Token::accent]);
  }
  p.setClipRect(header_width_, 0, viewport()->width() - header_width_, viewport()->height());
  p.setPen(QPen(context_.theme[Token::accent], 1));
  p.drawLine(QPointF(x0, 0), QPointF(x0, viewport()->height()));
  p.drawLine(QPointF(x1, 0), QPointF(x1, viewport()->height()));
  p.restore();
}

void TimelineCanvas::paint_measure(QPainter& p) {
  if (!measure_) return;
  const Theme& theme = context_.theme;
  const double x0 = std::clamp(x_of(measure_->from), static_cast<double>(header_width_), kFar);
  const double x1 = std::clamp(x_of(measure_->to), static_cast<double>(header_width_), kFar);
  const double y = std::clamp<double>(measure_->y, lanes_top() + 14.0, viewport()->height() - 14.0);
  p.setPen(QPen(theme[Token::accent], 1, Qt::DashLine));
  p.drawLine(QPointF(x0, 0), QPointF(x0, viewport()->height()));
  p.drawLine(QPointF(x1, 0), QPointF(x1, viewport()->height()));
  p.setPen(QPen(theme[Token::accent], 2));
  p.drawLine(QPointF(x0, y), QPointF(x1, y));
  std::vector<QRectF> used;
  paint_plate(p, QPointF((x0 + x1) / 2, y - 12), measure_text(), theme[Token::accent], used);
}

void TimelineCanvas::paint_markers(QPainter& p) {
  const Theme& theme = context_.theme;
  p.save();
  p.setClipRect(header_width_, 0, viewport()->width() - header_width_, viewport()->height());
  p.setFont(small_);
  const QFontMetrics metrics(small_);
  int number = 0;
  for (const Marker& marker : marks_.markers) {
    ++number;
    const double x0 = std::clamp(x_of(static_cast<double>(marker.begin)), -kFar, kFar);
    const double x1 = marker.end < 0 ? x0 : std::clamp(x_of(static_cast<double>(marker.end)), -kFar, kFar);
    if (x1 < header_width_ || x0 > viewport()->width()) continue;
    if (marker.end >= 0) {
      QColor wash = theme[Token::review];
      wash.setAlphaF(0.14f);
      p.fillRect(QRectF(x0, 0, x1 - x0, lanes_top() - 1), wash);
      p.setPen(QPen(theme[Token::review], 1, Qt::DotLine));
      p.drawLine(QPointF(x1, 0), QPointF(x1, viewport()->height()));
    }
    p.setPen(QPen(theme[Token::review], 1));
    p.drawLine(QPointF(x0, 0), QPointF(x0, viewport()->height()));
    const QString text = marker.note.isEmpty() ? tr("m%1").arg(number) : marker.note;
    const double room = marker.end < 0 ? 180 : std::max(60.0, x1 - x0 - 2);
    const QString shown = metrics.elidedText(text, Qt::ElideRight, static_cast<int>(room));
    const QRectF flag(std::max(x0, static_cast<double>(header_width_)), lanes_top() - metrics.height() - 1, metrics.horizontalAdvance(shown) + 8, metrics.height());
    p.fillRect(flag, theme[Token::raised]);
    p.setPen(theme[Token::review]);
    p.drawRect(flag.adjusted(0, 0, -1, -1));
    p.setPen(theme[Token::text]);
    p.drawText(flag, Qt::AlignCenter, shown);
  }
  p.restore();
}

// A text on a plate near `at`, moved down until it covers no other plate.
void TimelineCanvas::paint_plate(QPainter& p, QPointF at, const QString& text, const QColor& colour, std::vector<QRectF>& used) {
  const QString plain = QString(text).remove(QLatin1Char('`'));
  const QFontMetrics metrics(font());
  const int most = std::min(360, std::max(120, viewport()->width() - header_width_ - 24));
  QRectF box = metrics.boundingRect(QRect(0, 0, most, 1000), Qt::TextWordWrap, plain);
  box.setSize(box.size() + QSizeF(12, 6));
  box.moveCenter(at);
  const double left = header_width_ + 4.0, right = viewport()->width() - 4.0;
  if (box.right() > right) box.moveRight(right);
  if (box.left() < left) box.moveLeft(left);
  if (box.top() < lanes_top() + 2) box.moveTop(lanes_top() + 2);
  for (bool moved = true; moved;) {
    moved = false;
    for (const QRectF& other : used)
      if (other.intersects(box)) {
        box.moveTop(other.bottom() + 3);
        moved = true;
      }
  }
  used.push_back(box);
  p.setPen(QPen(colour, 1.5));
  p.setBrush(context_.theme[Token::raised]);
  p.drawRect(box);
  p.setPen(context_.theme[Token::text]);
  p.setFont(font());
  p.drawText(box.adjusted(6, 3, -6, -3), Qt::TextWordWrap, plain);
}

void TimelineCanvas::paint_arrow(QPainter& p, QPointF from, QPointF to, const QColor& colour, bool dashed, double bulge) {
  QPainterPath path(from);
  path.cubicTo(from + QPointF(bulge, 0), to + QPointF(bulge, 0), to);
  p.setBrush(Qt::NoBrush);
  p.setPen(QPen(context_.theme[Token::lane], 5));
  p.drawPath(path);
  p.setPen(QPen(colour, 2.2, dashed ? Qt::DashLine : Qt::SolidLine));
  p.drawPath(path);
  const QPointF back = path.pointAtPercent(0.93) - to;
  const double length = std::max(1e-6, std::hypot(back.x(), back.y()));
  const QPointF along = back / length * 9, across(-along.y() * 0.5, along.x() * 0.5);
  p.setPen(Qt::NoPen);
  p.setBrush(colour);
  p.drawPolygon(QPolygonF() << to << to + along + across << to + along - across);
}

// The run is cut behind the present step; the last step shows who waits for whom.
void TimelineCanvas::paint_replay(QPainter& p) {
  if (!replay_) return;
  const Theme& theme = context_.theme;
  const Timeline& timeline = *data_.timeline;
  const Replay& replay = replay_->replay;
  const ReplayStep& step = replay.steps[replay_->step];
  p.save();
  p.setClipRect(header_width_, 0, viewport()->width() - header_width_, viewport()->height());
  p.setRenderHint(QPainter::Antialiasing);
  const int64_t cut = timeline.events[step.event].end;
  const double x = std::clamp(x_of(static_cast<double>(cut)), -kFar, kFar);
  if (x < viewport()->width()) {
    QColor veil = theme[Token::lane];
    veil.setAlphaF(0.72f);
    p.fillRect(QRectF(std::max(x, static_cast<double>(header_width_)), lanes_top(), viewport()->width() - x + 1, lanes_height()), veil);
    p.setPen(QPen(theme[Token::error], 1.5));
    p.drawLine(QPointF(x, 0), QPointF(x, viewport()->height()));
  }

  const auto lane_of_role = [&](Index role, uint8_t warp) {
    uint32_t first = UINT32_MAX;
    for (uint32_t l = 0; l < timeline.lanes.size(); ++l)
      if (timeline.lanes[l].kind == LaneKind::role && timeline.lanes[l].resource == data_.analysis->schedule.roles[role].name) {
        if (first == UINT32_MAX) first = l;
        if (warp == 1 && l != first) return l;
      }
    return first;
  };
  const auto place = [&](uint32_t event, bool at_end) {
    const uint32_t b = index_.bar_of_event(event);
    if (b == kNoBar) return QPointF(header_width_, lanes_top());
    const Bar& bar = timeline.bars[b];
    const double edge = at_end ? static_cast<double>(bar.end) : static_cast<double>(bar.begin);
    return QPointF(std::clamp(x_of(edge), header_width_ + 6.0, viewport()->width() - 30.0),
                   middle_of_lane(index_.lane_of_bar(timeline, b), bar.row));
  };

  std::vector<QRectF> used;
  struct Plate {
    QPointF at;
    QString text;
    QColor colour;
  };
  std::vector<Plate> plates;
  const bool all_waits = step.blocked;
  int turn = 0;
  for (const WaitEdge& edge : replay.graph.edges) {
    const StuckWait& wait = replay.graph.waits[edge.from];
    if (!all_waits && edge.event != step.event) continue;
    if (wait.event >= timeline.events.size()) continue;
    // Upward arrows bend to the right, downward ones to the left, so that a cycle is seen as a ring.
    const double room = 26.0 * (turn % 4);
    QPointF from = place(wait.event, true) - QPointF(10 + room, 0), to;
    ++turn;
    bool down = false;
    if (edge.to != UINT32_MAX) {
      to = place(replay.graph.waits[edge.to].event, true) - QPointF(10 + room, 0);
      down = to.y() > from.y();
      if (down) {
        from -= QPointF(60, 0);
        to -= QPointF(60, 0);
      }
      if (edge.to == edge.from) {
        from += QPointF(0, -5);
        to += QPointF(0, 6);
      }
    } else if (edge.event != UINT32_MAX && !timeline.events[edge.event].blocked) {
      to = place(edge.event, true) + QPointF(8, 0);
    } else if (edge.role != kNone && lane_of_role(edge.role, 0) != UINT32_MAX) {
      to = QPointF(from.x(), middle_of_lane(lane_of_role(edge.role, 0), 0));
    } else {
      to = from + QPointF(0, 40);
      for (uint32_t l = 0; l < timeline.lanes.size() && wait.barrier != kNone; ++l)
        if (timeline.lanes[l].kind == LaneKind::barrier && timeline.lanes[l].stage == wait.stage &&
            timeline.lanes[l].resource == data_.analysis->schedule.barriers[wait.barrier].name && layout_.of_lane(l))
          to = QPointF(from.x(), middle_of_lane(l, 0));
    }
    const double bulge = down ? -46.0 - room : 46.0 + room;
    const bool dead_end = edge.to == UINT32_MAX;
    paint_arrow(p, from, to, theme[Token::error], dead_end, dead_end && to.x() < from.x() - 60 ? -20 : bulge);
    if (dead_end) {
      p.setPen(QPen(theme[Token::lane], 6, Qt::SolidLine, Qt::RoundCap));
      for (int layer = 0; layer < 2; ++layer) {
        p.drawLine(to + QPointF(-6, -6), to + QPointF(6, 6));
        p.drawLine(to + QPointF(-6, 6), to + QPointF(6, -6));
        p.setPen(QPen(theme[Token::error], 3, Qt::SolidLine, Qt::RoundCap));
      }
    }
    plates.push_back({QPointF((from.x() + to.x()) / 2 - 40, std::max(from.y(), to.y()) + 44), to_qstring(describe(*data_.analysis, wait) + ": " + edge.text),
                      theme[Token::error]});
  }
  if (replay.first_access < timeline.events.size()) {
    const QPointF from = place(replay.first_access, true), to = place(replay.second_access, false);
    paint_arrow(p, from, to, theme[Token::error], true, from.y() == to.y() ? 0 : 40);
    plates.push_back({QPointF((from.x() + to.x()) / 2, std::max(from.y(), to.y()) + 44), tr("no order: neither access is behind a wait for what comes after the other one"), theme[Token::error]});
  }
  if (all_waits && !replay.graph.cycle.empty()) {
    QString round;
    for (const uint32_t wait : replay.graph.cycle) {
      const StuckWait& w = replay.graph.waits[wait];
      const Schedule& schedule = data_.analysis->schedule;
      round += to_qstring(schedule.roles[w.role].name);
      if (w.barrier != kNone)
        round += tr(" waits for %1").arg(to_qstring(schedule.barriers[w.barrier].name) + (schedule.barriers[w.barrier].count > 1 ? QStringLiteral("[%1]").arg(w.stage) : QString()));
      round += QStringLiteral(" → ");
    }
    round += to_qstring(data_.analysis->schedule.roles[replay.graph.waits[replay.graph.cycle.front()].role].name);
    plates.push_back({QPointF(viewport()->width(), viewport()->height() - 30.0), tr("The wait goes round: %1").arg(round), theme[Token::error]});
  }
  // Every step so far has its number on its bar.
  for (size_t i = 0; i < replay.steps.size(); ++i) {
    const uint32_t b = index_.bar_of_event(replay.steps[i].event);
    if (b == kNoBar) continue;
    const Bar& bar = timeline.bars[b];
    const QPointF at(std::clamp(x_of(static_cast<double>(bar.begin + bar.end) / 2), header_width_ + 9.0, viewport()->width() - 9.0),
                     middle_of_lane(index_.lane_of_bar(timeline, b), bar.row) - 9);
    const bool now = i == replay_->step, seen = i <= replay_->step;
    p.setPen(QPen(theme[Token::error], 1.4));
    p.setBrush(now ? theme[Token::error] : theme[Token::raised]);
    p.setOpacity(seen ? 1 : 0.45);
    p.drawEllipse(at, 8, 8);
    p.setPen(now ? theme[Token::base] : theme[Token::text]);
    p.setFont(small_);
    p.drawText(QRectF(at - QPointF(9, 9), QSizeF(18, 18)), Qt::AlignCenter, QString::number(i + 1));
  }
  p.setOpacity(1);

  for (const Plate& plate : plates) paint_plate(p, plate.at, plate.text, plate.colour, used);
  p.restore();
}

}  // namespace bakery::views
