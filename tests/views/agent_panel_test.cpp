// SPDX-License-Identifier: GPL-3.0-or-later
// The agent's panel through its widgets: a person clicks and types, the text is looked at.
#include <gtest/gtest.h>

#include <QAction>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <memory>

#include <nlohmann/json.hpp>

#include "agent_panel/panel/agent_panel.h"
#include "agent_panel/panel/hunk_card.h"
#include "agent_panel/panel/run_log.h"
#include "profiler/store/store.h"
#include "tests/unit/gemm_source.h"
#include "views/editor/code_edit.h"
#include "views/editor/editor_view.h"
#include "views/editor/pending_marks.h"

using namespace bakery;
using namespace bakery::views;
using bakery::panel::AgentPanel;
using bakery::panel::HunkCard;

namespace {

constexpr int kLong = 60000;

std::string two_faults() {
  return bakery::testing::replaced(bakery::testing::replaced(bakery::testing::gemm(), "                lm.fence_proxy()\n", ""), "init_count=2", "init_count=3");
}

struct Desk {
  QTemporaryDir folder;
  Theme theme;
  Document document;
  Snapshots snapshots;
  Focus focus{snapshots};
  ViewContext context{document, snapshots, focus, theme};
  QWidget window;
  EditorView* editor = new EditorView(context, &window);
  AgentPanel* panel = new AgentPanel(context, &window);

  explicit Desk(const std::string& text) {
    qputenv("BAKERY_HOME", folder.path().toUtf8());
    window.resize(1400, 900);
    editor->setGeometry(0, 0, 700, 900);
    panel->setGeometry(700, 0, 700, 900);
    window.show();
    QTest::qWaitForWindowActive(&window, 2000);
    edit().set_window_actions(panel->review_actions());
    const QString path = folder.filePath(QStringLiteral("gemm.cake"));
    std::ofstream(path.toStdString()) << text;
    EXPECT_EQ(document.open(path), QString());
    EXPECT_TRUE(QTest::qWaitFor([&] { return snapshots.settled(); }, kLong));
  }

  CodeEdit& edit() { return *editor->edit(); }
  std::string text() { return document.text(); }
  template <class W = QPushButton>
  W* find(const char* id) { return panel->findChild<W*>(QLatin1String(id)); }
  void click(const char* id) { QTest::mouseClick(find(id), Qt::LeftButton); }
  void action(const char* id) {
    for (QAction* action : panel->review_actions())
      if (action->objectName() == QLatin1String(id)) return action->trigger();
    FAIL() << id;
  }

  void run() {
    click("agent_start");
    ASSERT_TRUE(panel->running());
    ASSERT_TRUE(QTest::qWaitFor([&] { return !panel->running(); }, kLong));
    settle();
  }

  std::vector<HunkCard*> cards() {
    std::vector<HunkCard*> found;
    for (const PlacedHunk& placed : panel->review().hunks())
      for (HunkCard* card : panel->findChildren<HunkCard*>())
        if (card->hunk() == placed.hunk.id && !card->isHidden()) found.push_back(card);
    return found;
  }
  void click(HunkCard* card, const char* id) {
    auto* button = card->findChild<QPushButton*>(QLatin1String(id));
    ASSERT_TRUE(button && button->isVisibleTo(card) && button->isEnabled()) << id;
    QTest::mouseClick(button, Qt::LeftButton);
  }
  HunkState state(size_t hunk) { return panel->review().hunks()[hunk].hunk.state; }
  std::string shown(HunkCard* card) { return card->findChild<QPlainTextEdit*>(QStringLiteral("hunk_diff"))->toPlainText().toStdString(); }
  QString message() { return find<QLabel>("agent_message")->text(); }
  void settle() {
    EXPECT_TRUE(QTest::qWaitFor([&] { return panel->review().text() == document.text(); }, kLong));
    QTest::qWait(20);
  }

