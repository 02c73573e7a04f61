// SPDX-License-Identifier: GPL-3.0-or-later
// The text widget: byte positions, marks, comments, files.
#include <gtest/gtest.h>

#include <Qsci/qscilexerpython.h>

#include <QElapsedTimer>
#include <QFile>
#include <QListWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>

#include "tests/views/synthetic.h"
#include "views/common/document.h"
#include "views/editor/code_edit.h"
#include "views/editor/editor_view.h"
#include "views/editor/find_bar.h"

using namespace bakery;
using namespace bakery::views;

namespace {

struct Editor {
  Theme theme;
  CodeEdit edit;
  explicit Editor(const std::string& text) {
    edit.resize(600, 400);
    edit.apply_theme(theme);
    edit.show();
    edit.replace_text(text);
  }
  std::string text() { return static_cast<TextStore&>(edit).text(); }
  bool marked(int indicator, uint32_t offset) {
    return edit.SendScintilla(QsciScintillaBase::SCI_INDICATORVALUEAT, static_cast<unsigned long>(indicator),
                              static_cast<long>(offset)) != 0;
  }
};

TEST(CodeEdit, PositionsAreBytesBehindCjkAndEmoji) {
  const std::string text = "# 双缓冲 🍞 ё\nx = lm.wait(空)  # 🥖\n";
  Editor e(text);
  EXPECT_EQ(e.text(), text);
  Finding finding;
  finding.span = synthetic::find(text, "lm.wait");
  e.edit.show_findings({finding});
  EXPECT_FALSE(e.marked(CodeEdit::kIndicators, finding.span.begin - 1));
  EXPECT_TRUE(e.marked(CodeEdit::kIndicators, finding.span.begin));
  EXPECT_TRUE(e.marked(CodeEdit::kIndicators, finding.span.end - 1));
  EXPECT_FALSE(e.marked(CodeEdit::kIndicators, finding.span.end));
  EXPECT_TRUE(e.edit.markersAtLine(1) & 4u);
  e.edit.show_offset(finding.span.begin);
  int line = 0, column = 0;
  e.edit.getCursorPosition(&line, &column);
  EXPECT_EQ(line, 1);
  EXPECT_EQ(column, 4);
  EXPECT_EQ(e.edit.caret_offset(), finding.span.begin);
  const Span bread = synthetic::find(text, "🥖");
  e.edit.apply({{bread, "面包"}}, "baking");
  EXPECT_EQ(e.text(), apply_edits(text, {{bread, "面包"}}));
  e.edit.undo();
  EXPECT_EQ(e.text(), text);
}

TEST(CodeEdit, KeepsEveryByte) {
  for (const std::string& text : {std::string(), std::string("a\r\nb\r\n"), std::string("no newline"), std::string("x\0y\n", 4),
                                  std::string("\xEF\xBB\xBF# mark\n"), std::string("\t tabs\n\n\n")}) {
    Editor e(text);
    EXPECT_EQ(e.text(), text);
  }
}

TEST(CodeEdit, SeveritiesHaveTheirOwnMarks) {
  const std::string text = "one\ntwo\nthree\n";
  Editor e(text);
  std::vector<Finding> findings(3);
  findings[0].span = {0, 3};
  findings[1].span = {4, 7};
  findings[1].severity = Severity::review;
  findings[2].span = {8, 8};
  findings[2].severity = Severity::hint;
  e.edit.show_findings(findings);
  EXPECT_EQ(e.edit.markersAtLine(0), 4u);
  EXPECT_EQ(e.edit.markersAtLine(1), 2u);
  EXPECT_EQ(e.edit.markersAtLine(2), 1u);
  EXPECT_TRUE(e.marked(CodeEdit::kIndicators + 1, 4));
  EXPECT_TRUE(e.marked(CodeEdit::kIndicators + 2, 8));  // an empty span still shows
  e.edit.show_findings({});
  EXPECT_EQ(e.edit.markersAtLine(0), 0u);
  EXPECT_FALSE(e.marked(CodeEdit::kIndicators, 0));
}

TEST(CodeEdit, LightsWholeWords) {
  const std::string text = "full = lm.barrier()\nfull_x = 1\nlm.wait(full)\n";
  Editor e(text);
  e.edit.light_words({"full"});
  const int box = CodeEdit::kIndicators + 3;
  EXPECT_TRUE(e.marked(box, 0));
  EXPECT_FALSE(e.marked(box, synthetic::find(text, "full_x").begin));
  EXPECT_TRUE(e.marked(box, synthetic::find(text, "(full)").begin + 1));
}

TEST(CodeEdit, KeysOfTheWindowAreTheWindows) {
  Editor e("a\n");
  QAction action(nullptr);  // of a window that the editor is no part of
  action.setShortcut(QKeySequence(Qt::CTRL | Qt::Key_U));
  const auto taken = [&] {
    QKeyEvent key(QEvent::ShortcutOverride, Qt::Key_U, Qt::ControlModifier);
    key.ignore();
    QApplication::sendEvent(&e.edit, &key);
    return key.isAccepted();
  };
  EXPECT_TRUE(taken());
  e.edit.set_window_actions({&action});
  EXPECT_FALSE(taken());
  action.setEnabled(false);
  EXPECT_TRUE(taken());
}

TEST(CodeEdit, CommentsAndUncomments) {
  const std::string text = "with load:\n    a = 1\n\n        b = 2\n";
  Editor e(text);
  e.edit.select_span({11, static_cast<uint32_t>(text.size())});
  e.edit.toggle_comment();
  EXPECT_EQ(e.text(), "with load:\n    # a = 1\n\n    #     b = 2\n");
  e.edit.toggle_comment();
  EXPECT_EQ(e.text(), text);
  e.edit.undo();
  EXPECT_EQ(e.text(), "with load:\n    # a = 1\n\n    #     b = 2\n");
}

TEST(CodeEdit, IndentsAfterAColon) {
  Editor e("with load:");
  e.edit.setFocus();
  e.edit.setCursorPosition(0, 10);
  QTest::keyClick(&e.edit, Qt::Key_Return);
  QTest::keyClicks(&e.edit, "x");
  EXPECT_EQ(e.text(), "with load:\n    x");
  QTest::keyClick(&e.edit, Qt::Key_Return);
  QTest::keyClicks(&e.edit, "y");
  EXPECT_EQ(e.text(), "with load:\n    x\n    y");
}

TEST(FindBar, FindsForwardsAndBackwards) {
  Editor e("alpha\nbeta\nalpha\n");
  FindBar bar(&e.edit, e.theme);
  bar.open();
  auto* line = bar.findChild<QLineEdit*>();
  QTest::keyClicks(line, "alpha");
  EXPECT_EQ(e.edit.caret_line(), 1u);
  bar.find(true);
  EXPECT_EQ(e.edit.caret_line(), 3u);
  bar.find(true);
  EXPECT_EQ(e.edit.caret_line(), 1u);
  bar.find(false);
  EXPECT_EQ(e.edit.caret_line(), 3u);
}

TEST(Document, OpensSavesAndRefuses) {
  QTemporaryDir folder;
  const QString path = folder.filePath("a.cake"), noise = folder.filePath("noise.cake");
  const auto write = [](const QString& where, const QByteArray& bytes) {
    QFile file(where);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(bytes);
  };
  write(path, "x = 1\r\n# \xE7\xA9\xBA\n");
  write(noise, "x\xFF\xFE\n");
  Document document;
  CodeEdit edit;
  document.attach(&edit);
  QObject::connect(&edit, &QsciScintilla::modificationChanged, &document, &Document::set_modified);
  EXPECT_EQ(document.open(path), QString());
  EXPECT_FALSE(document.modified());
  EXPECT_TRUE(document.open(noise).contains("not UTF-8"));
  EXPECT_TRUE(document.open(folder.filePath("none.cake")).contains("can't read"));
  EXPECT_TRUE(document.open(folder.path()).contains("folder"));
  EXPECT_EQ(document.text(), "x = 1\r\n# \xE7\xA9\xBA\n");  // the old text stays
  document.apply({{{4, 5}, "2"}});
  EXPECT_TRUE(document.modified());
  EXPECT_EQ(document.save(), QString());
  EXPECT_FALSE(document.modified());
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_EQ(file.readAll(), QByteArray("x = 2\r\n# \xE7\xA9\xBA\n"));
}

TEST(CodeEdit, LineCommandsAreOneUndoStepEach) {
  const std::string text = "a\n    b\nc\n";
  Editor e(text);
  e.edit.setFocus();
  const auto check = [&](const std::string& after, auto change) {
    change();
    EXPECT_EQ(e.text(), after);
    e.edit.undo();
    EXPECT_EQ(e.text(), text);
  };
  e.edit.select_span({0, 8});
  check("    a\n        b\nc\n", [&] { e.edit.indent(true); });
  e.edit.select_span({0, 8});
  check("a\nb\nc\n", [&] { e.edit.indent(false); });
  e.edit.select_span({0, 8});
  check("    a\n        b\nc\n", [&] { QTest::keyClick(&e.edit, Qt::Key_Tab); });
  e.edit.setCursorPosition(1, 5);
  check("a\nb\nc\n", [&] { QTest::keyClick(&e.edit, Qt::Key_Backtab, Qt::ShiftModifier); });
  e.edit.setCursorPosition(1, 2);
  check("a\n    b\n    b\nc\n", [&] { e.edit.duplicate(); });
  e.edit.setCursorPosition(1, 2);
  check("    b\na\nc\n", [&] { e.edit.move_lines(true); });
  e.edit.setCursorPosition(1, 2);
  check("a\nc\n    b\n", [&] { e.edit.move_lines(false); });
}

TEST(CodeEdit, FoldsTheBlockAtTheCaretAndShowsItAgain) {
  std::string text = "with load:\n    a\n    b\nwith mma:\n    c\n";
  Editor e(text);
  e.edit.setCursorPosition(2, 4);
  e.edit.recolor();
  e.edit.toggle_fold();
  const auto visible = [&](long line) { return e.edit.SendScintilla(QsciScintillaBase::SCI_GETLINEVISIBLE, line) != 0; };
  EXPECT_TRUE(visible(0));
  EXPECT_FALSE(visible(1));
  EXPECT_FALSE(visible(2));
  EXPECT_TRUE(visible(3));
  e.edit.show_offset(static_cast<uint32_t>(text.find("b\n")));
  EXPECT_TRUE(visible(2));
}

TEST(CodeEdit, NamesWhatIsTakenBack) {
  Editor e("one two\n");
  QStringList said;
  QObject::connect(&e.edit, &CodeEdit::undone, [&](const QString& label) { said << "-" + label; });
  QObject::connect(&e.edit, &CodeEdit::redone, [&](const QString& label) { said << "+" + label; });
  int edits = 0;
  QObject::connect(&e.edit, &CodeEdit::text_edited, [&] { ++edits; });
  e.edit.apply({{{0, 3}, "1"}, {{4, 7}, "2"}}, "counting");
  e.edit.insert("x");
  e.edit.undo();
  EXPECT_TRUE(said.isEmpty());
  e.edit.undo();
  e.edit.redo();
  EXPECT_EQ(said, (QStringList{"-counting", "+counting"}));
  EXPECT_EQ(edits, 5);  // one for each step, so one analysis each
  EXPECT_EQ(e.text(), "1 2\n");
}

// What is done for every name must not look through the whole line each time.
TEST(CodeEdit, OneHugeLineIsLinear) {
  const auto lit_in = [](const std::string& text) {
    CodeEdit edit;  // not shown: what Scintilla does to paint is its own
    edit.replace_text(text);
    QElapsedTimer clock;
    clock.start();
    edit.light_words({"full"});
    return clock.elapsed();
  };
  std::string lines, line;
  while (line.size() < 2000000) {
    lines += "lm.wait(full, stage=s);\n";
    line += "lm.wait(full, stage=s); ";
  }
  EXPECT_LE(lit_in(line), 500 + 10 * lit_in(lines));
}

TEST(CodeEdit, AVeryLongLineHasNoColours) {
  const std::string word = "@cake ";
  std::string text;
  while (text.size() <= CodeEdit::kColouredColumns) text += word;
  Editor e(text);
  EXPECT_TRUE(e.edit.plain());
  const auto coloured = [&] {
    e.edit.SendScintilla(QsciScintillaBase::SCI_COLOURISE, 0UL, -1L);
    return e.edit.SendScintilla(QsciScintillaBase::SCI_GETSTYLEAT, 0UL);
  };
  EXPECT_EQ(coloured(), QsciLexerPython::Default);
  e.edit.replace_text("with load:\n");
  EXPECT_FALSE(e.edit.plain());
  EXPECT_EQ(coloured(), QsciLexerPython::Keyword);
  e.edit.replace_text("tma_load\n");
  EXPECT_EQ(coloured(), QsciLexerPython::HighlightedIdentifier);
}

struct Bar : Editor {
  FindBar bar{&edit, theme};
  QLineEdit* line = bar.findChild<QLineEdit*>();
  QLineEdit* with = bar.findChild<QLineEdit*>("replace_text");
  explicit Bar(const std::string& text) : Editor(text) {
    bar.resize(700, 80);
    bar.open_replace();
  }
  QString count() { return bar.findChild<QLabel*>("find_count")->text(); }
  void option(const char* id, bool on) { bar.findChild<QToolButton*>(id)->setChecked(on); }
};

TEST(FindBar, CountsAndNumbersMatches) {
  Bar b("full = 1\nfull_x = Full\n# full 空 full\n");
  QTest::keyClicks(b.line, "full");
  EXPECT_EQ(b.count(), "1 of 5");
  b.bar.find(true);
  EXPECT_EQ(b.count(), "2 of 5");
  b.option("find_word", true);
  EXPECT_EQ(b.count(), "2 of 4");
  b.option("find_case", true);
  EXPECT_TRUE(b.count().endsWith(" of 3")) << b.count().toStdString();
  b.bar.find(false);
  b.edit.setCursorPosition(0, 8);
  EXPECT_EQ(b.count(), "3 found");
  b.line->clear();
  QTest::keyClicks(b.line, "nothing");
  EXPECT_EQ(b.count(), "not found");
}

TEST(FindBar, ReplacesOneAndAll) {
  const std::string text = "a = full\n空 full full\n";
  Bar b(text);
  QTest::keyClicks(b.line, "full");
  QTest::keyClicks(b.with, "ready");
  QTest::keyClick(b.with, Qt::Key_Return);
  EXPECT_EQ(b.text(), "a = ready\n空 full full\n");
  EXPECT_EQ(b.count(), "1 of 2");
  QTest::keyClick(b.with, Qt::Key_Return, Qt::ControlModifier | Qt::AltModifier);
  EXPECT_EQ(b.text(), "a = ready\n空 ready ready\n");
  EXPECT_EQ(b.count(), "2 replaced");
  b.edit.undo();
  EXPECT_EQ(b.text(), "a = ready\n空 full full\n");
  b.edit.undo();
  EXPECT_EQ(b.text(), text);
}

TEST(FindBar, Expressions) {
  Bar b("\xEF\xBB\xBFwait(full, 1)\nwait(空, 2)\n");
  b.option("find_expression", true);
  QTest::keyClicks(b.line, "wait\\((\\w+), (\\d)\\)");
  EXPECT_EQ(b.count(), "1 of 2");
  QTest::keyClicks(b.with, "lm.wait(\\1, stage=\\2)");
  b.bar.replace_all();
  EXPECT_EQ(b.text(), "\xEF\xBB\xBFlm.wait(full, stage=1)\nlm.wait(空, stage=2)\n");
  b.line->setText("(");
  b.bar.find(true);
  EXPECT_EQ(b.count(), "not an expression");
}

// ---- the editor with all that belongs to it ------------------------------------------------

struct Whole {
  Document document;
  Theme theme;
  Snapshots snapshots;
  Focus focus{snapshots};
  EditorView view{ViewContext{document, snapshots, focus, theme}};
  CodeEdit* edit = view.edit();
  QStringList said;

