// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>

#include <algorithm>
#include <cmath>

#include "views/common/qt_text.h"
#include "views/common/severity_mark.h"
#include "views/pipeline/pipeline_canvas.h"

namespace bakery::views {

namespace {

Token fill_of(PipeNodeKind kind) {
  switch (kind) {
    case PipeNodeKind::role: return Token::working;
    case PipeNodeKind::engine: return Token::transfer;
    case PipeNodeKind::buffer: return Token::filling;
    case PipeNodeKind::tensor: return Token::lane_group;
  }
  return Token::lane_group;
}

QPainterPath outline(PipeNodeKind kind, const QRectF& box) {
  QPainterPath path;
  switch (kind) {
    case PipeNodeKind::role: path.addRoundedRect(box, 9, 9); break;
    case PipeNodeKind::engine: {  // pointed at both ends
      const double d = std::min(10.0, box.height() / 3);
      path.moveTo(box.left() + d, box.top());
      path.lineTo(box.right() - d, box.top());
      path.lineTo(box.right(), box.center().y());
      path.lineTo(box.right() - d, box.bottom());
      path.lineTo(box.left() + d, box.bottom());
      path.lineTo(box.left(), box.center().y());
      path.closeSubpath();
      break;
    }
    case PipeNodeKind::buffer: path.addRoundedRect(box, 3, 3); break;
    case PipeNodeKind::tensor: path.addRect(box); break;
  }
  return path;
}

Token line_of(const PipeEdge& edge) {
  switch (edge.kind) {
    case PipeEdgeKind::forward: return Token::accent;
    case PipeEdgeKind::backward: return Token::code_keyword;
    default: return Token::muted;
  }
}

void paint_arrow(QPainter& p, const QPainterPath& path, QColor colour, double size) {
  const double length = path.length();
  if (length < 1) return;
  const QPointF tip = path.pointAtPercent(1);
  const QPointF back = path.pointAtPercent(path.percentAtLength(std::max(0.0, length - size)));
  const QPointF d = tip - back;
  const double l = std::hypot(d.x(), d.y());
  if (l < 0.01) return;
  const QPointF along = d / l, side(-along.y(), along.x());
  p.setPen(Qt::NoPen);
  p.setBrush(colour);
  p.drawPolygon(QPolygonF{tip, tip - along * size + side * size * 0.45, tip - along * size - side * size * 0.45});
}

}  // namespace

void PipelineCanvas::paintEvent(QPaintEvent*) {
  QPainter p(this);
  const Theme& theme = context_.theme;
  p.fillRect(rect(), theme[Token::lane]);
  if (shown_.scene.nodes.empty() || laid_.nodes.size() != shown_.scene.nodes.size() || laid_.edges.size() != shown_.scene.edges.size()) {
    p.setPen(theme[Token::muted]);
    const QString text = layouter_.busy() ? tr("Laying out…") : tr("No role is declared");
    p.drawText(rect().adjusted(12, 8, -12, -8), Qt::AlignTop | Qt::AlignLeft | Qt::TextWordWrap, text);
    return;
  }
  GraphLayout rest;
  const bool moves = moving_.state() == QAbstractAnimation::Running;
  if (moves) {
    rest = layout_;
    layout_ = between(from_, rest, moving_.currentValue().toDouble());
  }
  p.setRenderHint(QPainter::Antialiasing);
  if (stale_) p.setOpacity(0.45);
  p.translate(offset_);
  p.scale(scale_, scale_);
  const int edges = static_cast<int>(shown_.scene.edges.size()), nodes = static_cast<int>(shown_.scene.nodes.size());
  for (const bool lit : {false, true})
    for (int e = 0; e < edges; ++e)
      if ((lighting_.edges[e] != 0) == lit) paint_edge(p, e);
  for (int n = 0; n < nodes; ++n) paint_node(p, n);
  for (int e = 0; e < edges; ++e)
    if (laid_.edges[e].label_width > 0) paint_label(p, e);
  for (int n = 0; n < nodes; ++n) paint_badge(p, {node_box(n).center().x(), node_box(n).top() - 7}, shown_.scene.nodes[n].finding);  // clear of the name
  if (moves) layout_ = std::move(rest);
}

void PipelineCanvas::paint_edge(QPainter& p, int e) const {
  const Theme& theme = context_.theme;
  const PipeEdge& edge = shown_.scene.edges[e];
  const bool wrong = edge.finding >= 0 && shown_.data.analysis->findings[edge.finding].severity == Severity::error;
  const bool lit = lighting_.edges[e] || hover_ == PipePlace{true, e};
  const QPainterPath path = curve(e);
  const bool barrier = edge.barrier != kNone;
  if (lit) {
    QColor glow = theme[Token::lit];
    glow.setAlphaF(0.35f);
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(glow, 8, Qt::SolidLine, Qt::RoundCap));
    p.drawPath(path);
  }
  const QColor colour = theme[wrong ? Token::error : lit ? Token::lit : line_of(edge)];
  QPen pen(colour, barrier ? 2.2 : 1.2, Qt::SolidLine, Qt::FlatCap);
  if (edge.kind == PipeEdgeKind::backward) pen.setDashPattern({5, 2.5});
  if (edge.kind == PipeEdgeKind::issue) pen.setDashPattern({1.5, 3});
  if (barrier && !edge.arrives) pen.setDashPattern({1, 3});
  p.setBrush(Qt::NoBrush);
  p.setPen(pen);
  p.drawPath(path);
  paint_arrow(p, path, colour, barrier ? 11 : 8);
}

