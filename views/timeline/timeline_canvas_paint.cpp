// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPaintEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>

#include <cmath>

#include "views/common/qt_text.h"
#include "views/common/severity_mark.h"
#include "views/timeline/fill_style.h"
#include "views/timeline/timeline_canvas.h"

namespace bakery::views {

namespace {
constexpr int kPadding = 3;
constexpr int kTickStrip = 12;  // of a barrier lane
}  // namespace

void TimelineCanvas::repaint_base() {
  base_dirty_ = true;
  viewport()->update();
}

void TimelineCanvas::render_now() {
  const QSize size = viewport()->size() * ratio();
  if (base_.size() != size || base_.devicePixelRatio() != ratio()) {
    base_ = QPixmap(size);
    base_.setDevicePixelRatio(ratio());
  }
  QPainter p(&base_);
  paint_base(p);
  base_dirty_ = false;
}

void TimelineCanvas::paintEvent(QPaintEvent*) {
  if (base_dirty_ || base_.size() != viewport()->size() * ratio()) render_now();
  QPainter p(viewport());
  p.drawPixmap(0, 0, base_);
  if (!data_.timeline->lanes.empty()) {
    paint_area(p);
    paint_markers(p);
    paint_replay(p);
    paint_measure(p);
  }
  if (hover_x_ >= header_width_ && !data_.timeline->lanes.empty()) {
    const double time = view_.time((hover_x_ - header_width_) * ratio());
    if (time >= 0) {
      p.setPen(QPen(context_.theme[Token::muted], 0, Qt::DotLine));
      p.drawLine(hover_x_, lanes_top(), hover_x_, viewport()->height());
      const QString text = QString::number(static_cast<int64_t>(time));
      QRect box(0, 2, fontMetrics().horizontalAdvance(text) + 10, lanes_top() - 4);
      box.moveLeft(std::min(hover_x_ - box.width() / 2, viewport()->width() - box.width()));
      p.fillRect(box, context_.theme[Token::accent]);
      p.setPen(context_.theme[Token::accent_text]);
      p.drawText(box, Qt::AlignCenter, text);
    }
  }
  if (hasFocus()) {
    p.setPen(QPen(context_.theme[Token::accent], 2));
    p.setBrush(Qt::NoBrush);
    p.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
  }
}

void TimelineCanvas::paint_base(QPainter& p) {
  const Theme& theme = context_.theme;
  const QRect all = viewport()->rect();
  p.fillRect(all, theme[Token::lane]);
  if (hatch_.isNull() || hatch_.devicePixelRatio() != ratio()) hatch_ = hatch_tile(theme.id(), ratio());
  p.setFont(font());

  if (layout_.rows.empty()) {
    p.setPen(theme[Token::muted]);
    const bool busy = context_.snapshots.busy();
    p.drawText(all.adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap,
               busy ? tr("The first run is being computed.")
                    : tr("Nothing to draw yet: a timeline appears as soon as the schedule has roles that run."));
    return;
  }

  const int top = lanes_top();
  const int scroll = verticalScrollBar()->value();
  std::vector<uint32_t> visible;
  for (const LaneRow& row : layout_.rows)
    if (!row.group && row.y + row.height > scroll && row.y < scroll + lanes_height()) visible.push_back(row.lane);
  const bool dims = filtering();
  const Lighting no_light;
  const Scene scene = make_scene({data_, index_, lighting_, view_, ratio(), visible});
  Scene dim, bright;
  if (dims) {
    dim = make_scene({data_, index_, no_light, view_, ratio(), visible});
    bright = make_scene({data_, bright_, lighting_, view_, ratio(), visible});
  }

  p.setClipRect(0, top, all.width(), all.height() - top);
  const double opacity = stale_ ? 0.45 : 1;
  p.setOpacity(opacity);
  size_t next = 0;
  bool odd = false;
  for (const LaneRow& row : layout_.rows) {
    if (row.y + row.height <= scroll || row.y >= scroll + lanes_height()) continue;
    const int y = top + row.y - scroll;
    if (row.group) {
      paint_group(p, row, y);
      odd = false;
      continue;
    }
    const size_t lane = next++;
    p.fillRect(header_width_, y, all.width() - header_width_, row.height, theme[odd ? Token::lane_alternate : Token::lane]);
    odd = !odd;
    if (dims) {
      p.setOpacity(opacity * 0.22);
      paint_lane(p, row, dim.lanes[lane]);
      p.setOpacity(opacity);
      bright.lanes[lane].ticks.clear();
      paint_lane(p, row, bright.lanes[lane]);
    } else {
      paint_lane(p, row, scene.lanes[lane]);
    }
    paint_header(p, row, scene.lanes[lane].lit);
  }

  // Grid and the selected span lie over the lanes' background but are thin enough to see through.
  p.setClipRect(header_width_, top, all.width() - header_width_, all.height() - top);
  const FocusState& focus = context_.focus.lit();
  if (focus.begin >= 0 && !stale_ && lighting_.any()) {
    const double x0 = header_width_ + view_.x(static_cast<double>(focus.begin)) / ratio();
    const double x1 = header_width_ + view_.x(static_cast<double>(focus.end)) / ratio();
    QColor band = theme[Token::lit];
    band.setAlphaF(0.10);
    p.fillRect(QRectF(x0, top, std::max(1.0, x1 - x0), all.height() - top), band);
    p.setPen(QPen(theme[Token::lit], 0, Qt::DashLine));
    p.drawLine(QPointF(x0, top), QPointF(x0, all.height()));
    p.drawLine(QPointF(x1, top), QPointF(x1, all.height()));
  }
  paint_edges(p, scene);
  p.setOpacity(1);
  p.setClipping(false);
  paint_ruler(p, scene);
  p.setPen(QPen(theme[Token::border], 0));
  p.drawLine(header_width_, 0, header_width_, all.height());
}

void TimelineCanvas::paint_group(QPainter& p, const LaneRow& row, int y) {
  const Theme& theme = context_.theme;
  const int width = viewport()->width();
  p.fillRect(0, y, width, row.height, theme[Token::lane_group]);
  QFont bold = small_;
  bold.setBold(true);
  p.setFont(bold);
  if (!row.pinned) {
    const double middle = y + row.height / 2.0;
    QPolygonF arrow;
    if (marks_.lanes.collapsed[static_cast<size_t>(row.kind)])
      arrow << QPointF(8, middle - 4) << QPointF(8, middle + 4) << QPointF(13, middle);
    else
      arrow << QPointF(6, middle - 2.5) << QPointF(14, middle - 2.5) << QPointF(10, middle + 2.5);
    p.setRenderHint(QPainter::Antialiasing);
    p.setBrush(theme[Token::muted]);
    p.setPen(Qt::NoPen);
    p.drawPolygon(arrow);
    p.setRenderHint(QPainter::Antialiasing, false);
  }
  p.setPen(theme[Token::muted]);
  p.drawText(QRect(19, y, width - 19, row.height), Qt::AlignVCenter, row.pinned ? tr("Pinned") : tr(group_title(row.kind)));
  p.setFont(font());
}

void TimelineCanvas::paint_ruler(QPainter& p, const Scene& scene) {
  const Theme& theme = context_.theme;
  const int top = lanes_top();
  p.fillRect(0, 0, viewport()->width(), top, theme[Token::lane_header]);
  p.setFont(small_);
  p.setPen(theme[Token::muted]);
  p.drawText(QRect(10, 0, header_width_ - 14, top - 2), Qt::AlignVCenter | Qt::AlignRight, tr("logical steps"));
  p.setClipRect(header_width_, 0, viewport()->width() - header_width_, top);
  const QFontMetrics metrics(small_);
  int free_from = header_width_;
  for (const RulerTick& tick : scene.ruler) {
    const double x = header_width_ + tick.x / ratio();
    p.setPen(QPen(theme[Token::border], 0));
    p.drawLine(QPointF(x, top - 6), QPointF(x, top));
    const QString text = QString::number(tick.time);
    const int width = metrics.horizontalAdvance(text);
    int left = static_cast<int>(x) - width / 2;
    if (tick.time == 0) left = std::max(left, header_width_ + 3);
    if (left < free_from || left + width > viewport()->width()) continue;
    p.setPen(theme[Token::muted]);
    p.drawText(QRect(left, 2, width + 1, top - 8), Qt::AlignVCenter, text);
    free_from = left + width + 6;
  }
  if (data_.timeline->truncated) {
    const QString text = tr("cut at the event limit: %L1 events").arg(data_.timeline->events.size());
    const int width = metrics.horizontalAdvance(text) + 8;
    const double x = x_of(static_cast<double>(data_.timeline->end));
    const QRectF box(std::min(x + 2, viewport()->width() - width - 2.0), 2, width, top - 5);
    p.fillRect(box, theme[Token::lane_header]);
    p.setPen(theme[Token::error]);
    p.drawText(box, Qt::AlignCenter, text);
    p.drawLine(QPointF(x, 0), QPointF(x, top));
  }
  p.setClipping(false);
  p.setPen(QPen(theme[Token::border], 0));
  p.drawLine(0, top - 1, viewport()->width(), top - 1);
  p.setFont(font());
}

void TimelineCanvas::paint_header(QPainter& p, const LaneRow& row, bool lit) {
  const Theme& theme = context_.theme;
  const int y = lanes_top() + row.y - verticalScrollBar()->value();
  p.fillRect(0, y, header_width_, row.height, theme[lit ? Token::lane_lit : Token::lane_header]);
  if (lit) p.fillRect(0, y, 4, row.height, theme[Token::lit]);
  p.setPen(QPen(theme[Token::grid], 0));
  p.drawLine(0, y + row.height - 1, viewport()->width(), y + row.height - 1);
  p.setPen(theme[Token::text]);
  const QString name = to_qstring(data_.timeline->lanes[row.lane].name);
  p.drawText(QRect(12, y, header_width_ - 16, row.height), Qt::AlignVCenter | Qt::AlignLeft,
             fontMetrics().elidedText(name, Qt::ElideMiddle, header_width_ - 16));
}

void TimelineCanvas::paint_lane(QPainter& p, const LaneRow& row, const LaneScene& scene) {
  const int y = lanes_top() + row.y - verticalScrollBar()->value() + kPadding;
  const int h = row.unit;
  p.save();
  p.setClipRect(QRect(header_width_, lanes_top(), viewport()->width() - header_width_, lanes_height()));
  p.setFont(small_);
  if (scene.lit) {
    QColor wash = context_.theme[Token::lit];
    wash.setAlphaF(0.08);
    p.fillRect(QRect(header_width_, y - kPadding, viewport()->width() - header_width_, row.height), wash);
  }
  const int offset = row.kind == LaneKind::barrier ? kTickStrip : 0;
  for (size_t r = 0; r < scene.rows.size(); ++r) {
    const QRectF area(header_width_, y + static_cast<int>(r) * h + offset + 1, viewport()->width() - header_width_,
                      h - offset - 2);
    for (const Piece& piece : scene.rows[r])
      if (!piece.lit) paint_piece(p, piece, area);
    for (const Piece& piece : scene.rows[r])
      if (piece.lit) paint_piece(p, piece, area);
  }
  if (!scene.ticks.empty())
    paint_ticks(p, scene, QRectF(header_width_, y, viewport()->width() - header_width_, h));
  p.restore();
}

double TimelineCanvas::text_width(const QString& text) {
  const auto known = widths_.constFind(text);
  if (known != widths_.constEnd()) return *known;
  if (widths_.size() > 5000) widths_.clear();
  return *widths_.insert(text, QFontMetricsF(small_).horizontalAdvance(text));
}

QRectF TimelineCanvas::text_box(const QRectF& area) const {
  const double left = std::max(area.left(), static_cast<double>(header_width_));
  const double right = std::min(area.right(), static_cast<double>(viewport()->width()));
  return QRectF(left + 4, area.top(), right - left - 7, area.height());
}

void TimelineCanvas::paint_piece(QPainter& p, const Piece& piece, const QRectF& area) {
  const Theme& theme = context_.theme;
  const int pixels = piece.x1 - piece.x0;
  const double gap = pixels >= 4 ? 1 : 0;  // keeps neighbours apart
  const QRectF box(area.left() + piece.x0 / ratio(), area.top(), (pixels - gap) / ratio(), area.height());
  p.fillRect(box, theme[token_of(piece.fill)]);
  const bool waits = piece.fill == Fill::waiting || piece.fill == Fill::stuck;
  if (waits && pixels >= 4) {
    p.setBrushOrigin(QPointF(0, area.top()));
    p.fillRect(box, QBrush(hatch_));
  }
  if (piece.fill == Fill::stuck) {
    p.setPen(QPen(theme[Token::error], 2));
    p.setBrush(Qt::NoBrush);
    p.drawRect(box.adjusted(1, 1, -1, -1));
  }
  QRectF inside = text_box(box);
  if (piece.fill == Fill::stuck && inside.width() > 14) {
    p.drawPixmap(QPointF(inside.left(), box.center().y() - 6), severity_pixmap(SeverityMark::error, theme.id(), 12, ratio()));
    inside.setLeft(inside.left() + 16);
  }
  if (!piece.label.empty()) {
    QString text = to_qstring(piece.label);
    if (text_width(text) > inside.width()) text = to_qstring(piece.short_label);
    if (!text.isEmpty() && text_width(text) <= inside.width()) {
      if (waits) {
        QRectF plate(inside.left() - 2, box.top() + 1, text_width(text) + 4, box.height() - 2);
        p.fillRect(plate, theme[token_of(piece.fill)]);
      }
      p.setPen(theme[Token::bar_text]);
      p.drawText(inside, Qt::AlignVCenter | Qt::AlignLeft, text);
    }
  }
  if (piece.lit) {
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(theme[piece.chosen ? Token::chosen : Token::lit], piece.chosen ? 2 : 1.5));
    p.drawRect(box.adjusted(-0.5, 0, 0.5, 0));
  }
}

