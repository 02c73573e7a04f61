// SPDX-License-Identifier: GPL-3.0-or-later
// Lessons say what is true of their schedules, and their player works by mouse and keys.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>

#include <cstring>

#include "app/session/lessons.h"
#include "app/session/resources.h"
#include "app/workbench/main_window.h"
#include "views/common/focus_spec.h"
#include "views/editor/code_edit.h"
#include "views/lessons/lessons_view.h"

using namespace bakery;
using namespace bakery::views;
using workbench::MainWindow;

namespace {

Snapshot snapshot_of_text(const std::string& text) {
  auto analysis = analyse("lesson.cake", text);
  return {analysis, std::shared_ptr<const Timeline>(analysis, &analysis->timeline), analysis->timeline_sample};
}

bool has_finding(const Analysis& analysis, const std::string& id) {
  return std::any_of(analysis.findings.begin(), analysis.findings.end(), [&](const Finding& f) { return f.id == id; });
}

TEST(LessonFiles, SayWhatIsTrue) {
  const auto folders = lesson_folders(resources_folder());
  ASSERT_GE(folders.size(), 3u);
  for (const std::string& folder : folders) {
    const LessonFile file = read_lesson(folder);
    for (const ContractError& error : file.errors) ADD_FAILURE() << folder << ":" << error.line << ": " << error.message;
    const Lesson& lesson = file.lesson;
    const Snapshot whole = snapshot_of_text(lesson.schedule), broken = snapshot_of_text(lesson.broken);
    EXPECT_EQ(whole.analysis->verdict, Verdict::accepted) << folder;
    EXPECT_EQ(broken.analysis->verdict, Verdict::rejected) << folder;
    bool broke = false;
    for (const LessonStep& step : lesson.steps) {
      const Snapshot& shown = step.broken ? broken : whole;
      if (!step.focus.empty()) EXPECT_TRUE(parse_focus(step.focus, shown)) << folder << ":" << step.line << " " << step.focus;
      if (step.question && !step.question->measure.empty()) {
        const auto value = measure(shown.analysis->schedule, *shown.timeline, step.question->measure);
        ASSERT_TRUE(value) << folder << ":" << step.line << " " << step.question->measure;
        EXPECT_GT(*value, 0);
      }
      if (!step.task) continue;
      if (step.task->done == "accepted") {
        EXPECT_TRUE(broke) << folder << ": nothing was broken before it is mended";
      } else {
        EXPECT_TRUE(has_finding(*broken.analysis, step.task->done)) << folder << ":" << step.line;
        EXPECT_FALSE(has_finding(*whole.analysis, step.task->done)) << folder << ":" << step.line;
        broke = true;
      }
    }
  }
}

TEST(LessonFiles, AreReadWithLocatedErrors) {
  QTemporaryDir folder;
  const auto errors = [&](const QByteArray& toml) {
    QFile file(folder.filePath("lesson.toml"));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(toml);
    file.close();
    return read_lesson(folder.path().toStdString()).errors;
  };
  EXPECT_FALSE(errors("").empty());
  EXPECT_FALSE(errors("title = ").empty());
  EXPECT_FALSE(errors(QByteArray("\xff\xfe\0x", 4)).empty());
  const auto unknown = errors("title = \"a\"\nabout = \"b\"\nschedule = \"none.cake\"\nbroken = \"none.cake\"\ncolour = 1\n[[step]]\ntitle = \"t\"\ntext = [\"x\"]\n");
  EXPECT_TRUE(std::any_of(unknown.begin(), unknown.end(), [](const ContractError& e) { return e.line == 5 && e.message.find("colour") != std::string::npos; }));
  EXPECT_TRUE(std::any_of(unknown.begin(), unknown.end(), [](const ContractError& e) { return e.line == 3 && e.message.find("none.cake") != std::string::npos; }));
  EXPECT_FALSE(read_lesson("/no/such/folder").errors.empty());
}

class Player : public ::testing::Test {
 protected:
  void SetUp() override {
    qputenv("BAKERY_HOME", home_.path().toUtf8());
    window_ = std::make_unique<MainWindow>(ThemeId::light);
    window_->show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(window_.get()));
    ASSERT_TRUE(window_->start_lesson("empty_barrier"));
    settle();
    view_ = window_->findChild<LessonsView*>();
  }
  void settle() {
    ASSERT_TRUE(QTest::qWaitFor([this] { return window_->settled() && window_->snapshots().analysis().revision > 0; }, 10000));
    QTest::qWait(10);
  }
  template <class T>
  T* part(const char* name) {
    return view_->findChild<T*>(QLatin1String(name));
  }
  QString verdict() { return part<QLabel>("lesson_verdict")->isVisible() ? part<QLabel>("lesson_verdict")->text() : QString(); }
  const Lesson& lesson() { return view_->lessons()[view_->lesson()]; }
  std::string text() { return window_->findChild<CodeEdit*>()->text(); }

