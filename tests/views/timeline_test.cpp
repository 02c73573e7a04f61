// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline driven with keys and the mouse, on real schedules.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QMenu>
#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <random>

#include "tests/views/synthetic.h"
#include "views/common/view_requests.h"
#include "views/timeline/events_model.h"
#include "views/timeline/key_sheet.h"
#include "views/timeline/timeline_canvas.h"
#include "views/timeline/timeline_view.h"

using namespace bakery;
using namespace bakery::views;

namespace {

const char* const kGemm = "resources/schedules/gemm_bf16_sm90a.cake";

std::string read(const char* path) {
  QFile file(QStringLiteral(BAKERY_SOURCE_DIR "/") + QLatin1String(path));
  EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path;
  return file.readAll().toStdString();
}

Snapshot real(const char* path) {
  std::shared_ptr<const Analysis> analysis = analyse("test.cake", read(path));
  std::shared_ptr<const Timeline> timeline(analysis, &analysis->timeline);
  return {analysis, timeline, analysis->timeline_sample};
}

// A shown timeline on its own.
struct Window {
  explicit Window(Snapshot snapshot) {
    view.resize(1400, 900);
    view.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view));
    snapshots.show(std::move(snapshot));
    canvas.setFocus();
    QCoreApplication::processEvents();
  }
  void key(int key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(&canvas, static_cast<Qt::Key>(key), modifiers); }
  QPoint at(uint32_t event) {
    const auto place = canvas.place_of_event(event);
    EXPECT_TRUE(place) << event;
    return place.value_or(QPoint());
  }
  int x_of(double time) { return canvas.viewport()->width() - canvas.viewport_mapping().width + static_cast<int>(canvas.viewport_mapping().x(time)); }
  void drag(Qt::MouseButton button, QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mousePress(canvas.viewport(), button, modifiers, from);
    for (int i = 1; i <= 4; ++i) move(from + (to - from) * i / 4, button, modifiers);
    QTest::mouseRelease(canvas.viewport(), button, modifiers, to);
  }
  void move(QPoint to, Qt::MouseButton held = Qt::NoButton, Qt::KeyboardModifiers modifiers = {}) {
    QMouseEvent event(QEvent::MouseMove, QPointF(to), canvas.viewport()->mapToGlobal(QPointF(to)), Qt::NoButton, held, modifiers);
    QCoreApplication::sendEvent(canvas.viewport(), &event);
  }
  const Timeline& timeline() const { return *canvas.snapshot().timeline; }

  Theme theme;
  Document document;
  Snapshots snapshots;
  Focus focus{snapshots};
  ViewContext context{document, snapshots, focus, theme};
  TimelineView view{context};
  TimelineCanvas& canvas = *view.canvas();
};

// ---- areas ----------------------------------------------------------------------------------

// The same totals step by step.
AreaTotals by_hand(const Snapshot& s, const Area& area) {
  const Timeline& t = *s.timeline;
  AreaTotals totals;
  std::map<std::string, int64_t> waits, roles;
  std::set<std::string> iterations;
  bool engines = false;
  for (const uint32_t l : area.lanes) engines |= t.lanes[l].kind == LaneKind::engine;
  std::vector<int64_t> busy(t.lanes.size(), 0);
  for (int64_t now = area.begin; now < area.end; ++now) {
    bool engine = false, role = false;
    for (const uint32_t l : area.lanes) {
      const Lane& lane = t.lanes[l];
      for (uint32_t b = lane.first_bar; b < lane.first_bar + lane.bar_count; ++b) {
        const Bar& bar = t.bars[b];
        if (bar.begin > now || bar.end <= now) continue;
        if (lane.kind == LaneKind::engine) {
          engine = true;
          ++busy[l];
        } else if (lane.kind == LaneKind::role) {
          const TimelineEvent& event = t.events[bar.event];
          std::string key;
          for (const LoopValue& v : t.iterations[event.iteration]) key += v.name + std::to_string(v.value) + " ";
          if (!key.empty()) iterations.insert(key);
          if (bar.state == BarState::working) {
            role = true;
            ++busy[l];
          } else {
            ++waits[event.barrier >= 0 ? s.analysis->schedule.barriers[event.barrier].name : "groups and meetings"];
            ++roles[lane.name];
          }
        }
      }
    }
    totals.engine_busy += engine;
    totals.overlapped += engine && role;
  }
  for (const uint32_t l : area.lanes) {
    const Lane& lane = t.lanes[l];
    if (lane.kind == LaneKind::role || lane.kind == LaneKind::engine) totals.busy.push_back({lane.name, busy[l]});
    for (uint32_t m = lane.first_mark; m < lane.first_mark + lane.mark_count && !engines; ++m)
      if (t.marks[m].time >= area.begin && t.marks[m].time < area.end) totals.bytes += t.marks[m].bytes;
    for (uint32_t b = lane.first_bar; b < lane.first_bar + lane.bar_count && lane.kind == LaneKind::engine; ++b) {
      const Bar& bar = t.bars[b];
      const TimelineEvent& event = t.events[bar.event];
      const bool copies = s.analysis->schedule.ops[event.op].param != kNone;
      if (copies && bar.begin < area.end && bar.end > area.begin && bar.end <= area.end)
        totals.bytes += s.analysis->schedule.views[event.slot_view].stage_bytes();
    }
  }
  for (const auto& [name, steps] : roles) totals.wait_by_role.push_back({name, steps});
  for (const auto& [name, steps] : waits) totals.wait_by_barrier.push_back({name, steps});
  totals.iterations = iterations.size();
  return totals;
}

