// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/lessons/lessons_view.h"

#include <QHBoxLayout>

#include <algorithm>
#include <cmath>

#include "app/session/resources.h"
#include "views/common/focus_spec.h"
#include "views/common/glyph_icon.h"
#include "views/common/qt_text.h"
#include "views/common/rich_text.h"
#include "views/common/view_requests.h"

namespace bakery::views {

namespace {

constexpr int kEventMilliseconds = 600;  // at speed 1

const char* slot_state(BarState state) {
  switch (state) {
    case BarState::filling: return "filling";
    case BarState::full: return "full";
    case BarState::in_use: return "in use";
    case BarState::draining: return "draining";
    default: return "";
  }
}

bool is_watched(const Lane& lane) { return lane.kind == LaneKind::barrier || lane.kind == LaneKind::slot; }

}  // namespace

WatchRow watch_lane(const Snapshot& snapshot, const Lane& lane, uint32_t event) {
  const Timeline& timeline = *snapshot.timeline;
  const Schedule& schedule = snapshot.analysis->schedule;
  const TimelineEvent& e = timeline.events[event];
  const int64_t now = e.end;
  const auto named = [](const auto& items, int index) {
    return index >= 0 && static_cast<size_t>(index) < items.size() ? items[index].name : std::string();
  };
  const auto bars = timeline.bars.begin() + lane.first_bar;
  const auto after = std::upper_bound(bars, bars + lane.bar_count, now, [](int64_t t, const Bar& b) { return t < b.begin; });
  const Bar* bar = after == bars ? nullptr : &*(after - 1);
  WatchRow row{.place = lane.name};
  if (lane.kind == LaneKind::barrier) {
    row.touched = named(schedule.barriers, e.barrier) == lane.resource && e.stage == lane.stage;
    const auto marks = timeline.marks.begin() + lane.first_mark, end = marks + lane.mark_count;
    const auto next = std::upper_bound(marks, end, now, [](int64_t t, const Mark& m) { return t < m.time; });
    const int32_t arrived = bar && next != marks && (next - 1)->time > bar->begin ? (next - 1)->arrived : 0;
    int64_t expected = 0;
    for (const Barrier& barrier : schedule.barriers)
      if (barrier.name == lane.resource) expected = barrier.init_count;
    const int32_t number = bar ? bar->number : 1;
    row.state = "completion " + std::to_string(number) + (number % 2 ? " (odd)" : " (even)") + " in the making";
    if (expected > 0) row.state += ", " + std::to_string(arrived) + " of " + std::to_string(expected) + " arrived";
  } else {
    if (bar && now >= bar->end && bar->end != timeline.end) bar = nullptr;
    row.touched = named(schedule.views, e.slot_view) == lane.resource && e.slot_stage == lane.stage;
    row.state = bar ? std::string(slot_state(bar->state)) + ", use " + std::to_string(bar->number) : "free";
  }
  return row;
}

std::vector<WatchRow> watch(const Snapshot& snapshot, uint32_t event) {
  std::vector<WatchRow> rows;
  if (event >= snapshot.timeline->events.size()) return rows;
  for (const Lane& lane : snapshot.timeline->lanes)
    if (is_watched(lane)) rows.push_back(watch_lane(snapshot, lane, event));
  return rows;
}

LessonsView::LessonsView(const ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
  setObjectName(QStringLiteral("lessons_view"));
  const std::string resources = resources_folder();
  for (const std::string& folder : lesson_folders(resources)) {
    LessonFile file = read_lesson(folder);
    if (file.errors.empty()) lessons_.push_back(std::move(file.lesson));
    for (const ContractError& error : file.errors)
      fault_ += tr("%1/lesson.toml:%2: %3\n").arg(to_qstring(folder)).arg(error.line).arg(to_qstring(error.message));
  }
  if (lessons_.empty() && fault_.isEmpty())
    fault_ = tr("There are no lessons in %1. BAKERY_RESOURCES names another folder.").arg(resources.empty() ? tr("any folder above the program") : to_qstring(resources));

  picker_ = new QComboBox(this);
  picker_->setObjectName(QStringLiteral("lesson_picker"));
  picker_->setAccessibleName(tr("Lesson"));
  picker_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  picker_->setMinimumContentsLength(18);
  picker_->addItem(tr("Choose a lesson…"));
  for (const Lesson& lesson : lessons_) picker_->addItem(to_qstring(lesson.title));
  twin_ = new QPushButton(tr("Broken twin"), this);
  twin_->setObjectName(QStringLiteral("lesson_twin"));
  twin_->setToolTip(tr("Swaps the schedule and its broken twin (Ctrl+T)"));
  auto* top = new QHBoxLayout;
  top->addWidget(picker_, 1);
  top->addWidget(twin_);

  text_ = new QTextBrowser(this);
  text_->setObjectName(QStringLiteral("lesson_text"));
  text_->setAccessibleName(tr("Lesson text"));
  text_->setFrameShape(QFrame::NoFrame);
  text_->setOpenLinks(false);
  text_->document()->setDocumentMargin(10);
  setFocusProxy(text_);

  question_ = new QWidget(this);
  ask_ = new QLabel(question_);
  ask_->setWordWrap(true);
  ask_->setTextFormat(Qt::RichText);
  number_ = new QLineEdit(question_);
  number_->setObjectName(QStringLiteral("lesson_number"));
  number_->setAccessibleName(tr("Your answer, a number"));
  number_->setPlaceholderText(tr("a number"));
  number_->setMaximumWidth(140);
  check_ = new QPushButton(tr("Check"), question_);
  check_->setObjectName(QStringLiteral("lesson_check"));
  auto* answer = new QHBoxLayout;
  answer->addWidget(number_);
  answer->addWidget(check_);
  answer->addStretch(1);
  choices_layout_ = new QVBoxLayout;
  choices_layout_->setSpacing(2);
  auto* question = new QVBoxLayout(question_);
  question->setContentsMargins(10, 0, 10, 0);
  question->addWidget(ask_);
  question->addLayout(choices_layout_);
  question->addLayout(answer);

  verdict_ = new QLabel(this);
  verdict_->setObjectName(QStringLiteral("lesson_verdict"));
  verdict_->setWordWrap(true);
  verdict_->setTextFormat(Qt::RichText);
  verdict_->setContentsMargins(10, 2, 10, 2);

  back_ = new QPushButton(tr("Back"), this);
  back_->setToolTip(tr("Previous step of the lesson (Ctrl+Alt+Left)"));
  next_ = new QPushButton(tr("Next"), this);
  next_->setObjectName(QStringLiteral("lesson_next"));
  next_->setToolTip(tr("Next step of the lesson (Ctrl+Alt+Right)"));
  position_ = new QLabel(this);
  position_->setAlignment(Qt::AlignCenter);
  auto* bottom = new QHBoxLayout;
  bottom->setContentsMargins(8, 4, 8, 4);
  bottom->addWidget(back_);
  bottom->addWidget(position_, 1);
  bottom->addWidget(next_);

  watch_ = new QLabel(this);
  watch_->setObjectName(QStringLiteral("lesson_watch"));
  watch_->setTextFormat(Qt::RichText);
  watch_->setWordWrap(true);
  watch_->setAlignment(Qt::AlignTop);
  watch_->setContentsMargins(10, 4, 10, 4);
  watch_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* watch_area = new QScrollArea(this);
  watch_area->setWidgetResizable(true);
  watch_area->setFrameShape(QFrame::NoFrame);
  watch_area->setAccessibleName(tr("State after the event"));
  watch_area->setWidget(watch_);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 4, 0, 0);
  layout->setSpacing(4);
  top->setContentsMargins(8, 0, 8, 0);
  layout->addLayout(top);
  layout->addWidget(text_, 5);
  layout->addWidget(question_);
  layout->addWidget(verdict_);
  layout->addLayout(bottom);
  layout->addWidget(make_controls());
  layout->addWidget(watch_area, 3);

