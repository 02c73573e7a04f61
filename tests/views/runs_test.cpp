// SPDX-License-Identifier: GPL-3.0-or-later
// The runs view on real widgets: results from recorded sessions, links to the schedule, history, plot,
// candidates, comparison, exports, stores that are not there.
#include <gtest/gtest.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>
#include <QUrl>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/views/run_sessions.h"
#include "views/editor/code_edit.h"
#include "views/editor/editor_view.h"
#include "views/runs/runs_view.h"

using namespace bakery;
using namespace bakery::views;
using namespace bakery::run_sessions;

namespace {

struct Window {
  Scratch scratch;
  Theme theme;
  Document document;
  Snapshots snapshots;
  Focus focus{snapshots};
  Runner runner;
  ViewContext context{document, snapshots, focus, theme, &runner};
  QWidget window;
  EditorView* editor;
  RunsView* view;

  Window(const std::string& session, const std::string& text) : runner(replay(session)) {
    window.resize(1500, 900);
    editor = new EditorView(context, &window);
    view = new RunsView(context, &window);
    editor->setGeometry(0, 0, 500, 900);
    view->setGeometry(500, 0, 1000, 900);
    EXPECT_EQ(document.open(QString::fromStdString(scratch.schedule(text))), QString());
    window.show();
    QApplication::setActiveWindow(&window);
    settle();
  }
  void settle() {
    EXPECT_TRUE(QTest::qWaitFor([&] { return snapshots.settled() && !runner.busy() && !view->loading(); }, 20000));
  }
  RunOrder order_now() {
    RunOrder o = order(document.path().toStdString());
    o.text = document.text();
    return o;
  }
  void run(RunOrder o) {
    EXPECT_TRUE(runner.run(std::move(o)));
    settle();
  }
  void simulate(RunOrder o) {
    EXPECT_TRUE(runner.simulate(std::move(o)));
    settle();
  }
  QString text() { return view->card()->toPlainText(); }
  // Clicks the link as a mouse does; false: it is not on the page.
  bool click(const QString& label) {
    QTextDocument* page = view->card()->document();
    for (QTextBlock block = page->begin(); block.isValid(); block = block.next())
      for (auto at = block.begin(); !at.atEnd(); ++at) {
        const QTextFragment piece = at.fragment();
        if (!piece.charFormat().isAnchor() || QString(piece.text()).replace(QChar::Nbsp, QLatin1Char(' ')) != label) continue;
        QTextCursor cursor(page);
        cursor.setPosition(piece.position() + 1);
        view->card()->setTextCursor(cursor);
        view->card()->ensureCursorVisible();
        QTest::mouseClick(view->card()->viewport(), Qt::LeftButton, {}, view->card()->cursorRect(cursor).center());
        return true;
      }
    return false;
  }
  uint32_t line_of_focus() {
    return focus.state().span ? snapshots.analysis().source.position(focus.state().span->begin).line : 0;
  }
};

std::string wait_for_dialogs(QWidget* parent, const char* name) {
  return QTest::qWaitFor([&] { return parent->findChild<QDialog*>(QLatin1String(name)) != nullptr; }, 5000) ? "" : "no dialog";
}

TEST(RunsView, SaysHowToBegin) {
  Window w("window_correct", good_gemm());
  EXPECT_TRUE(w.text().contains(QStringLiteral("Nothing has been run yet")));
  EXPECT_TRUE(w.view->note()->isVisible());
  EXPECT_EQ(w.view->model()->rowCount(), 0);
}

TEST(RunsView, CorrectAndTimedRun) {
  Window w("window_correct", good_gemm());
  RunOrder o = w.order_now();
  o.options.time = true;
  w.run(o);
  const QString text = w.text();
  for (const char* expected : {"Correct on NVIDIA H200 (9.0)", "0.0104 ms", "±1.0 %", "CUPTI", "clean build: plain waits", "checked build: its waits give up", "32,768", "168 registers"})
    EXPECT_TRUE(text.contains(QString::fromUtf8(expected))) << expected << "\n" << text.toStdString();
  EXPECT_EQ(w.view->model()->rowCount(), 2);
  EXPECT_EQ(w.view->candidates()->topLevelItemCount(), 1);
  const auto rows = w.view->plot()->series();
  EXPECT_EQ(rows.size(), 1u);
}

TEST(RunsView, ValuesAreKeptWhereTimesAreForbidden) {
  Window w("window_no_cupti", good_gemm());
  RunOrder o = w.order_now();
  o.options.time = true;
  w.run(o);
  EXPECT_EQ(w.runner.result()->state, RunState::missing);
  for (const char* expected : {"Correct on NVIDIA H200 (9.0), but not timed", "forbids CUPTI", "NVreg_RestrictProfilingToAdminUsers=0", "allow times with CUDA events"})
    EXPECT_TRUE(w.text().contains(QString::fromUtf8(expected))) << expected << "\n" << w.text().toStdString();
  EXPECT_EQ(w.view->model()->rowCount(), 2) << "the attempt is in the history, too";
}

TEST(RunsView, LookingAtTheHistoryMakesNoFolder) {
  Scratch scratch;
  ::unsetenv("BAKERY_HOME");
  const std::string file = scratch.schedule(good_gemm());
  const History history = load_history(Store::look_for(file));
  EXPECT_NE(history.note.find(".bakery/store.db"), std::string::npos) << history.note;
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(file).parent_path() / ".bakery"));
  EXPECT_EQ(Store::look_for(file), Store::path_for(file)) << "a run writes where the history is read";
}