  explicit Whole(const std::string& text) {
    QObject::connect(&view, &EditorView::said, [this](const QString& what) { said << what; });
    view.resize(1000, 700);
    view.show();
    view.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&view));
    document.start_new(text);
    edit->setFocus();
    settle();
  }
  void settle() { EXPECT_TRUE(QTest::qWaitFor([this] { return !snapshots.busy(); }, 20000)); }
  std::string text() { return document.text(); }
  void put_caret(const std::string& before) {
    const size_t at = text().find(before);
    ASSERT_NE(at, std::string::npos);
    edit->show_offset(static_cast<uint32_t>(at + before.size()));
  }
  QListWidget* list() { return view.findChild<QListWidget*>("completion_list"); }
  bool offers() { return list()->isVisible(); }
  QString first() { return list()->item(0)->text(); }
  void type(const char* keys) { QTest::keyClicks(edit, keys); }
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(edit, key, modifiers); }
};

std::string gemm() {
  QFile file(BAKERY_SOURCE_DIR "/resources/schedules/gemm_bf16_sm90a.cake");
  EXPECT_TRUE(file.open(QIODevice::ReadOnly));
  return file.readAll().toStdString();
}

TEST(Completing, TypesAWholeWait) {
  Whole w(gemm());
  w.put_caret("lm.wait(full, stage=s)");
  w.press(Qt::Key_Return);
  w.type("lm.");
  ASSERT_TRUE(w.offers());
  w.type("wa");
  EXPECT_EQ(w.first(), "wait");
  w.press(Qt::Key_Tab);
  EXPECT_FALSE(w.offers());
  EXPECT_TRUE(w.view.findChild<QLabel*>("call_tip")->isVisible());
  w.type("fu");
  ASSERT_TRUE(w.offers());
  EXPECT_EQ(w.first(), "full");
  w.press(Qt::Key_Return);
  w.type(", st");
  EXPECT_EQ(w.first(), "stage=");
  w.press(Qt::Key_Tab);
  w.view.complete();
  EXPECT_EQ(w.first(), "s");
  w.press(Qt::Key_Escape);
  EXPECT_FALSE(w.offers());
  w.type("s)");
  EXPECT_FALSE(w.view.findChild<QLabel*>("call_tip")->isVisible());
  EXPECT_NE(w.text().find("lm.wait(full, stage=s)\n                lm.wait(full, stage=s)\n"), std::string::npos) << w.text();
}