  connect(picker_, &QComboBox::activated, this, [this](int index) { start(index - 1); });
  connect(twin_, &QPushButton::clicked, this, &LessonsView::twin);
  connect(back_, &QPushButton::clicked, this, [this] { go(step_ - 1); });
  connect(next_, &QPushButton::clicked, this, [this] { go(step_ + 1); });
  connect(check_, &QPushButton::clicked, this, &LessonsView::check_answer);
  connect(number_, &QLineEdit::returnPressed, this, &LessonsView::check_answer);
  connect(&timer_, &QTimer::timeout, this, &LessonsView::tick);
  connect(&context_.snapshots, &Snapshots::after_change, this, &LessonsView::take_snapshot);
  connect(&context_.focus, &Focus::changed, this, &LessonsView::take_focus);
  connect(&context_.document, &Document::opened, this, &LessonsView::take_text);
  connect(&context_.theme, &Theme::changed, this, [this] {
    show_step();
    take_focus();
  });
  show_step();
  take_focus();
}

QWidget* LessonsView::make_controls() {
  auto* controls = new QWidget(this);
  auto* row = new QHBoxLayout(controls);
  row->setContentsMargins(8, 0, 8, 0);
  row->setSpacing(2);
  const auto button = [&](Glyph glyph, const QString& tip) {
    auto* b = new QToolButton(controls);
    set_glyph(b, glyph, context_.theme);
    b->setToolTip(tip);
    b->setAccessibleName(tip);
    b->setFocusPolicy(Qt::TabFocus);
    row->addWidget(b);
    return b;
  };
  connect(button(Glyph::back, tr("Step back one event (Shift+F10)")), &QToolButton::clicked, this, [this] { step_event(-1); });
  connect(button(Glyph::forward, tr("Step one event (F10)")), &QToolButton::clicked, this, [this] { step_event(1); });
  run_ = new QToolButton(controls);
  run_->setObjectName(QStringLiteral("lesson_run"));
  run_->setText(tr("Run"));
  run_->setToolTip(tr("Run or pause (F9)"));
  run_->setFocusPolicy(Qt::TabFocus);
  row->addWidget(run_);
  connect(run_, &QToolButton::clicked, this, &LessonsView::run_or_pause);
  speed_ = new QSlider(Qt::Horizontal, controls);
  speed_->setRange(-10, 10);  // tenths of a power of ten
  speed_->setAccessibleName(tr("Speed"));
  speed_->setToolTip(tr("Speed, 0.1 to 10 times"));
  speed_->setMaximumWidth(90);
  row->addWidget(speed_);
  speed_label_ = new QLabel(controls);
  speed_label_->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("0.16x")) + 4);
  row->addWidget(speed_label_);
  row->addStretch(1);
  auto* stop_label = new QLabel(tr("Stop at"), controls);
  stop_ = new QComboBox(controls);
  stop_->setObjectName(QStringLiteral("lesson_stop"));
  stop_->setAccessibleName(tr("Where Run stops"));
  stop_->setMinimumContentsLength(8);
  stop_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  stop_label->setBuddy(stop_);
  row->addWidget(stop_label);
  row->addWidget(stop_);
  connect(speed_, &QSlider::valueChanged, this, &LessonsView::set_speed);
  set_speed();
  return controls;
}