TEST(RunsView, MismatchLeadsToTheStore) {
  Window w("window_mismatch", good_gemm());
  w.run(w.order_now());
  const QString text = w.text();
  for (const char* expected : {"Wrong values on NVIDIA H200", "(0, 0)", "never written", "16.3", "16,384", "NUM-001"})
    EXPECT_TRUE(text.contains(QString::fromUtf8(expected))) << expected << "\n" << text.toStdString();
  emit w.view->card()->highlighted(QUrl(QStringLiteral("place:0")));
  EXPECT_EQ(w.focus.lit().role, "mma") << "the pointer over a link lights its place";
  emit w.view->card()->highlighted(QUrl());
  EXPECT_EQ(w.focus.lit(), w.focus.state());
  ASSERT_TRUE(w.click(QStringLiteral("C[0, 8]")));
  EXPECT_EQ(w.focus.state().origin, Origin::runs);
  EXPECT_EQ(w.focus.state().role, "mma");
  const std::string line(w.snapshots.analysis().source.slice(w.snapshots.analysis().source.line_span(w.line_of_focus())));
  EXPECT_NE(line.find("c_s.tma_store(C"), std::string::npos) << line;
}

TEST(RunsView, HangLeadsToTheWaitAndToWhatForetoldIt) {
  Window w("window_hang", broken_gemm());
  RunOrder o = w.order_now();
  o.options.unchecked = true;
  w.run(o);
  EXPECT_TRUE(w.text().contains(QStringLiteral("Hung on NVIDIA H200"))) << w.text().toStdString();
  EXPECT_TRUE(w.text().contains(QStringLiteral("Who waits for what")));
  ASSERT_TRUE(w.click(QStringLiteral("mma")));
  EXPECT_EQ(w.line_of_focus(), 38u);
  EXPECT_EQ(w.focus.state().barrier, "full");
  EXPECT_EQ(w.focus.state().completion, 2);
  ASSERT_TRUE(w.click(QStringLiteral("SCHED-003")));
  ASSERT_GE(w.focus.state().finding, 0) << "the static finding itself is chosen";
  EXPECT_EQ(w.snapshots.analysis().findings[w.focus.state().finding].id, "SCHED-003");
}

