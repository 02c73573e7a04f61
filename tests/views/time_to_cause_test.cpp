// SPDX-License-Identifier: GPL-3.0-or-later
// From opening each broken schedule to its cause on screen: no run, at most two clicks.
#include <gtest/gtest.h>

#include <QDockWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

#include <fstream>
#include <sstream>

#include "app/workbench/main_window.h"
#include "views/editor/code_edit.h"
#include "views/findings/finding_card.h"
#include "views/findings/findings_model.h"
#include "views/findings/findings_view.h"
#include "views/timeline/timeline_canvas.h"

using namespace bakery;
using namespace bakery::views;

namespace {

struct Cause {
  std::string file, rule;
  uint32_t line = 0;
};

const std::string kFolder = BAKERY_SOURCE_DIR "/resources/lessons/broken/";

std::vector<Cause> causes() {
  std::ifstream in(kFolder + "causes.txt");
  std::vector<Cause> list;
  for (std::string line; std::getline(in, line);) {
    Cause cause;
    std::istringstream words(line);
    if (line.starts_with('#') || !(words >> cause.file >> cause.rule >> cause.line)) continue;
    list.push_back(cause);
  }
  return list;
}

// Everything of the cause that a person must see without another action.
bool on_screen(workbench::MainWindow& window, const Cause& cause) {
  const int finding = window.focus().state().finding;
  if (finding < 0) return false;
  const Analysis& analysis = window.snapshots().analysis();
  const Finding& found = analysis.findings[finding];
  if (found.id != cause.rule || analysis.source.position(found.span.begin).line != cause.line) return false;
  auto* edit = window.findChild<CodeEdit*>();
  const int top = static_cast<int>(edit->SendScintilla(QsciScintilla::SCI_GETFIRSTVISIBLELINE));
  const int rows = static_cast<int>(edit->SendScintilla(QsciScintilla::SCI_LINESONSCREEN));
  const int line = static_cast<int>(cause.line) - 1;
  if (line < top || line >= top + rows) return false;
  auto* card = window.findChild<FindingCard*>();
  QString plain = QString::fromStdString(found.message).remove('`');
  return card->isVisible() && card->text()->toPlainText().contains(plain);
}

TEST(TimeToCause, AtMostTwoClicksAndNoRun) {
  const auto list = causes();
  ASSERT_EQ(list.size(), 10u);
  int most = 0, sum = 0;
  for (const Cause& cause : list) {
    QTemporaryDir home;
    qputenv("BAKERY_HOME", home.path().toUtf8());
    workbench::MainWindow window(ThemeId::light);
    window.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
    ASSERT_EQ(window.open(QString::fromStdString(kFolder + cause.file)), QString());
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.settled() && window.snapshots().analysis().revision > 0; }, 20000));
    QTest::qWait(20);
    int clicks = 0;
    auto* view = window.findChild<FindingsView*>();
    for (; clicks <= 2 && !on_screen(window, cause); ++clicks) {
      // What a person does: the next row of the list that was not looked at.
      const QModelIndex row = view->model()->index_of_finding(clicks);
      ASSERT_TRUE(row.isValid()) << cause.file;
      QTest::mouseClick(view->list()->viewport(), Qt::LeftButton, {}, view->list()->visualRect(row).center());
      QTest::qWait(30);
    }
    EXPECT_TRUE(on_screen(window, cause)) << cause.file << " " << cause.rule << " line " << cause.line;
    EXPECT_LE(clicks, 2) << cause.file;
    most = std::max(most, clicks);
    sum += clicks;
  }
  std::printf("clicks to the cause: %d in all for %zu files, at most %d\n", sum, list.size(), most);
}

}  // namespace
