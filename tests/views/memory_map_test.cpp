// SPDX-License-Identifier: GPL-3.0-or-later
// The memory map as text, and in a real window with the editor and the timeline beside it.
#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QTest>

#include "tests/views/synthetic.h"
#include "views/common/focus_spec.h"
#include "views/common/view_requests.h"
#include "views/editor/code_edit.h"
#include "views/editor/editor_view.h"
#include "views/memory_map/memory_map_view.h"
#include "views/timeline/timeline_canvas.h"
#include "views/timeline/timeline_view.h"

using namespace bakery;
using namespace bakery::views;

namespace {

std::string read(const char* path) {
  QFile file(QStringLiteral(BAKERY_SOURCE_DIR "/") + QLatin1String(path));
  EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path;
  return file.readAll().toStdString();
}

const char* const kGemm = "resources/schedules/gemm_bf16_sm90a.cake";

Snapshot snapshot(const std::string& text) {
  std::shared_ptr<const Analysis> analysis = analyse("test.cake", text);
  std::shared_ptr<const Timeline> timeline(analysis, &analysis->timeline);
  return {analysis, timeline, analysis->timeline_sample};
}

std::string lit(const Snapshot& snapshot, const char* spec) {
  const auto focus = parse_focus(spec, snapshot);
  EXPECT_TRUE(focus) << spec;
  const MemoryMap map = make_memory_map(*snapshot.analysis);
  const MemoryLighting lighting = light(map, snapshot, *focus);
  std::string cells;
  for (size_t r = 0; r < map.rows.size(); ++r)
    for (size_t c = 0; c < map.rows[r].cells.size(); ++c)
      if (lighting.cells[r][c])
        cells += (map.rows[r].cells[c].name.empty() ? map.rows[r].name : map.rows[r].cells[c].name) + "[" +
                 std::to_string(map.rows[r].cells[c].stage) + "] ";
  return cells;
}

TEST(MemoryMap, GemmAsText) {
  const Snapshot s = snapshot(read(kGemm));
  EXPECT_EQ(to_text(make_memory_map(*s.analysis)),
            "shared memory (224.1 KiB of 227 KiB) 0-229440 229440-232448 free\n"
            "pool (224 KiB)\n"
            "  a_s (4 × 16 KiB) [0]0-16384 [1]16384-32768 [2]32768-49152 [3]49152-65536\n"
            "  b_s (4 × 32 KiB) [0]65536-98304 [1]98304-131072 [2]131072-163840 [3]163840-196608\n"
            "  c_s (2 × 16 KiB) [0]196608-212992 [1]212992-229376\n"
            "  barriers (64 B of the compiler) full[0]229376-229384 full[1]229384-229392 full[2]229392-229400 "
            "full[3]229400-229408 empty[0]229408-229416 empty[1]229416-229424 empty[2]229424-229432 empty[3]229432-229440\n");
}

TEST(MemoryMap, OverlapIsWhatTheRuleFound) {
  const Snapshot s = snapshot(read("tests/corpus/rules/DATA-001/bad_overlap.cake"));
  const MemoryMap map = make_memory_map(*s.analysis);
  const std::string text = to_text(map);
  EXPECT_NE(text.find("  a_s (2 × 8 KiB) [0]0-8192 [1]8192-16384!\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  b_s (2 × 8 KiB) wrong [0]8192-16384! [1]16384-24576\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  free (8 KiB) 24576-32768 free"), std::string::npos) << text;
  const Snapshot alias = snapshot(read("tests/corpus/rules/DATA-001/ok_alias_group.cake"));
  const std::string shared = to_text(make_memory_map(*alias.analysis));
  EXPECT_EQ(shared.find('!'), std::string::npos) << shared;
  EXPECT_NE(shared.find("· alias "), std::string::npos) << shared;
}

TEST(MemoryMap, MoreThanTheTargetHas) {
  std::string text = read(kGemm);
  text.replace(text.find("32768)"), 6, "65536)");
  const std::string map = to_text(make_memory_map(*snapshot(text).analysis));
  EXPECT_NE(map.find("shared memory (256.1 KiB of 227 KiB) wrong 0-232448 232448-262208 beyond\n"), std::string::npos) << map;
  EXPECT_NE(map.find("free (32 KiB)"), std::string::npos) << map;
}

TEST(MemoryMap, TensorMemoryColumns) {
  const Snapshot s = snapshot(read("tests/corpus/bugs/bad_B112_self_wait.cake"));
  const MemoryMap map = make_memory_map(*s.analysis);
  const std::string text = to_text(map);
  EXPECT_EQ(map.columns, 512);
  EXPECT_NE(text.find("tensor memory (256 of 512 columns)\n  acc (columns 0 – 127) 0-128\n  dk (columns 128 – 255) 128-256\n"),
            std::string::npos)
      << text;
}

TEST(MemoryMap, FocusLightsCells) {
  const Snapshot s = snapshot(read(kGemm));
  EXPECT_EQ(lit(s, "b_s[2]"), "b_s[2] ");
  EXPECT_EQ(lit(s, "c_s"), "c_s[0] c_s[1] ");
  EXPECT_EQ(lit(s, "empty[1]"), "empty[1] ");
  EXPECT_EQ(lit(s, "full[2]@1"), "a_s[2] b_s[2] full[2] ") << "a completion lights what fills it";
  EXPECT_EQ(lit(s, "load"), "");
}

TEST(MemoryMap, NothingAndNonsense) {
  for (const char* text : {"", "((((", "@cake.schedule()\ndef f(lm):\n    x = \n",
                           "@cake.schedule(target=\"sm_90a\")\ndef f(lm):\n    p = lm.smem(0)\n    v = p.view(offset=-8, shape=(0, 3), dtype=lm.f32)\n"}) {
    const Snapshot s = snapshot(text);
    const MemoryMap map = make_memory_map(*s.analysis);
    to_text(map, light(map, s, {}));
  }
}

TEST(MemoryMap, Numbers) {
  EXPECT_EQ(alignment_of(0), 1024);
  EXPECT_EQ(alignment_of(48), 16);
  EXPECT_EQ(alignment_of(4096), 1024);
  EXPECT_EQ(alignment_of(7), 1);
  EXPECT_EQ(byte_text(48), "48 B");
  EXPECT_EQ(byte_text(16384), "16 KiB");
  EXPECT_EQ(byte_text(229440), "224.1 KiB");
  EXPECT_EQ(hex_text(65536), "0x10000");
}

TEST(MemoryMap, WhoFillsAndReads) {
  const Snapshot s = snapshot(read(kGemm));
  const Users a = users_of(s.analysis->schedule, Space::shared, 0), c = users_of(s.analysis->schedule, Space::shared, 2);
  EXPECT_EQ(a.fill, std::vector<std::string>{"load"});
  EXPECT_EQ(a.read, std::vector<std::string>{"mma"});
  EXPECT_EQ(c.fill, std::vector<std::string>{"mma"});
  EXPECT_EQ(c.read, std::vector<std::string>{"mma"});
}

// ---- real widgets -----------------------------------------------------------------------

struct Window {
  Theme theme;
  Document document;
  Snapshots snapshots;
  Focus focus{snapshots};
  ViewContext context{document, snapshots, focus, theme};
  QWidget window;
  EditorView* editor = new EditorView(context, &window);
  MemoryMapView* map = new MemoryMapView(context, &window);
  TimelineView* timeline = new TimelineView(context, &window);