std::map<std::string, int64_t> sorted(const std::vector<AreaTotals::Named>& items) {
  std::map<std::string, int64_t> map;
  for (const auto& item : items) map[item.name] = item.steps;
  return map;
}

TEST(TimelineArea, TotalsEqualABruteForceSum) {
  const Snapshot s = real(kGemm);
  const Iterations iterations = number_iterations(*s.timeline);
  std::mt19937 random(7);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  bool overlapped = false, waited = false, moved = false;
  for (int round = 0; round < 60; ++round) {
    Area area{below(s.timeline->end), 0, {}};
    area.end = area.begin + 1 + below(round % 3 == 0 ? s.timeline->end : 40);
    for (uint32_t l = 0; l < s.timeline->lanes.size(); ++l)
      if (round < 5 || random() % 2 == 0) area.lanes.push_back(l);
    const AreaTotals got = total(s, iterations, area), want = by_hand(s, area);
    EXPECT_EQ(sorted(got.busy), sorted(want.busy)) << round;
    EXPECT_EQ(sorted(got.wait_by_barrier), sorted(want.wait_by_barrier)) << round;
    EXPECT_EQ(sorted(got.wait_by_role), sorted(want.wait_by_role)) << round;
    EXPECT_EQ(got.engine_busy, want.engine_busy) << round;
    EXPECT_EQ(got.overlapped, want.overlapped) << round;
    EXPECT_EQ(got.bytes, want.bytes) << round;
    EXPECT_EQ(got.iterations, want.iterations) << round;
    overlapped |= got.overlapped > 0;
    waited |= !got.wait_by_barrier.empty();
    moved |= got.bytes > 0;
  }
  EXPECT_TRUE(overlapped && waited && moved);
}

TEST(TimelineArea, ADragOnTheRulerTakesAllLanesAndAClickTakesItAway) {
  Window w(real(kGemm));
  w.drag(Qt::LeftButton, {w.x_of(10), 8}, {w.x_of(60), 8});
  ASSERT_TRUE(w.canvas.area());
  EXPECT_NEAR(static_cast<double>(w.canvas.area()->begin), 10, 1);
  EXPECT_NEAR(static_cast<double>(w.canvas.area()->end), 60, 1);
  EXPECT_EQ(w.canvas.area()->lanes.size(), w.timeline().lanes.size());
  EXPECT_TRUE(w.view.totals()->isVisible());
  EXPECT_TRUE(w.view.totals()->text().contains("bytes")) << w.view.totals()->text().toStdString();
  QTest::mouseClick(w.canvas.viewport(), Qt::LeftButton, {}, {w.x_of(100), 8});
  EXPECT_FALSE(w.canvas.area());
  EXPECT_FALSE(w.view.totals()->isVisible());
}

TEST(TimelineArea, ADragOverLanesTakesThoseLanes) {
  Window w(real(kGemm));
  const QRect first = w.canvas.area_of_lane(0), second = w.canvas.area_of_lane(1);
  w.drag(Qt::LeftButton, {w.x_of(20), first.center().y()}, {w.x_of(90), second.center().y()});
  ASSERT_TRUE(w.canvas.area());
  EXPECT_EQ(w.canvas.area()->lanes, (std::vector<uint32_t>{0, 1}));
  w.key(Qt::Key_Escape);
  EXPECT_FALSE(w.canvas.area());
}

TEST(TimelineArea, RTakesTheSelection) {
  Window w(real(kGemm));
  w.key(Qt::Key_R);
  EXPECT_FALSE(w.canvas.area());
  w.canvas.choose(5);
  w.key(Qt::Key_R);
  ASSERT_TRUE(w.canvas.area());
  EXPECT_EQ(w.canvas.area()->begin, w.timeline().events[5].begin);
  EXPECT_EQ(w.canvas.area()->end, std::max(w.timeline().events[5].end, w.timeline().events[5].begin + 1));
}

