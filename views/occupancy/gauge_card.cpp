// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/occupancy/gauge_card.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

#include "views/common/qt_text.h"

namespace bakery::views {

namespace {

constexpr int kEdge = 9, kBarHeight = 12;
constexpr Token kPartTokens[] = {Token::working, Token::phase_even, Token::transfer, Token::phase_odd, Token::draining, Token::filling};

}  // namespace

GaugeCard::GaugeCard(const ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
  setMouseTracking(true);
  setFocusPolicy(Qt::TabFocus);
}

void GaugeCard::show_gauge(const Gauge& gauge, bool stale) {
  gauge_ = gauge;
  stale_ = stale;
  setObjectName(QStringLiteral("gauge_") + to_qstring(gauge.id));
  setAccessibleName(to_qstring(gauge.title));
  setAccessibleDescription(to_qstring(gauge.value + ", " + gauge.note));
  QString tip = QStringLiteral("<b>%1</b>: %2<br>%3").arg(to_qstring(gauge.title), to_qstring(gauge.value), to_qstring(gauge.note).toHtmlEscaped());
  for (const GaugePart& part : gauge.parts) tip += QStringLiteral("<br>%1: %2").arg(to_qstring(part.name).toHtmlEscaped()).arg(part.amount);
  if (!gauge.source.empty()) tip += QStringLiteral("<br><i>%1</i>").arg(to_qstring(gauge.source).toHtmlEscaped());
  setToolTip(tip);
  updateGeometry();
  update();
}

QFont GaugeCard::small_font() const {
  QFont small = font();
  small.setPointSizeF(std::max(7.5, font().pointSizeF() - 1));
  return small;
}

QSize GaugeCard::sizeHint() const { return {220, heightForWidth(220)}; }

QSize GaugeCard::minimumSizeHint() const { return {150, heightForWidth(150)}; }

int GaugeCard::heightForWidth(int) const {
  const int small = QFontMetrics(small_font()).height();
  return 2 * kEdge + 2 * small + fontMetrics().height() + kBarHeight + 12;
}

QRectF GaugeCard::bar() const {
  const QFontMetrics small(small_font());
  return {static_cast<double>(kEdge), static_cast<double>(kEdge + small.height() + fontMetrics().height() + 5), width() - 2.0 * kEdge, static_cast<double>(kBarHeight)};
}

QRectF GaugeCard::part_box(size_t index) const {
  const QRectF all = bar();
  const double whole = static_cast<double>(std::max({gauge_.limit, gauge_.used, int64_t{1}}));
  int64_t before = 0;
  for (size_t i = 0; i < index; ++i) before += gauge_.parts[i].amount;
  return {all.left() + all.width() * static_cast<double>(before) / whole, all.top(), all.width() * static_cast<double>(gauge_.parts[index].amount) / whole, all.height()};
}

QPoint GaugeCard::place_of(const std::string& role) const {
  for (size_t i = 0; i < gauge_.parts.size(); ++i)
    if (gauge_.parts[i].role == role) return part_box(i).center().toPoint();
  return {-1, -1};
}

int GaugeCard::part_at(QPointF position) const {
  for (size_t i = 0; i < gauge_.parts.size(); ++i)
    if (!gauge_.parts[i].role.empty() && part_box(i).adjusted(0, -4, 0, 4).contains(position)) return static_cast<int>(i);
  return -1;
}

void GaugeCard::choose(int part) {
  if (part < 0 || stale_ || context_.snapshots.busy()) return;
  current_ = part;
  FocusState state = focus_on_resource(context_.snapshots.shown(), gauge_.parts[static_cast<size_t>(part)].role);
  state.origin = Origin::occupancy;
  if (!state.empty()) context_.focus.set(std::move(state));
}

void GaugeCard::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) choose(part_at(event->position()));
}