  QTemporaryDir home_;
  std::unique_ptr<MainWindow> window_;
  LessonsView* view_ = nullptr;
};

TEST_F(Player, PlaysTheWholeLesson) {
  EXPECT_EQ(text(), lesson().schedule);
  EXPECT_EQ(window_->focus().state().barrier, "empty");
  auto* next = part<QPushButton>("lesson_next");
  QTest::mouseClick(next, Qt::LeftButton);
  ASSERT_EQ(view_->step(), 1);

  // A question that the run answers.
  const auto& snapshot = window_->snapshots().shown();
  const auto right = measure(snapshot.analysis->schedule, *snapshot.timeline, lesson().steps[1].question->measure);
  ASSERT_TRUE(right);
  auto* number = part<QLineEdit>("lesson_number");
  QTest::keyClicks(number, QString::number(*right + 1));
  QTest::keyClick(number, Qt::Key_Return);
  EXPECT_TRUE(verdict().contains("Not quite")) << verdict().toStdString();
  number->clear();
  QTest::keyClicks(number, "many");
  QTest::keyClick(number, Qt::Key_Return);
  EXPECT_TRUE(verdict().contains("whole number"));
  number->clear();
  QTest::keyClicks(number, QString::number(*right));
  QTest::mouseClick(part<QPushButton>("lesson_check"), Qt::LeftButton);
  EXPECT_TRUE(verdict().contains("Right"));

  // A task: break it by the twin's key, mend it by undo.
  QTest::mouseClick(next, Qt::LeftButton);
  EXPECT_FALSE(verdict().contains("Done"));
  QTest::keyClick(window_.get(), Qt::Key_T, Qt::ControlModifier);
  settle();
  EXPECT_EQ(text(), lesson().broken);
  EXPECT_TRUE(verdict().contains("Done")) << verdict().toStdString();
  QTest::mouseClick(next, Qt::LeftButton);
  settle();
  ASSERT_GE(window_->focus().state().finding, 0);
  EXPECT_EQ(window_->snapshots().analysis().findings[window_->focus().state().finding].id, "DATA-003");
  auto choices = view_->findChildren<QRadioButton*>();
  ASSERT_EQ(choices.size(), 2);
  QTest::mouseClick(choices[1], Qt::LeftButton, {}, QPoint(8, choices[1]->height() / 2));
  QTest::mouseClick(part<QPushButton>("lesson_check"), Qt::LeftButton);
  EXPECT_TRUE(verdict().contains("Right"));
  QTest::mouseClick(next, Qt::LeftButton);
  EXPECT_FALSE(next->isEnabled());
  EXPECT_TRUE(verdict().isEmpty());
  window_->findChild<CodeEdit*>()->undo();
  settle();
  EXPECT_EQ(text(), lesson().schedule);
  EXPECT_TRUE(verdict().contains("Done"));
}

