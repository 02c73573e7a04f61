// SPDX-License-Identifier: GPL-3.0-or-later
// The generated CUDA: linked with the schedule both ways, and honest when there is none.
#include <gtest/gtest.h>

#include <QApplication>
#include <QFile>
#include <QTest>

#include "tests/views/synthetic.h"
#include "views/common/focus_spec.h"
#include "views/cuda/cuda_view.h"
#include "views/editor/code_edit.h"
#include "views/editor/editor_view.h"

using namespace bakery;
using namespace bakery::views;

namespace {

std::string gemm() {
  QFile file(QStringLiteral(BAKERY_SOURCE_DIR "/resources/schedules/gemm_bf16_sm90a.cake"));
  EXPECT_TRUE(file.open(QIODevice::ReadOnly));
  return file.readAll().toStdString();
}

Lowered sample() {
  Lowered lowered;
  lowered.cuda = "// head\n#line 7 \"a.cake\"\nwait();\n#line 9 \"a.cake\"\nload();\nload2();\n#line 8 \"k.cu\"\n}\n";
  lowered.lines.entries = {{3, 7, 0}, {5, 9, 1}, {6, 9, 1}};
  return lowered;
}

TEST(CudaText, HidesDirectivesAndKeepsTheMapping) {
  const CudaText hidden = make_cuda_text(sample(), false);
  EXPECT_EQ(hidden.text, "// head\nwait();\nload();\nload2();\n}");
  EXPECT_EQ(hidden.schedule_line(1), 0u);
  EXPECT_EQ(hidden.schedule_line(2), 7u);
  EXPECT_EQ(hidden.schedule_line(4), 9u);
  EXPECT_EQ(hidden.lines[3].cuda, 6u);
  EXPECT_EQ(hidden.shown_lines(9, 9), (std::vector<uint32_t>{3, 4}));
  const CudaText all = make_cuda_text(sample(), true);
  EXPECT_EQ(all.lines.size(), 8u);
  EXPECT_EQ(all.shown_lines(7, 9), (std::vector<uint32_t>{3, 5, 6}));
  EXPECT_EQ(all.schedule_line(2), 0u);
  EXPECT_EQ(all.schedule_line(99), 0u);
  EXPECT_TRUE(make_cuda_text({}, false).lines.empty());
}

struct Window {
  Theme theme;
  Document document;
  Snapshots snapshots;
  Focus focus{snapshots};
  ViewContext context{document, snapshots, focus, theme};
  QWidget window;
  EditorView* editor = new EditorView(context, &window);
  CudaView* cuda = new CudaView(context, &window);

  explicit Window(const std::string& text) {
    window.resize(1400, 900);
    editor->setGeometry(0, 0, 600, 900);
    cuda->setGeometry(600, 0, 800, 900);
    window.show();
    QApplication::setActiveWindow(&window);
    document.start_new(text);
    wait();
  }
  void wait() {
    EXPECT_TRUE(QTest::qWaitFor([&] { return snapshots.settled() && !cuda->pending(); }, 5000));
  }
  uint32_t line_of(const std::string& what) {
    const SourceText& source = snapshots.analysis().source;
    return source.position(synthetic::find(source.text(), what).begin).line;
  }
  // Puts the caret of the schedule into a line, as a person does; the signal comes with the next frame.
  void caret(uint32_t line) {
    editor->edit()->show_offset(snapshots.analysis().source.line_span(line).begin);
    EXPECT_TRUE(QTest::qWaitFor([&] { return focus.state().span == snapshots.analysis().source.line_span(line); }, 2000));
  }
  std::string shown(uint32_t line) { return cuda->edit()->text(static_cast<int>(line) - 1).toStdString(); }
  // Clicks into a shown line.
  void click(uint32_t line) {
    QsciScintilla* edit = cuda->edit();
    edit->setFirstVisibleLine(std::max(0, static_cast<int>(line) - 5));
    const long position = edit->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, static_cast<unsigned long>(line - 1));
    const long x = edit->SendScintilla(QsciScintilla::SCI_POINTXFROMPOSITION, 0ul, position);
    const long y = edit->SendScintilla(QsciScintilla::SCI_POINTYFROMPOSITION, 0ul, position);
    QTest::mouseClick(edit->viewport(), Qt::LeftButton, {}, QPoint(static_cast<int>(x) + 4, static_cast<int>(y) + 5));
    const uint32_t wanted = cuda->text().schedule_line(line);
    EXPECT_TRUE(QTest::qWaitFor([&] { return wanted == 0 || editor->edit()->caret_line() == wanted; }, 2000));
  }
};