void GaugeCard::mouseMoveEvent(QMouseEvent* event) {
  const int part = part_at(event->position());
  if (part == hover_) return;
  hover_ = part;
  setCursor(part >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (part < 0 || stale_) return context_.focus.end_hover();
  FocusState state = focus_on_resource(context_.snapshots.shown(), gauge_.parts[static_cast<size_t>(part)].role);
  state.origin = Origin::occupancy;
  context_.focus.hover(std::move(state));
}

void GaugeCard::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  hover_ = -1;
  context_.focus.end_hover();
}

void GaugeCard::keyPressEvent(QKeyEvent* event) {
  const int direction = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  if (direction == 0 || gauge_.parts.empty()) return QWidget::keyPressEvent(event);
  const int count = static_cast<int>(gauge_.parts.size());
  for (int part = current_ + direction; part >= 0 && part < count; part += direction)
    if (!gauge_.parts[static_cast<size_t>(part)].role.empty()) return choose(part);
}

void GaugeCard::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  update();
}

void GaugeCard::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

void GaugeCard::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setRenderHint(QPainter::Antialiasing);
  const Theme& theme = context_.theme;
  p.setPen(QPen(theme[hasFocus() ? Token::accent : gauge_.wrong ? Token::error : Token::border], hasFocus() || gauge_.wrong ? 1.6 : 1));
  p.setBrush(theme[Token::panel]);
  p.drawRoundedRect(QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5), 6, 6);
  if (stale_) p.setOpacity(0.5);
  const QFont small = small_font();
  QFont bold = font();
  bold.setBold(true);
  const QFontMetrics little(small), large(bold);
  const int room = width() - 2 * kEdge;
  p.setFont(small);
  p.setPen(theme[Token::muted]);
  p.drawText(QRect(kEdge, kEdge, room, little.height()), Qt::AlignVCenter, little.elidedText(to_qstring(gauge_.title), Qt::ElideRight, room));
  p.setFont(bold);
  p.setPen(theme[gauge_.wrong ? Token::error : Token::text]);
  p.drawText(QRect(kEdge, kEdge + little.height(), room, large.height()), Qt::AlignVCenter, large.elidedText(to_qstring(gauge_.value), Qt::ElideRight, room));
  p.setFont(small);
  p.setPen(theme[Token::muted]);
  p.drawText(QRect(kEdge, static_cast<int>(bar().bottom()) + 4, room, little.height()), Qt::AlignVCenter,
             little.elidedText(to_qstring(gauge_.note), Qt::ElideRight, room));
  if (gauge_.limit <= 0 && gauge_.parts.empty()) return;

  const QRectF all = bar();
  p.setRenderHint(QPainter::Antialiasing, false);
  p.fillRect(all, theme[Token::lane_alternate]);
  if (gauge_.parts.empty()) {
    const double share = std::min(1.0, static_cast<double>(gauge_.used) / static_cast<double>(std::max<int64_t>(1, gauge_.limit)));
    p.fillRect(QRectF(all.left(), all.top(), all.width() * share, all.height()), theme[gauge_.wrong ? Token::stuck : Token::working]);
  }
  size_t colour = 0;
  for (size_t i = 0; i < gauge_.parts.size(); ++i) {
    const GaugePart& part = gauge_.parts[i];
    const QRectF box = part_box(i);
    const Token fill = part.role.empty() ? Token::lane_group : kPartTokens[colour++ % std::size(kPartTokens)];
    p.fillRect(box.adjusted(0, 0, -1, 0), theme[gauge_.wrong ? Token::stuck : fill]);
    const QString name = to_qstring(part.name);
    if (little.horizontalAdvance(name) + 4 <= box.width() && little.height() <= kBarHeight + 4) {
      p.setFont(small);
      p.setPen(theme[Token::bar_text]);
      p.drawText(box.adjusted(0, -3, 0, 3), Qt::AlignCenter, name);
    }
    if (!part.lit) continue;
    p.setPen(QPen(theme[Token::lit], 2));
    p.setBrush(Qt::NoBrush);
    p.drawRect(box.adjusted(1, 0, -1, -1));
  }
  p.setPen(QPen(theme[Token::border], 1));
  p.setBrush(Qt::NoBrush);
  p.drawRect(all.adjusted(0, 0, -1, -1));
}

}  // namespace bakery::views
