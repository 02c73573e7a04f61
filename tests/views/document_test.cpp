// SPDX-License-Identifier: GPL-3.0-or-later
// The open file against a disk that others write, too.
#include <gtest/gtest.h>

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>

#include <csignal>

#include "views/common/document.h"
#include "views/editor/code_edit.h"

using namespace bakery;
using namespace bakery::views;

namespace {

void write(const QString& path, const QByteArray& bytes) {
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(bytes);
}

QByteArray read(const QString& path) {
  QFile file(path);
  EXPECT_TRUE(file.open(QIODevice::ReadOnly));
  return file.readAll();
}

struct Opened {
  QTemporaryDir folder;
  QString path = folder.filePath("a.cake");
  Document document;
  CodeEdit edit;
  QSignalSpy asked{&document, &Document::changed_on_disk};
  QSignalSpy followed{&document, &Document::reloaded_from_disk};
  QSignalSpy gone{&document, &Document::gone_from_disk};

  explicit Opened(const QByteArray& bytes = "one\ntwo\nthree\n") {
    document.attach(&edit);
    QObject::connect(&edit, &QsciScintilla::modificationChanged, &document, &Document::set_modified);
    write(path, bytes);
    EXPECT_EQ(document.open(path), QString());
  }
  void type(const QString& text) { edit.insert(text); }
};

TEST(Difference, IsOneEditOnCharacterBounds) {
  const auto check = [](const std::string& a, const std::string& b) {
    const auto edits = difference(a, b);
    EXPECT_EQ(apply_edits(a, edits), b);
    EXPECT_EQ(edits.empty(), a == b);
    for (const TextEdit& edit : edits) EXPECT_EQ(find_invalid_utf8(edit.text), std::string::npos) << a << " " << b;
  };
  const std::string words[] = {"", "a", "aa", "aaa", "aba", "é", "è", "xéy", "xèy", "空间", "空門", "🍞", "🥖", "a🍞b", "a🥖b", "ab"};
  for (const std::string& a : words)
    for (const std::string& b : words) check(a, b);
}

TEST(DocumentOnDisk, FollowsWhereNothingIsUnsaved) {
  Opened d;
  write(d.path, "one\n2\nthree\n");
  ASSERT_TRUE(d.followed.wait(5000));
  EXPECT_EQ(d.document.text(), "one\n2\nthree\n");
  EXPECT_FALSE(d.document.modified());
  EXPECT_EQ(d.asked.size(), 0);
  d.edit.undo();
  EXPECT_EQ(d.document.text(), "one\ntwo\nthree\n");
  EXPECT_TRUE(d.document.modified());
}

TEST(DocumentOnDisk, AsksWhereSomethingIs) {
  Opened d;
  d.type("mine ");
  write(d.path, "theirs\n");
  ASSERT_TRUE(d.asked.wait(5000));
  EXPECT_EQ(d.document.text(), "mine one\ntwo\nthree\n");
  EXPECT_EQ(d.document.disk_text(), "theirs\n");
  EXPECT_NE(d.document.save(), QString());           // does not write over it unasked
  EXPECT_EQ(read(d.path), QByteArray("theirs\n"));
  d.document.keep_mine();
  d.edit.undo();
  EXPECT_TRUE(d.document.modified());                // the text as opened is not on disk any more
  d.edit.redo();
  EXPECT_EQ(d.document.save(), QString());
  EXPECT_EQ(read(d.path), QByteArray("mine one\ntwo\nthree\n"));
  EXPECT_FALSE(d.document.modified());
}

TEST(DocumentOnDisk, ReloadIsOneUndoStep) {
  Opened d;
  d.type("mine ");
  write(d.path, "theirs\n");
  ASSERT_TRUE(d.asked.wait(5000));
  QSignalSpy undone(&d.edit, &CodeEdit::undone);
  EXPECT_EQ(d.document.reload(), QString());
  EXPECT_EQ(d.document.text(), "theirs\n");
  EXPECT_FALSE(d.document.modified());
  d.edit.undo();
  EXPECT_EQ(d.document.text(), "mine one\ntwo\nthree\n");
  EXPECT_TRUE(d.document.modified());
  ASSERT_EQ(undone.size(), 1);
  EXPECT_TRUE(undone[0][0].toString().contains("a.cake"));
}

TEST(DocumentOnDisk, ReplacedByRenameAndDeleted) {
  Opened d;
  write(d.folder.filePath("b"), "renamed\n");
  ASSERT_EQ(std::rename(qPrintable(d.folder.filePath("b")), qPrintable(d.path)), 0);
  ASSERT_TRUE(d.followed.wait(5000));
  EXPECT_EQ(d.document.text(), "renamed\n");
  QFile::remove(d.path);
  ASSERT_TRUE(d.gone.wait(5000));
  EXPECT_EQ(d.document.text(), "renamed\n");
  EXPECT_TRUE(d.document.modified());
  write(d.path, "back\n");
  ASSERT_TRUE(d.followed.wait(5000));
  EXPECT_EQ(d.document.text(), "back\n");
  EXPECT_FALSE(d.document.modified());
  QFile::remove(d.path);
  ASSERT_TRUE(d.gone.wait(5000));
  EXPECT_EQ(d.document.save(), QString());
  EXPECT_EQ(read(d.path), QByteArray("back\n"));
}

TEST(DocumentOnDisk, OwnSavesAreNoNews) {
  Opened d;
  d.type("x");
  EXPECT_EQ(d.document.save(), QString());
  QTest::qWait(300);
  EXPECT_EQ(d.asked.size() + d.followed.size() + d.gone.size(), 0);
}

TEST(DocumentOnDisk, ReadOnlyAndDevices) {
  Opened d;
  d.type("x");
  QFile::setPermissions(d.path, QFile::ReadOwner);
  EXPECT_TRUE(d.document.save().contains("read-only")) << d.document.save().toStdString();
  EXPECT_TRUE(d.document.modified());
  EXPECT_EQ(read(d.path), QByteArray("one\ntwo\nthree\n"));
  EXPECT_NE(d.document.save_as(QStringLiteral("/dev/full")), QString());
  EXPECT_EQ(d.document.path(), d.path);
  EXPECT_NE(d.document.save_as(d.folder.filePath("none/b.cake")), QString());
}

TEST(DocumentOnDisk, SavedAsIsTheSameTextUnderAnotherName) {
  Opened d;
  QSignalSpy saved(&d.document, &Document::saved_as), opened(&d.document, &Document::opened);
  d.type("x");
  EXPECT_EQ(d.document.save(), QString());
  EXPECT_EQ(saved.size(), 0);
  EXPECT_EQ(d.document.save_as(d.folder.filePath("b.cake")), QString());
  EXPECT_EQ(saved.size(), 1);
  EXPECT_EQ(opened.size(), 0);
  EXPECT_NE(d.document.save_as(d.folder.filePath("none/b.cake")), QString());
  EXPECT_EQ(saved.size(), 1);
  // A file that is gone is restored under its name.
  QObject::connect(&d.document, &Document::opened, [&] { EXPECT_EQ(d.document.path(), d.folder.filePath("gone.cake")); });
  d.document.restore(d.folder.filePath("gone.cake"), "unsaved\n");
  EXPECT_EQ(opened.size(), 1);
  EXPECT_EQ(saved.size(), 1);
  EXPECT_EQ(d.document.text(), "unsaved\n");
}

// As on a full disk: the write stops half way.
TEST(DocumentOnDisk, AFullDiskKeepsTheOldFile) {
  Opened d;
  d.type(QString(200000, QLatin1Char('x')));
  struct rlimit old {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small {4096, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const QString error = d.document.save();
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(error, QString());
  EXPECT_TRUE(d.document.modified());
  EXPECT_EQ(read(d.path), QByteArray("one\ntwo\nthree\n"));
  EXPECT_EQ(QDir(d.folder.path()).entryList(QDir::Files).size(), 1);
  EXPECT_EQ(d.document.save(), QString());
  EXPECT_EQ(read(d.path).size(), 200000 + 14);
}

TEST(DocumentOnDisk, LineEndsStayAsTheyWere) {
  Opened d("one\r\ntwo\r\n");
  d.document.apply({{{3, 3}, "\nmore"}}, "adding");
  EXPECT_EQ(d.document.text(), "one\r\nmore\r\ntwo\r\n");
  d.edit.setCursorPosition(0, 3);
  QTest::keyClick(&d.edit, Qt::Key_Return);
  EXPECT_EQ(d.document.text(), "one\r\n\r\nmore\r\ntwo\r\n");
}

TEST(DocumentOnDisk, RestoresOverItsFile) {
  Opened d;
  d.document.restore(d.path, "one\nunsaved\nthree\n");
  EXPECT_EQ(d.document.text(), "one\nunsaved\nthree\n");
  EXPECT_TRUE(d.document.modified());
  d.document.restore(d.folder.filePath("gone.cake"), "text");
  EXPECT_EQ(d.document.text(), "text");
  EXPECT_EQ(d.document.file_name(), "gone.cake");
  EXPECT_TRUE(d.document.modified());
  d.document.restore({}, "untitled");
  EXPECT_EQ(d.document.text(), "untitled");
  EXPECT_TRUE(d.document.path().isEmpty());
}

}  // namespace