void TimelineCanvas::paint_ticks(QPainter& p, const LaneScene& scene, const QRectF& area) {
  const Theme& theme = context_.theme;
  p.setRenderHint(QPainter::Antialiasing);
  for (const Tick& tick : scene.ticks) {
    const double x = area.left() + (tick.x + 0.5) / ratio();
    const bool dense = tick.room < 4 * ratio();
    const QColor ink = theme[tick.lit ? Token::lit : Token::muted];
    if (dense) {
      p.fillRect(QRectF(x - 0.5, area.top() + 4, 1, 7), ink);
      continue;
    }
    p.setPen(Qt::NoPen);
    p.setBrush(ink);
    const double y = area.top() + kTickStrip - 1;
    if (tick.bytes) p.drawRect(QRectF(x - 2.5, y - 6, 5, 5));
    else p.drawPolygon(QPolygonF() << QPointF(x - 3.5, y - 6.5) << QPointF(x + 3.5, y - 6.5) << QPointF(x, y));
    const QString text = to_qstring(tick.label);
    if (text_width(text) + 9 <= tick.room / ratio()) {
      p.setPen(theme[Token::muted]);
      p.drawText(QRectF(x + 5, area.top() - 2, text_width(text) + 2, kTickStrip + 1), Qt::AlignVCenter, text);
    } else if (const QString count = text.section(QLatin1Char(' '), 0, 0); text_width(count) + 9 <= tick.room / ratio()) {
      p.setPen(theme[Token::muted]);
      p.drawText(QRectF(x + 5, area.top() - 2, text_width(count) + 2, kTickStrip + 1), Qt::AlignVCenter, count);
    }
  }
  p.setRenderHint(QPainter::Antialiasing, false);
}

