// SPDX-License-Identifier: GPL-3.0-or-later
// One focus in three real views, driven by keys and mouse.
#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QApplication>
#include <QTest>
#include <QTreeView>

#include "tests/views/synthetic.h"
#include "views/common/focus_spec.h"
#include "views/editor/code_edit.h"
#include "views/editor/editor_view.h"
#include "views/findings/finding_card.h"
#include "views/findings/findings_model.h"
#include "views/findings/findings_view.h"
#include "views/timeline/timeline_canvas.h"
#include "views/timeline/timeline_view.h"

using namespace bakery;
using namespace bakery::views;

namespace {

// The analysis is made up, but arrives through the real worker thread.
struct Views {
  Theme theme;
  Document document;
  Snapshots snapshots{[](std::string, std::string text, const AnalysisOptions& options) {
    return synthetic::analysis(text, 3, text.find("arrive(empty, stage=1)") == std::string::npos, options.revision);
  }};
  Focus focus{snapshots};
  ViewContext context{document, snapshots, focus, theme};
  QWidget window;
  EditorView* editor = new EditorView(context, &window);
  FindingsView* findings = new FindingsView(context, &window);
  TimelineView* timeline = new TimelineView(context, &window);

  Views() {
    window.resize(1400, 900);
    editor->setGeometry(0, 0, 700, 500);
    findings->setGeometry(0, 500, 700, 400);
    timeline->setGeometry(700, 0, 700, 900);
    window.show();
    QApplication::setActiveWindow(&window);
    document.start_new(synthetic::text());
    wait();
  }
  void wait() { ASSERT_TRUE(QTest::qWaitFor([&] { return snapshots.settled(); }, 5000)); }
  TimelineCanvas* canvas() { return timeline->canvas(); }
  // First and last line lit in the editor.
  std::pair<int, int> lit_lines() {
    int first = -1, last = -1;
    for (int line = 0; line < editor->edit()->lines(); ++line)
      if (editor->edit()->markersAtLine(line) & ((1u << 3) | (1u << 4))) {
        if (first < 0) first = line + 1;
        last = line + 1;
      }
    return {first, last};
  }
  uint32_t event(uint32_t op, int lap) {
    const auto& events = snapshots.timeline().events;
    for (uint32_t i = 0; i < events.size(); ++i)
      if (events[i].op == op && events[i].iteration == static_cast<uint32_t>(lap)) return i;
    return kNoEvent;
  }
};

TEST(OneFocus, FromFindingToEditorAndTimeline) {
  Views v;
  const QModelIndex row = v.findings->model()->index_of_finding(0);
  QTest::mouseClick(v.findings->list()->viewport(), Qt::LeftButton, {}, v.findings->list()->visualRect(row).center());
  const FocusState& state = v.focus.state();
  EXPECT_EQ(state.finding, 0);
  EXPECT_EQ(state.barrier, "empty");
  EXPECT_EQ(state.stage, 0);
  EXPECT_EQ(state.completion, 3);
  EXPECT_EQ(v.lit_lines(), std::pair(10, 10));
  EXPECT_EQ(v.editor->edit()->caret_line(), 10u);
  EXPECT_EQ(v.canvas()->selected_event(), v.event(synthetic::op_wait_empty, 2));
  EXPECT_EQ(v.canvas()->lighting().lanes, (std::vector<uint8_t>{1, 0, 0, 0, 1, 0}));
  EXPECT_TRUE(v.findings->card()->text()->toPlainText().contains("never comes"));
}

TEST(OneFocus, FromTimelineToEditorAndFindings) {
  Views v;
  const uint32_t stuck = v.event(synthetic::op_wait_empty, 2);
  const auto place = v.canvas()->place_of_event(stuck);
  ASSERT_TRUE(place);
  QTest::mouseClick(v.canvas()->viewport(), Qt::LeftButton, {}, *place);
  EXPECT_EQ(v.focus.state().event, stuck);
  EXPECT_EQ(v.lit_lines(), std::pair(10, 10));
  EXPECT_EQ(v.findings->list()->currentIndex().data().toString(), "SAFE-001");
}

TEST(OneFocus, OpeningAloneSetsNone) {
  Views v;
  QTest::qWait(50);
  EXPECT_TRUE(v.focus.state().empty());
}

TEST(OneFocus, FromEditorToTimelineAndFindings) {
  Views v;
  v.editor->edit()->setFocus();
  v.editor->edit()->setCursorPosition(9, 4);
  ASSERT_TRUE(QTest::qWaitFor([&] { return v.focus.state().origin == Origin::editor; }, 2000));
  EXPECT_EQ(v.findings->list()->currentIndex().data().toString(), "SAFE-001");
  EXPECT_EQ(v.canvas()->lighting().bars[0].size(), 3u);  // the three waits of that line
  QTest::keyClick(v.editor->edit(), Qt::Key_Down);
  EXPECT_TRUE(QTest::qWaitFor([&] { return v.canvas()->lighting().bars[2].size() == 2; }, 2000));  // on their engine
}

TEST(OneFocus, KeysStepFollowAndClear) {
  Views v;
  v.canvas()->setFocus();
  QTest::keyClick(v.canvas(), Qt::Key_Home);
  EXPECT_EQ(v.focus.state().event, 0u);
  QTest::keyClick(v.canvas(), Qt::Key_K);
  QTest::keyClick(v.canvas(), Qt::Key_K);
  EXPECT_EQ(v.focus.state().event, 2u);
  QTest::keyClick(v.canvas(), Qt::Key_J);
  EXPECT_EQ(v.focus.state().event, v.event(synthetic::op_load, 0));
  QTest::keyClick(v.canvas(), Qt::Key_BracketRight);
  EXPECT_EQ(v.focus.state().event, v.event(synthetic::op_wait_full, 0));
  QTest::keyClick(v.canvas(), Qt::Key_BracketLeft);
  EXPECT_EQ(v.focus.state().event, v.event(synthetic::op_load, 0));
  QTest::keyClick(v.canvas(), Qt::Key_Period);
  EXPECT_EQ(v.focus.state().event, v.event(synthetic::op_wait_empty, 1));
  QTest::keyClick(v.canvas(), Qt::Key_Comma);
  EXPECT_EQ(v.focus.state().event, v.event(synthetic::op_load, 0));
  QTest::keyClick(v.canvas(), Qt::Key_End);
  EXPECT_EQ(v.focus.state().event, v.event(synthetic::op_wait_empty, 2));
  v.focus.back();
  EXPECT_EQ(v.focus.state().event, v.event(synthetic::op_load, 0));
  v.focus.forward();
  EXPECT_EQ(v.focus.state().event, v.event(synthetic::op_wait_empty, 2));
  QTest::keyClick(v.canvas(), Qt::Key_Escape);
  EXPECT_TRUE(v.focus.state().empty());
}

TEST(OneFocus, KeysZoomAndPan) {
  Views v;
  v.canvas()->setFocus();
  const double whole = v.canvas()->viewport_mapping().steps_per_pixel;
  QTest::keyClick(v.canvas(), Qt::Key_W);
  const double nearer = v.canvas()->viewport_mapping().steps_per_pixel;
  EXPECT_LT(nearer, whole);
  EXPECT_GE(nearer * 1.2500001, whole);
  const double begin = v.canvas()->viewport_mapping().begin;
  QTest::keyClick(v.canvas(), Qt::Key_D);
  EXPECT_GT(v.canvas()->viewport_mapping().begin, begin);
  QTest::keyClick(v.canvas(), Qt::Key_0);
  EXPECT_DOUBLE_EQ(v.canvas()->viewport_mapping().steps_per_pixel, whole);
}

TEST(OneFocus, ZoomKeepsTheTimeUnderTheCursor) {
  Views v;
  for (const double factor : {1.2, 1.2, 1 / 1.2, 1.2, 1.2}) {
    const double time = v.canvas()->viewport_mapping().time(200);
    v.canvas()->zoom_by(factor, 200);
    EXPECT_NEAR(v.canvas()->viewport_mapping().time(200), time, 1e-9);
  }
}

TEST(OneFocus, SurvivesAnEditAbove) {
  Views v;
  const auto place = v.canvas()->place_of_event(v.event(synthetic::op_wait_full, 1));
  ASSERT_TRUE(place);
  QTest::mouseClick(v.canvas()->viewport(), Qt::LeftButton, {}, *place);
  v.document.apply({{{0, 0}, "# one more line\n"}});
  v.wait();
  EXPECT_EQ(v.focus.state().event, v.event(synthetic::op_wait_full, 1));
  EXPECT_EQ(v.lit_lines(), std::pair(14, 14));
}

TEST(OneFocus, FixIsOneUndoStep) {
  Views v;
  const std::string before = v.document.text();
  v.focus.set(focus_on_finding(v.snapshots.shown(), 0));
  auto* button = v.findings->findChild<QAbstractButton*>("apply_fix_0");
  ASSERT_NE(button, nullptr);
  QTest::mouseClick(button, Qt::LeftButton);
  const std::string expected = apply_edits(before, v.snapshots.analysis().findings[0].fixes[0].edits);
  EXPECT_EQ(v.document.text(), expected);
  EXPECT_TRUE(v.document.modified());
  v.wait();
  EXPECT_EQ(v.snapshots.analysis().count(Severity::error), 0u);
  EXPECT_EQ(v.focus.state().finding, -1);
  v.editor->edit()->undo();
  EXPECT_EQ(v.document.text(), before);
  EXPECT_FALSE(v.document.modified());
}

TEST(OneFocus, NextFindingGoesRound) {
  Views v;
  v.editor->go_to_finding(1);
  const int first = v.focus.state().finding;
  v.editor->go_to_finding(1);
  EXPECT_NE(v.focus.state().finding, first);
  v.editor->go_to_finding(1);
  EXPECT_EQ(v.focus.state().finding, first);
  v.editor->go_to_finding(-1);
  EXPECT_NE(v.focus.state().finding, first);
}

TEST(FocusSpec, NamesEveryKindOfPlace) {
  const Snapshot snapshot = synthetic::snapshot(synthetic::analysis(synthetic::text(), 3, true));
  const auto completion = parse_focus("full[0]@2", snapshot);
  ASSERT_TRUE(completion);
  EXPECT_EQ(completion->barrier, "full");
  EXPECT_EQ(completion->completion, 2);
  EXPECT_EQ(snapshot.timeline->events[completion->event].op, synthetic::op_wait_full);
  EXPECT_EQ(parse_focus("load", snapshot)->role, "load");
  EXPECT_EQ(parse_focus("a_s[0]", snapshot)->slot, 0);
  EXPECT_EQ(parse_focus("SAFE-001", snapshot)->finding, 0);
  EXPECT_EQ(lines_of(snapshot.analysis->source, *parse_focus("L7", snapshot)), (std::pair{7u, 7u}));
  for (const char* nowhere : {"", "nobody", "L0", "L999", "full[0]@99", "full[", "full[x]", "full@", "SAFE-999"})
    EXPECT_FALSE(parse_focus(nowhere, snapshot)) << nowhere;
}

TEST(ShiftOffset, FollowsOneChange) {
  EXPECT_EQ(shift_offset("abcdef", "abXYcdef", 1), 1u);
  EXPECT_EQ(shift_offset("abcdef", "abXYcdef", 4), 6u);
  EXPECT_EQ(shift_offset("abcdef", "adef", 5), 3u);
  EXPECT_EQ(shift_offset("", "", 0), 0u);
}

}  // namespace