TEST_F(Player, RunAndStepMeetTheSameEvents) {
  window_->focus().clear();
  std::vector<uint32_t> stepped, run;
  const size_t count = window_->snapshots().timeline().events.size();
  ASSERT_GT(count, 10u);
  for (size_t i = 0; i < count; ++i) {
    QTest::keyClick(window_.get(), Qt::Key_F10);
    stepped.push_back(window_->focus().state().event);
  }
  QTest::keyClick(window_.get(), Qt::Key_F10);
  EXPECT_EQ(window_->focus().state().event, count - 1);
  QTest::keyClick(window_.get(), Qt::Key_F10, Qt::ShiftModifier);
  EXPECT_EQ(window_->focus().state().event, count - 2);
  window_->focus().clear();
  view_->findChild<QSlider*>()->setValue(10);
  part<QComboBox>("lesson_stop")->setCurrentIndex(0);
  QObject::connect(&window_->focus(), &Focus::changed, view_, [&] {
    if (window_->focus().state().event != kNoEvent) run.push_back(window_->focus().state().event);
  });
  QTest::keyClick(window_.get(), Qt::Key_F9);
  ASSERT_TRUE(QTest::qWaitFor([&] { return run.size() >= count; }, 20000));
  EXPECT_EQ(run, stepped);
}

TEST_F(Player, RunStopsWhereAsked) {
  window_->focus().clear();
  auto* stop = part<QComboBox>("lesson_stop");
  stop->setCurrentIndex(stop->findText("full[1]"));
  ASSERT_GT(stop->currentIndex(), 0);
  view_->findChild<QSlider*>()->setValue(10);
  QTest::keyClick(window_.get(), Qt::Key_F9);
  ASSERT_TRUE(QTest::qWaitFor([&] {
    const FocusState& s = window_->focus().state();
    return s.event != kNoEvent && s.barrier == "full" && s.stage == 1;
  }, 10000));
  const uint32_t at = window_->focus().state().event;
  QTest::qWait(250);
  EXPECT_EQ(window_->focus().state().event, at);
}

TEST_F(Player, WatchFollowsTheModel) {
  const Snapshot& snapshot = window_->snapshots().shown();
  const auto& events = snapshot.timeline->events;
  // At the end of a run that is accepted, every slot is free and no arrival is left over.
  for (const WatchRow& row : watch(snapshot, static_cast<uint32_t>(events.size()) - 1)) {
    if (row.place.starts_with("x_s")) EXPECT_TRUE(row.state == "free" || row.state.starts_with("draining")) << row.place << " " << row.state;
    else EXPECT_NE(row.state.find("in the making"), std::string::npos) << row.place << " " << row.state;
  }
  EXPECT_TRUE(watch(snapshot, kNoEvent).empty());
}

TEST_F(Player, AnotherFileEndsTheLessonAndHasNoTwin) {
  ASSERT_TRUE(window_->open(QStringLiteral(BAKERY_SOURCE_DIR "/resources/schedules/gemm_bf16_sm90a.cake")).isEmpty());
  settle();
  EXPECT_EQ(view_->lesson(), -1);
  EXPECT_EQ(part<QComboBox>("lesson_picker")->currentIndex(), 0);
  const std::string before = text();
  QTest::keyClick(window_.get(), Qt::Key_T, Qt::ControlModifier);
  EXPECT_EQ(text(), before);
  EXPECT_TRUE(verdict().contains("Choose a lesson")) << verdict().toStdString();
}

TEST_F(Player, TheWatchIsRefreshedWhenItIsShown) {
  auto* label = part<QLabel>("lesson_watch");
  QTest::keyClick(window_.get(), Qt::Key_F10);
  const QString before = label->text();
  QWidget* dock = view_->parentWidget();
  dock->hide();
  QTest::keyClick(window_.get(), Qt::Key_F10);
  QTest::keyClick(window_.get(), Qt::Key_F10);
  EXPECT_EQ(label->text(), before) << "nothing is made for nobody";
  dock->show();
  EXPECT_TRUE(label->text().contains(QStringLiteral("Event %1 of").arg(window_->focus().state().event + 1))) << label->text().toStdString();
}