  std::vector<StoredDecision> decisions() {
    panel->flush();
    const auto store = Store::open(Store::path_for(document.path().toStdString()));
    return store ? store->decisions(100) : std::vector<StoredDecision>();
  }
};

TEST(AgentPanel, RepairsTheShippedFault) {
  Desk desk(bakery::testing::read_repo_file("tests/fixtures/gemm_missing_arrive.cake"));
  const std::string before = desk.text();
  desk.run();
  EXPECT_EQ(desk.text(), before) << "the agent touched the text";
  ASSERT_EQ(desk.cards().size(), 1u);
  EXPECT_GT(desk.find<panel::RunLog>("agent_log")->tool_count(), 3);
  HunkCard* card = desk.cards()[0];
  EXPECT_NE(desk.shown(card).find("+ "), std::string::npos);
  EXPECT_TRUE(card->findChild<QLabel*>(QStringLiteral("hunk_worth"))->text().contains(QStringLiteral("→ 0")));
  desk.click(card, "hunk_accept");
  EXPECT_NE(desk.text(), before);
  EXPECT_EQ(analyse("gemm.cake", desk.text())->count(Severity::error), 0u);
}

TEST(AgentPanel, AcceptOneRejectAnotherUndoBoth) {
  Desk desk(two_faults());
  const std::string before = desk.text();
  desk.run();
  ASSERT_EQ(desk.cards().size(), 2u);
  EXPECT_EQ(desk.text(), before);

  desk.find<QLineEdit>("agent_reason")->setText(QStringLiteral("three was a typo"));
  desk.click(desk.cards()[0], "hunk_accept");
  EXPECT_EQ(desk.text(), bakery::testing::replaced(bakery::testing::gemm(), "                lm.fence_proxy()\n", ""));
  EXPECT_EQ(desk.state(0), HunkState::accepted);
  const std::string with_first = desk.text();
  desk.click(desk.cards()[1], "hunk_reject");
  EXPECT_EQ(desk.text(), with_first);
  EXPECT_EQ(desk.state(1), HunkState::rejected);
  EXPECT_EQ(desk.cards().size(), 2u) << "a rejected hunk has to stay readable";
  EXPECT_NE(desk.shown(desk.cards()[1]).find("+ "), std::string::npos);

  desk.click("agent_undo");
  EXPECT_EQ(desk.state(1), HunkState::pending);
  EXPECT_EQ(desk.text(), with_first);
  desk.click("agent_undo");
  EXPECT_EQ(desk.state(0), HunkState::pending);
  EXPECT_EQ(desk.text(), before);
  desk.click("agent_redo");
  EXPECT_EQ(desk.text(), with_first);
  desk.click("agent_redo");
  EXPECT_EQ(desk.state(1), HunkState::rejected);
  desk.click(desk.cards()[1], "hunk_restore");
  EXPECT_EQ(desk.state(1), HunkState::pending);
  desk.click("agent_accept_all");
  EXPECT_EQ(desk.text(), bakery::testing::gemm());

  const auto decisions = desk.decisions();
  ASSERT_EQ(decisions.size(), 8u);  // newest first
  std::vector<std::string> kinds;
  for (auto it = decisions.rbegin(); it != decisions.rend(); ++it) kinds.push_back(it->kind);
  EXPECT_EQ(kinds, (std::vector<std::string>{"accept", "reject", "undo reject", "undo accept", "redo accept", "redo reject", "restore", "accept"}));
  const StoredDecision& first = decisions.back();
  EXPECT_EQ(first.reason, "three was a typo");
  EXPECT_EQ(first.who, "person");
  const auto detail = nlohmann::json::parse(first.detail);
  EXPECT_GT(detail["before"]["errors"], detail["after"]["errors"]);
  EXPECT_NE(detail["before"]["hash"], detail["after"]["hash"]);
  EXPECT_EQ(detail["after"]["hash"], first.candidate);
  EXPECT_FALSE(detail["hunks"][0]["evidence"][0]["finding"].get<std::string>().empty());
  EXPECT_NE(detail["hunks"][0]["proposed"].get<std::string>().find("init_count=2"), std::string::npos);
  const auto store = Store::open(Store::path_for(desk.document.path().toStdString()));
  ASSERT_TRUE(store);
  const auto candidates = store->candidates(100);
  EXPECT_TRUE(std::any_of(candidates.begin(), candidates.end(), [](const StoredCandidate& c) { return c.author == "built-in agent" && !c.parent.empty(); }));
  EXPECT_TRUE(store->candidate(first.candidate));
}

TEST(AgentPanel, TheEditorsUndoAndRedoTakeTheDecisionAlong) {
  Desk desk(two_faults());
  const std::string before = desk.text();
  desk.run();
  ASSERT_EQ(desk.cards().size(), 2u);
  desk.click("agent_accept_all");
  const std::string after = desk.text();
  EXPECT_EQ(after, bakery::testing::gemm());
  desk.edit().undo();
  desk.settle();
  EXPECT_EQ(desk.text(), before) << "all hunks are one undo step";
  EXPECT_EQ(desk.panel->review().count(HunkState::pending), 2u);
  desk.edit().redo();
  desk.settle();
  EXPECT_EQ(desk.text(), after);
  EXPECT_EQ(desk.panel->review().count(HunkState::accepted), 2u);
  EXPECT_EQ(desk.decisions().size(), 3u);
}

TEST(AgentPanel, EditThenAccept) {
  Desk desk(two_faults());
  desk.run();
  ASSERT_EQ(desk.cards().size(), 2u);
  HunkCard* card = desk.cards()[1];
  desk.click(card, "hunk_edit");
  auto* editor = card->findChild<QPlainTextEdit*>(QStringLiteral("hunk_editor"));
  ASSERT_TRUE(editor);
  EXPECT_EQ(editor->toPlainText().trimmed(), QStringLiteral("lm.fence_proxy()"));
  editor->moveCursor(QTextCursor::End);
  QTest::keyClicks(editor, QStringLiteral("  # before the store reads it"));
  auto* verdict = card->findChild<QLabel*>(QStringLiteral("hunk_verdict"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return verdict->text().contains(QStringLiteral("error")); }, kLong)) << verdict->text().toStdString();
  EXPECT_EQ(desk.text(), two_faults()) << "editing the proposal changed the text";
  QTest::keyClick(editor, Qt::Key_Return, Qt::ControlModifier);
  EXPECT_NE(desk.text().find("lm.fence_proxy()  # before the store reads it\n"), std::string::npos);
  EXPECT_EQ(desk.state(1), HunkState::accepted);
  EXPECT_FALSE(card->editing());
  EXPECT_EQ(desk.decisions()[0].kind, "edit");
}

