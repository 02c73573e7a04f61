// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_view.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include <functional>

#include "views/common/glyph_icon.h"
#include "views/common/qt_text.h"
#include "views/common/rich_text.h"
#include "views/timeline/legend.h"
#include "views/timeline/timeline_canvas.h"

namespace bakery::views {

TimelineView::TimelineView(const ViewContext& context, QWidget* parent)
    : QWidget(parent), context_(context), canvas_(new TimelineCanvas(context, this)) {
  setObjectName(QStringLiteral("timeline_view"));
  setFocusProxy(canvas_);
  caption_ = new QLabel(this);
  caption_->setObjectName(QStringLiteral("timeline_caption"));
  caption_->setTextFormat(Qt::PlainText);
  caption_->setWordWrap(true);
  selection_ = new QLabel(this);
  selection_->setObjectName(QStringLiteral("timeline_selection"));
  selection_->setTextFormat(Qt::RichText);
  selection_->setWordWrap(true);
  selection_->setTextInteractionFlags(Qt::TextSelectableByMouse);

  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(0);
  const auto button = [&](Glyph glyph, const QString& tip, std::function<void()> act) {
    auto* b = new QToolButton(this);
    set_glyph(b, glyph, context_.theme);
    b->setToolTip(tip);
    b->setAccessibleName(tip);
    b->setFocusPolicy(Qt::TabFocus);
    connect(b, &QToolButton::clicked, this, act);
    buttons->addWidget(b);
  };
  button(Glyph::first, tr("First event (Home)"), [this] { canvas_->step_to_end(false); });
  button(Glyph::back, tr("Step back (J)"), [this] { canvas_->step(-1); });
  button(Glyph::forward, tr("Step forward (K)"), [this] { canvas_->step(1); });
  button(Glyph::last, tr("Last event (End)"), [this] { canvas_->step_to_end(true); });
  button(Glyph::zoom_out, tr("Zoom out (S, Ctrl+wheel)"), [this] { canvas_->zoom_by(1 / 1.25, canvas_->viewport_mapping().width / 2.0); });
  button(Glyph::zoom_in, tr("Zoom in (W, Ctrl+wheel)"), [this] { canvas_->zoom_by(1.25, canvas_->viewport_mapping().width / 2.0); });
  button(Glyph::fit, tr("Show the whole run (0)"), [this] { canvas_->fit_all(); });

  auto* top = new QHBoxLayout;
  top->setContentsMargins(10, 3, 6, 3);
  top->addWidget(caption_, 1);
  top->addLayout(buttons);
  auto* bottom = new QHBoxLayout;
  bottom->setContentsMargins(10, 4, 10, 2);
  bottom->addWidget(selection_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(top);
  layout->addWidget(canvas_, 1);
  layout->addLayout(bottom);
  layout->addWidget(new Legend(context_.theme, this));

  connect(canvas_, &TimelineCanvas::selection_changed, this, &TimelineView::show_selection);
  connect(canvas_, &TimelineCanvas::stale_changed, this, &TimelineView::show_caption);
  connect(&context_.snapshots, &Snapshots::changed, this, &TimelineView::show_caption);
  show_caption();
  show_selection();
}

void TimelineView::show_caption() {
  const Timeline& timeline = *canvas_->snapshot().timeline;
  if (timeline.lanes.empty()) {
    caption_->setText(tr("No run to show"));
    return;
  }
  QString text = tr("Logical run");
  if (!timeline.sample.empty()) text += tr(" with %1").arg(to_qstring(timeline.sample));
  text += tr(" · %L1 events, %L2 steps").arg(timeline.events.size()).arg(timeline.end);
  if (timeline.truncated) text += tr(" · stopped at the event limit");
  if (canvas_->stale()) text = tr("The text can't run as it stands; this is its last run. ") + text;
  caption_->setText(text);
}

void TimelineView::show_selection() {
  const Snapshot& data = canvas_->snapshot();
  const uint32_t event = canvas_->selected_event();
  if (event == kNoEvent) {
    selection_->setText(data.timeline->events.empty() ? QString() : tr("Click an event, or press K to step through the run."));
    return;
  }
  const TimelineEvent& e = data.timeline->events[event];
  selection_->setText(tr("Event %1: %2 · steps %3 to %4")
                          .arg(event)
                          .arg(rich_text(describe(*data.analysis, *data.timeline, event)))
                          .arg(e.begin)
                          .arg(e.end));
}

}  // namespace bakery::views