TEST(Completing, ArrowsChooseAndBackspaceWidens) {
  Whole w(gemm());
  w.put_caret("lm.wait(full, stage=s)");
  w.press(Qt::Key_Return);
  w.type("lm.mm");
  ASSERT_TRUE(w.offers());
  const int narrow = w.list()->count();
  w.press(Qt::Key_Backspace);
  w.press(Qt::Key_Backspace);
  EXPECT_TRUE(w.offers());
  EXPECT_GT(w.list()->count(), narrow);
  w.press(Qt::Key_Down);
  EXPECT_EQ(w.list()->currentRow(), 1);
  w.press(Qt::Key_Up);
  w.press(Qt::Key_Up);
  EXPECT_EQ(w.list()->currentRow(), w.list()->count() - 1);
  w.press(Qt::Key_Left);
  EXPECT_FALSE(w.offers());
  w.type("# zz");
  EXPECT_FALSE(w.offers());
}

TEST(Completing, TargetsInsideOfQuotes) {
  Whole w("");
  w.type("@");
  EXPECT_EQ(w.first(), "cake");
  w.press(Qt::Key_Tab);
  w.type(".sch");
  w.press(Qt::Key_Tab);
  w.type("ta");
  w.press(Qt::Key_Tab);
  w.type("\"sm_9");
  EXPECT_EQ(w.first(), "sm_90a");
  w.press(Qt::Key_Return);
  w.type("\")");
  EXPECT_EQ(w.text(), "@cake.schedule(target=\"sm_90a\")");
}