// ---- lesson and step ----------------------------------------------------------------------

bool LessonsView::start(const QString& id) {
  for (size_t i = 0; i < lessons_.size(); ++i)
    if (to_qstring(lessons_[i].id) == id) {
      start(static_cast<int>(i));
      return true;
    }
  return false;
}

void LessonsView::start(int lesson) {
  if (lesson < 0 || static_cast<size_t>(lesson) >= lessons_.size()) return leave();
  const std::string& schedule = lessons_[static_cast<size_t>(lesson)].schedule;
  emit text_wanted(schedule);
  if (context_.document.text() != schedule) return picker_->setCurrentIndex(lesson_ + 1);  // what is there is kept
  show_lesson(lesson);
}

void LessonsView::leave() { show_lesson(-1); }

void LessonsView::show_lesson(int lesson) {
  pause();
  lesson_ = lesson;
  picker_->setCurrentIndex(lesson_ + 1);
  step_ = 0;
  show_step();
  light_step();
}

void LessonsView::take_text() {
  if (lesson_ < 0) return;
  const std::string text = context_.document.text();
  if (text != lessons_[lesson_].schedule && text != lessons_[lesson_].broken) leave();
}

void LessonsView::go(int step) {
  if (lesson_ < 0 || step < 0 || static_cast<size_t>(step) >= lessons_[lesson_].steps.size()) return;
  pause();
  step_ = step;
  const Lesson& lesson = lessons_[lesson_];
  // A step about the broken twin makes no sense beside the whole schedule.
  if (lesson.steps[step_].broken && context_.document.text() == lesson.schedule) twin();
  show_step();
  light_step();
}

void LessonsView::twin() {
  if (lesson_ < 0) {
    ViewRequests::of(context_.focus).show_view(QStringLiteral("lessons"));
    return say(tr("Only a lesson's schedule has a twin. Choose a lesson first."), Token::review);
  }
  const Lesson& lesson = lessons_[lesson_];
  const std::string now = context_.document.text();
  const std::string& next = now == lesson.schedule ? lesson.broken : lesson.schedule;
  context_.document.apply({TextEdit{Span{0, static_cast<uint32_t>(now.size())}, next}});
}