TEST(AgentPanel, FilesWithWindowsLineEnds) {
  const std::string good = with_line_ends(bakery::testing::gemm(), "\r\n"), before = with_line_ends(two_faults(), "\r\n");
  Desk desk(before);
  desk.run();
  ASSERT_EQ(desk.cards().size(), 2u);
  desk.click(desk.cards()[1], "hunk_accept");
  const std::string with_line = desk.text();
  EXPECT_EQ(line_end_of(with_line), "\r\n");
  EXPECT_EQ(desk.state(1), HunkState::accepted);
  desk.click("agent_undo");
  EXPECT_EQ(desk.text(), before) << desk.message().toStdString();
  EXPECT_EQ(desk.state(1), HunkState::pending);
  desk.click("agent_redo");
  EXPECT_EQ(desk.text(), with_line) << desk.message().toStdString();
  EXPECT_EQ(desk.state(1), HunkState::accepted);
  desk.edit().undo();
  desk.settle();
  EXPECT_EQ(desk.state(1), HunkState::pending);
  desk.click("agent_accept_all");
  EXPECT_EQ(desk.text(), good);
  desk.click("agent_undo");
  EXPECT_EQ(desk.text(), before) << desk.message().toStdString();

  desk.click(desk.cards()[1], "hunk_edit");
  auto* editor = desk.cards()[1]->findChild<QPlainTextEdit*>(QStringLiteral("hunk_editor"));
  ASSERT_TRUE(editor);
  EXPECT_EQ(editor->toPlainText().trimmed(), QStringLiteral("lm.fence_proxy()"));
  EXPECT_EQ(editor->blockCount(), 1);
  editor->moveCursor(QTextCursor::End);
  editor->insertPlainText(QStringLiteral("\n                # mine"));
  QTest::keyClick(editor, Qt::Key_Return, Qt::ControlModifier);
  EXPECT_NE(desk.text().find("lm.fence_proxy()\r\n                # mine\r\n"), std::string::npos);
  desk.click("agent_undo");
  EXPECT_EQ(desk.text(), before) << desk.message().toStdString();
}