TEST(CudaView, CaretInTheScheduleLightsItsCuda) {
  Window w(gemm());
  ASSERT_FALSE(w.cuda->stale());
  EXPECT_TRUE(w.cuda->caption()->text().contains("kernel_gemm_bf16"));
  const uint32_t line = w.line_of("b_s.tma_load(B");
  w.caret(line);
  ASSERT_FALSE(w.cuda->lit().empty());
  bool loads = false;
  for (const uint32_t shown : w.cuda->lit()) {
    EXPECT_EQ(w.cuda->text().schedule_line(shown), line);
    EXPECT_TRUE(w.cuda->edit()->markersAtLine(static_cast<int>(shown) - 1) & 2u);
    loads |= w.shown(shown).find("tma_load") != std::string::npos;
  }
  EXPECT_TRUE(loads);
  const int first = w.cuda->edit()->firstVisibleLine();
  EXPECT_LE(first, static_cast<int>(w.cuda->lit().front()) - 1);
  EXPECT_GT(first, 0) << "scrolls there";
}

TEST(CudaView, ClickOnCudaFocusesTheScheduleLine) {
  Window w(gemm());
  for (const bool directives : {false, true}) {
    if (directives) QTest::mouseClick(w.cuda->directives(), Qt::LeftButton, {}, QPoint(8, w.cuda->directives()->height() / 2));
    ASSERT_EQ(w.cuda->directives()->isChecked(), directives);
    const uint32_t line = w.line_of(directives ? "a_s.tma_load(A" : "lm.wait(full, stage=s)");
    const auto lines = w.cuda->text().shown_lines(line, line);
    ASSERT_FALSE(lines.empty());
    w.click(lines.front());
    EXPECT_EQ(w.focus.state().origin, Origin::cuda);
    EXPECT_EQ(w.editor->edit()->caret_line(), line);
    EXPECT_EQ(w.cuda->lit(), lines);
    EXPECT_EQ(w.cuda->edit()->text().contains("#line "), directives);
  }
}

TEST(CudaView, KeysWalkTheLink) {
  Window w(gemm());
  const uint32_t line = w.line_of("lm.wait(empty, stage=s)");
  const uint32_t shown = w.cuda->text().shown_lines(line, line).front();
  w.cuda->edit()->setFocus();
  w.click(shown - 1);
  QTest::keyClick(w.cuda->edit(), Qt::Key_Down);
  EXPECT_TRUE(QTest::qWaitFor([&] { return w.editor->edit()->caret_line() == line; }, 2000));
}

TEST(CudaView, ABarrierLightsTheOperationsThatUseIt) {
  Window w(gemm());
  w.focus.set(focus_on_resource(w.snapshots.shown(), "full"));
  const Schedule& schedule = w.snapshots.analysis().schedule;
  int waits = 0, declared = 0;
  for (const uint32_t shown : w.cuda->lit()) {
    const CudaText::Line& line = w.cuda->text().lines[shown - 1];
    if (line.op < 0) {
      ++declared;
      EXPECT_EQ(line.schedule, w.line_of("full = lm.barrier"));
      continue;
    }
    EXPECT_EQ(schedule.barriers[schedule.ops[static_cast<size_t>(line.op)].barrier].name, "full");
    waits += schedule.ops[static_cast<size_t>(line.op)].code == OpCode::wait;
  }
  EXPECT_EQ(waits, 1);
  EXPECT_GT(declared, 0);
  const auto one = parse_focus("full[2]@1", w.snapshots.shown());
  ASSERT_TRUE(one);
  w.focus.set(*one);
  for (const uint32_t shown : w.cuda->lit()) EXPECT_EQ(w.cuda->text().schedule_line(shown), w.line_of("lm.wait(full"));
}

