// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMouseEvent>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

#include "app/session/fixes.h"
#include "tests/views/synthetic.h"
#include "views/common/view_requests.h"
#include "views/findings/finding_card.h"
#include "views/findings/findings_model.h"
#include "views/findings/findings_view.h"

using namespace bakery;
using namespace bakery::views;

namespace {

TEST(FindingsModel, KeepsTheRulesOfModels) {
  const Theme theme;
  FindingsModel model(theme);
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.show(synthetic::analysis(synthetic::text(), 3, true));
  model.show(synthetic::analysis(synthetic::text(), 3, false));
  model.show(synthetic::analysis(synthetic::text(), 3, true));
  model.show(std::make_shared<Analysis>());
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(FindingsModel, GroupsBySeverity) {
  const Theme theme;
  FindingsModel model(theme);
  model.show(synthetic::analysis(synthetic::text(), 3, true));
  ASSERT_EQ(model.rowCount(), 3);
  EXPECT_EQ(model.index(0, 0).data().toString(), "Errors (1)");
  EXPECT_EQ(model.index(1, 0).data().toString(), "Hints (1)");
  EXPECT_EQ(model.index(2, 0).data().toString(), "Not covered (1)");
  EXPECT_EQ(model.count(SeverityMark::error), 1);
  EXPECT_EQ(model.count(SeverityMark::review), 0);
  const QModelIndex error = model.index_of_finding(0);
  ASSERT_TRUE(error.isValid());
  EXPECT_EQ(error.data().toString(), "SAFE-001");
  EXPECT_EQ(error.siblingAtColumn(FindingsModel::line_column).data().toInt(), 10);
  EXPECT_FALSE(error.siblingAtColumn(FindingsModel::message_column).data().toString().contains('`'));
  EXPECT_FALSE(error.data(Qt::DecorationRole).isNull());
}

TEST(FindingsModel, SameFindingsKeepTheirRows) {
  const Theme theme;
  FindingsModel model(theme);
  model.show(synthetic::analysis(synthetic::text(), 3, true));
  const QPersistentModelIndex chosen = model.index_of_finding(0);
  QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
  model.show(synthetic::analysis("\n" + synthetic::text(), 3, true, 2));
  EXPECT_EQ(resets.count(), 0);
  EXPECT_TRUE(chosen.isValid());
  EXPECT_EQ(chosen.sibling(chosen.row(), FindingsModel::line_column).data().toInt(), 11);
}

TEST(FindingCard, TellsTheWholeStory) {
  const Theme theme;
  const QString html = card_html(*synthetic::analysis(synthetic::text(), 3, true), 0, theme);
  for (const char* part : {"SAFE-001", "never comes", "every awaited completion is produced", "1 arrival", "0 arrivals",
                           "arrives here", "waits for ever", "arrive twice", "event:"})
    EXPECT_TRUE(html.contains(QLatin1String(part))) << part;
}

TEST(FindingCard, WithoutFindingSaysWhatIsNotCovered) {
  const Theme theme;
  const QString html = card_html(*synthetic::analysis(synthetic::text()), -1, theme);
  EXPECT_TRUE(html.contains("No errors."));
  EXPECT_TRUE(html.contains("only three laps were run"));
}

TEST(FindingCard, FixShowsTheLinesItChanges) {
  const SourceText source("x", "a\nb\nc\n");
  const LineChange change = changed_lines(source, {{{2, 3}, "B\nB2"}});
  EXPECT_EQ(change.first_line, 2u);
  EXPECT_EQ(change.removed, std::vector<std::string>{"b"});
  EXPECT_EQ(change.added, (std::vector<std::string>{"B", "B2"}));
}


Snapshot broken_gemm() {
  QFile file(QStringLiteral(BAKERY_SOURCE_DIR "/tests/fixtures/gemm_missing_arrive.cake"));
  EXPECT_TRUE(file.open(QIODevice::ReadOnly));
  const std::shared_ptr<const Analysis> analysis = with_fixes(*analyse("gemm.cake", file.readAll().toStdString()), {});
  return {analysis, std::shared_ptr<const Timeline>(analysis, &analysis->timeline), analysis->timeline_sample};
}

struct Panel {
  Panel() {
    view.resize(420, 900);
    view.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view));
    snapshots.show(broken_gemm());
    focus.set(focus_on_finding(snapshots.shown(), 0));
    QCoreApplication::processEvents();
  }
  QPushButton* button(const char* name) { return view.findChild<QPushButton*>(QLatin1String(name)); }