void TimelineCanvas::paint_edges(QPainter& p, const Scene& scene) {
  p.setRenderHint(QPainter::Antialiasing);
  for (const EdgeLine& edge : scene.edges) {
    if (!layout_.of_lane(edge.lane0) || !layout_.of_lane(edge.lane1)) continue;
    const double y0 = middle_of_lane(edge.lane0, edge.row0), y1 = middle_of_lane(edge.lane1, edge.row1);
    const double limit = 40000;  // keeps far ends inside what the painter can hold
    const QPointF from(header_width_ + std::clamp(edge.x0 / ratio(), -limit, limit), y0);
    const QPointF to(header_width_ + std::clamp(edge.x1 / ratio(), -limit, limit), y1);
    const double bend = std::clamp(std::abs(to.x() - from.x()) / 2, 14.0, 60.0);
    QPainterPath path(from);
    path.cubicTo(from + QPointF(bend, 0), to - QPointF(bend, 0), to);
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(context_.theme[Token::lane], 4));
    p.drawPath(path);
    p.setPen(QPen(context_.theme[Token::lit], 1.8));
    p.drawPath(path);
    p.setPen(Qt::NoPen);
    p.setBrush(context_.theme[Token::lit]);
    p.drawPolygon(QPolygonF() << to << to + QPointF(-8, -4.5) << to + QPointF(-8, 4.5));
    p.drawEllipse(from, 3, 3);
  }
  p.setRenderHint(QPainter::Antialiasing, false);
}

}  // namespace bakery::views