TEST(CudaView, ARejectedScheduleKeepsTheLastGoodText) {
  Window w(gemm());
  const QString good = w.cuda->edit()->text();
  std::string broken = gemm();
  const Span arrive = synthetic::find(broken, "            lm.arrive(empty, stage=pipe.current())\n");
  w.document.apply({{arrive, ""}});
  w.wait();
  EXPECT_TRUE(w.cuda->stale());
  EXPECT_EQ(w.cuda->edit()->text(), good);
  EXPECT_TRUE(w.cuda->caption()->text().contains("last good text"));
  EXPECT_TRUE(w.cuda->caption()->text().contains("-0")) << "names the finding";
  // Lines below the edit still lead to where they are now.
  const uint32_t line = w.line_of("c_s.tma_store(C");
  w.caret(line);
  ASSERT_FALSE(w.cuda->lit().empty());
  EXPECT_NE(w.shown(w.cuda->lit().front()).find("c_s.tma_store"), std::string::npos) << w.shown(w.cuda->lit().front());
  w.editor->edit()->undo();
  w.wait();
  EXPECT_FALSE(w.cuda->stale());
}

TEST(CudaView, NothingIsLoweredUnseen) {
  Window w(gemm());
  w.cuda->hide();
  w.document.start_new("# other\n" + gemm());
  ASSERT_TRUE(QTest::qWaitFor([&] { return w.snapshots.settled(); }, 5000));
  EXPECT_TRUE(w.cuda->pending());
  QTest::qWait(50);
  EXPECT_TRUE(w.cuda->pending());
  w.cuda->show();
  w.wait();
  const uint32_t line = w.line_of("lm.wait(full, stage=s)");
  EXPECT_FALSE(w.cuda->text().shown_lines(line, line).empty());
}

// ---- PTX --------------------------------------------------------------------------------

TEST(PtxText, LinesFollowLocsAndInlinedCalls) {
  const char* const ptx =
      ".visible .entry k(\n)\n{\n\t.loc\t1 150 0\n\tmov.u32 %r1, 1;\n\t.loc\t2 20 5\n\t.loc\t1 35 33, function_name $L__info_string0, inlined_at 2 20 5\n"
      "\tmbarrier.init;\n\t.loc\t1 40 3, function_name $L__info_string1, inlined_at 1 35 33\n\tdeep;\n\t.loc\t3 1 1\n\tother;\n}\n"
      "\t.file\t1 \"/build/k.cu\"\n\t.file\t2 \"/build/a.cake\"\n\t.file\t3 \"/usr/x.h\"\n.section\t.debug_str\n{\n$L__info_string0:\n.b8 1\n}\n";
  const PtxText hidden = make_ptx_text(ptx, "a.cake", "k.cu", false);
  std::string links;
  for (const PtxText::Line& line : hidden.lines) links += std::to_string(line.ptx) + ":" + std::to_string(line.schedule) + "/" + std::to_string(line.cuda) + " ";
  EXPECT_EQ(links, "1:0/0 2:0/0 3:0/0 5:0/150 8:20/0 10:20/0 12:0/0 13:0/0 ");
  EXPECT_EQ(hidden.text.find(".loc"), std::string::npos);
  EXPECT_EQ(hidden.text.find("debug_str"), std::string::npos);
  EXPECT_EQ(make_ptx_text(ptx, "a.cake", "k.cu", true).lines.size(), 21u);
  for (const char* nonsense : {"", "\n", ".loc", ".loc 1", ".file", ".loc 99999999999 1 1\nx", ".section"}) make_ptx_text(nonsense, "a.cake", "k.cu", false);
}

