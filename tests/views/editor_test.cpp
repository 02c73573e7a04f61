// SPDX-License-Identifier: GPL-3.0-or-later
// The text widget: byte positions, marks, comments, files.
#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/views/synthetic.h"
#include "views/common/document.h"
#include "views/editor/code_edit.h"
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
  e.edit.apply({{bread, "面包"}});
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

}  // namespace