void LessonsView::show_step() {
  const bool playing = lesson_ >= 0;
  for (QWidget* widget : {static_cast<QWidget*>(back_), static_cast<QWidget*>(next_), static_cast<QWidget*>(twin_)}) widget->setEnabled(playing);
  verdict_->clear();
  verdict_->hide();
  done_ = false;
  if (!playing) {
    QString intro = tr("# Lessons\n\nEach lesson opens a small schedule, steps through its run, lets you break it, and asks a question. "
                       "Everything that moves is the real machine that checks your own schedules.\n\n");
    for (const Lesson& lesson : lessons_) intro += QStringLiteral("- **%1** – %2\n").arg(to_qstring(lesson.title), to_qstring(lesson.about));
    if (!fault_.isEmpty()) intro = tr("# Lessons\n\n") + fault_;
    text_->setMarkdown(intro);
    position_->clear();
    question_->hide();
    return;
  }
  const Lesson& lesson = lessons_[lesson_];
  const LessonStep& step = lesson.steps[step_];
  text_->setMarkdown(QStringLiteral("### %1\n\n%2").arg(to_qstring(step.title), to_qstring(step.text)));
  position_->setText(tr("%1 of %2").arg(step_ + 1).arg(lesson.steps.size()));
  back_->setEnabled(step_ > 0);
  next_->setEnabled(static_cast<size_t>(step_) + 1 < lesson.steps.size());
  show_question();
  take_snapshot();
}

void LessonsView::show_question() {
  const LessonStep& step = lessons_[lesson_].steps[step_];
  for (QRadioButton* choice : choices_) delete choice;
  choices_.clear();
  question_->setVisible(step.question || step.task);
  const bool measured = step.question && !step.question->measure.empty();
  number_->setVisible(measured);
  number_->clear();
  check_->setVisible(step.question.has_value());
  if (step.question) {
    ask_->setText(QStringLiteral("<b>%1</b> %2").arg(tr("Question:"), rich_text(step.question->ask)));
    for (const std::string& text : step.question->choices) {
      auto* choice = new QRadioButton(to_qstring(text), question_);
      choices_layout_->addWidget(choice);
      choices_.push_back(choice);
    }
  } else if (step.task) {
    ask_->setText(QStringLiteral("<b>%1</b> %2").arg(tr("Task:"), rich_text(step.task->instruction)));
  }
}

void LessonsView::light_step() {
  light_when_settled_ = lesson_ >= 0 && !lessons_[lesson_].steps[step_].focus.empty();
  take_snapshot();
}

void LessonsView::say(const QString& text, Token token) {
  verdict_->setText(QStringLiteral("<span style='color:%1'>%2</span>").arg(context_.theme.css(token), text));
  verdict_->show();
}

void LessonsView::check_answer() {
  if (lesson_ < 0) return;
  const auto& question = lessons_[lesson_].steps[step_].question;
  if (!question) return;
  bool right = false;
  if (!question->measure.empty()) {
    const Snapshot& snapshot = context_.snapshots.shown();
    const auto expected = measure(snapshot.analysis->schedule, *snapshot.timeline, question->measure);
    if (!expected) return say(tr("The text as it stands has no such place. Undo, or start the lesson again."), Token::review);
    bool number = false;
    const qlonglong given = number_->text().trimmed().toLongLong(&number);
    if (!number) return say(tr("Type a whole number."), Token::review);
    right = given == *expected;
  } else {
    const auto chosen = std::find_if(choices_.begin(), choices_.end(), [](const QRadioButton* c) { return c->isChecked(); });
    if (chosen == choices_.end()) return say(tr("Choose an answer first."), Token::review);
    right = chosen - choices_.begin() == question->answer;
  }
  if (right) say(QStringLiteral("<b>%1</b> %2").arg(tr("Right."), rich_text(question->why)), Token::ok);
  else say(tr("Not quite. Step through the run and look again."), Token::error);
}

// ---- the run ------------------------------------------------------------------------------