TEST(TimelineMeasure, RightAndShiftDragsMeasure) {
  for (const bool right : {true, false}) {
    Window w(real(kGemm));
    const int y = w.canvas.area_of_lane(2).center().y();
    w.drag(right ? Qt::RightButton : Qt::LeftButton, {w.x_of(10), y}, {w.x_of(70), y}, right ? Qt::NoModifier : Qt::ShiftModifier);
    ASSERT_TRUE(w.canvas.measure());
    EXPECT_FALSE(w.canvas.area());
    EXPECT_NEAR(w.canvas.measure()->from, 10, 1);
    EXPECT_NEAR(w.canvas.measure()->to, 70, 1);
    const QString text = w.canvas.measure_text();
    EXPECT_TRUE(text.contains("iterations")) << text.toStdString();
    EXPECT_TRUE(text.contains(QString::number(std::llround(w.canvas.measure()->to - w.canvas.measure()->from))));
    w.key(Qt::Key_Escape);
    EXPECT_FALSE(w.canvas.measure());
  }
}

TEST(TimelinePan, SpaceDragPansAndSelectsNothing) {
  Window w(real(kGemm));
  w.key(Qt::Key_W);
  w.key(Qt::Key_W);
  const double before = w.canvas.viewport_mapping().begin;
  QTest::keyPress(&w.canvas, Qt::Key_Space);
  w.drag(Qt::LeftButton, {700, 100}, {500, 100});
  QTest::keyRelease(&w.canvas, Qt::Key_Space);
  EXPECT_GT(w.canvas.viewport_mapping().begin, before);
  EXPECT_FALSE(w.canvas.area());
  EXPECT_TRUE(w.focus.state().empty());
}

// ---- hover ----------------------------------------------------------------------------------

TEST(TimelineHover, LightsWithoutSelectingAndEndsOutside) {
  Window w(real(kGemm));
  w.canvas.choose(3);
  const FocusState chosen = w.focus.state();
  uint32_t other = 12;
  w.move(w.at(other));
  EXPECT_EQ(w.focus.lit().role.empty(), false);
  EXPECT_FALSE(w.focus.lit() == chosen);
  EXPECT_EQ(w.focus.state(), chosen);
  EXPECT_EQ(w.canvas.selected_event(), 3u);
  EXPECT_EQ(w.canvas.lighting().event, w.focus.lit().event);
  QEvent leave(QEvent::Leave);
  QCoreApplication::sendEvent(w.canvas.viewport(), &leave);
  EXPECT_EQ(w.focus.lit(), chosen);
  EXPECT_EQ(w.canvas.lighting().event, 3u);
}

TEST(TimelineHover, AnotherViewsHoverLightsHere) {
  Window w(real(kGemm));
  w.focus.hover(focus_on_resource(w.canvas.snapshot(), "empty", 1));
  size_t lanes = 0;
  for (size_t l = 0; l < w.canvas.lighting().lanes.size(); ++l)
    if (w.canvas.lighting().lanes[l]) {
      ++lanes;
      EXPECT_EQ(w.timeline().lanes[l].name, "empty[1]");
    }
  EXPECT_EQ(lanes, 1u);
}

// ---- filter and iterations --------------------------------------------------------------------

size_t bright(const Window& w) { return static_cast<size_t>(std::count(w.canvas.matches().begin(), w.canvas.matches().end(), 1)); }

TEST(TimelineFilter, TermsAreWhatTheySay) {
  Window w(real(kGemm));
  const Schedule& schedule = w.canvas.snapshot().analysis->schedule;
  const auto expect = [&](const char* text, auto holds) {
    w.canvas.set_filter(QLatin1String(text));
    EXPECT_EQ(w.canvas.filter_answer(), QString()) << text;
    size_t some = 0;
    for (size_t e = 0; e < w.timeline().events.size(); ++e) {
      EXPECT_EQ(w.canvas.matches()[e] != 0, holds(w.timeline().events[e])) << text << " event " << e;
      some += w.canvas.matches()[e];
    }
    EXPECT_GT(some, 0u) << text;
    EXPECT_LT(some, w.timeline().events.size()) << text;
  };
  const auto role = [&](const TimelineEvent& e) { return schedule.roles[e.role].name; };
  const auto barrier = [&](const TimelineEvent& e) { return e.barrier < 0 ? "" : schedule.barriers[e.barrier].name; };
  expect("role:load", [&](const TimelineEvent& e) { return role(e) == "load"; });
  expect("barrier:full[2]", [&](const TimelineEvent& e) { return barrier(e) == "full" && e.stage == 2; });
  expect("role:mma barrier:full stage:1", [&](const TimelineEvent& e) { return role(e) == "mma" && barrier(e) == "full" && e.stage == 1; });
  expect("phase:1", [&](const TimelineEvent& e) { return e.barrier >= 0 && e.completion % 2 == 1; });
  expect("op:tma_load", [&](const TimelineEvent& e) { return schedule.ops[e.op].code == OpCode::tma_load; });
  std::map<uint32_t, int64_t> waits;
  for (const Bar& bar : w.timeline().bars)
    if (bar.state == BarState::waiting) waits[bar.event] += bar.end - bar.begin;
  expect("wait>6", [&](const TimelineEvent& e) { return waits[static_cast<uint32_t>(&e - w.timeline().events.data())] > 6; });
  expect("k:1", [&](const TimelineEvent& e) {
    for (const LoopValue& v : w.timeline().iterations[e.iteration])
      if (v.name == "k" && v.value == 1) return true;
    return false;
  });
  expect("TMA_Store", [&](const TimelineEvent& e) { return schedule.ops[e.op].code == OpCode::tma_store; });
  w.canvas.set_filter("");
  EXPECT_EQ(w.canvas.filter_answer(), QString());
  EXPECT_FALSE(w.canvas.filtering());
}

