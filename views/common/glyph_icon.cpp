// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/glyph_icon.h"

#include <QPainter>
#include <QPainterPath>

namespace bakery::views {

namespace {

void paint(QPainter& p, Glyph glyph, const QColor& ink) {
  const QPen pen(ink, 1.7, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
  p.setPen(pen);
  p.setBrush(Qt::NoBrush);
  const auto triangle = [&](double x, double way) {
    p.setPen(Qt::NoPen);
    p.setBrush(ink);
    p.drawPolygon(QPolygonF() << QPointF(x - 4 * way, 3.5) << QPointF(x - 4 * way, 12.5) << QPointF(x + 4 * way, 8));
    p.setPen(pen);
  };
  switch (glyph) {
    case Glyph::first: triangle(9, -1); p.drawLine(QPointF(3.5, 4), QPointF(3.5, 12)); break;
    case Glyph::back: triangle(8, -1); break;
    case Glyph::forward: triangle(8, 1); break;
    case Glyph::last: triangle(7, 1); p.drawLine(QPointF(12.5, 4), QPointF(12.5, 12)); break;
    case Glyph::zoom_in: p.drawLine(QPointF(8, 3.5), QPointF(8, 12.5)); [[fallthrough]];
    case Glyph::zoom_out: p.drawLine(QPointF(3.5, 8), QPointF(12.5, 8)); break;
    case Glyph::fit:
      p.drawLine(QPointF(2, 3.5), QPointF(2, 12.5));
      p.drawLine(QPointF(14, 3.5), QPointF(14, 12.5));
      p.drawLine(QPointF(4.5, 8), QPointF(11.5, 8));
      p.drawPolyline(QPolygonF() << QPointF(6.5, 6) << QPointF(4.5, 8) << QPointF(6.5, 10));
      p.drawPolyline(QPolygonF() << QPointF(9.5, 6) << QPointF(11.5, 8) << QPointF(9.5, 10));
      break;
    case Glyph::up: p.drawPolyline(QPolygonF() << QPointF(3.5, 10) << QPointF(8, 5.5) << QPointF(12.5, 10)); break;
    case Glyph::down: p.drawPolyline(QPolygonF() << QPointF(3.5, 6) << QPointF(8, 10.5) << QPointF(12.5, 6)); break;
    case Glyph::close:
      p.drawLine(QPointF(4, 4), QPointF(12, 12));
      p.drawLine(QPointF(12, 4), QPointF(4, 12));
      break;
  }
}

}  // namespace

QIcon glyph_icon(Glyph glyph, ThemeId theme) {
  QIcon icon;
  for (const auto& [mode, token] : {std::pair{QIcon::Normal, Token::text}, std::pair{QIcon::Disabled, Token::disabled}})
    for (const qreal ratio : {1.0, 2.0}) {
      QPixmap pixmap(QSize(16, 16) * ratio);
      pixmap.setDevicePixelRatio(ratio);
      pixmap.fill(Qt::transparent);
      QPainter p(&pixmap);
      p.setRenderHint(QPainter::Antialiasing);
      paint(p, glyph, color(theme, token));
      p.end();
      icon.addPixmap(pixmap, mode);
    }
  return icon;
}

void set_glyph(QAbstractButton* button, Glyph glyph, const Theme& theme) {
  button->setIcon(glyph_icon(glyph, theme.id()));
  QObject::connect(&theme, &Theme::changed, button, [button, glyph, &theme] { button->setIcon(glyph_icon(glyph, theme.id())); });
}

}  // namespace bakery::views