TEST(AgentPanel, WhatIsTypedMeanwhileStays) {
  Desk desk(two_faults());
  desk.run();
  ASSERT_EQ(desk.cards().size(), 2u);
  // A new line above both, and a change on the line of the first.
  desk.edit().insertAt(QStringLiteral("# mine\n"), 0, 0);
  desk.settle();
  EXPECT_FALSE(desk.panel->review().hunks()[0].conflict);
  const uint32_t line = desk.panel->review().hunks()[0].line;
  desk.edit().insertAt(QStringLiteral("  # mine too"), static_cast<int>(line) - 1, desk.edit().lineLength(static_cast<int>(line) - 1) - 1);
  desk.settle();
  ASSERT_TRUE(desk.panel->review().hunks()[0].conflict);
  const std::string typed = desk.text();
  auto* reason = desk.find<QLineEdit>("agent_reason");
  reason->setText(QStringLiteral("three was a typo"));
  emit desk.cards()[0]->pointed_at(desk.cards()[0]->hunk());
  desk.action("agent.accept");
  EXPECT_EQ(desk.text(), typed);
  EXPECT_EQ(reason->text(), QStringLiteral("three was a typo")) << "the reason of a refused decision is lost";
  EXPECT_FALSE(desk.cards()[0]->findChild<QPushButton*>(QStringLiteral("hunk_accept"))->isEnabled());
  desk.click("agent_accept_all");
  EXPECT_EQ(reason->text(), QString());
  EXPECT_NE(desk.text().find("# mine\n"), std::string::npos);
  EXPECT_NE(desk.text().find("  # mine too\n"), std::string::npos);
  EXPECT_NE(desk.text().find("lm.fence_proxy()"), std::string::npos);
  EXPECT_EQ(desk.state(0), HunkState::pending);
  EXPECT_EQ(desk.state(1), HunkState::accepted);
  // The way out: both texts are offered, the person makes one of them.
  desk.click(desk.cards()[0], "hunk_edit");
  auto* editor = desk.cards()[0]->findChild<QPlainTextEdit*>(QStringLiteral("hunk_editor"));
  ASSERT_TRUE(editor);
  EXPECT_TRUE(editor->toPlainText().contains(QStringLiteral("# mine too")));
  EXPECT_TRUE(editor->toPlainText().contains(QStringLiteral("init_count=2")));
  QTest::keyClick(editor, Qt::Key_Escape);
  EXPECT_EQ(desk.state(0), HunkState::pending);
}

TEST(AgentPanel, StopIsSeenWithinASecond) {
  for (const bool by_key : {false, true}) {
    Desk desk(two_faults());
    const std::string before = desk.text();
    desk.click("agent_start");
    ASSERT_TRUE(desk.panel->running());
    QElapsedTimer clock;
    clock.start();
    if (by_key) {
      desk.edit().setFocus();
      ASSERT_EQ(QApplication::focusWidget(), &desk.edit());
      QTest::keyClick(&desk.edit(), Qt::Key_Escape);
      QTest::keyClick(&desk.edit(), Qt::Key_Escape);
    } else {
      desk.click("agent_start");
    }
    EXPECT_TRUE(desk.find("agent_start")->text().startsWith(QStringLiteral("Stopping"))) << desk.find("agent_start")->text().toStdString();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !desk.panel->running(); }, kLong));
    EXPECT_LT(clock.elapsed(), 1000);
    EXPECT_TRUE(desk.message().contains(QStringLiteral("topped"))) << desk.message().toStdString();
    EXPECT_EQ(desk.text(), before);
  }
}

TEST(AgentPanel, PendingHunksAreInTheEditor) {
  Desk desk(two_faults());
  desk.run();
  ASSERT_EQ(desk.document.pending().list().size(), 2u);
  const PendingHunk first = desk.document.pending().list()[0];
  const int line = static_cast<int>(first.line) - 1;
  EXPECT_TRUE(desk.edit().markersAtLine(line) & (1u << PendingMarks::kBarMarker));
  EXPECT_TRUE(desk.edit().markersAtLine(line) & (1u << PendingMarks::kRemovedMarker));
  EXPECT_TRUE(desk.edit().annotation(line).contains(QStringLiteral("init_count=2")));
  EXPECT_EQ(desk.text(), two_faults());
  // A click on the bar chooses the hunk in the panel, and Alt+N goes on to the next.
  emit desk.edit().marginClicked(PendingMarks::kMargin, line, Qt::NoModifier);
  EXPECT_EQ(desk.panel->chosen(), first.id);
  desk.action("agent.next");
  EXPECT_NE(desk.panel->chosen(), first.id);
  desk.action("agent.accept");
  EXPECT_EQ(desk.document.pending().list().size(), 1u);
  desk.action("agent.reject");
  EXPECT_TRUE(desk.document.pending().list().empty());
  EXPECT_TRUE(desk.edit().annotation(line).isEmpty());
}