TEST(TimelineFilter, LanesWithoutAMatchAreLeftOut) {
  Window w(real(kGemm));
  w.canvas.set_filter("barrier:full[2] role:load");
  for (const LaneRow& row : w.canvas.layout_rows().rows) {
    if (row.group) continue;
    const std::string& name = w.timeline().lanes[row.lane].name;
    EXPECT_TRUE(name == "load" || name == "TMA load" || name == "full[2]" || name == "a_s[2]" || name == "b_s[2]") << name;
  }
  EXPECT_GE(w.canvas.layout_rows().rows.size(), 4u);
}

TEST(TimelineFilter, ErrorsAreToldAndChangeNothing) {
  Window w(real(kGemm));
  w.canvas.set_filter("role:load");
  const size_t before = bright(w);
  for (const char* text : {"colour:red", "stage:two", "phase:2", "wait>", "role>load", "stage:99999999999999999999"}) {
    w.canvas.set_filter(QLatin1String(text));
    EXPECT_FALSE(w.canvas.filter_answer().isEmpty()) << text;
    EXPECT_EQ(bright(w), before) << text;
  }
  w.canvas.set_filter("nothinglikethis");
  EXPECT_TRUE(w.canvas.filter_answer().contains("No event"));
}

TEST(TimelineFilter, IsMatchedOnceForEachNewRun) {
  const Snapshot snapshot = real(kGemm);
  Window w(snapshot);
  w.view.filter()->setText("role:load");
  const size_t before = bright(w);
  int times = 0;
  QObject::connect(&w.canvas, &TimelineCanvas::filter_changed, [&] { ++times; });
  auto again = std::make_shared<Analysis>(*snapshot.analysis);
  w.snapshots.show({again, std::shared_ptr<const Timeline>(again, &again->timeline), snapshot.sample});
  EXPECT_EQ(times, 1);
  EXPECT_EQ(bright(w), before);
  // A loop that the next text has not is told of, and comes back with it.
  w.view.filter()->setText("k:1");
  auto* answer = w.view.findChild<QLabel*>("timeline_filter_answer");
  EXPECT_EQ(answer->text(), QString());
  w.snapshots.show(real("tests/corpus/rules/SAFE-001/bad_cycle.cake"));
  EXPECT_NE(answer->text(), QString());
  w.snapshots.show(snapshot);
  EXPECT_EQ(answer->text(), QString());
  EXPECT_TRUE(w.canvas.filtering());
}

TEST(TimelineFilter, SlashOpensItAndEscapeClosesIt) {
  Window w(real(kGemm));
  EXPECT_FALSE(w.view.filter()->isVisible());
  w.key(Qt::Key_Slash);
  EXPECT_TRUE(w.view.filter()->isVisible());
  QTest::keyClicks(w.view.filter(), "role:mma");
  EXPECT_TRUE(w.canvas.filtering());
  QTest::keyClicks(w.view.filter(), " bogus:1");
  EXPECT_TRUE(w.view.findChild<QLabel*>("timeline_filter_answer")->text().contains("bogus"));
  QTest::keyClick(w.view.filter(), Qt::Key_Escape);
  EXPECT_FALSE(w.view.filter()->isVisible());
  EXPECT_FALSE(w.canvas.filtering());
}

TEST(TimelineIterations, EIsolatesOneAndPagesGoOn) {
  Window w(real(kGemm));
  uint32_t inside = 0;
  while (w.timeline().iterations[w.timeline().events[inside].iteration].size() < 3) ++inside;
  w.canvas.choose(inside);
  w.key(Qt::Key_E);
  ASSERT_TRUE(w.canvas.isolated());
  const auto first = *w.canvas.isolated();
  for (size_t e = 0; e < w.timeline().events.size(); ++e)
    EXPECT_EQ(w.canvas.matches()[e] != 0, within(w.timeline().iterations[w.timeline().events[e].iteration], first)) << e;
  w.key(Qt::Key_PageDown);
  ASSERT_TRUE(w.canvas.isolated());
  EXPECT_NE(to_text(*w.canvas.isolated()), to_text(first));
  w.key(Qt::Key_PageUp);
  EXPECT_EQ(to_text(*w.canvas.isolated()), to_text(first));
  w.key(Qt::Key_E);
  EXPECT_FALSE(w.canvas.filtering());
}