// A view without a window: who puts the text in is the test.
TEST(LessonStart, GoesOnOnlyWhereItsTextIsPutIn) {
  Theme theme;
  Document document;
  CodeEdit edit;
  document.attach(&edit);
  Snapshots snapshots;
  Focus focus{snapshots};
  LessonsView view({document, snapshots, focus, theme});
  ASSERT_GE(view.lessons().size(), 2u);
  document.start_new("kept");
  view.start(1);
  EXPECT_EQ(view.lesson(), -1);
  EXPECT_EQ(view.findChild<QComboBox*>("lesson_picker")->currentIndex(), 0);

  const auto putting = QObject::connect(&view, &LessonsView::text_wanted, &document, &Document::start_new);
  view.start(1);
  EXPECT_EQ(view.lesson(), 1);
  EXPECT_EQ(document.text(), view.lessons()[1].schedule);
  view.go(1);
  QObject::disconnect(putting);
  view.start(0);
  EXPECT_EQ(view.lesson(), 1) << "the one that is on stays";
  EXPECT_EQ(view.step(), 1);
  EXPECT_EQ(view.findChild<QComboBox*>("lesson_picker")->currentIndex(), 2);

  document.start_new(view.lessons()[1].broken);
  EXPECT_EQ(view.lesson(), 1) << "its own text";
  document.start_new("other");
  EXPECT_EQ(view.lesson(), -1);
}

// The same by looking at everything.
std::string watched_by_hand(const Snapshot& snapshot, const Lane& lane, uint32_t event) {
  const Timeline& t = *snapshot.timeline;
  const int64_t now = t.events[event].end;
  const Bar* bar = nullptr;
  for (uint32_t b = lane.first_bar; b < lane.first_bar + lane.bar_count; ++b)
    if (t.bars[b].begin <= now && (now < t.bars[b].end || lane.kind == LaneKind::barrier || t.bars[b].end == t.end)) bar = &t.bars[b];
  if (lane.kind == LaneKind::slot) return bar ? "use " + std::to_string(bar->number) : "free";
  int64_t arrived = 0, expected = 0;
  for (const Barrier& barrier : snapshot.analysis->schedule.barriers)
    if (lane.name == barrier.name || lane.name.starts_with(barrier.name + "[")) expected = barrier.init_count;
  for (uint32_t m = lane.first_mark; m < lane.first_mark + lane.mark_count; ++m) {
    if (bar && t.marks[m].time > bar->begin && t.marks[m].time <= now) arrived = t.marks[m].arrived;
  }
  const std::string number = "completion " + std::to_string(bar ? bar->number : 1) + " ";
  return expected > 0 ? number + std::to_string(arrived) + " of " + std::to_string(expected) : number;
}

TEST(LessonWatch, IsWhatASearchOfTheWholeRunFinds) {
  for (const char* path : {"resources/schedules/gemm_bf16_sm90a.cake", "tests/fixtures/gemm_missing_arrive.cake", "tests/corpus/rules/SAFE-001/bad_cycle.cake"}) {
    QFile file(QStringLiteral(BAKERY_SOURCE_DIR "/") + QLatin1String(path));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly)) << path;
    const Snapshot snapshot = snapshot_of_text(file.readAll().toStdString());
    ASSERT_GT(snapshot.timeline->events.size(), 0u) << path;
    for (uint32_t event = 0; event < snapshot.timeline->events.size(); ++event) {
      size_t row = 0;
      const auto rows = watch(snapshot, event);
      for (const Lane& lane : snapshot.timeline->lanes) {
        if (lane.kind != LaneKind::barrier && lane.kind != LaneKind::slot) continue;
        ASSERT_LT(row, rows.size());
        EXPECT_EQ(rows[row].place, lane.name);
        std::string state = rows[row++].state;
        for (const char* part : {"(odd) ", "(even) ", "in the making, ", "in the making", " arrived"})
          if (const size_t at = state.find(part); at != std::string::npos) state.erase(at, std::strlen(part));
        const std::string expected = watched_by_hand(snapshot, lane, event);
        EXPECT_TRUE(state.ends_with(expected)) << path << " " << event << " " << lane.name << ": " << state << " / " << expected;
      }
    }
  }
}

}  // namespace