TEST(RunsView, AResultOfAnEarlierTextSaysSoAndStillLeadsThere) {
  Window w("window_mismatch", good_gemm());
  w.run(w.order_now());
  EXPECT_FALSE(w.text().contains(QStringLiteral("earlier text")));
  const std::string before = w.document.text();
  w.document.apply({{{0, 0}, "# one more line\n"}});
  w.settle();
  EXPECT_FALSE(w.text().contains(QStringLiteral("earlier text"))) << "comments change nothing";
  const size_t at = w.document.text().find("choices=[3, 4]");
  w.document.apply({{{static_cast<uint32_t>(at), static_cast<uint32_t>(at + 14)}, "choices=[4]"}});
  w.settle();
  EXPECT_TRUE(w.text().contains(QStringLiteral("earlier text"))) << w.text().toStdString();
  ASSERT_TRUE(w.click(QStringLiteral("C[0, 8]")));
  const std::string line(w.snapshots.analysis().source.slice(w.snapshots.analysis().source.line_span(w.line_of_focus())));
  EXPECT_NE(line.find("c_s.tma_store(C"), std::string::npos) << line;
}

TEST(RunsView, MissingDeviceSaysWhatMendsIt) {
  Window w("window_no_device", good_gemm());
  w.run(w.order_now());
  for (const char* expected : {"something is missing", "libnvrtc.so.13 is not installed", "What mends it", "CUDA Toolkit 13", "Simulate"})
    EXPECT_TRUE(w.text().contains(QString::fromUtf8(expected))) << expected << "\n" << w.text().toStdString();
  w.simulate(w.order_now());
  EXPECT_TRUE(w.text().contains(QStringLiteral("Correct on the reference machine"))) << w.text().toStdString();
  EXPECT_TRUE(w.text().contains(QStringLiteral("its steps are logical, no times")));
}

TEST(RunsView, SimulatedMismatchLeadsToItsLine) {
  std::string text = good_gemm();
  const size_t at = text.find("init=(k == 0)");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 13, "init=(k >= 0)");
  Window w("window_correct", text);
  RunOrder o = w.order_now();
  o.options.shape = 4;  // K=256: four steps of k
  w.simulate(o);
  EXPECT_TRUE(w.text().contains(QStringLiteral("Wrong values on the reference machine"))) << w.text().toStdString();
  EXPECT_TRUE(w.text().contains(QStringLiteral("First mismatches")));
  const auto& first = w.runner.result()->simulation.shapes.at(0).first.at(0);
  QString label = QStringLiteral("C[%1, %2]").arg(first.index[0]).arg(first.index[1]);
  ASSERT_TRUE(w.click(label)) << w.text().toStdString();
  EXPECT_EQ(w.focus.state().role, "mma");
}

TEST(RunsView, WhatADeadlockNeverWroteLeadsToTheStore) {
  Window w("window_correct", broken_gemm());
  RunOrder o = w.order_now();
  o.options.shape = 5;  // several tiles of several laps
  w.simulate(o);
  EXPECT_TRUE(w.text().contains(QStringLiteral("Hung on the reference machine"))) << w.text().toStdString();
  const auto& first = w.runner.result()->simulation.shapes.at(0).first.at(0);
  ASSERT_FALSE(first.written);
  ASSERT_TRUE(w.click(QStringLiteral("C[%1, %2]").arg(first.index[0]).arg(first.index[1])));
  const std::string line(w.snapshots.analysis().source.slice(w.snapshots.analysis().source.line_span(w.line_of_focus())));
  EXPECT_NE(line.find("c_s.tma_store(C"), std::string::npos) << line;
  EXPECT_EQ(w.focus.state().role, "mma");
}