void PipelineCanvas::paint_label(QPainter& p, int e) const {
  const Theme& theme = context_.theme;
  const PipeEdge& edge = shown_.scene.edges[e];
  const QRectF box = label_box(e).adjusted(1, 1, -1, -1);
  const bool wrong = edge.finding >= 0 && shown_.data.analysis->findings[edge.finding].severity == Severity::error;
  const bool lit = lighting_.edges[e];
  const bool current = hasFocus() && current_ == PipePlace{true, e};
  p.setPen(current ? QPen(theme[Token::accent], 1.5, Qt::DotLine) : lit ? QPen(theme[Token::lit], 1.5) : QPen(Qt::NoPen));
  p.setBrush(theme[lit ? Token::lane_lit : Token::lane]);
  p.drawRoundedRect(box, 4, 4);
  const QFontMetrics names(bold_), facts(small_);
  if (edge.facts.empty()) {
    p.setFont(small_);
    p.setPen(theme[Token::muted]);
    p.drawText(box, Qt::AlignCenter, facts.elidedText(to_qstring(edge.name), Qt::ElideRight, static_cast<int>(box.width()) - 2));
    return;
  }
  p.setFont(bold_);
  p.setPen(theme[wrong ? Token::error : line_of(edge)]);
  // The finding stands before the name: above it could be another label.
  const double badge = edge.finding >= 0 ? badge_width() + 5 : 0;
  const QString name = names.elidedText(to_qstring(edge.name), Qt::ElideRight, static_cast<int>(box.width() - badge) - 2);
  const double left = box.center().x() - (badge + names.horizontalAdvance(name)) / 2;
  p.drawText(QRectF(left + badge, box.top(), box.right() - left - badge, names.height() + 2), Qt::AlignVCenter, name);
  paint_badge(p, {left + badge_width() / 2, box.top() + names.height() / 2.0 + 1}, edge.finding);
  p.setFont(small_);
  p.setPen(theme[wrong ? Token::error : Token::text]);
  p.drawText(QRectF(box.left(), box.top() + names.height() + 1, box.width(), facts.height() + 2), Qt::AlignCenter,
             facts.elidedText(to_qstring(edge.facts), Qt::ElideRight, static_cast<int>(box.width()) - 2));
}