TEST(TimelineWaits, GreaterAndLessGoToLongWaits) {
  Window w(real(kGemm));
  w.canvas.set_wait_threshold(6);
  std::vector<uint32_t> found;
  for (int i = 0; i < 400; ++i) {
    w.key(Qt::Key_Greater, Qt::ShiftModifier);
    if (!found.empty() && found.back() == w.canvas.selected_event()) break;
    found.push_back(w.canvas.selected_event());
  }
  size_t expected = 0;
  std::set<uint32_t> seen;
  for (const Lane& lane : w.timeline().lanes)
    for (uint32_t b = lane.first_bar; lane.kind == LaneKind::role && b < lane.first_bar + lane.bar_count; ++b) {
      const Bar& bar = w.timeline().bars[b];
      expected += bar.state == BarState::waiting && bar.end - bar.begin >= 6 && seen.insert(bar.event).second;
    }
  EXPECT_GT(expected, 2u);
  EXPECT_EQ(found.size(), expected);
  w.key(Qt::Key_Less, Qt::ShiftModifier);
  EXPECT_EQ(w.canvas.selected_event(), found[found.size() - 2]);
}

// ---- markers, places, lanes -------------------------------------------------------------------

TEST(TimelineMarkers, AreSetNotedAndTakenAway) {
  Window w(real(kGemm));
  w.move({w.x_of(50), 60});
  w.key(Qt::Key_M);
  ASSERT_EQ(w.canvas.marks().markers.size(), 1u);
  EXPECT_NEAR(static_cast<double>(w.canvas.marks().markers[0].begin), 50, 1);
  w.canvas.choose(20);
  w.key(Qt::Key_M, Qt::ShiftModifier);
  auto* note = w.view.findChild<QLineEdit*>("timeline_note");
  ASSERT_TRUE(note->isVisible());
  QTest::keyClicks(note, "second lap");
  QTest::keyClick(note, Qt::Key_Return);
  ASSERT_EQ(w.canvas.marks().markers.size(), 2u);
  const auto noted = std::find_if(w.canvas.marks().markers.begin(), w.canvas.marks().markers.end(), [](const Marker& m) { return m.note == "second lap"; });
  ASSERT_NE(noted, w.canvas.marks().markers.end());
  EXPECT_EQ(noted->begin, w.timeline().events[20].begin);
  w.move({w.x_of(50), 60});
  w.key(Qt::Key_Delete);
  ASSERT_EQ(w.canvas.marks().markers.size(), 1u);
  EXPECT_EQ(w.canvas.marks().markers[0].note, "second lap");
}

TEST(TimelinePlaces, DigitsBringPlaceAndZoomBack) {
  Window w(real(kGemm));
  for (int i = 0; i < 4; ++i) w.key(Qt::Key_W);
  w.key(Qt::Key_D);
  const Viewport kept = w.canvas.viewport_mapping();
  w.key(Qt::Key_3, Qt::ControlModifier | Qt::ShiftModifier);
  w.key(Qt::Key_0);
  EXPECT_NE(w.canvas.viewport_mapping().steps_per_pixel, kept.steps_per_pixel);
  w.key(Qt::Key_3);
  EXPECT_DOUBLE_EQ(w.canvas.viewport_mapping().steps_per_pixel, kept.steps_per_pixel);
  EXPECT_NEAR(w.canvas.viewport_mapping().begin, kept.begin, 1e-9);
  w.key(Qt::Key_Backspace);
  EXPECT_NE(w.canvas.viewport_mapping().steps_per_pixel, kept.steps_per_pixel);
}

QAction* entry(QMenu& menu, const char* title) {
  for (QAction* action : menu.actions())
    if (QString(action->text()).remove('&').startsWith(QLatin1String(title))) return action;
  return nullptr;
}