TEST(RunsView, HistoryIsFilteredSortedAndPlotted) {
  Window w("window_correct", good_gemm());
  RunOrder o = w.order_now();
  o.options.time = true;
  w.run(o);
  w.simulate(w.order_now());
  ASSERT_EQ(w.view->model()->rowCount(), 3);
  QTableView* table = w.view->table();
  QTest::keyClicks(w.view->filter(), QStringLiteral("bench h200"));
  ASSERT_EQ(table->model()->rowCount(), 1);
  EXPECT_EQ(table->model()->index(0, RunsModel::kind_column).data().toString(), QStringLiteral("bench"));
  EXPECT_EQ(table->model()->index(0, RunsModel::span_column).data().toString(), QStringLiteral("0.0104"));
  w.view->filter()->clear();
  ASSERT_EQ(table->model()->rowCount(), 3);
  table->sortByColumn(RunsModel::span_column, Qt::DescendingOrder);
  EXPECT_EQ(table->model()->index(0, RunsModel::kind_column).data().toString(), QStringLiteral("bench"));
  EXPECT_EQ(w.view->plot()->figure()->itemData(0).toString(), QStringLiteral("span_ms"));
  // A click on the mark chooses the row.
  w.view->tabs()->setCurrentWidget(w.view->plot());
  QTest::qWait(50);
  const int64_t bench = w.view->plot()->series().at(0).rows.at(0)->run.id;
  const QPointF at = w.view->plot()->place_of(bench);
  ASSERT_FALSE(at.isNull());
  QWidget* canvas = w.view->plot()->findChild<QWidget*>(QStringLiteral("plot"));
  QTest::mouseClick(canvas, Qt::LeftButton, {}, canvas->mapFrom(w.view->plot(), at.toPoint()));
  ASSERT_EQ(table->selectionModel()->selectedRows().size(), 1);
  EXPECT_EQ(table->selectionModel()->selectedRows().front().siblingAtColumn(RunsModel::kind_column).data().toString(), QStringLiteral("bench"));
}

TEST(RunsPlot, NeverMixesKindsShapesOrDevices) {
  const auto row = [](int64_t id, const char* kind, const char* shape, const char* device) {
    RunRow r;
    r.run.id = id;
    r.run.kind = kind;
    r.run.schedule = "gemm";
    r.run.shape = shape;
    r.run.device = device;
    r.run.ended = 1000 * id;
    r.run.figures = {{"checked", 1.0 * static_cast<double>(id), ""}};
    return r;
  };
  const std::vector<RunRow> rows = {row(1, "run", "M=8", "NVIDIA H200 (9.0)"), row(2, "simulate", "M=8", "reference machine"), row(3, "run", "M=16", "NVIDIA H200 (9.0)"),
                                    row(4, "run", "M=8", "NVIDIA H100 (9.0)"), row(5, "run", "M=8", "NVIDIA H200 (9.0)")};
  std::vector<const RunRow*> list;
  for (auto at = rows.rbegin(); at != rows.rend(); ++at) list.push_back(&*at);
  const auto series = plot_series(list, "checked");
  ASSERT_EQ(series.size(), 4u);
  ASSERT_EQ(series[0].rows.size(), 2u);
  EXPECT_EQ(series[0].rows[0]->run.id, 1) << "oldest first";
  EXPECT_TRUE(plot_series(list, "span_ms").empty());
}

TEST(RunsView, CandidatesFormATreeAndComeBackAsOneUndoStep) {
  Window w("window_correct", good_gemm());
  w.simulate(w.order_now());
  const std::string first = w.document.text();
  const size_t at = first.find("choices=[3, 4]");
  w.document.apply({{{static_cast<uint32_t>(at), static_cast<uint32_t>(at + 14)}, "choices=[4]"}});
  w.settle();
  const std::string second = w.document.text();
  w.simulate(w.order_now());
  QTreeWidget* tree = w.view->candidates();
  ASSERT_EQ(tree->topLevelItemCount(), 1);
  ASSERT_EQ(tree->topLevelItem(0)->childCount(), 1) << "the second was made from the first";
  w.view->tabs()->setCurrentWidget(tree);
  tree->setCurrentItem(tree->topLevelItem(0));
  tree->setFocus();
  QTest::keyClick(tree, Qt::Key_Return);
  ASSERT_EQ(wait_for_dialogs(w.view, "candidate"), "");
  auto* dialog = w.view->findChild<CandidateDialog*>(QStringLiteral("candidate"));
  EXPECT_TRUE(dialog->diff()->toPlainText().contains(QStringLiteral("+    S = lm.tunable(\"stages\", 4, choices=[3, 4])"))) << dialog->diff()->toPlainText().toStdString();
  QTest::mouseClick(dialog->restore(), Qt::LeftButton);
  EXPECT_EQ(w.document.text(), first);
  w.editor->edit()->undo();
  EXPECT_EQ(w.document.text(), second);
}