void PipelineCanvas::paint_node(QPainter& p, int n) const {
  const Theme& theme = context_.theme;
  const PipeNode& node = shown_.scene.nodes[n];
  const QRectF box = node_box(n).adjusted(1, 1, -1, -1);
  const bool wrong = node.finding >= 0 && shown_.data.analysis->findings[node.finding].severity == Severity::error;
  const bool lit = lighting_.nodes[n], hovered = hover_ == PipePlace{false, n};
  const QPainterPath path = outline(node.kind, box);
  const QColor line = theme[wrong ? Token::error : lit ? Token::lit : hovered ? Token::accent : Token::border];
  const bool staged = node.kind == PipeNodeKind::buffer && node.space == Space::shared &&
                      shown_.data.analysis->schedule.views.size() > node.index && shown_.data.analysis->schedule.views[node.index].stages > 1;
  if (staged)  // a stack
    for (const double d : {5.0, 2.5}) {
      p.setPen(QPen(theme[Token::border], 1));
      p.setBrush(theme[Token::filling]);
      p.drawRoundedRect(box.translated(d, d), 3, 3);
    }
  if (lit) {
    QColor glow = theme[Token::lit];
    glow.setAlphaF(0.35f);
    p.setPen(QPen(glow, 8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    p.setBrush(Qt::NoBrush);
    p.drawPath(path);
  }
  p.setPen(QPen(line, wrong || lit ? 2.2 : 1.2));
  p.setBrush(theme[fill_of(node.kind)]);
  p.drawPath(path);
  if (hasFocus() && current_ == PipePlace{false, n}) {
    p.setPen(QPen(theme[Token::chosen], 1.2, Qt::DotLine));
    p.setBrush(Qt::NoBrush);
    p.drawPath(outline(node.kind, box.adjusted(3, 3, -3, -3)));
  }
  const QFontMetrics names(bold_), facts(small_);
  const int room = static_cast<int>(box.width()) - (node.kind == PipeNodeKind::engine ? 14 : 8);
  p.setPen(theme[Token::bar_text]);
  p.setFont(bold_);
  const double top = box.top() + (box.height() - names.height() - facts.height()) / 2;
  p.drawText(QRectF(box.left(), top, box.width(), names.height()), Qt::AlignCenter, names.elidedText(to_qstring(node.name), Qt::ElideRight, room));
  p.setFont(small_);
  p.drawText(QRectF(box.left(), top + names.height(), box.width(), facts.height()), Qt::AlignCenter,
             facts.elidedText(to_qstring(node.facts), Qt::ElideRight, room));
}

// Of the longest id.
double PipelineCanvas::badge_width() const {
  QFont font = small_;
  font.setBold(true);
  return QFontMetrics(font).horizontalAdvance(QStringLiteral("SCHED-000")) + 26;
}

void PipelineCanvas::paint_badge(QPainter& p, QPointF centre, int finding) const {
  if (finding < 0) return;
  const Finding& f = shown_.data.analysis->findings[finding];
  const bool error = f.severity == Severity::error;
  const Theme& theme = context_.theme;
  QFont font = small_;
  font.setBold(true);
  const QFontMetrics metrics(font);
  const QString id = to_qstring(f.id);
  const double width = std::min(badge_width(), metrics.horizontalAdvance(id) + 26.0), height = metrics.height() + 2;
  const QRectF box(centre.x() - width / 2, centre.y() - height / 2, width, height);
  p.setPen(QPen(theme[error ? Token::error : Token::review], 1.2));
  p.setBrush(theme[Token::lane]);
  p.drawRoundedRect(box, height / 2, height / 2);
  p.drawPixmap(QPointF(box.left() + 6, box.center().y() - 6), severity_pixmap(mark_of(f.severity), theme.id(), 12, devicePixelRatioF() * std::max(1.0, scale_)));
  p.setFont(font);
  p.drawText(box.adjusted(18, 0, -4, 0), Qt::AlignCenter, id);
}

}  // namespace bakery::views