  explicit Window(const std::string& text) {
    window.resize(1400, 900);
    editor->setGeometry(0, 0, 700, 500);
    map->setGeometry(0, 500, 700, 400);
    timeline->setGeometry(700, 0, 700, 900);
    QObject::connect(&ViewRequests::of(focus), &ViewRequests::view_wanted, editor, [this](const QString& id) {
      if (id == QLatin1String("editor")) editor->setFocus();
    });
    window.show();
    QApplication::setActiveWindow(&window);
    document.start_new(text);
    EXPECT_TRUE(QTest::qWaitFor([&] { return snapshots.settled(); }, 5000));
  }
  std::string lit_lanes() {
    std::string names;
    const Lighting& lighting = timeline->canvas()->lighting();
    for (size_t l = 0; l < lighting.lanes.size(); ++l)
      if (lighting.lanes[l]) names += snapshots.timeline().lanes[l].name + " ";
    return names;
  }
};

TEST(MemoryMapView, ClickLightsEditorAndTimeline) {
  Window w(read(kGemm));
  const auto place = w.map->place_of("b_s", 2);
  ASSERT_TRUE(place);
  QTest::mouseClick(w.map->viewport(), Qt::LeftButton, {}, *place);
  EXPECT_EQ(w.focus.state().buffer, "b_s");
  EXPECT_EQ(w.focus.state().slot, 2);
  EXPECT_EQ(w.focus.state().origin, Origin::memory_map);
  EXPECT_EQ(w.editor->edit()->caret_line(), 12u);
  EXPECT_EQ(w.lit_lanes(), "b_s[2] ");
  QTest::mouseClick(w.map->viewport(), Qt::LeftButton, {}, *w.map->place_of("full", 1));
  EXPECT_EQ(w.focus.state().barrier, "full");
  EXPECT_EQ(w.lit_lanes(), "full[1] ");
}

TEST(MemoryMapView, KeysReachEveryCell) {
  Window w(read(kGemm));
  w.map->setFocus();
  QTest::keyClick(w.map, Qt::Key_End);
  EXPECT_EQ(w.focus.state().barrier, "full");
  for (int i = 0; i < 5; ++i) QTest::keyClick(w.map, Qt::Key_Right);
  EXPECT_EQ(w.focus.state().barrier, "empty");
  EXPECT_EQ(w.focus.state().stage, 1);
  QTest::keyClick(w.map, Qt::Key_Up);
  EXPECT_EQ(w.focus.state().buffer, "c_s");
  EXPECT_EQ(w.focus.state().slot, -1);
  QTest::keyClick(w.map, Qt::Key_Right);
  EXPECT_EQ(w.focus.state().slot, 0);
  EXPECT_EQ(w.map->accessibleDescription(), "c_s[0]");
  QTest::keyClick(w.map, Qt::Key_Escape);
  EXPECT_TRUE(w.focus.state().empty());
}

TEST(MemoryMapView, CaretLightsWhatTheLineTouches) {
  Window w(read(kGemm));
  const auto lit_rows = [&] {
    std::string names;
    for (size_t r = 0; r < w.map->map().rows.size(); ++r)
      if (w.map->lighting().rows[r]) names += w.map->map().rows[r].name + " ";
    return names;
  };
  const std::string& text = w.snapshots.analysis().source.text();
  w.editor->edit()->show_offset(synthetic::find(text, "lm.mma(acc").begin);
  EXPECT_TRUE(QTest::qWaitFor([&] { return lit_rows() == "a_s b_s "; }, 2000)) << lit_rows();
  w.editor->edit()->show_offset(synthetic::find(text, "c_s = pool").begin);
  EXPECT_TRUE(QTest::qWaitFor([&] { return lit_rows() == "c_s "; }, 2000)) << lit_rows();
}

TEST(MemoryMapView, TipSaysWhereAndWho) {
  Window w(read(kGemm));
  const QString tip = w.map->tip_at(*w.map->place_of("b_s", 1));
  for (const char* part : {"b_s[1]", "32 KiB (32768)", "0x18000 (98304)", "128 bytes", "load", "mma", "256 × 64 bf16"})
    EXPECT_TRUE(tip.contains(QString::fromUtf8(part))) << part << " in " << tip.toStdString();
}

TEST(MemoryMapView, KeepsTheLastMapWhileTheTextIsBroken) {
  Window w(read(kGemm));
  w.document.start_new("@cake.schedule(\n");
  ASSERT_TRUE(QTest::qWaitFor([&] { return w.snapshots.settled(); }, 5000));
  EXPECT_TRUE(w.map->stale());
  EXPECT_FALSE(w.map->map().rows.empty());
  QTest::mouseClick(w.map->viewport(), Qt::LeftButton, {}, *w.map->place_of("b_s", 1));
  EXPECT_TRUE(w.focus.state().buffer.empty());
}

TEST(MemoryMapView, ThePointerLightsWithoutChoosing) {
  Window w(read(kGemm));
  w.focus.set(focus_on_resource(w.snapshots.shown(), "load"));
  QTest::mouseMove(w.map->viewport(), *w.map->place_of("b_s", 2));
  EXPECT_EQ(w.focus.lit().buffer, "b_s");
  EXPECT_EQ(w.focus.lit().slot, 2);
  EXPECT_EQ(w.focus.state().role, "load");
  EXPECT_EQ(lit(w.snapshots.shown(), "b_s[2]"), "b_s[2] ");
  QTest::mouseMove(w.map->viewport(), QPoint(5, 2));
  EXPECT_EQ(w.focus.lit().role, "load");
  // And what another view is over is lit here.
  w.focus.hover(focus_on_resource(w.snapshots.shown(), "c_s"));
  bool c_s = false;
  for (size_t r = 0; r < w.map->map().rows.size(); ++r)
    if (w.map->lighting().rows[r]) c_s = w.map->map().rows[r].name == "c_s";
  EXPECT_TRUE(c_s);
}

TEST(MemoryMapView, TheTableSaysTheSame) {
  Window w(read(kGemm));
  w.map->setFocus();
  QTest::keyClick(w.map, Qt::Key_T);
  ASSERT_TRUE(w.map->table()->isVisible());
  const QAbstractItemModel* model = w.map->table()->model();
  size_t cells = 0;
  for (const MemoryRow& row : w.map->map().rows) cells += row.kind == RowKind::total || row.cells.empty() ? 1 : row.cells.size();
  EXPECT_EQ(model->rowCount(), static_cast<int>(cells));
  w.focus.set(*parse_focus("b_s[2]", w.snapshots.shown()));
  const int row = w.map->table()->currentIndex().row();
  EXPECT_EQ(model->index(row, 0).data().toString(), QStringLiteral("b_s"));
  EXPECT_EQ(model->index(row, 1).data().toString(), QStringLiteral("2"));
  QTest::keyClick(w.map->table(), Qt::Key_Down);
  EXPECT_EQ(w.focus.state().buffer, "b_s");
  EXPECT_EQ(w.focus.state().slot, 3);
  QTest::keyClick(w.map->table(), Qt::Key_C, Qt::ControlModifier);
  EXPECT_TRUE(QApplication::clipboard()->text().contains(QStringLiteral("b_s\t3\t0x28000\t0x30000\t32768"))) << QApplication::clipboard()->text().toStdString();
  QTest::keyClick(w.map->table(), Qt::Key_Return);
  EXPECT_TRUE(w.editor->isAncestorOf(QApplication::focusWidget()));
  w.map->table()->setFocus();
  QTest::keyClick(w.map->table(), Qt::Key_T);
  EXPECT_FALSE(w.map->table()->isVisible());
}

}  // namespace
