// SPDX-License-Identifier: GPL-3.0-or-later
// How long a frame of the timeline takes while zooming and panning, and a focus to be lit.
#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QFile>
#include <QMouseEvent>

#include <cstdio>

#include "tests/views/synthetic.h"
#include "tests/views/thread_clock.h"
#include "views/findings/findings_view.h"
#include "views/timeline/timeline_canvas.h"

using namespace bakery;
using namespace bakery::views;

namespace {

void measure(int laps, double frame_limit, double light_limit) {
  const auto analysis = synthetic::analysis(synthetic::text(), laps);
  Theme theme;
  Document document;
  Snapshots snapshots;
  Focus focus(snapshots);
  const ViewContext context{document, snapshots, focus, theme};
  TimelineCanvas canvas(context);
  canvas.resize(1600, 900);
  canvas.show();
  ThreadClock clock;
  snapshots.show(synthetic::snapshot(analysis));
  canvas.render_now();
  const double first = clock.milliseconds();

  std::vector<double> frames, lights;
  const auto frame = [&](auto act) {
    clock.restart();
    act();
    canvas.render_now();
    frames.push_back(clock.milliseconds());
  };
  for (int zoom = 0; zoom < 60; ++zoom) frame([&] { canvas.zoom_by(1.2, 500 + zoom); });
  for (int pan = 0; pan < 60; ++pan) frame([&] { canvas.pan_by(37); });
  for (int zoom = 0; zoom < 60; ++zoom) frame([&] { canvas.zoom_by(1 / 1.2, 700 - zoom); });
  const uint32_t count = static_cast<uint32_t>(analysis->timeline.events.size());
  for (uint32_t i = 0; i < 30; ++i) {
    clock.restart();
    FocusState state = focus_on_event(snapshots.shown(), count / 30 * i);
    state.origin = Origin::findings;
    focus.set(std::move(state));
    canvas.render_now();
    lights.push_back(clock.milliseconds());
  }
  std::vector<double> areas, hovers;
  for (int i = 0; i < 20; ++i) {
    Area area{analysis->timeline.end / 40 * i, analysis->timeline.end / 40 * (i + 21), {0, 1, 2, 3, 4, 5}};
    clock.restart();
    canvas.set_area(area);
    static_cast<void>(canvas.area_totals());
    if (i > 0) areas.push_back(clock.milliseconds());  // the first one also numbers the iterations
  }
  canvas.fit_all();
  for (int i = 0; i < 60; ++i) {
    const QPointF at(200 + i * 21, canvas.area_of_lane(static_cast<uint32_t>(i % 6)).center().y());
    clock.restart();
    QMouseEvent move(QEvent::MouseMove, at, canvas.viewport()->mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(canvas.viewport(), &move);
    canvas.render_now();
    hovers.push_back(clock.milliseconds());
  }
  const Timeline& t = analysis->timeline;
  const size_t own = t.events.capacity() * sizeof(TimelineEvent) + t.bars.capacity() * sizeof(Bar) + t.marks.capacity() * sizeof(Mark) +
                     t.edges.capacity() * sizeof(TimelineEdge);
  const double per_event = static_cast<double>(own) / count, index_per_event = static_cast<double>(canvas.memory()) / count;
  const Times a = summary(areas), h = summary(hovers);
  std::printf("timeline: %u events: hover to lit p95 %.2f ms; area totals p95 %.2f ms; %.0f bytes an event, and %.0f of the index\n", count,
              h.p95, a.p95, per_event, index_per_event);
  EXPECT_LT(a.p95, 50);
  EXPECT_LT(h.p95, light_limit);
  EXPECT_LT(index_per_event, 64);
  const Times f = summary(frames), l = summary(lights);
  std::printf("timeline: %u events, %zu bars: frame median %.2f ms, p95 %.2f ms; focus to lit p95 %.2f ms; first picture %.1f ms\n",
              count, analysis->timeline.bars.size(), f.median, f.p95, l.p95, first);
  EXPECT_LT(f.p95, frame_limit);
  EXPECT_LT(l.p95, light_limit);
}

// Over bars, ticks and lane headers of the shipped GEMM, with the findings list beside it.
TEST(TimelineFrames, HoverOnTheGemm) {
  QFile file(QStringLiteral(BAKERY_SOURCE_DIR "/resources/schedules/gemm_bf16_sm90a.cake"));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const std::shared_ptr<const Analysis> analysis = analyse("gemm.cake", file.readAll().toStdString());
  Theme theme;
  Document document;
  Snapshots snapshots;
  Focus focus(snapshots);
  const ViewContext context{document, snapshots, focus, theme};
  TimelineCanvas canvas(context);
  FindingsView findings(context);
  canvas.resize(1600, 900);
  canvas.show();
  findings.resize(700, 400);
  findings.show();
  snapshots.show({analysis, std::shared_ptr<const Timeline>(analysis, &analysis->timeline), analysis->timeline_sample});
  canvas.render_now();
  std::vector<double> times;
  ThreadClock clock;
  size_t lit = 0;
  for (int y = 40; y < 880; y += 23)
    for (int x = 30; x < 1580; x += 61) {
      clock.restart();
      QMouseEvent move(QEvent::MouseMove, QPointF(x, y), canvas.viewport()->mapToGlobal(QPointF(x, y)), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
      QCoreApplication::sendEvent(canvas.viewport(), &move);
      canvas.render_now();
      times.push_back(clock.milliseconds());
      lit += canvas.lighting().any();
    }
  const Times h = summary(times);
  std::printf("timeline: GEMM, %zu events: hover to lit median %.2f ms, p95 %.2f ms\n", analysis->timeline.events.size(), h.median, h.p95);
  EXPECT_GT(lit, times.size() / 3);
  EXPECT_LT(h.p95, 33);
}

// Limits leave room for a busy machine; the goals are 16 ms and 33 ms.
TEST(TimelineFrames, AtTenThousandEvents) { measure(2'500, 33, 33); }
TEST(TimelineFrames, AtAHundredThousandEvents) { measure(25'000, 33, 33); }
TEST(TimelineFrames, AtAMillionEvents) { measure(250'000, 50, 66); }

}  // namespace