TEST(AgentPanel, KeysDecideWhileTheEditorHasTheKeyboard) {
  Desk desk(two_faults());
  desk.run();
  desk.edit().setFocus();
  QTest::keyClick(&desk.edit(), Qt::Key_A, Qt::AltModifier);
  EXPECT_EQ(desk.panel->review().count(HunkState::accepted), 1u);
  QTest::keyClick(&desk.edit(), Qt::Key_R, Qt::AltModifier);
  EXPECT_EQ(desk.panel->review().count(HunkState::rejected), 1u);
  QTest::keyClick(&desk.edit(), Qt::Key_Z, Qt::AltModifier);
  EXPECT_EQ(desk.panel->review().count(HunkState::pending), 1u);
}

TEST(AgentPanel, ReadOnlyChangesNothing) {
  Desk desk(two_faults());
  desk.run();
  desk.find<QComboBox>("agent_mode")->setCurrentIndex(1);
  EXPECT_FALSE(desk.cards()[0]->findChild<QPushButton*>(QStringLiteral("hunk_accept"))->isEnabled());
  desk.action("agent.accept");
  desk.action("agent.accept_all");
  EXPECT_EQ(desk.text(), two_faults());
}

TEST(AgentPanel, RepairsTheChosenErrorOnly) {
  Desk desk(two_faults());
  desk.panel->start(AgentGoal::repair_one);
  EXPECT_FALSE(desk.panel->running());
  EXPECT_TRUE(desk.message().contains(QStringLiteral("Choose an error")));
  desk.focus.set(focus_on_finding(desk.snapshots.shown(), 0));
  desk.panel->start(AgentGoal::repair_one);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !desk.panel->running(); }, kLong));
  EXPECT_EQ(desk.cards().size(), 1u);
}

TEST(AgentPanel, TheReviewOutlivesACrash) {
  const std::string text = two_faults();
  QByteArray state;
  std::string accepted;
  QTemporaryDir folder;
  {
    Desk desk(text);
    desk.run();
    desk.click(desk.cards()[0], "hunk_accept");
    desk.click(desk.cards()[1], "hunk_reject");
    accepted = desk.text();
    state = desk.panel->save_state();
    EXPECT_FALSE(desk.panel->restore_state("{}"));
    // The same window again, with another panel.
    delete desk.panel;
    desk.panel = new AgentPanel(desk.context, &desk.window);
    desk.panel->setGeometry(700, 0, 700, 900);
    desk.panel->show();
    ASSERT_TRUE(desk.panel->restore_state(state));
    EXPECT_EQ(desk.text(), accepted);
    ASSERT_EQ(desk.cards().size(), 2u);
    EXPECT_EQ(desk.state(0), HunkState::accepted);
    EXPECT_EQ(desk.state(1), HunkState::rejected);
    desk.click("agent_undo");
    desk.click("agent_undo");
    EXPECT_EQ(desk.text(), text);
  }
}

TEST(AgentPanel, AnotherFileEndsTheReview) {
  Desk desk(two_faults());
  desk.run();
  ASSERT_FALSE(desk.cards().empty());
  desk.document.start_new("x = 1\n");
  desk.settle();
  EXPECT_TRUE(desk.cards().empty());
  EXPECT_TRUE(desk.document.pending().list().empty());
  EXPECT_EQ(desk.text(), "x = 1\n");
}

TEST(AgentPanel, ThemesReachEverything) {
  Desk desk(two_faults());
  desk.run();
  for (const ThemeId theme : kThemes) {
    desk.theme.set(theme);
    auto* diff = desk.cards()[0]->findChild<QPlainTextEdit*>(QStringLiteral("hunk_diff"));
    bool added = false;
    for (const auto& mark : diff->extraSelections()) added |= mark.format.background().color() == color(theme, Token::added_line);
    EXPECT_TRUE(added) << to_string(theme);
  }
}

}  // namespace