  Theme theme;
  Document document;
  Snapshots snapshots;
  Focus focus{snapshots};
  FindingsView view{{document, snapshots, focus, theme}};
};

TEST(FindingCard, OfARealFindingNamesAllItRestsOn) {
  const Snapshot s = broken_gemm();
  const Theme theme;
  const QString html = card_html(*s.analysis, 0, theme);
  for (const char* part : {"SCHED-003", "schedule gate", "error", "refuted", "load", "empty", "2 arrivals", "0 arrivals", "parity 1", "m=1, n=0, k=3",
                           "Both sides", "How it happens", "Refuted", "M=256, N=256, K=256", "k 4", "sets of scalars", "not covered", "COVER-001",
                           "M % 8 == 0", "Fix:"})
    EXPECT_TRUE(html.contains(QLatin1String(part))) << part << "\n" << html.toStdString();
  EXPECT_FALSE(html.contains("an example that breaks it"));
  EXPECT_TRUE(card_html(*s.analysis, 0, theme, true).contains("an example that breaks it"));
}

TEST(FindingCard, ClipsNothingIn420Pixels) {
  Panel p;
  QTextBrowser* text = p.view.card()->text();
  EXPECT_EQ(text->horizontalScrollBar()->maximum(), 0);
  EXPECT_LE(text->document()->idealWidth(), text->viewport()->width());
  for (const char* name : {"replay_finding", "explain_finding", "copy_finding_text", "copy_finding_json", "apply_fix_0"}) {
    QPushButton* button = p.button(name);
    ASSERT_TRUE(button) << name;
    EXPECT_GE(button->width(), button->minimumSizeHint().width()) << name;
    EXPECT_LE(button->mapTo(&p.view, QPoint(button->width(), 0)).x(), p.view.width()) << name;
  }
  EXPECT_GT(p.view.list()->columnWidth(FindingsModel::message_column), 120);
}

TEST(FindingCard, ExplainReplayAndCopyWork) {
  Panel p;
  QTest::mouseClick(p.button("explain_finding"), Qt::LeftButton);
  EXPECT_TRUE(p.view.card()->text()->toPlainText().contains("an example that breaks it"));
  QSignalSpy replays(&ViewRequests::of(p.focus), &ViewRequests::replay_wanted);
  QTest::mouseClick(p.button("replay_finding"), Qt::LeftButton);
  ASSERT_EQ(replays.count(), 1);
  EXPECT_EQ(replays[0][0].toInt(), 0);
  QTest::keyClick(p.view.list(), Qt::Key_R, Qt::ShiftModifier);
  EXPECT_EQ(replays.count(), 2);
  QTest::mouseClick(p.button("copy_finding_json"), Qt::LeftButton);
  const QJsonObject json = QJsonDocument::fromJson(QApplication::clipboard()->text().toUtf8()).object();
  EXPECT_EQ(json["id"].toString(), "SCHED-003");
  QTest::mouseClick(p.button("copy_finding_text"), Qt::LeftButton);
  EXPECT_TRUE(QApplication::clipboard()->text().contains("because: "));
}

TEST(Findings, HoveringARowLightsAndLeavingEndsIt) {
  Panel p;
  p.focus.clear();
  const QModelIndex row = p.view.model()->index_of_finding(0);
  const QPoint at = p.view.list()->visualRect(row).center();
  QMouseEvent move(QEvent::MouseMove, QPointF(at), p.view.list()->viewport()->mapToGlobal(QPointF(at)), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
  QCoreApplication::sendEvent(p.view.list()->viewport(), &move);
  EXPECT_EQ(p.focus.lit().finding, 0);
  EXPECT_TRUE(p.focus.state().empty());
  QEvent leave(QEvent::Leave);
  QCoreApplication::sendEvent(p.view.list()->viewport(), &leave);
  EXPECT_TRUE(p.focus.lit().empty());
}

TEST(Findings, RowsAreLitByOtherViews) {
  Panel p;
  p.focus.clear();
  const QModelIndex row = p.view.model()->index_of_finding(0);
  EXPECT_FALSE(row.data(Qt::BackgroundRole).isValid());
  p.focus.hover(focus_on_resource(p.snapshots.shown(), "empty", 3));
  EXPECT_TRUE(row.data(Qt::BackgroundRole).isValid());
  p.focus.hover(focus_on_resource(p.snapshots.shown(), "empty", 2));
  EXPECT_FALSE(row.data(Qt::BackgroundRole).isValid());
}

}  // namespace
