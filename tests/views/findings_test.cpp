// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include "tests/views/synthetic.h"
#include "views/findings/finding_card.h"
#include "views/findings/findings_model.h"

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

}  // namespace