TEST(TimelineLanes, AreArrangedUndoneAndKeptWithTheFile) {
  QTemporaryDir folder;
  qputenv("BAKERY_HOME", folder.path().toUtf8());
  QFile file(folder.filePath("a.cake"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(QByteArray::fromStdString(read(kGemm)));
  file.close();
  const Snapshot snapshot = real(kGemm);
  {
    Window w(snapshot);
    ASSERT_EQ(w.document.open(file.fileName()), QString());
    const auto lane = [&](const char* name) {
      for (uint32_t l = 0; l < w.timeline().lanes.size(); ++l)
        if (w.timeline().lanes[l].name == name) return l;
      return UINT32_MAX;
    };
    const auto use = [&](const char* name, const char* title) {
      QMenu menu;
      w.canvas.fill_lane_menu(&menu, lane(name));
      ASSERT_TRUE(entry(menu, title)) << title;
      entry(menu, title)->trigger();
    };
    const LaneLayout before = w.canvas.layout_rows();
    use("empty[1]", "Pin");
    EXPECT_EQ(w.canvas.layout_rows().rows[1].lane, lane("empty[1]"));
    EXPECT_TRUE(w.canvas.layout_rows().rows[1].pinned);
    use("empty[1]", "Height 4x");
    EXPECT_EQ(w.canvas.layout_rows().rows[1].unit, 4 * before.of_lane(lane("empty[1]"))->unit);
    use("full[0]", "Hide");
    EXPECT_FALSE(w.canvas.layout_rows().of_lane(lane("full[0]")));
    use("full[2]", "Move up");
    EXPECT_LT(w.canvas.layout_rows().of_lane(lane("full[2]"))->y, w.canvas.layout_rows().of_lane(lane("full[1]"))->y);
    w.key(Qt::Key_U);
    EXPECT_GT(w.canvas.layout_rows().of_lane(lane("full[2]"))->y, w.canvas.layout_rows().of_lane(lane("full[1]"))->y);
    w.key(Qt::Key_U, Qt::ShiftModifier);
    EXPECT_LT(w.canvas.layout_rows().of_lane(lane("full[2]"))->y, w.canvas.layout_rows().of_lane(lane("full[1]"))->y);
    w.canvas.add_marker({12, 34, "kept"});
  }
  {
    Window w(snapshot);
    ASSERT_EQ(w.document.open(file.fileName()), QString());
    EXPECT_EQ(w.canvas.marks().lanes.pinned, std::set<std::string>{"empty[1]"});
    EXPECT_EQ(w.canvas.marks().lanes.hidden, std::set<std::string>{"full[0]"});
    ASSERT_EQ(w.canvas.marks().markers.size(), 1u);
    EXPECT_EQ(w.canvas.marks().markers[0], (Marker{12, 34, "kept"}));
    QMenu menu;
    w.canvas.fill_lane_menu(&menu, 0);
    entry(menu, "Show all")->trigger();
    EXPECT_TRUE(w.canvas.marks().lanes.hidden.empty());
    entry(menu, "Reset")->trigger();
    EXPECT_EQ(w.canvas.marks().lanes, LaneArrangement{});
  }
}

TEST(TimelineMarks, GoWithTheTextToItsNewName) {
  QTemporaryDir folder;
  qputenv("BAKERY_HOME", folder.path().toUtf8());
  const QString first = folder.filePath("a.cake"), second = folder.filePath("b.cake");
  Window w(real(kGemm));
  w.document.start_new();
  w.canvas.add_marker({3, -1, "before the first save"});
  ASSERT_EQ(w.document.save_as(first), QString());
  ASSERT_EQ(w.canvas.marks().markers.size(), 1u);
  EXPECT_EQ(load_marks(first).markers, w.canvas.marks().markers);
  w.canvas.add_marker({9, 12, "in the first file"});
  ASSERT_EQ(w.document.save_as(second), QString());
  EXPECT_EQ(w.canvas.marks().markers.size(), 2u);
  w.canvas.remove_marker(0);
  EXPECT_EQ(load_marks(first).markers.size(), 2u);
  EXPECT_EQ(load_marks(second).markers.size(), 1u);
  ASSERT_EQ(w.document.open(first), QString());
  EXPECT_EQ(w.canvas.marks().markers.size(), 2u);
  w.document.start_new();
  EXPECT_TRUE(w.canvas.marks().markers.empty());
}

// ---- replay -----------------------------------------------------------------------------------

void replay_to_the_end(Window& w) {
  w.key(Qt::Key_R, Qt::ShiftModifier);
  ASSERT_TRUE(w.canvas.replay());
  const Replay& replay = *w.canvas.replay();
  EXPECT_EQ(w.canvas.replay_step() + 1, replay.steps.size()) << "begins where it ends";
  w.key(Qt::Key_Home);
  for (size_t i = 0; i + 1 < replay.steps.size(); ++i) {
    EXPECT_EQ(w.canvas.replay_step(), i);
    EXPECT_EQ(w.canvas.selected_event(), replay.steps[i].event);
    EXPECT_TRUE(w.view.banner()->text().contains(QStringLiteral("step %1 of %2").arg(i + 1).arg(replay.steps.size())))
        << w.view.banner()->text().toStdString();
    w.key(Qt::Key_K);
  }
  EXPECT_EQ(w.canvas.replay_step() + 1, replay.steps.size());
  w.key(Qt::Key_K);
  EXPECT_EQ(w.canvas.replay_step() + 1, replay.steps.size());
}

TEST(TimelineReplay, StepsThroughTheWitnessOnly) {
  Window w(real("tests/fixtures/gemm_missing_arrive.cake"));
  replay_to_the_end(w);
  ASSERT_TRUE(w.canvas.replay());
  const Replay& replay = *w.canvas.replay();
  EXPECT_GE(replay.steps.size(), 4u);
  EXPECT_TRUE(replay.steps.back().blocked);
  EXPECT_TRUE(w.timeline().events[w.canvas.selected_event()].blocked);
  EXPECT_TRUE(w.view.banner()->isVisible());
  EXPECT_TRUE(w.view.banner()->text().contains("SCHED-003"));
  EXPECT_TRUE(w.canvas.place_of_event(w.canvas.selected_event())) << "the blocked wait is in sight";
  w.key(Qt::Key_J);
  EXPECT_EQ(w.canvas.replay_step() + 2, replay.steps.size());
  w.key(Qt::Key_Home);
  EXPECT_EQ(w.canvas.replay_step(), 0u);
  w.key(Qt::Key_Escape);
  EXPECT_FALSE(w.canvas.replay());
  EXPECT_FALSE(w.view.banner()->isVisible());
}

TEST(TimelineReplay, DrawsTheCycle) {
  Window w(real("tests/corpus/rules/SAFE-001/bad_ring_too_shallow.cake"));
  replay_to_the_end(w);
  ASSERT_TRUE(w.canvas.replay());
  EXPECT_GE(w.canvas.replay()->graph.cycle.size(), 2u);
  const QImage with = w.canvas.viewport()->grab().toImage();
  w.canvas.leave_replay();
  const QImage without = w.canvas.viewport()->grab().toImage();
  // The same selection with and without the replay: the arrows and the frames of their texts are red.
  const auto red = [&](const QImage& image) {
    const QColor ink = w.theme[Token::error];
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x) count += image.pixelColor(x, y) == ink;
    return count;
  };
  EXPECT_GT(red(with), red(without) + 300);
}

TEST(TimelineReplay, OfARaceShowsBothAccesses) {
  Window w(real("tests/corpus/bugs/bad_B036_wait_missing.cake"));
  const auto& findings = w.canvas.snapshot().analysis->findings;
  int race = -1;
  for (size_t i = 0; i < findings.size(); ++i)
    if (findings[i].declared == "no order between the two" && race < 0) race = static_cast<int>(i);
  ASSERT_GE(race, 0);
  ViewRequests::of(w.focus).replay(race);
  ASSERT_TRUE(QTest::qWaitFor([&] { return w.canvas.replay() != nullptr; }, 5000));
  EXPECT_LT(w.canvas.replay()->first_access, w.timeline().events.size());
  EXPECT_LT(w.canvas.replay()->second_access, w.timeline().events.size());
  EXPECT_EQ(w.focus.state().finding, race);
}

TEST(TimelineReplay, WithoutARunSaysSo) {
  Window w(real(kGemm));
  w.key(Qt::Key_R, Qt::ShiftModifier);
  EXPECT_FALSE(w.canvas.replay());
  EXPECT_TRUE(w.view.findChild<QLabel*>("timeline_selection")->text().contains("no run to replay"));
}

TEST(TimelineReplay, ANewTextEndsIt) {
  Window w(real("tests/fixtures/gemm_missing_arrive.cake"));
  w.key(Qt::Key_R, Qt::ShiftModifier);
  ASSERT_TRUE(w.canvas.replay());
  w.snapshots.show(real(kGemm));
  EXPECT_FALSE(w.canvas.replay());
}

TEST(TimelineReplay, ANewTextForgetsTheOneThatWaitsForItsRun) {
  auto first = std::make_shared<Analysis>(*real("tests/fixtures/gemm_missing_arrive.cake").analysis);
  const auto at = std::find_if(first->findings.begin(), first->findings.end(), replayable);
  ASSERT_NE(at, first->findings.end());
  const int sample = at->sample;
  at->sample = sample + 1;  // of a run that is not shown
  const int finding = static_cast<int>(at - first->findings.begin());
  Window w({first, std::shared_ptr<const Timeline>(first, &first->timeline), sample});
  ViewRequests::of(w.focus).replay(finding);
  ASSERT_FALSE(w.canvas.replay());
  auto second = std::make_shared<Analysis>(*analyse("test.cake", read("tests/fixtures/gemm_missing_arrive.cake") + "\n# another text\n"));
  ASSERT_LT(static_cast<size_t>(finding), second->findings.size());
  ASSERT_EQ(second->findings[static_cast<size_t>(finding)].sample, second->timeline_sample);
  w.snapshots.show({second, std::shared_ptr<const Timeline>(second, &second->timeline), second->timeline_sample});
  EXPECT_FALSE(w.canvas.replay());
}

TEST(TimelineReplay, AndAnAreaOutliveTheFixesThatComeLater) {
  const Snapshot first = real("tests/fixtures/gemm_missing_arrive.cake");
  Window w(first);
  w.key(Qt::Key_R, Qt::ShiftModifier);
  w.key(Qt::Key_Home);
  w.key(Qt::Key_K);
  w.canvas.set_area(Area{3, 9, {0}});
  auto again = std::make_shared<Analysis>(*first.analysis);
  w.snapshots.show({again, std::shared_ptr<const Timeline>(again, &again->timeline), first.sample});
  ASSERT_TRUE(w.canvas.replay());
  EXPECT_EQ(w.canvas.replay_step(), 1u);
  EXPECT_TRUE(w.canvas.area());
}

TEST(TimelinePlay, PlaysAndStops) {
  Window w(real(kGemm));
  w.canvas.set_speed(10);
  w.key(Qt::Key_P);
  EXPECT_TRUE(w.canvas.playing());
  ASSERT_TRUE(QTest::qWaitFor([&] { return w.canvas.selected_event() != kNoEvent && w.canvas.selected_event() >= 2; }, 5000));
  w.key(Qt::Key_P);
  EXPECT_FALSE(w.canvas.playing());
}

// ---- table, keys, assistive tools ---------------------------------------------------------------

TEST(TimelineTable, IsTheSameEventsAndTheSameSelection) {
  Window w(real(kGemm));
  EXPECT_FALSE(w.view.table()->isVisible());
  w.key(Qt::Key_T);
  ASSERT_TRUE(w.view.table()->isVisible());
  EventsModel& model = *w.view.events();
  ASSERT_EQ(model.rowCount(), static_cast<int>(w.timeline().events.size()));
  w.canvas.choose(7);
  EXPECT_EQ(w.view.table()->currentIndex().row(), 7);
  w.view.table()->setCurrentIndex(model.index(15, 2));
  EXPECT_EQ(w.canvas.selected_event(), 15u);
  EXPECT_EQ(w.focus.state().event, 15u);
  const auto cell = [&](int row, EventsModel::Column column) { return model.index(row, column).data().toString(); };
  const TimelineEvent& e = w.timeline().events[15];
  EXPECT_EQ(cell(15, EventsModel::begin_column).toLongLong(), e.begin);
  EXPECT_EQ(cell(15, EventsModel::line_column).toUInt(), w.canvas.snapshot().analysis->source.position(e.span.begin).line);
  w.canvas.set_filter("role:mma");
  EXPECT_EQ(model.rowCount(), static_cast<int>(bright(w)));
  EXPECT_TRUE(cell(0, EventsModel::lane_column).startsWith("mma"));
  w.view.table()->selectAll();
  QTest::keyClick(w.view.table(), Qt::Key_C, Qt::ControlModifier);
  const QString copied = QApplication::clipboard()->text();
  EXPECT_EQ(copied.count('\n'), model.rowCount() + 1);
  EXPECT_TRUE(copied.startsWith("#\tRole\tEvent"));
  QTest::keyClick(w.view.table(), Qt::Key_T);
  EXPECT_FALSE(w.view.table()->isVisible());
}

TEST(TimelineTable, KeepsTheRulesOfModels) {
  EventsModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  const Snapshot s = synthetic::snapshot(synthetic::analysis(synthetic::text(), 20, true));
  model.show(s, {});
  std::vector<uint8_t> some(s.timeline->events.size(), 0);
  some[3] = some[9] = 1;
  model.show(s, some);
  EXPECT_EQ(model.rowCount(), 2);
  EXPECT_EQ(model.row_of(9), 1);
  EXPECT_EQ(model.row_of(8), -1);
  EXPECT_EQ(model.event_at(2), UINT32_MAX);
}

TEST(TimelineKeys, TheSheetOpensWithEveryKey) {
  Window w(real(kGemm));
  w.key(Qt::Key_Question, Qt::ShiftModifier);
  auto* sheet = w.view.findChild<KeySheet*>();
  ASSERT_TRUE(sheet);
  EXPECT_TRUE(sheet->isVisible());
  EXPECT_GT(timeline_keys().size(), 30u);
  sheet->close();
}

TEST(TimelineKeys, EnterAsksForTheEditor) {
  Window w(real(kGemm));
  QString wanted;
  QObject::connect(&ViewRequests::of(w.focus), &ViewRequests::view_wanted, [&](const QString& id) { wanted = id; });
  w.key(Qt::Key_Return);
  EXPECT_TRUE(wanted.isEmpty());
  w.canvas.choose(4);
  w.key(Qt::Key_Return);
  EXPECT_EQ(wanted, "editor");
}

TEST(TimelineAccessibility, TellsLanesAndTheSelectedEvent) {
  Window w(real(kGemm));
  QAccessibleInterface* timeline = QAccessible::queryAccessibleInterface(&w.canvas);
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->role(), QAccessible::Table);
  EXPECT_FALSE(timeline->text(QAccessible::Name).isEmpty());
  ASSERT_EQ(timeline->childCount(), static_cast<int>(w.timeline().lanes.size()));
  QAccessibleInterface* lane = timeline->child(0);
  ASSERT_TRUE(lane);
  EXPECT_EQ(lane->role(), QAccessible::Row);
  EXPECT_EQ(lane->text(QAccessible::Name), "role load");
  EXPECT_TRUE(lane->text(QAccessible::Description).contains("working"));
  EXPECT_EQ(timeline->indexOfChild(timeline->child(3)), 3);
  EXPECT_TRUE(timeline->text(QAccessible::Value).contains("none selected"));
  w.canvas.choose(4);
  EXPECT_TRUE(timeline->text(QAccessible::Value).contains("load")) << timeline->text(QAccessible::Value).toStdString();
  EXPECT_TRUE(lane->rect().isValid());
}

}  // namespace