TEST(PtxText, PiecesOfALine) {
  const auto styled = [](std::string_view line) {
    std::string text;
    size_t at = 0;
    for (const auto& [length, style] : PtxLexer::pieces(line)) {
      text += std::to_string(style) + "'" + std::string(line.substr(at, length)) + "' ";
      at += length;
    }
    EXPECT_EQ(at, line.size()) << line;
    return text;
  };
  EXPECT_EQ(styled("add.s32 %r1, %r2, 16;"), "3'add.s32' 0' ' 4'%r1' 0', ' 4'%r2' 0', ' 5'16' 0';' ");
  EXPECT_EQ(styled("@%p4 bra $L__BB0_2; // x"), "0'@' 4'%p4' 0' ' 3'bra' 0' ' 6'$L__BB0_2' 0'; ' 1'// x' ");
  EXPECT_EQ(styled(".reg .pred %p<37>;"), "2'.reg' 0' ' 2'.pred' 0' ' 4'%p' 0'<' 5'37' 0'>;' ");
  EXPECT_EQ(styled(""), "");
}

struct PtxWindow : Window {
  PtxWindow() : Window("") {
    Compiles::of(snapshots).set_worker({{BAKERY_BIN_DIR "/bakery", "worker", "--replay", BAKERY_SOURCE_DIR "/tests/fixtures/sessions/compile_gemm.jsonl"}});
    EXPECT_EQ(document.open(QStringLiteral(BAKERY_SOURCE_DIR "/tests/fixtures/gemm_compiled.cake")), QString());
    wait();
    cuda->show_panes(CudaView::Panes::both);
    EXPECT_TRUE(QTest::qWaitFor([&] { return !cuda->pending(); }, 20000));
  }
  std::string ptx_line(uint32_t line) { return cuda->ptx()->edit()->text(static_cast<int>(line) - 1).toStdString(); }
};

TEST(PtxPane, ScheduleCudaAndPtxAreLinkedInAllDirections) {
  PtxWindow w;
  PtxPane* ptx = w.cuda->ptx();
  ASSERT_FALSE(ptx->text().lines.empty());
  EXPECT_TRUE(ptx->caption()->text().contains("168 registers")) << ptx->caption()->text().toStdString();
  EXPECT_TRUE(ptx->caption()->text().contains("no spills"));
  // From the schedule.
  const uint32_t line = w.line_of("b_s.tma_load(B");
  w.caret(line);
  ASSERT_FALSE(ptx->lit().empty());
  bool copies = false;
  for (const uint32_t shown : ptx->lit()) {
    EXPECT_EQ(ptx->text().lines[shown - 1].schedule, line);
    copies |= w.ptx_line(shown).find("cp.async.bulk.tensor") != std::string::npos;
  }
  EXPECT_TRUE(copies);
  // From the PTX: the caret of the schedule and the CUDA follow.
  const uint32_t wgmma = w.line_of("lm.mma(acc, a_s[s]");
  uint32_t at = 0;
  for (uint32_t i = 1; i <= ptx->text().lines.size() && at == 0; ++i)
    if (ptx->text().lines[i - 1].schedule == wgmma && w.ptx_line(i).find("wgmma.mma_async") != std::string::npos) at = i;
  ASSERT_GT(at, 0u) << "the MMA's instructions lie on its line";
  ptx->edit()->setFocus();
  ptx->edit()->setCursorPosition(static_cast<int>(at) - 1, 0);
  EXPECT_TRUE(QTest::qWaitFor([&] { return w.editor->edit()->caret_line() == wgmma; }, 2000));
  ASSERT_FALSE(w.cuda->lit().empty());
  EXPECT_EQ(w.cuda->text().schedule_line(w.cuda->lit().front()), wgmma);
  EXPECT_TRUE(ptx->edit()->markersAtLine(static_cast<int>(at) - 1) & 2u);
  // From the CUDA: a line that no schedule line names leads to its PTX as well.
  uint32_t own = 0;
  for (const PtxText::Line& l : ptx->text().lines)
    if (l.schedule == 0 && l.cuda != 0) own = l.cuda;
  ASSERT_GT(own, 0u);
  const auto shown = std::find_if(w.cuda->text().lines.begin(), w.cuda->text().lines.end(), [&](const CudaText::Line& l) { return l.cuda == own; });
  ASSERT_NE(shown, w.cuda->text().lines.end());
  w.cuda->edit()->setFocus();
  w.cuda->edit()->setCursorPosition(static_cast<int>(shown - w.cuda->text().lines.begin()), 0);
  EXPECT_TRUE(QTest::qWaitFor([&] { return !ptx->lit().empty() && ptx->text().lines[ptx->lit().front() - 1].cuda == own; }, 2000));
}