TEST(RunsView, TwoRowsAreCompared) {
  Window w("window_correct", good_gemm());
  w.simulate(w.order_now());
  w.document.apply({{{0, static_cast<uint32_t>(w.document.text().size())}, broken_gemm()}});
  w.settle();
  w.simulate(w.order_now());
  ASSERT_EQ(w.view->model()->rowCount(), 2);
  w.view->table()->selectAll();
  auto* compare = w.view->findChild<QToolButton*>(QStringLiteral("runs_compare"));
  ASSERT_TRUE(compare->isEnabled());
  QTest::mouseClick(compare, Qt::LeftButton, {}, QPoint(6, compare->height() / 2));
  ASSERT_EQ(wait_for_dialogs(w.view, "comparison"), "");
  auto* dialog = w.view->findChild<ComparisonDialog*>(QStringLiteral("comparison"));
  EXPECT_TRUE(dialog->page()->toPlainText().contains(QStringLiteral("only B · SCHED-003"))) << dialog->page()->toPlainText().toStdString();
  EXPECT_TRUE(dialog->page()->toPlainText().contains(QStringLiteral("logical steps")));
  EXPECT_TRUE(dialog->diff()->toPlainText().contains(QStringLiteral("-            lm.arrive(empty, stage=pipe.current()"))) << dialog->diff()->toPlainText().toStdString();
}

TEST(RunsComparison, SaysWhatIsBeyondTheSpread) {
  const auto side = [](double span, double spread) {
    ComparedRun c;
    c.row.run.figures = {{"span_ms", span, "ms"}, {"spread", spread, ""}};
    return c;
  };
  EXPECT_EQ(compare_runs(side(1.0, 0.02), side(1.01, 0.01)).figures[0].significant, std::optional<bool>(false));
  EXPECT_EQ(compare_runs(side(1.0, 0.02), side(0.9, 0.01)).figures[0].significant, std::optional<bool>(true));
  EXPECT_FALSE(compare_runs(side(1.0, 0.02), ComparedRun{}).figures[0].significant);
}

TEST(RunsView, ExportsWhatIsListed) {
  Window w("window_mismatch", good_gemm());
  w.run(w.order_now());
  const QString csv = QString::fromStdString(w.scratch.file("out.csv", "x")), json = QString::fromStdString(w.scratch.file("out.json", "x"));
  EXPECT_EQ(w.view->export_rows(csv), QString());
  EXPECT_EQ(w.view->export_rows(json), QString());
  EXPECT_FALSE(w.view->export_rows(QStringLiteral("/no/such/folder/out.csv")).isEmpty());
  const std::string table = read_text(csv.toStdString());
  EXPECT_NE(table.find("\"M=128, N=256, K=64\""), std::string::npos) << table;
  EXPECT_NE(table.find("mismatches"), std::string::npos);
  const auto rows = nlohmann::json::parse(read_text(json.toStdString()));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["status"], "mismatch");
  EXPECT_EQ(rows[0]["figures"]["mismatches"], 16384);
  EXPECT_EQ(rows[0]["findings"][0]["id"], "NUM-001");
}