TEST(Hovering, LightsWithoutMovingTheCaret) {
  Whole w(gemm());
  w.put_caret("BM, BN");
  const uint32_t caret = w.edit->caret_offset();
  const auto over = static_cast<uint32_t>(w.text().find("lm.wait(full") + 9);
  emit w.edit->pointed(over);
  EXPECT_EQ(w.focus.lit().barrier, "full");
  EXPECT_TRUE(w.focus.state().barrier.empty());
  EXPECT_EQ(w.edit->caret_offset(), caret);
  const int box = CodeEdit::kIndicators + 3;
  const auto boxed = [&] { return w.edit->SendScintilla(QsciScintillaBase::SCI_INDICATORVALUEAT, static_cast<unsigned long>(box), static_cast<long>(over)) != 0; };
  EXPECT_TRUE(boxed());
  emit w.edit->pointed(CodeEdit::kNowhere);
  EXPECT_TRUE(w.focus.lit() == w.focus.state());
  EXPECT_FALSE(boxed());
  FocusState elsewhere = focus_on_resource(w.snapshots.shown(), "load");
  elsewhere.origin = Origin::timeline;
  w.focus.hover(elsewhere);  // from another view: the line lights, nothing scrolls
  EXPECT_EQ(w.edit->caret_offset(), caret);
  const auto line = w.snapshots.analysis().source.position(elsewhere.span->begin).line;
  EXPECT_NE(w.edit->markersAtLine(static_cast<int>(line) - 1) & (1u << 3), 0u);
}

