// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/accessible_timeline.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPointer>

#include <vector>

#include "views/common/qt_text.h"
#include "views/timeline/timeline_canvas.h"

namespace bakery::views {

namespace {

class LaneAccessible : public QAccessibleInterface {
 public:
  LaneAccessible(TimelineCanvas* canvas, uint32_t lane) : canvas_(canvas), lane_(lane) {}

  bool isValid() const override { return canvas_ && lane_ < canvas_->snapshot().timeline->lanes.size(); }
  QObject* object() const override { return nullptr; }
  QAccessibleInterface* parent() const override { return canvas_ ? QAccessible::queryAccessibleInterface(canvas_) : nullptr; }
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QAccessible::Role role() const override { return QAccessible::Row; }
  QRect rect() const override {
    if (!isValid()) return {};
    const QRect row = canvas_->area_of_lane(lane_);
    return row.isNull() ? QRect() : QRect(canvas_->viewport()->mapToGlobal(row.topLeft()), row.size());
  }
  QAccessible::State state() const override {
    QAccessible::State state;
    state.selectable = true;
    state.selected = isValid() && lane_ < canvas_->lighting().lanes.size() && canvas_->lighting().lanes[lane_];
    state.offscreen = isValid() && !canvas_->viewport()->rect().intersects(canvas_->area_of_lane(lane_));
    return state;
  }
  QString text(QAccessible::Text kind) const override {
    if (!isValid()) return {};
    const Lane& lane = canvas_->snapshot().timeline->lanes[lane_];
    if (kind == QAccessible::Name) {
      const char* const kinds[] = {"role", "engine", "barrier", "slot"};
      return QStringLiteral("%1 %2").arg(QLatin1String(kinds[static_cast<size_t>(lane.kind)]), to_qstring(lane.name));
    }
    return kind == QAccessible::Description || kind == QAccessible::Value ? canvas_->lane_summary(lane_) : QString();
  }
  void setText(QAccessible::Text, const QString&) override {}

 private:
  QPointer<TimelineCanvas> canvas_;
  uint32_t lane_;
};

class CanvasAccessible : public QAccessibleWidget {
 public:
  explicit CanvasAccessible(TimelineCanvas* canvas) : QAccessibleWidget(canvas, QAccessible::Table), canvas_(canvas) {}
  ~CanvasAccessible() override {
    for (const QAccessible::Id id : lanes_) QAccessible::deleteAccessibleInterface(id);
  }

  int childCount() const override { return static_cast<int>(shown().size()); }
  QAccessibleInterface* child(int index) const override {
    const std::vector<uint32_t> lanes = shown();
    if (index < 0 || static_cast<size_t>(index) >= lanes.size()) return nullptr;
    const uint32_t lane = lanes[static_cast<size_t>(index)];
    while (lanes_.size() <= lane)
      lanes_.push_back(QAccessible::registerAccessibleInterface(new LaneAccessible(canvas_, static_cast<uint32_t>(lanes_.size()))));
    return QAccessible::accessibleInterface(lanes_[lane]);
  }
  int indexOfChild(const QAccessibleInterface* child) const override {
    for (int i = 0; i < childCount(); ++i)
      if (this->child(i) == child) return i;
    return -1;
  }
  QAccessibleInterface* childAt(int x, int y) const override {
    for (int i = 0; i < childCount(); ++i)
      if (child(i)->rect().contains(x, y)) return child(i);
    return nullptr;
  }
  QString text(QAccessible::Text kind) const override {
    if (kind != QAccessible::Value) return QAccessibleWidget::text(kind);
    const Snapshot& data = canvas_->snapshot();
    const uint32_t event = canvas_->selected_event();
    if (event == kNoEvent) return QStringLiteral("%1 events, none selected").arg(data.timeline->events.size());
    return to_qstring(describe(*data.analysis, *data.timeline, event)).remove(QLatin1Char('`'));
  }

 private:
  std::vector<uint32_t> shown() const {
    std::vector<uint32_t> lanes;
    for (const LaneRow& row : canvas_->layout_rows().rows)
      if (!row.group) lanes.push_back(row.lane);
    return lanes;
  }

  TimelineCanvas* canvas_;
  mutable std::vector<QAccessible::Id> lanes_;
};

QAccessibleInterface* make(const QString&, QObject* object) {
  auto* canvas = qobject_cast<TimelineCanvas*>(object);
  return canvas ? new CanvasAccessible(canvas) : nullptr;
}

}  // namespace

void install_accessible_timeline() {
  static const bool installed = [] {
    QAccessible::installFactory(make);
    return true;
  }();
  static_cast<void>(installed);
}

}  // namespace bakery::views