TEST(RunsView, ReceiptsAreListedReadOnly) {
  Window w("window_correct", good_gemm());
  w.view->import_receipts(QStringLiteral(BAKERY_SOURCE_DIR "/tests/gpu/receipts/gemm_bench.jsonl"));
  const int rows = w.view->model()->rowCount();
  ASSERT_GE(rows, 1);
  EXPECT_FALSE(w.view->model()->index(0, RunsModel::ratio_column).data().toString().isEmpty());
  EXPECT_EQ(w.view->model()->index(0, RunsModel::time_column).data().toString(), QStringLiteral("receipt"));
  w.simulate(w.order_now());
  EXPECT_EQ(w.view->model()->rowCount(), rows + 1) << "imported rows stay when the store is read again";
  w.view->import_receipts(QString::fromStdString(w.scratch.file("bad.jsonl", "nonsense\n")));
  EXPECT_TRUE(w.view->note()->text().contains(QStringLiteral("no receipt")));
  w.view->import_receipts(QStringLiteral("/no/such/file"));
  EXPECT_TRUE(w.view->note()->text().contains(QStringLiteral("/no/such/file")));
}

TEST(RunsView, AStoreThatIsNoStoreIsAMessage) {
  Window w("window_correct", good_gemm());
  const std::string path = Store::path_for(w.document.path().toStdString());
  std::filesystem::create_directories(path);
  w.view->load();
  w.settle();
  EXPECT_TRUE(w.view->note()->isVisible());
  EXPECT_TRUE(w.view->note()->text().contains(QStringLiteral("cannot be opened"))) << w.view->note()->text().toStdString();
  std::filesystem::remove_all(path);
  std::ofstream(path) << std::string(100000, 'x');
  w.view->load();
  w.settle();
  EXPECT_TRUE(w.view->note()->text().contains(QStringLiteral("damaged"))) << w.view->note()->text().toStdString();
  w.simulate(w.order_now());
  EXPECT_EQ(w.view->model()->rowCount(), 1) << "work goes on with a new one";
}

TEST(RunsView, LargeHistoryDoesNotBlockTheWindow) {
  Window w("window_correct", good_gemm());
  {
    auto store = Store::open(Store::path_for(w.document.path().toStdString()));
    ASSERT_TRUE(store);
    for (int i = 0; i < 800; ++i) {
      StoredRun run;
      run.kind = "bench";
      run.candidate = "abc";
      run.status = "correct";
      run.shape = "M=" + std::to_string(i % 4);
      run.ended = now_ms() - 1000 * i;
      run.detail = "{}";
      run.figures = {{"span_ms", 1.0 + i, "ms"}};
      store->add(run);
    }
  }
  QElapsedTimer clock;
  clock.start();
  w.view->load();
  EXPECT_LT(clock.elapsed(), 50) << "reading is elsewhere";
  w.settle();
  EXPECT_EQ(w.view->model()->rowCount(), 800);
  EXPECT_EQ(w.view->plot()->series().size(), 4u);
}

TEST(ResultCard, UnitsInTheLastPlace) {
  EXPECT_DOUBLE_EQ(ulps(DType::bf16, 1.0, 1.0 + 1.0 / 128), 1);
  EXPECT_DOUBLE_EQ(ulps(DType::bf16, 12.5, -3.75), 16.25 / (8.0 / 128));
  EXPECT_DOUBLE_EQ(ulps(DType::f32, 2.0, 2.0 + std::ldexp(1.0, -22)), 1);
  EXPECT_LT(ulps(DType::i32, 2, 3), 0);
  EXPECT_LT(ulps(DType::bf16, 1, NAN), 0);
  EXPECT_GT(ulps(DType::bf16, 0, 1), 0);
}

TEST(ResultCard, IsReadableInEveryTheme) {
  Window w("window_hang", broken_gemm());
  RunOrder o = w.order_now();
  o.options.unchecked = true;
  w.run(o);
  for (const ThemeId theme : kThemes) {
    w.theme.set(theme);
    EXPECT_TRUE(w.view->page().html.contains(color(theme, Token::error).name())) << to_string(theme);
    EXPECT_EQ(w.view->page().places.size(), result_page(w.runner.result().get(), "", w.theme).places.size());
  }
}

}  // namespace