void LessonsView::take_snapshot() {
  if (context_.snapshots.busy()) return;
  const Snapshot& snapshot = context_.snapshots.shown();
  const QString stop = stop_->currentText();
  stop_->clear();
  stop_->addItem(tr("nowhere"));
  for (const Lane& lane : snapshot.timeline->lanes)
    if (is_watched(lane)) stop_->addItem(to_qstring(lane.name));
  stop_->setCurrentIndex(std::max(0, stop_->findText(stop)));
  twin_->setText(lesson_ >= 0 && context_.document.text() == lessons_[lesson_].broken ? tr("Whole twin") : tr("Broken twin"));
  take_focus();
  if (lesson_ < 0) return;

  const LessonStep& step = lessons_[lesson_].steps[step_];
  if (light_when_settled_) {
    light_when_settled_ = false;
    if (auto state = parse_focus(step.focus, snapshot)) {
      state->origin = Origin::lessons;
      context_.focus.set(std::move(*state));
    }
    if (!step.stop_at.empty()) stop_->setCurrentIndex(std::max(0, stop_->findText(to_qstring(step.stop_at))));
  }
  if (!step.task) return;
  const Analysis& analysis = *snapshot.analysis;
  const bool done = step.task->done == "accepted"
                        ? analysis.verdict != Verdict::rejected
                        : std::any_of(analysis.findings.begin(), analysis.findings.end(), [&](const Finding& f) { return f.id == step.task->done; });
  if (done && !done_) say(QStringLiteral("<b>%1</b> %2").arg(tr("Done."), rich_text(step.task->why)), Token::ok);
  if (!done) verdict_->hide();
  done_ = done;
}

uint32_t LessonsView::current_event() const { return context_.focus.state().event; }

void LessonsView::take_focus() {
  if (!isVisible()) return;
  const Snapshot& snapshot = context_.snapshots.shown();
  const uint32_t event = current_event();
  if (event >= snapshot.timeline->events.size()) {
    watch_->setText(snapshot.timeline->events.empty() ? tr("No run to step through.") : tr("F10 steps through the run; what is true then stands here."));
    return;
  }
  QString html = tr("<p>Event %1 of %2: %3</p><table cellspacing='0' cellpadding='1'>")
                     .arg(event + 1)
                     .arg(snapshot.timeline->events.size())
                     .arg(rich_text(describe(*snapshot.analysis, *snapshot.timeline, event)));
  for (const WatchRow& row : watch(snapshot, event)) {
    const QString name = to_qstring(row.place).toHtmlEscaped(), state = to_qstring(row.state).toHtmlEscaped();
    html += row.touched ? QStringLiteral("<tr style='color:%1'><td><b>%2&nbsp;&nbsp;</b></td><td><b>%3</b></td></tr>").arg(context_.theme.css(Token::accent), name, state)
                        : QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>").arg(name, state);
  }
  watch_->setText(html + QStringLiteral("</table>"));
}

void LessonsView::step_event(int direction) {
  const Snapshot& snapshot = context_.snapshots.shown();
  const int64_t count = static_cast<int64_t>(snapshot.timeline->events.size());
  if (count == 0) return;
  const uint32_t now = current_event();
  const int64_t next = now == kNoEvent ? (direction > 0 ? 0 : count - 1) : std::clamp<int64_t>(int64_t{now} + direction, 0, count - 1);
  FocusState state = focus_on_event(snapshot, static_cast<uint32_t>(next));
  state.origin = Origin::lessons;
  context_.focus.set_passing(std::move(state));
}

void LessonsView::run_or_pause() {
  if (timer_.isActive()) return pause();
  const uint32_t now = current_event();
  if (now != kNoEvent && now + 1 >= context_.snapshots.timeline().events.size()) context_.focus.clear();  // again from the start
  run_->setText(tr("Pause"));
  set_speed();
  timer_.start();
  tick();
}

void LessonsView::pause() {
  timer_.stop();
  run_->setText(tr("Run"));
}

void LessonsView::tick() {
  step_event(1);
  const uint32_t now = current_event();
  if (now == kNoEvent || now + 1 >= context_.snapshots.timeline().events.size() || stops_at(now)) pause();
}

bool LessonsView::stops_at(uint32_t event) const {
  if (stop_->currentIndex() <= 0) return false;
  const std::string place = to_utf8(stop_->currentText());
  const Snapshot& snapshot = context_.snapshots.shown();
  return std::any_of(snapshot.timeline->lanes.begin(), snapshot.timeline->lanes.end(), [&](const Lane& lane) {
    return is_watched(lane) && lane.name == place && watch_lane(snapshot, lane, event).touched;
  });
}

void LessonsView::set_speed() {
  const double speed = std::pow(10, speed_->value() / 10.0);
  timer_.setInterval(static_cast<int>(kEventMilliseconds / speed));
  speed_label_->setText(QStringLiteral("%1x").arg(speed, 0, 'g', 2));
}

void LessonsView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  take_focus();
}

void LessonsView::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  pause();
}

}  // namespace bakery::views
