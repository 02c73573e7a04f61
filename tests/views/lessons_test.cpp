// SPDX-License-Identifier: GPL-3.0-or-later
// Lessons say what is true of their schedules, and their player works by mouse and keys.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>

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

}  // namespace