TEST(PtxPane, NothingIsCompiledUnseen) {
  Window w(gemm());
  QTest::qWait(50);
  EXPECT_FALSE(Compiles::of(w.snapshots).busy());
  EXPECT_EQ(Compiles::of(w.snapshots).last().kernel, nullptr);
}

TEST(PtxPane, NoCompilerIsToldPlainly) {
  Window w(gemm());
  Compiles::of(w.snapshots).set_worker({{"/nowhere/bakery", "worker"}});
  w.cuda->edit()->setFocus();
  QTest::keyClick(w.cuda->edit(), Qt::Key_P);
  EXPECT_EQ(w.cuda->panes(), CudaView::Panes::ptx);
  EXPECT_TRUE(QTest::qWaitFor([&] { return !w.cuda->pending(); }, 20000));
  EXPECT_TRUE(w.cuda->ptx()->caption()->text().contains("No PTX: ")) << w.cuda->ptx()->caption()->text().toStdString();
}

TEST(PtxPane, StopsAtOnce) {
  Window w(gemm());
  Compiles& compiles = Compiles::of(w.snapshots);
  compiles.set_worker({{"/bin/sh", "-c", "sleep 60"}});
  compiles.request(w.snapshots.shown().analysis);
  QTest::qWait(150);
  EXPECT_TRUE(compiles.busy());
  compiles.cancel();
  EXPECT_FALSE(compiles.busy());
  EXPECT_EQ(compiles.last().kernel, nullptr);
  // The next one is answered, and soon.
  compiles.set_worker({{"/nowhere/bakery", "worker"}});
  compiles.request(w.snapshots.shown().analysis);
  EXPECT_TRUE(QTest::qWaitFor([&] { return !compiles.busy(); }, 5000));
  EXPECT_FALSE(compiles.last().ok());
}

TEST(CudaView, TheLineUnderThePointerIsLit) {
  Window w(gemm());
  const uint32_t line = w.line_of("lm.wait(full, stage=s)");
  const uint32_t shown = w.cuda->text().shown_lines(line, line).front();
  QsciScintilla* edit = w.cuda->edit();
  edit->setFirstVisibleLine(std::max(0, static_cast<int>(shown) - 5));
  const long position = edit->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, static_cast<unsigned long>(shown - 1));
  const long x = edit->SendScintilla(QsciScintilla::SCI_POINTXFROMPOSITION, 0ul, position), y = edit->SendScintilla(QsciScintilla::SCI_POINTYFROMPOSITION, 0ul, position);
  const FocusState before = w.focus.state();
  QTest::mouseMove(edit->viewport(), QPoint(static_cast<int>(x) + 6, static_cast<int>(y) + 5));
  ASSERT_TRUE(w.focus.lit().span);
  EXPECT_EQ(*w.focus.lit().span, w.snapshots.analysis().source.line_span(line));
  EXPECT_EQ(w.focus.state(), before);
}

TEST(CudaView, NoScheduleIsToldPlainly) {
  Window w("((((\n");
  EXPECT_TRUE(w.cuda->stale());
  EXPECT_TRUE(w.cuda->caption()->text().contains("Not lowered"));
  EXPECT_TRUE(w.cuda->edit()->text().isEmpty());
}

}  // namespace
