// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/severity_mark.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>

namespace bakery::views {

SeverityMark mark_of(Severity severity) {
  switch (severity) {
    case Severity::error: return SeverityMark::error;
    case Severity::review: return SeverityMark::review;
    case Severity::hint: return SeverityMark::hint;
  }
  return SeverityMark::hint;
}

Token token_of(SeverityMark mark) {
  switch (mark) {
    case SeverityMark::error: return Token::error;
    case SeverityMark::review: return Token::review;
    case SeverityMark::hint: return Token::hint;
    case SeverityMark::uncovered: return Token::uncovered;
  }
  return Token::muted;
}

QString title_of(SeverityMark mark) {
  switch (mark) {
    case SeverityMark::error: return QCoreApplication::translate("findings", "Errors");
    case SeverityMark::review: return QCoreApplication::translate("findings", "To review");
    case SeverityMark::hint: return QCoreApplication::translate("findings", "Hints");
    case SeverityMark::uncovered: return QCoreApplication::translate("findings", "Not covered");
  }
  return {};
}

QPixmap severity_pixmap(SeverityMark mark, ThemeId theme, int size, qreal pixel_ratio) {
  QPixmap pixmap(QSize(size, size) * pixel_ratio);
  pixmap.setDevicePixelRatio(pixel_ratio);
  pixmap.fill(Qt::transparent);
  QPainter p(&pixmap);
  p.setRenderHint(QPainter::Antialiasing);
  p.scale(size / 16.0, size / 16.0);
  const QColor ink = color(theme, token_of(mark));
  const QColor inner = color(theme, Token::base);
  const QPen stroke(inner, 1.9, Qt::SolidLine, Qt::RoundCap);
  switch (mark) {
    case SeverityMark::error:
      p.setPen(Qt::NoPen);
      p.setBrush(ink);
      p.drawEllipse(QRectF(1, 1, 14, 14));
      p.setPen(stroke);
      p.drawLine(QPointF(5.4, 5.4), QPointF(10.6, 10.6));
      p.drawLine(QPointF(10.6, 5.4), QPointF(5.4, 10.6));
      break;
    case SeverityMark::review: {
      QPainterPath triangle;
      triangle.moveTo(8, 1.6);
      triangle.lineTo(15, 14.2);
      triangle.lineTo(1, 14.2);
      triangle.closeSubpath();
      p.setPen(QPen(ink, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
      p.setBrush(ink);
      p.drawPath(triangle);
      p.setPen(stroke);
      p.drawLine(QPointF(8, 6), QPointF(8, 9.4));
      p.drawPoint(QPointF(8, 12.1));
      break;
    }
    case SeverityMark::hint:
      p.setPen(QPen(ink, 1.6));
      p.setBrush(Qt::NoBrush);
      p.drawEllipse(QRectF(1.8, 1.8, 12.4, 12.4));
      p.setPen(QPen(ink, 1.9, Qt::SolidLine, Qt::RoundCap));
      p.drawLine(QPointF(8, 7.6), QPointF(8, 11.2));
      p.drawPoint(QPointF(8, 4.9));
      break;
    case SeverityMark::uncovered:
      p.setPen(QPen(ink, 1.6, Qt::DotLine, Qt::RoundCap));
      p.setBrush(Qt::NoBrush);
      p.drawEllipse(QRectF(2, 2, 12, 12));
      break;
  }
  return pixmap;
}

QIcon severity_icon(SeverityMark mark, ThemeId theme) {
  QIcon icon;
  for (const qreal ratio : {1.0, 2.0})
    for (const QIcon::Mode mode : {QIcon::Normal, QIcon::Selected}) icon.addPixmap(severity_pixmap(mark, theme, 16, ratio), mode);
  return icon;
}

}  // namespace bakery::views