TEST(Names, DefinitionReferencesAndRenaming) {
  Whole w(gemm());
  w.put_caret("lm.arrive(emp");
  w.view.go_to_definition();
  EXPECT_EQ(w.edit->selectedText(), "empty");
  const uint32_t line = w.edit->caret_line();
  EXPECT_EQ(line, w.snapshots.analysis().source.position(static_cast<uint32_t>(w.text().find("empty = lm.barrier"))).line);
  w.view.find_references();
  auto* places = w.view.findChild<QWidget*>("places_bar");
  auto* list = places->findChild<QListWidget*>();
  EXPECT_TRUE(places->isVisible());
  ASSERT_EQ(list->count(), 4);
  w.view.step_reference(1);
  EXPECT_NE(w.edit->caret_line(), line);
  EXPECT_EQ(w.edit->selectedText(), "empty");
  w.edit->insertAt("# a line above\n", 0, 0);
  w.view.step_reference(1);
  EXPECT_EQ(w.edit->selectedText(), "empty");  // the places moved along
  QTest::keyClick(list, Qt::Key_Escape);
  EXPECT_FALSE(places->isVisible());
  const std::string before = w.text();
  EXPECT_TRUE(w.view.rename_to("slots_free"));
  EXPECT_EQ(w.edit->word_at(w.edit->caret_offset()), "slots_free");
  w.settle();
  EXPECT_EQ(w.snapshots.analysis().verdict, Verdict::accepted);
  w.edit->undo();
  EXPECT_EQ(w.text(), before);
  EXPECT_FALSE(w.view.rename_to("full"));
  ASSERT_EQ(w.said.size(), 1);
  EXPECT_TRUE(w.said[0].contains("taken"));
}

