// SPDX-License-Identifier: GPL-3.0-or-later
// The lesson player: text, stepping through the run, questions and tasks with a check.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QSlider>
#include <QTextBrowser>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidget>

#include <vector>

#include "app/session/lessons.h"
#include "views/common/view_context.h"

namespace bakery::views {

// What is true after `event`: a row for each stage of a barrier and each ring slot.
struct WatchRow {
  std::string place;   // "full[0]", "x_s[1]"
  std::string state;   // "completion 2 in the making, 0 of 1 arrived", "draining, tile 3"
  bool touched = false;  // by the event
};
std::vector<WatchRow> watch(const Snapshot& snapshot, uint32_t event);

class LessonsView : public QWidget {
  Q_OBJECT

 public:
  LessonsView(const ViewContext& context, QWidget* parent = nullptr);

  const std::vector<Lesson>& lessons() const { return lessons_; }
  int lesson() const { return lesson_; }
  int step() const { return step_; }

  // The lesson is on once its schedule is the text; nothing changes where the person keeps another one.
  void start(int lesson);
  bool start(const QString& id);  // false: there is none
  void go(int step);
  // The fixed schedule's text becomes the broken one, and back: one undo step.
  void twin();
  void step_event(int direction);
  void run_or_pause();

 signals:
  // The lesson's schedule is wanted in the editor; what is there may be unsaved.
  void text_wanted(const std::string& text);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* make_controls();
  void show_lesson(int lesson);
  void leave();
  void take_text();
  void show_step();
  void show_question();
  void take_snapshot();
  void take_focus();
  void check_answer();
  void light_step();
  void say(const QString& text, Token token);
  void pause();
  void tick();
  void set_speed();
  bool stops_at(uint32_t event) const;
  uint32_t current_event() const;

  ViewContext context_;
  std::vector<Lesson> lessons_;
  QString fault_;             // why there are none, or which files are broken
  int lesson_ = -1;
  int step_ = 0;
  bool light_when_settled_ = false;
  bool done_ = false;         // the step's task

  QComboBox* picker_;
  QTextBrowser* text_;
  QWidget* question_;
  QLabel* ask_;
  std::vector<QRadioButton*> choices_;
  QVBoxLayout* choices_layout_;
  QLineEdit* number_;
  QPushButton* check_;
  QLabel* verdict_;
  QLabel* position_;
  QPushButton* back_;
  QPushButton* next_;
  QPushButton* twin_;
  QToolButton* run_;
  QSlider* speed_;
  QLabel* speed_label_;
  QComboBox* stop_;
  QLabel* watch_;
  QTimer timer_;
};

}  // namespace bakery::views
