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

TEST(CudaView, NoScheduleIsToldPlainly) {
  Window w("((((\n");
  EXPECT_TRUE(w.cuda->stale());
  EXPECT_TRUE(w.cuda->caption()->text().contains("Not lowered"));
  EXPECT_TRUE(w.cuda->edit()->text().isEmpty());
}

}  // namespace