TEST(Hovering, FactsAtTheCaretWithoutTheMouse) {
  Whole w(gemm());
  w.put_caret("lm.arrive(emp");
  w.view.show_facts();
  EXPECT_TRUE(QToolTip::text().contains("starts free") || QToolTip::text().contains("start free")) << QToolTip::text().toStdString();
  EXPECT_TRUE(QToolTip::text().contains("phase bit"));
  EXPECT_TRUE(w.said.isEmpty());
  QToolTip::hideText();
  w.put_caret("# Shar");
  w.view.show_facts();
  EXPECT_EQ(w.said.size(), 1);
}

TEST(Names, CtrlClickJumps) {
  Whole w(gemm());
  w.put_caret("lm.arrive(emp");
  const QPoint at = w.edit->caret_box(w.edit->caret_offset()).center();
  QTest::mouseClick(w.edit->viewport(), Qt::LeftButton, Qt::ControlModifier, at);
  EXPECT_EQ(w.edit->selectedText(), "empty");
  w.settle();
}

TEST(GoToLine, ClampsAndScrolls) {
  Whole w(gemm());
  w.view.go_to_line(40);
  EXPECT_EQ(w.edit->caret_line(), 40u);
  w.view.go_to_line(99999);
  EXPECT_EQ(static_cast<int>(w.edit->caret_line()), w.edit->lines());
}

}  // namespace
