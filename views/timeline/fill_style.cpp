// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/fill_style.h"

#include <QPainter>

namespace bakery::views {

Token token_of(Fill fill) {
  switch (fill) {
    case Fill::phase_even: return Token::phase_even;
    case Fill::phase_odd: return Token::phase_odd;
    case Fill::phase_both: return Token::phase_both;
    case Fill::working: return Token::working;
    case Fill::transfer: return Token::transfer;
    case Fill::full: return Token::full;
    case Fill::filling: return Token::filling;
    case Fill::draining: return Token::draining;
    case Fill::in_use: return Token::in_use;
    case Fill::waiting: return Token::waiting;
    case Fill::stuck: return Token::stuck;
    case Fill::count_: break;
  }
  return Token::muted;
}

QPixmap hatch_tile(ThemeId theme, qreal pixel_ratio) {
  constexpr int kSize = 6;
  QPixmap tile(QSize(kSize, kSize) * pixel_ratio);
  tile.setDevicePixelRatio(pixel_ratio);
  tile.fill(Qt::transparent);
  QPainter p(&tile);
  p.setRenderHint(QPainter::Antialiasing);
  QColor ink = color(theme, Token::waiting_hatch);
  ink.setAlphaF(0.75);
  p.setPen(QPen(ink, 1.1));
  for (const int shift : {-kSize, 0, kSize}) p.drawLine(QPointF(shift, kSize), QPointF(shift + kSize, 0));
  return tile;
}

}  // namespace bakery::views
