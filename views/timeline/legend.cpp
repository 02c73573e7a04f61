// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/legend.h"

#include <QPainter>

#include <vector>

#include "views/timeline/fill_style.h"

namespace bakery::views {

namespace {

enum class Shape { fill, arrival, bytes };

struct Entry {
  Shape shape;
  Fill fill;
  const char* text;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> list = {
      {Shape::fill, Fill::working, "working"},
      {Shape::fill, Fill::waiting, "waiting"},
      {Shape::fill, Fill::stuck, "stuck"},
      {Shape::fill, Fill::transfer, "engine busy"},
      {Shape::fill, Fill::phase_even, "even completion"},
      {Shape::fill, Fill::phase_odd, "odd completion"},
      {Shape::arrival, Fill::working, "arrival n/m"},
      {Shape::bytes, Fill::working, "bytes"},
      {Shape::fill, Fill::filling, "slot filling"},
      {Shape::fill, Fill::full, "full"},
      {Shape::fill, Fill::in_use, "in use"},
      {Shape::fill, Fill::draining, "draining"},
  };
  return list;
}

constexpr int kSwatch = 18;
constexpr int kMargin = 8;

}  // namespace

Legend::Legend(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setObjectName(QStringLiteral("timeline_legend"));
  setAccessibleName(tr("Legend of the timeline"));
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

template <class Place>
int Legend::flow(int width, Place place) const {
  const int line = fontMetrics().height() + 5;
  int x = kMargin, y = 4;
  for (const Entry& entry : entries()) {
    const int needed = kSwatch + 5 + fontMetrics().horizontalAdvance(tr(entry.text)) + 14;
    if (x > kMargin && x + needed - 14 > width - kMargin) {
      x = kMargin;
      y += line;
    }
    place(entry, QRect(x, y, needed, line));
    x += needed;
  }
  return y + line + 3;
}

int Legend::heightForWidth(int width) const {
  return flow(width, [](const Entry&, const QRect&) {});
}

QSize Legend::sizeHint() const {
  const int width = std::max(this->width(), 160);
  return {width, heightForWidth(width)};
}

void Legend::resizeEvent(QResizeEvent*) {
  setFixedHeight(heightForWidth(width()));
}

void Legend::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.fillRect(rect(), theme_[Token::window]);
  const QPixmap hatch = hatch_tile(theme_.id(), devicePixelRatioF());
  flow(width(), [&](const Entry& entry, const QRect& area) {
    const QRectF box(area.left(), area.center().y() - 5, kSwatch, 11);
    p.setRenderHint(QPainter::Antialiasing, entry.shape != Shape::fill);
    if (entry.shape == Shape::fill) {
      p.fillRect(box, theme_[token_of(entry.fill)]);
      if (entry.fill == Fill::waiting || entry.fill == Fill::stuck) p.fillRect(box, QBrush(hatch));
      p.setBrush(Qt::NoBrush);
      if (entry.fill == Fill::stuck) p.setPen(QPen(theme_[Token::error], 2));
      else p.setPen(QPen(theme_[Token::border], 0));
      p.drawRect(entry.fill == Fill::stuck ? box.adjusted(1, 1, -1, -1) : box);
    } else {
      p.setPen(Qt::NoPen);
      p.setBrush(theme_[Token::muted]);
      const QPointF c = box.center();
      if (entry.shape == Shape::bytes) p.drawRect(QRectF(c.x() - 3, c.y() - 3, 6, 6));
      else p.drawPolygon(QPolygonF() << c + QPointF(-4, -3) << c + QPointF(4, -3) << c + QPointF(0, 4));
    }
    p.setPen(theme_[Token::text]);
    p.drawText(area.adjusted(kSwatch + 5, 0, 0, 0), Qt::AlignVCenter, tr(entry.text));
  });
}

}  // namespace bakery::views
