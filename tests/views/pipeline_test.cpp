// SPDX-License-Identifier: GPL-3.0-or-later
// The pipeline as text and as a layout, and in a real window: focus both ways, changes in the text.
#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QStandardPaths>
#include <QTest>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/views/synthetic.h"
#include "views/common/focus_spec.h"
#include "views/common/view_requests.h"
#include "views/editor/code_edit.h"
#include "views/editor/editor_view.h"
#include "views/pipeline/pipeline_canvas.h"
#include "views/pipeline/pipeline_view.h"

using namespace bakery;
using namespace bakery::views;

namespace {

std::string read(const QString& path) {
  QFile file(path);
  EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
  return file.readAll().toStdString();
}

std::string source(const char* path) { return read(QStringLiteral(BAKERY_SOURCE_DIR "/") + QLatin1String(path)); }

std::string gemm() { return source("resources/schedules/gemm_bf16_sm90a.cake"); }

Snapshot snapshot(const std::string& text) {
  std::shared_ptr<const Analysis> analysis = analyse("test.cake", text);
  std::shared_ptr<const Timeline> timeline(analysis, &analysis->timeline);
  return {analysis, timeline, analysis->timeline_sample};
}

std::string scene_text(const std::string& text) {
  const Snapshot s = snapshot(text);
  return to_text(make_pipeline_scene(*s.analysis), *s.analysis);
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

TEST(PipelineScene, GemmAsText) {
  EXPECT_EQ(scene_text(gemm()),
            "tensor A (2-D tensor)\n"
            "tensor B (2-D tensor)\n"
            "tensor C (2-D tensor)\n"
            "role load (warp 0 · 40 regs)\n"
            "role mma (warps 4–11 · 232 regs)\n"
            "engine TMA load (engine)\n"
            "buffer a_s (4 × 16 KiB)\n"
            "buffer b_s (4 × 32 KiB)\n"
            "engine tensor core (engine)\n"
            "buffer c_s (2 × 16 KiB)\n"
            "engine TMA store (engine)\n"
            "data A -> TMA load\n"
            "data TMA load -> a_s\n"
            "issue load -> TMA load\n"
            "data B -> TMA load\n"
            "data TMA load -> b_s\n"
            "data tensor core -> mma acc\n"
            "data a_s -> tensor core\n"
            "data b_s -> tensor core\n"
            "data mma -> c_s\n"
            "data TMA store -> C\n"
            "data c_s -> TMA store\n"
            "issue mma -> TMA store\n"
            "forward load -> mma full (4 stages · 1 of 1 arrival · 48 KiB) by TMA load\n"
            "backward mma -> load empty (4 stages · 2 of 2 arrivals)\n");
}

TEST(PipelineScene, TensorMemoryAndCommits) {
  const std::string text = scene_text(source("tests/corpus/bugs/bad_B112_self_wait.cake"));
  for (const char* line : {"buffer acc (128 columns)\n", "data tensor core -> acc\n", "issue mma -> tensor core\n",
                           "backward mma -> load empty (2 stages · 1 of 1 arrival) by tensor core\n",
                           "mma -> mma reuse (1 of 1 arrival) by tensor core !SAFE-001\n", "forward load -> mma full"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

TEST(PipelineScene, AMissingArrivalIsSeen) {
  const std::string one = replaced(gemm(), "                lm.arrive(empty, stage=pipe.previous(), when=(k > 0))\n", "");
  const std::string none = replaced(one, "            lm.arrive(empty, stage=pipe.current())\n", "");
  const std::string text = scene_text(none);
  EXPECT_NE(text.find("backward mma -> load empty (4 stages · 0 of 2 arrivals) never !"), std::string::npos) << text;
  const std::string wrong = scene_text(replaced(gemm(), "init_count=2", "init_count=3"));
  EXPECT_NE(wrong.find("2 of 3 arrivals) !"), std::string::npos) << wrong;
}

TEST(PipelineScene, BrokenTextAndAbsurdSizes) {
  for (const char* text : {"", "((((", "@cake.schedule()\ndef f(lm):\n    x = \n"}) {
    const Snapshot s = snapshot(text);
    const PipelineScene scene = make_pipeline_scene(*s.analysis);
    EXPECT_TRUE(scene.nodes.empty()) << text;
    EXPECT_EQ(to_text(scene, *s.analysis, light(scene, s, {})), "");
  }
  std::string many = "@cake.schedule(target=\"sm_90a\")\ndef f(lm):\n    a = lm.role(warps=[0])\n    b = lm.role(warps=[1])\n";
  for (int i = 0; i < 900; ++i)
    many += "    x" + std::to_string(i) + " = lm.barrier(count=1, prod=[a], cons=[b], init_count=1)\n";
  const Snapshot s = snapshot(many);
  const PipelineScene scene = make_pipeline_scene(*s.analysis);
  EXPECT_LE(scene.edges.size(), kMaxPipeEdges);
  EXPECT_EQ(scene.left_out, "too large to draw: 0 nodes and " + std::to_string(900 - kMaxPipeEdges) + " edges are left out");
}

// ---- layout -----------------------------------------------------------------------------

Graph graph_of(const PipelineScene& scene) {
  Graph graph;
  for (size_t n = 0; n < scene.nodes.size(); ++n) graph.nodes.push_back({96, 40});
  for (const PipeEdge& edge : scene.edges)
    graph.edges.push_back({edge.from, edge.to, edge.kind == PipeEdgeKind::backward, false, edge.name.empty() ? 0.0 : 120.0, edge.name.empty() ? 0.0 : 30.0});
  return graph;
}

void check(const Graph& graph, const GraphLayout& layout, const std::string& about) {
  ASSERT_EQ(layout.nodes.size(), graph.nodes.size()) << about;
  ASSERT_EQ(layout.edges.size(), graph.edges.size()) << about;
  for (size_t a = 0; a < graph.nodes.size(); ++a) {
    const auto& p = layout.nodes[a];
    EXPECT_GE(p.x - 48, 0) << about;
    EXPECT_LE(p.x + 48, layout.width) << about;
    EXPECT_GE(p.y - 20, 0) << about;
    EXPECT_LE(p.y + 20, layout.height + 0.1) << about;
    for (size_t b = a + 1; b < graph.nodes.size(); ++b)
      EXPECT_TRUE(std::abs(p.x - layout.nodes[b].x) >= 95.9 || std::abs(p.y - layout.nodes[b].y) >= 39.9) << about << " nodes " << a << ", " << b;
  }
  for (const auto& edge : layout.edges) {
    EXPECT_EQ(edge.points.size() % 3, 1u) << about;
    EXPECT_GE(edge.points.size(), 4u) << about;
  }
  for (size_t a = 0; a < graph.edges.size(); ++a)
    for (size_t b = a + 1; b < graph.edges.size(); ++b) {
      if (graph.edges[a].label_width == 0 || graph.edges[b].label_width == 0) continue;
      const auto &p = layout.edges[a].label, &q = layout.edges[b].label;
      EXPECT_TRUE(std::abs(p.x - q.x) >= 119 || std::abs(p.y - q.y) >= 29) << about << " labels " << a << ", " << b;
    }
}

TEST(PipelineLayout, WithoutDotNothingOverlaps) {
  QDirIterator files(QStringLiteral(BAKERY_SOURCE_DIR "/tests/corpus/bugs"), {QStringLiteral("*.cake")}, QDir::Files);
  int seen = 0;
  while (files.hasNext()) {
    const QString path = files.next();
    const Snapshot s = snapshot(read(path));
    const Graph graph = graph_of(make_pipeline_scene(*s.analysis));
    check(graph, layered_layout(graph), path.toStdString());
    seen += !graph.nodes.empty();
  }
  EXPECT_GT(seen, 50);
  check({}, layered_layout({}), "empty");
}

TEST(PipelineLayout, DotAnswersEverySchedule) {
  if (QStandardPaths::findExecutable(QStringLiteral("dot")).isEmpty()) GTEST_FAIL() << "Graphviz is a package of the project";
  Layouter layouter;
  GraphLayout got;
  int answers = 0;
  QObject::connect(&layouter, &Layouter::laid_out, [&](const Graph&, const GraphLayout& layout) {
    got = layout;
    ++answers;
  });
  for (const char* path : {"resources/schedules/gemm_bf16_sm90a.cake", "tests/corpus/bugs/bad_B112_self_wait.cake", "tests/fixtures/gemm_missing_arrive.cake"}) {
    const Snapshot s = snapshot(source(path));
    const Graph graph = graph_of(make_pipeline_scene(*s.analysis));
    const int before = answers;
    layouter.request(graph);
    ASSERT_TRUE(QTest::qWaitFor([&] { return answers > before; }, 8000)) << path;
    EXPECT_EQ(layouter.trouble(), QString()) << path;
    check(graph, got, path);
    layouter.request(graph);
    EXPECT_EQ(answers, before + 2) << "remembered: at once";
  }
  // A newer request silences the older.
  Graph one{{{96, 40}}, {}}, two{{{96, 40}, {96, 40}}, {{0, 1}}};
  const int before = answers;
  layouter.request(one);
  layouter.request(two);
  ASSERT_TRUE(QTest::qWaitFor([&] { return answers > before; }, 8000));
  QTest::qWait(100);
  EXPECT_EQ(answers, before + 1);
  EXPECT_EQ(got.nodes.size(), 2u);
}

TEST(PipelineLayout, WhatIsNoLayoutIsRefused) {
  const Graph graph{{{96, 40}, {96, 40}}, {{0, 1}}};
  for (const char* text : {"", "[]", "{", "{\"bb\":\"0,0,1,1\"}", "{\"bb\":\"0,0,1\",\"objects\":[]}",
                           "{\"bb\":\"0,0,9,9\",\"objects\":[{\"id\":\"n0\",\"pos\":\"1,1\"},{\"id\":\"n1\",\"pos\":\"x\"}]}",
                           "{\"bb\":\"0,0,9,9\",\"objects\":[{\"id\":\"n0\",\"pos\":\"1,1\"},{\"id\":\"n1\",\"pos\":\"2,2\"}],\"edges\":[{\"id\":\"e0\",\"pos\":\"1,1 2\"}]}"})
    EXPECT_FALSE(read_dot_json(graph, text)) << text;
  const auto good = read_dot_json(graph, "{\"bb\":\"0,0,300,100\",\"objects\":[{\"id\":\"n0\",\"pos\":\"48,50\"},{\"id\":\"n1\",\"pos\":\"252,50\"}],"
                                         "\"edges\":[{\"id\":\"e0\",\"pos\":\"e,204,50 96,50 130,50 160,50 196,50\"}]}");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->edges[0].points.size(), 4u);
  EXPECT_LT(good->nodes[0].x, good->nodes[1].x);
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
  PipelineView* view = new PipelineView(context, &window);
  PipelineCanvas* canvas = view->canvas();

  explicit Window(const std::string& text, QSize size = {1300, 420}) {
    window.resize(1300, 900);
    view->setGeometry(QRect(QPoint(0, 0), size));
    editor->setGeometry(0, 420, 1300, 480);
    QObject::connect(&ViewRequests::of(focus), &ViewRequests::view_wanted, editor, [this](const QString& id) {
      if (id == QLatin1String("editor")) editor->setFocus();
    });
    window.show();
    QApplication::setActiveWindow(&window);
    document.start_new(text);
    wait();
  }
  void wait() {
    EXPECT_TRUE(QTest::qWaitFor([&] { return snapshots.settled() && !canvas->pending(); }, 8000));
    QTest::qWait(260);  // what moves has arrived
  }
  QPoint at(const std::string& name) {
    const auto place = canvas->place_of(name);
    EXPECT_TRUE(place) << name;
    return place.value_or(QPoint());
  }
  void click(const std::string& name) { QTest::mouseClick(canvas, Qt::LeftButton, {}, at(name)); }
  std::string lit() {
    std::string names;
    for (size_t n = 0; n < canvas->scene().nodes.size(); ++n)
      if (canvas->lighting().nodes[n]) names += canvas->scene().nodes[n].name + " ";
    for (size_t e = 0; e < canvas->scene().edges.size(); ++e)
      if (canvas->lighting().edges[e] && canvas->scene().edges[e].barrier != kNone) names += "-" + canvas->scene().edges[e].name + " ";
    return names;
  }
  uint32_t line_of(const std::string& what) {
    const SourceText& text = snapshots.analysis().source;
    return text.position(synthetic::find(text.text(), what).begin).line;
  }
  // Opens the form on a place and writes into its n-th line.
  void change(const std::string& name, size_t field, const char* value) {
    QTest::mouseDClick(canvas, Qt::LeftButton, {}, at(name));
    ASSERT_NE(canvas->form(), nullptr);
    ASSERT_GT(canvas->form()->lines().size(), field);
    QLineEdit* line = canvas->form()->lines()[field];
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, QLatin1String(value));
    QTest::keyClick(line, Qt::Key_Return);
  }
};

TEST(PipelineView, ClickAndHoverFocus) {
  Window w(gemm());
  ASSERT_FALSE(w.canvas->compact());
  w.click("full");
  EXPECT_EQ(w.focus.state().barrier, "full");
  EXPECT_EQ(w.focus.state().origin, Origin::pipeline);
  EXPECT_EQ(w.editor->edit()->caret_line(), w.line_of("full = lm.barrier"));
  EXPECT_EQ(w.lit(), "-full ");
  QTest::mouseMove(w.canvas, w.at("a_s"));
  EXPECT_EQ(w.focus.lit().buffer, "a_s");
  EXPECT_EQ(w.focus.state().barrier, "full") << "hovering selects nothing";
  EXPECT_EQ(w.lit(), "a_s ");
  QTest::mouseMove(w.canvas, QPoint(2, 2));
  EXPECT_EQ(w.focus.lit().barrier, "full");
  w.click("mma");
  EXPECT_EQ(w.focus.state().role, "mma");
  w.click("TMA load");
  EXPECT_EQ(w.focus.state().engine, "TMA load");
}

TEST(PipelineView, OtherViewsLightIt) {
  Window w(gemm());
  for (const auto& [spec, lit] : {std::pair{"empty[1]@2", "load -empty "}, {"b_s[2]", "b_s "}, {"load", "load "}}) {
    w.focus.set(*parse_focus(spec, w.snapshots.shown()));
    EXPECT_EQ(w.lit(), lit) << spec;
  }
  w.focus.set(focus_on_span(w.snapshots.analysis().source.line_span(w.line_of("a_s.tma_load(A"))));
  EXPECT_EQ(w.lit(), "A load mma TMA load a_s -full ");
}

TEST(PipelineView, KeysWalkAndGoToTheText) {
  Window w(gemm());
  w.canvas->setFocus();
  std::set<std::pair<bool, int>> seen;
  const size_t all = w.canvas->scene().nodes.size() + w.canvas->scene().edges.size();
  for (size_t i = 0; i < all; ++i) {
    QTest::keyClick(w.canvas, Qt::Key_Tab);
    seen.emplace(w.canvas->current().edge, w.canvas->current().index);
  }
  EXPECT_EQ(seen.size(), all) << "Tab passes each node and edge once";
  QTest::keyClick(w.canvas, Qt::Key_Tab);
  EXPECT_FALSE(w.canvas->hasFocus()) << "and leaves behind the last";
  w.canvas->setFocus();
  w.click("load");
  QTest::keyClick(w.canvas, Qt::Key_Right);
  EXPECT_NE(w.focus.state().role, "load");
  w.click("empty");
  QTest::keyClick(w.canvas, Qt::Key_Return);
  EXPECT_TRUE(w.editor->isAncestorOf(QApplication::focusWidget()));
  EXPECT_EQ(w.editor->edit()->caret_line(), w.line_of("empty = lm.barrier"));
}

TEST(PipelineView, PlacesStayWhileTheStructureDoes) {
  Window w(gemm());
  std::map<std::string, QPoint> before;
  for (const PipeNode& node : w.canvas->scene().nodes) before[node.name] = w.at(node.name);
  const size_t at = w.document.text().find("init_count=2");
  w.document.apply({{{static_cast<uint32_t>(at + 11), static_cast<uint32_t>(at + 12)}, "3"}});
  w.wait();
  int wrong = 0;
  for (const PipeEdge& edge : w.canvas->scene().edges) wrong += edge.finding >= 0;
  EXPECT_GT(wrong, 0) << "the finding is shown";
  for (const auto& [name, place] : before) EXPECT_EQ(w.at(name), place) << name;
  // Another role: who stays keeps its place on the way there, and the viewport does not jump.
  w.canvas->zoom_by(1.3, QPointF(600, 200));
  const double zoom = w.canvas->zoom();
  const size_t line = w.document.text().find("    # `full` says");
  w.document.apply({{{static_cast<uint32_t>(line), static_cast<uint32_t>(line)}, "    extra = lm.role(warps=[1])\n"}});
  w.wait();
  EXPECT_TRUE(w.canvas->place_of("extra"));
  EXPECT_EQ(w.canvas->zoom(), zoom);
}

TEST(PipelineView, NoScheduleKeepsTheLast) {
  Window w(gemm());
  const size_t nodes = w.canvas->scene().nodes.size();
  w.document.apply({{{0, static_cast<uint32_t>(w.document.text().size())}, "((((\n"}});
  w.wait();
  EXPECT_TRUE(w.canvas->stale());
  EXPECT_EQ(w.canvas->scene().nodes.size(), nodes);
  EXPECT_TRUE(w.view->caption()->text().contains("last one"));
  w.editor->edit()->undo();
  w.wait();
  EXPECT_FALSE(w.canvas->stale());
}

TEST(PipelineView, ASmallDockShowsHandOffsReadably) {
  Window w(gemm(), {460, 260});
  EXPECT_TRUE(w.canvas->compact());
  EXPECT_GE(w.canvas->zoom(), 0.8);
  EXPECT_TRUE(w.canvas->place_of("full"));
  EXPECT_FALSE(w.canvas->place_of("a_s"));
  w.canvas->setFocus();
  QTest::keyClick(w.canvas, Qt::Key_D);
  w.wait();
  EXPECT_TRUE(w.canvas->place_of("a_s"));
}

TEST(PipelineView, WhatIsOverThePointerIsLitWithinAFrame) {
  Window w(gemm());
  std::vector<double> times;
  for (int i = 0; i < 41; ++i) {
    QElapsedTimer clock;
    clock.start();
    w.focus.hover(focus_on_resource(w.snapshots.shown(), i % 2 ? "full" : "b_s"));
    w.canvas->repaint();
    times.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
  }
  std::nth_element(times.begin(), times.begin() + 20, times.end());
  EXPECT_LT(times[20], 33) << "milliseconds, median";
}

TEST(PipelineView, AnAbsurdScheduleIsDrawnToo) {
  std::string many = "@cake.schedule(target=\"sm_90a\")\ndef f(lm):\n    a = lm.role(warps=[0])\n    b = lm.role(warps=[1])\n";
  for (int i = 0; i < 400; ++i) many += "    x" + std::to_string(i) + " = lm.barrier(count=1, prod=[a], cons=[b], init_count=1)\n";
  Window w(many);
  EXPECT_TRUE(w.canvas->place_of("x299"));
  EXPECT_TRUE(w.view->caption()->text().contains("too large to draw"));
  w.canvas->repaint();
}

TEST(PipelineView, WithoutDot) {
  const QByteArray path = qgetenv("PATH");
  qputenv("PATH", "");
  {
    Window w(gemm());
    EXPECT_TRUE(w.canvas->place_of("full"));
    EXPECT_TRUE(w.view->caption()->text().contains("Graphviz is not installed")) << w.view->caption()->text().toStdString();
    w.click("full");
    EXPECT_EQ(w.focus.state().barrier, "full");
  }
  qputenv("PATH", path);
}

// ---- changes in the text ----------------------------------------------------------------

TEST(PipelineEdits, ATunableIsChangedWhereItIsDefinedInOneStep) {
  Window w(gemm());
  const std::string before = w.document.text();
  w.change("a_s", 0, "3");
  EXPECT_EQ(w.canvas->form(), nullptr);
  EXPECT_EQ(w.document.text(), replaced(before, "lm.tunable(\"stages\", 4", "lm.tunable(\"stages\", 3"));
  w.wait();
  for (const PipeEdge& edge : w.canvas->scene().edges)
    if (edge.name == "full") {
      EXPECT_EQ(edge.facts, "3 stages · 1 of 1 arrival · 48 KiB");
    }
  w.editor->edit()->undo();
  EXPECT_EQ(w.document.text(), before);
}

TEST(PipelineEdits, RolesAndBarriers) {
  Window w(gemm());
  const std::string before = w.document.text();
  w.change("mma", 0, "4-7");
  EXPECT_EQ(w.document.text(), replaced(before, "range(4, 12)", "range(4, 8)"));
  w.wait();
  w.editor->edit()->undo();
  w.wait();
  w.change("empty", 1, "1");
  EXPECT_EQ(w.document.text(), replaced(before, "init_count=2", "init_count=1"));
  w.editor->edit()->undo();
  w.wait();
  EXPECT_EQ(w.document.text(), before);
}

TEST(PipelineEdits, WhatCannotBeIsRefusedWithAReason) {
  Window w(gemm());
  const std::string before = w.document.text();
  for (const auto& [name, field, value, why] : {std::tuple{"a_s", 0, "5", "choices are 3, 4"}, {"empty", 1, "0", "from 1 to"}, {"empty", 1, "two", "whole number"},
                                                {"mma", 0, "4-40", "0 to 31"}, {"mma", 0, "x", "warps are written as"}}) {
    w.change(name, static_cast<size_t>(field), value);
    ASSERT_NE(w.canvas->form(), nullptr) << name;
    EXPECT_TRUE(w.canvas->form()->trouble()->text().contains(QLatin1String(why))) << w.canvas->form()->trouble()->text().toStdString();
    QTest::keyClick(w.canvas->form(), Qt::Key_Escape);
    EXPECT_EQ(w.canvas->form(), nullptr);
  }
  EXPECT_EQ(w.document.text(), before);
  const Snapshot s = snapshot(replaced(replaced(gemm(), "count=S, prod=[mma]", "count=S * 1, prod=[mma]"), "warps=[0]", "warps=[BM - 128]"));
  const PipelineScene scene = make_pipeline_scene(*s.analysis);
  for (size_t e = 0; e < scene.edges.size(); ++e) {
    if (scene.edges[e].name != "empty") continue;
    const auto fields = fields_of(scene, *s.analysis, {true, static_cast<int>(e)});
    ASSERT_EQ(fields.size(), 3u);
    EXPECT_NE(fields[0].refused.find("computed: `S * 1`"), std::string::npos) << fields[0].refused;
    EXPECT_EQ(fields[1].refused, "");
    EXPECT_NE(fields[2].note.find("`S`, line 6"), std::string::npos) << fields[2].note;
  }
  for (size_t n = 0; n < scene.nodes.size(); ++n)
    if (scene.nodes[n].name == "load") {
      EXPECT_NE(fields_of(scene, *s.analysis, {false, static_cast<int>(n)})[0].refused.find("computed"), std::string::npos);
    }
}

// ---- the table --------------------------------------------------------------------------

TEST(PipelineTable, SameRowsSelectionAndCopy) {
  Window w(gemm());
  w.canvas->setFocus();
  QTest::keyClick(w.canvas, Qt::Key_T);
  ASSERT_TRUE(w.view->shows_table());
  const int nodes = static_cast<int>(w.canvas->scene().nodes.size());
  EXPECT_EQ(w.view->table()->model()->rowCount(), nodes + static_cast<int>(w.canvas->scene().edges.size()));
  w.focus.set(*parse_focus("empty", w.snapshots.shown()));
  const int row = w.view->table()->currentIndex().row();
  EXPECT_EQ(w.view->table()->model()->index(row, 1).data().toString(), QStringLiteral("empty"));
  QTest::keyClick(w.view->table(), Qt::Key_Up);
  EXPECT_EQ(w.focus.state().barrier, "full");
  QTest::keyClick(w.view->table(), Qt::Key_C, Qt::ControlModifier);
  EXPECT_TRUE(QApplication::clipboard()->text().contains(QStringLiteral("full\tload\tmma"))) << QApplication::clipboard()->text().toStdString();
  QTest::keyClick(w.view->table(), Qt::Key_T);
  EXPECT_FALSE(w.view->shows_table());
}

}  // namespace
