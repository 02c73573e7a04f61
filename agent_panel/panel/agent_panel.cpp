// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent_panel/panel/agent_panel.h"

#include <QAction>
#include <QApplication>
#include <QHBoxLayout>
#include <QJsonDocument>
#include <QJsonObject>
#include <QKeyEvent>
#include <QScrollBar>

#include <algorithm>
#include <utility>
#include <set>

#include <nlohmann/json.hpp>

#include "agent_panel/panel/hunk_card.h"
#include "agent_panel/panel/run_log.h"
#include "views/common/qt_text.h"

namespace bakery::panel {

using views::Token;
using views::to_qstring;
using views::to_utf8;

namespace {

constexpr int kEscapeTwice = 600;   // milliseconds
constexpr size_t kMostCards = 200;

enum Mode { ask, read_only };

}  // namespace

AgentPanel::AgentPanel(const views::ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
  setObjectName(QStringLiteral("agent_panel"));
  recorder_.setMaxThreadCount(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 6, 6, 6);
  layout->setSpacing(5);
  make_actions();
  make_controls(layout);
  make_review(layout);
  setFocusProxy(goal_);

  typing_.setSingleShot(true);
  typing_.setInterval(30);
  connect(&typing_, &QTimer::timeout, this, &AgentPanel::sync);
  connect(&context_.document, &views::Document::text_changed, this, [this] { typing_.start(); });
  connect(&context_.document, &views::Document::opened, this, &AgentPanel::take_text);
  connect(&context_.document, &views::Document::path_changed, this, [this] {
    if (!review_.text().empty() && context_.document.text() == review_.text()) path_ = context_.document.path();  // saved as
  });
  connect(&context_.document.pending(), &views::PendingHunks::chosen, this, [this](int hunk) { choose(hunk, false); });
  connect(&context_.theme, &views::Theme::changed, this, &AgentPanel::apply_theme);
  connect(&context_.focus, &views::Focus::changed, this, &AgentPanel::show_run);
  connect(&context_.snapshots, &views::Snapshots::changed, this, &AgentPanel::show_run);
  qApp->installEventFilter(this);
  apply_theme();
  refresh();
  show_run();
}

AgentPanel::~AgentPanel() {
  qApp->removeEventFilter(this);
  run_.reset();
  flush();
}

// ---- parts ------------------------------------------------------------------------------

void AgentPanel::make_actions() {
  const auto action = [this](const char* id, const QString& title, const char* keys, auto act) {
    auto* a = new QAction(title, this);
    a->setObjectName(QLatin1String(id));
    if (*keys) a->setShortcut(QKeySequence(QLatin1String(keys)));
    connect(a, &QAction::triggered, this, act);
    addAction(a);
    actions_ << a;
    return a;
  };
  start_action_ = action("agent.start", tr("&Start or stop the agent"), "Alt+Return", [this] { running() ? stop() : start_chosen_goal(); });
  accept_action_ = action("agent.accept", tr("&Accept the proposal"), "Alt+A", [this] { accept(chosen_); });
  reject_action_ = action("agent.reject", tr("&Reject the proposal"), "Alt+R", [this] { reject(chosen_); });
  edit_action_ = action("agent.edit", tr("&Edit, then accept"), "Alt+Shift+E", [this] { edit(chosen_); });
  next_action_ = action("agent.next", tr("&Next proposal"), "Alt+N", [this] { go(1); });
  previous_action_ = action("agent.previous", tr("&Previous proposal"), "Alt+Shift+N", [this] { go(-1); });
  accept_all_action_ = action("agent.accept_all", tr("Accept a&ll"), "Alt+Shift+A", [this] {
    decide_with_reason([this](const std::string& reason) { return review_.accept_all(reason); });
  });
  reject_all_action_ = action("agent.reject_all", tr("Re&ject all"), "Alt+Shift+R", [this] {
    decide_with_reason([this](const std::string& reason) { return review_.reject_all(reason); });
  });
  undo_action_ = action("agent.undo", tr("&Undo the last decision"), "Alt+Z", [this] { decide([this] { return review_.undo(); }); });
  redo_action_ = action("agent.redo", tr("Re&do the decision"), "Alt+Shift+Z", [this] { decide([this] { return review_.redo(); }); });
}

void AgentPanel::make_controls(QVBoxLayout* layout) {
  goal_ = new QComboBox(this);
  goal_->setObjectName(QStringLiteral("agent_goal"));
  goal_->setAccessibleName(tr("Goal"));
  goal_->setToolTip(tr("What the agent is to do"));
  goal_->addItem(tr("Repair all errors"));
  goal_->addItem(tr("Repair the chosen error"));
  goal_->addItem(tr("Explore the tunables"));
  goal_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  start_ = new QPushButton(this);
  start_->setObjectName(QStringLiteral("agent_start"));
  start_->setAutoDefault(false);
  mode_ = new QComboBox(this);
  mode_->setObjectName(QStringLiteral("agent_mode"));
  mode_->setAccessibleName(tr("Mode"));
  mode_->setToolTip(tr("Whether proposals can be put into the text"));
  mode_->addItem(tr("Ask each time"));
  mode_->addItem(tr("Read only"));
  limit_ = new QSpinBox(this);
  limit_->setObjectName(QStringLiteral("agent_seconds"));
  limit_->setAccessibleName(tr("Seconds at most"));
  limit_->setToolTip(tr("The run ends after so many seconds; what was proposed until then stands"));
  limit_->setRange(1, 3600);
  limit_->setValue(static_cast<int>(budget_.seconds));
  limit_->setSuffix(tr(" s"));
  auto* row = new QHBoxLayout;
  row->setSpacing(6);
  row->addWidget(goal_, 2);
  row->addWidget(mode_, 1);
  row->addWidget(limit_);
  row->addWidget(start_);
  layout->addLayout(row);

  meter_ = new QProgressBar(this);
  meter_->setObjectName(QStringLiteral("agent_meter"));
  meter_->setAccessibleName(tr("Budget spent"));
  meter_->setTextVisible(false);
  meter_->setFixedHeight(6);
  meter_->setRange(0, 1000);
  meter_text_ = new QLabel(this);
  meter_text_->setObjectName(QStringLiteral("agent_meter_text"));
  message_ = new QLabel(this);
  message_->setObjectName(QStringLiteral("agent_message"));
  message_->setTextFormat(Qt::PlainText);
  message_->setWordWrap(true);
  auto* below = new QHBoxLayout;
  below->addWidget(message_, 1);
  below->addWidget(meter_text_);
  below->addWidget(meter_);
  meter_->setFixedWidth(90);
  layout->addLayout(below);
  connect(start_, &QPushButton::clicked, start_action_, &QAction::trigger);
  connect(goal_, &QComboBox::currentIndexChanged, this, [this] {
    show_run();
    emit state_changed();
  });
  connect(mode_, &QComboBox::currentIndexChanged, this, &AgentPanel::refresh);
}

void AgentPanel::make_review(QVBoxLayout* layout) {
  log_ = new RunLog(context_.theme, this);
  auto* right = new QWidget(this);
  auto* column = new QVBoxLayout(right);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(5);

  scroll_ = new QScrollArea(right);
  scroll_->setObjectName(QStringLiteral("agent_proposals"));
  scroll_->setAccessibleName(tr("Proposals"));
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  cards_widget_ = new QWidget(scroll_);
  cards_widget_->setObjectName(QStringLiteral("agent_cards"));
  cards_layout_ = new QVBoxLayout(cards_widget_);
  cards_layout_->setContentsMargins(0, 0, 0, 0);
  cards_layout_->setSpacing(6);
  empty_ = new QLabel(cards_widget_);
  empty_->setObjectName(QStringLiteral("agent_empty"));
  empty_->setWordWrap(true);
  empty_->setAlignment(Qt::AlignTop);
  empty_->setMargin(6);
  empty_->setText(tr("No proposals. Choose a goal and start the agent: it works on its own copy of the text, and each change "
                     "waits here until you accept or reject it. Escape twice stops it."));
  cards_layout_->addWidget(empty_);
  cards_layout_->addStretch(1);
  scroll_->setWidget(cards_widget_);
  column->addWidget(scroll_, 1);

  reason_ = new QLineEdit(right);
  reason_->setObjectName(QStringLiteral("agent_reason"));
  reason_->setAccessibleName(tr("Reason"));
  reason_->setToolTip(tr("Is stored with the next decision"));
  reason_->setPlaceholderText(tr("Reason, stored with the next decision"));
  reason_->setMinimumWidth(90);
  const auto button = [&](const char* id, const QString& text, QAction* action) {
    auto* b = new QPushButton(text, right);
    b->setObjectName(QLatin1String(id));
    b->setAutoDefault(false);
    b->setToolTip(QStringLiteral("%1 (%2)").arg(action->text().remove(QLatin1Char('&')), action->shortcut().toString(QKeySequence::NativeText)));
    b->setEnabled(action->isEnabled());
    connect(b, &QPushButton::clicked, action, &QAction::trigger);
    connect(action, &QAction::changed, b, [b, action] { b->setEnabled(action->isEnabled()); });
    return b;
  };
  count_ = new QLabel(right);
  count_->setObjectName(QStringLiteral("agent_count"));
  auto* first = new QHBoxLayout;
  first->setSpacing(6);
  first->addWidget(count_);
  first->addWidget(reason_, 1);
  auto* second = new QHBoxLayout;
  second->setSpacing(6);
  second->addWidget(button("agent_accept_all", tr("Accept all"), accept_all_action_));
  second->addWidget(button("agent_reject_all", tr("Reject all"), reject_all_action_));
  second->addStretch(1);
  second->addWidget(button("agent_next", tr("Next"), next_action_));
  second->addWidget(button("agent_undo", tr("Undo"), undo_action_));
  second->addWidget(button("agent_redo", tr("Redo"), redo_action_));
  column->addLayout(first);
  column->addLayout(second);

  splitter_ = new QSplitter(Qt::Horizontal, this);
  splitter_->setObjectName(QStringLiteral("agent_splitter"));
  splitter_->setChildrenCollapsible(false);
  splitter_->setHandleWidth(4);
  splitter_->addWidget(log_);
  splitter_->addWidget(right);
  splitter_->setStretchFactor(0, 1);
  splitter_->setStretchFactor(1, 2);
  layout->addWidget(splitter_, 1);
}

void AgentPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const Qt::Orientation wanted = width() > 620 && width() > height() ? Qt::Horizontal : Qt::Vertical;
  if (splitter_->orientation() == wanted) return;
  splitter_->setOrientation(wanted);
  const int whole = wanted == Qt::Horizontal ? width() : height();
  const int log = wanted == Qt::Horizontal ? whole / 3 : whole / 5;
  splitter_->setSizes({log, whole - log});
}

void AgentPanel::apply_theme() {
  const auto css = [this](Token token) { return context_.theme.css(token); };
  cards_widget_->setStyleSheet(QStringLiteral("QFrame#hunk_card { background: %1; border: 1px solid %2; border-radius: 5px; }"
                                              "QFrame#hunk_card[state=\"rejected\"], QFrame#hunk_card[state=\"accepted\"] { background: %4; }"
                                              "QFrame#hunk_card[chosen=\"true\"] { border: 2px solid %3; }"
                                              "QPlainTextEdit#hunk_editor { border: 1px solid %2; }")
                                   .arg(css(Token::raised), css(Token::border), css(Token::agent), css(Token::window)));
  meter_->setStyleSheet(QStringLiteral("QProgressBar { background: %1; border: 1px solid %2; border-radius: 3px; }"
                                       "QProgressBar::chunk { background: %3; border-radius: 3px; }")
                            .arg(css(Token::base), css(Token::border), css(Token::agent)));
  reason_->setStyleSheet(QStringLiteral("QLineEdit { background: %1; border: 1px solid %2; border-radius: 4px; padding: 2px 5px; }"
                                        "QLineEdit:focus { border-color: %3; }")
                             .arg(css(Token::base), css(Token::border), css(Token::accent)));
  for (QLabel* label : {meter_text_, empty_, count_}) {
    QPalette palette = label->palette();
    palette.setColor(QPalette::WindowText, context_.theme[Token::muted]);
    label->setPalette(palette);
  }
  say(message_->text(), message_->property("problem").toBool());
}

// ---- the run ----------------------------------------------------------------------------

AnalysisOptions AgentPanel::options() const {
  AnalysisOptions options;
  options.target = context_.snapshots.target();
  return options;
}

std::string AgentPanel::file() const {
  return to_utf8(context_.document.path().isEmpty() ? context_.document.file_name() : context_.document.path());
}

std::shared_ptr<const Analysis> AgentPanel::newest_analysis() const {
  return context_.snapshots.busy() ? nullptr : context_.snapshots.shown().analysis;
}

void AgentPanel::start_chosen_goal() { start(static_cast<AgentGoal>(goal_->currentIndex())); }

void AgentPanel::start(AgentGoal goal) {
  if (running()) return;
  AgentRequest request{.goal = goal, .file_name = to_utf8(context_.document.file_name()), .text = context_.document.text(), .options = options()};
  goal_->setCurrentIndex(static_cast<int>(goal));
  if (goal == AgentGoal::repair_one) {
    const int finding = context_.focus.state().finding;
    const auto& findings = context_.snapshots.analysis().findings;
    if (finding < 0 || static_cast<size_t>(finding) >= findings.size() || findings[static_cast<size_t>(finding)].severity != Severity::error)
      return say(tr("Choose an error first: in the list of findings, or with F8."), true);
    request.finding = findings[static_cast<size_t>(finding)];
  }
  if (std::any_of(cards_.begin(), cards_.end(), [](const auto& card) { return card.second->editing(); }))
    return say(tr("A proposal is being edited: accept it or cancel the edit first."), true);
  const size_t open = review_.count(HunkState::pending);
  if (open > 0 && !std::exchange(replace_open_, true))
    return say(open == 1 ? tr("A proposal is open. Start once more to replace it by new ones.") : tr("%1 proposals are open. Start once more to replace them by new ones.").arg(open), true);
  replace_open_ = false;
  run_options_ = request.options;
  budget_.seconds = limit_->value();
  request.budget = budget_;
  review_ = Review(request.text);
  path_ = context_.document.path();
  chosen_ = 0;
  log_->clear_run();
  stopping_ = false;
  spent_ = 0;
  seconds_ = 0;
  const int serial = ++serial_;
  say(tr("Working on its own copy of %1").arg(context_.document.file_name()));
  run_ = std::make_unique<AgentRun>(std::move(request), [this, serial](const AgentEvent& event) {
    QMetaObject::invokeMethod(this, [this, serial, event] { if (serial == serial_) take_event(event); }, Qt::QueuedConnection);
  });
  refresh();
  show_run();
}

void AgentPanel::stop() {
  if (!run_ || stopping_) return;
  stopping_ = true;
  run_->stop();
  say(tr("Stopping …"));
  show_run();
}

void AgentPanel::take_event(const AgentEvent& event) {
  show_meter(event.analyses, event.seconds);
  switch (event.kind) {
    case AgentEvent::Kind::meter: return;
    case AgentEvent::Kind::plan: return log_->show_plan(event.plan);
    case AgentEvent::Kind::tool: return log_->show_tool(event.tool);
    case AgentEvent::Kind::proposal: {
      sync();
      review_.propose(event.text, event.evidence);
      recorder_.start([this, file = file(), proposal = event.analysis, parent = event.evidence.hash_before, options = run_options_] {
        decisions_.add_proposal(file, *proposal, parent, options);
      });
      refresh();
      return;
    }
    case AgentEvent::Kind::finished: {
      run_.reset();
      QString message = to_qstring(event.message).remove(QLatin1Char('`'));
      if (!message.isEmpty()) message[0] = message[0].toUpper();
      say(message, event.end == AgentEnd::failed);
      show_run();
      const size_t pending = review_.count(HunkState::pending);
      emit notice(pending > 0 ? tr("The agent has ended: %1 to decide on.").arg(pending) : tr("The agent has ended: %1.").arg(message));
      return;
    }
  }
}

void AgentPanel::show_meter(int analyses, double seconds) {
  spent_ = analyses;
  seconds_ = seconds;
  const double part = std::max(static_cast<double>(analyses) / budget_.analyses, seconds / budget_.seconds);
  meter_->setValue(static_cast<int>(std::min(1.0, part) * 1000));
  meter_text_->setText(tr("%1 / %2 analyses · %3 / %4 s").arg(analyses).arg(budget_.analyses).arg(seconds, 0, 'f', 1).arg(budget_.seconds, 0, 'f', 0));
  const QString tip = tr("What the run has spent of its budget: analyses of the private copy, and seconds");
  meter_->setToolTip(tip);
  meter_text_->setToolTip(tip);
}

void AgentPanel::show_run() {
  start_->setText(!running() ? tr("Start") : stopping_ ? tr("Stopping …") : tr("Stop"));
  start_->setEnabled(!stopping_ || !running());
  start_->setToolTip(running() ? tr("Stop the agent; what it proposed stays (Escape twice)") : tr("Start the agent on a copy of the text (Alt+Enter)"));
  for (QWidget* widget : {static_cast<QWidget*>(goal_), static_cast<QWidget*>(limit_)}) widget->setEnabled(!running());
  const int finding = context_.focus.state().finding;
  const auto& findings = context_.snapshots.analysis().findings;
  const bool chosen = finding >= 0 && static_cast<size_t>(finding) < findings.size() && findings[static_cast<size_t>(finding)].severity == Severity::error;
  goal_->setItemText(1, chosen ? tr("Repair %1").arg(to_qstring(findings[static_cast<size_t>(finding)].id)) : tr("Repair the chosen error"));
  meter_->setVisible(running() || spent_ > 0);
  meter_text_->setVisible(running() || spent_ > 0);
}

// Escape twice, wherever the keyboard is, stops the run.
bool AgentPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress || !running() || watched != QApplication::focusWidget()) return false;
  const auto* key = static_cast<QKeyEvent*>(event);
  if (key->isAutoRepeat()) return false;
  if (key->key() != Qt::Key_Escape) {
    last_escape_.invalidate();
    return false;
  }
  if (last_escape_.isValid() && last_escape_.elapsed() < kEscapeTwice) stop();
  last_escape_.start();
  return false;
}

// ---- the text ---------------------------------------------------------------------------

// The review follows what was typed, undone or redone in the editor.
void AgentPanel::sync() {
  typing_.stop();
  const std::string before = review_.text();
  const std::string now = context_.document.text();
  if (now == before || (review_.hunks().empty() && !review_.can_undo() && !running())) return;
  if (const auto followed = review_.typed(now)) {
    say(tr("The editor's step is also a decision: %1").arg(to_qstring(followed->kind)));
    record(*followed, before, newest_analysis());
  }
  refresh();
}

// Another file: its text is not what the agent has worked on.
void AgentPanel::take_text() {
  if (context_.document.path() == path_ && !path_.isEmpty()) return sync();
  run_.reset();
  ++serial_;
  stopping_ = false;
  review_ = Review(context_.document.text());
  path_ = context_.document.path();
  chosen_ = 0;
  spent_ = 0;
  log_->clear_run();
  say({});
  refresh();
  show_run();
}

bool AgentPanel::may_change() const { return mode_->currentIndex() == ask; }

// Takes the decision, brings it into the text and the store; false: it was refused.
bool AgentPanel::decide(const std::function<ReviewOutcome()>& decision) {
  sync();
  const std::string before = review_.text();
  auto known = newest_analysis();  // of the text before
  const ReviewOutcome outcome = decision();
  if (!outcome) {
    QString problem = to_qstring(outcome.problem).remove(QLatin1Char('`'));
    problem[0] = problem[0].toUpper();
    say(problem, true);
    refresh();
    return false;
  }
  if (!outcome.edits.empty()) {
    context_.document.apply(outcome.edits, "agent: " + outcome.kind);
    typing_.stop();
    review_.typed(context_.document.text());
  }
  say(outcome.hunks.size() == 1 ? tr("%1: done").arg(to_qstring(outcome.kind)) : tr("%1: %2 hunks").arg(to_qstring(outcome.kind)).arg(outcome.hunks.size()));
  record(outcome, before, std::move(known));
  const ReviewHunk* hunk = review_.find(chosen_);
  if (hunk && hunk->state != HunkState::pending && !outcome.kind.starts_with("undo")) go(1);
  if (outcome.kind.starts_with("undo") && !outcome.hunks.empty()) chosen_ = outcome.hunks.front();
  refresh();
  return true;
}

void AgentPanel::decide_with_reason(const std::function<ReviewOutcome(const std::string&)>& decision) {
  if (decide([&] { return decision(to_utf8(reason_->text().trimmed())); })) reason_->clear();
}

// What was typed elsewhere, with the line ends of the person's text.
std::string AgentPanel::as_lines(const std::string& text) const { return with_line_ends(text, line_end_of(review_.text())); }

void AgentPanel::accept(int hunk) {
  if (may_change()) decide_with_reason([&](const std::string& reason) { return review_.accept(hunk, reason); });
}

void AgentPanel::accept_edited(int hunk, const QString& text) {
  if (!may_change()) return;
  std::string lines = to_utf8(text);
  if (!lines.empty()) lines += '\n';
  decide_with_reason([&](const std::string& reason) { return review_.accept_edited(hunk, as_lines(lines), reason); });
}

void AgentPanel::reject(int hunk) {
  if (may_change()) decide_with_reason([&](const std::string& reason) { return review_.reject(hunk, reason); });
}

void AgentPanel::restore(int hunk) {
  if (may_change()) decide([&] { return review_.restore(hunk); });
}

void AgentPanel::edit(int hunk) {
  if (!may_change()) return;
  sync();
  const auto card = cards_.find(hunk);
  const ReviewHunk* known = review_.find(hunk);
  if (card == cards_.end() || !known || known->state != HunkState::pending) return;
  choose(hunk, false);
  card->second->begin_edit(review_.editable(hunk), [this](int id, const std::string& text) { return review_.preview(id, as_lines(text)); },
                           to_utf8(context_.document.file_name()), context_.snapshots.target());
}

// The next pending hunk, after the last the first.
void AgentPanel::go(int direction) {
  std::vector<int> pending;
  size_t at = 0;
  bool found = false;
  for (const PlacedHunk& placed : review_.hunks()) {
    if (placed.hunk.id == chosen_) found = true, at = pending.size();
    if (placed.hunk.state == HunkState::pending) pending.push_back(placed.hunk.id);
  }
  if (pending.empty()) return;
  const ReviewHunk* hunk = review_.find(chosen_);
  const bool on_pending = found && hunk && hunk->state == HunkState::pending;
  const size_t n = pending.size();
  const size_t next = !found ? 0 : direction > 0 ? (at + (on_pending ? 1 : 0)) % n : (at + n - 1) % n;
  choose(pending[next], true);
}

void AgentPanel::choose(int hunk, bool show_in_text) {
  if (hunk == chosen_ && !show_in_text) return;
  chosen_ = hunk;
  refresh();
  const auto card = cards_.find(hunk);
  if (card == cards_.end()) return;
  // The card has its size only after the layout had its turn.
  QTimer::singleShot(0, card->second, [this, card = card->second] { scroll_->ensureWidgetVisible(card, 0, 6); });
  if (!show_in_text) return;
  for (const PlacedHunk& placed : review_.hunks()) {
    if (placed.hunk.id != hunk) continue;
    const SourceText& source = context_.snapshots.analysis().source;
    if (source.text() != review_.text() || source.line_count() == 0) return;
    const uint32_t first = std::min(placed.line, source.line_count());
    const uint32_t last = std::min(placed.line + std::max(placed.length, 1u) - 1, source.line_count());
    views::FocusState state = views::focus_on_span({source.line_span(first).begin, source.line_span(last).end});
    state.origin = views::Origin::agent;
    context_.focus.set(std::move(state));
  }
}

// ---- what is shown ----------------------------------------------------------------------

void AgentPanel::say(const QString& text, bool problem) {
  message_->setText(text);
  message_->setProperty("problem", problem);
  QPalette palette = message_->palette();
  palette.setColor(QPalette::WindowText, context_.theme[problem ? Token::error : Token::text]);
  message_->setPalette(palette);
}

void AgentPanel::refresh() {
  const std::vector<PlacedHunk> hunks = review_.hunks();
  const bool change = may_change();
  size_t pending = 0, accepted = 0, rejected = 0, clean = 0;
  std::vector<views::PendingHunk> shown;
  std::set<int> alive;
  for (const PlacedHunk& placed : hunks) {
    const HunkState state = placed.hunk.state;
    ++(state == HunkState::pending ? pending : state == HunkState::accepted ? accepted : rejected);
    if (state != HunkState::pending) continue;
    clean += !placed.conflict;
    std::string added = text_of_lines(placed.hunk.proposed);
    if (added.ends_with('\n')) added.pop_back();
    shown.push_back({placed.hunk.id, placed.line, placed.length, to_qstring(added).remove(QLatin1Char('\r')), placed.conflict, placed.hunk.id == chosen_});
  }
  if (!review_.find(chosen_)) {
    chosen_ = shown.empty() ? 0 : shown.front().id;
    if (!shown.empty()) shown.front().chosen = true;
  }
  context_.document.pending().set(std::move(shown));

  int row = 1;  // below the hint
  const auto card_of = [&](int id) {
    HunkCard*& card = cards_[id];
    if (!card) {
      card = new HunkCard(context_.theme, cards_widget_);
      connect(card, &HunkCard::pointed_at, this, [this](int hunk) { choose(hunk, false); });
      connect(card, &HunkCard::accept_asked, this, &AgentPanel::accept);
      connect(card, &HunkCard::reject_asked, this, &AgentPanel::reject);
      connect(card, &HunkCard::restore_asked, this, &AgentPanel::restore);
      connect(card, &HunkCard::edit_asked, this, &AgentPanel::edit);
      connect(card, &HunkCard::edited, this, &AgentPanel::accept_edited);
    }
    alive.insert(id);
    if (cards_layout_->indexOf(card) != row) cards_layout_->insertWidget(row, card);
    card->show();
    ++row;
    return card;
  };
  for (const PlacedHunk& placed : hunks)
    if (alive.size() < kMostCards) card_of(placed.hunk.id)->show_hunk(placed, review_.evidence(), placed.hunk.id == chosen_, change);
  for (const ReviewHunk& hunk : review_.replaced())
    if (alive.size() < kMostCards && !review_.find(hunk.id)) card_of(-hunk.id)->show_replaced(hunk);
  for (auto it = cards_.begin(); it != cards_.end();) {
    if (alive.count(it->first)) {
      ++it;
      continue;
    }
    it->second->hide();
    it->second->deleteLater();
    it = cards_.erase(it);
  }

  empty_->setVisible(alive.empty());
  count_->setText(hunks.empty() ? QString() : tr("%1 pending · %2 accepted · %3 rejected").arg(pending).arg(accepted).arg(rejected));
  const ReviewHunk* chosen = review_.find(chosen_);
  const bool open = chosen && chosen->state == HunkState::pending;
  accept_action_->setEnabled(change && open);
  reject_action_->setEnabled(change && open);
  edit_action_->setEnabled(change && open);
  next_action_->setEnabled(pending > 0);
  previous_action_->setEnabled(pending > 0);
  accept_all_action_->setEnabled(change && clean > 0);
  reject_all_action_->setEnabled(change && pending > 0);
  undo_action_->setEnabled(change && review_.can_undo());
  redo_action_->setEnabled(change && review_.can_redo());
  reason_->setEnabled(change && !hunks.empty());
  emit state_changed();
}

// ---- what is kept -----------------------------------------------------------------------

void AgentPanel::record(const ReviewOutcome& outcome, const std::string& before, std::shared_ptr<const Analysis> known) {
  nlohmann::ordered_json hunks = nlohmann::ordered_json::array();
  std::string reason;
  for (int id : outcome.hunks) {
    const ReviewHunk* hunk = review_.find(id);
    if (!hunk) continue;
    nlohmann::ordered_json one = {{"hunk", id}, {"state", to_string(hunk->state)}, {"removed", text_of_lines(hunk->before)}, {"proposed", text_of_lines(hunk->proposed)}};
    if (hunk->state == HunkState::accepted && hunk->text != hunk->proposed) one["accepted"] = text_of_lines(hunk->text);
    one["evidence"] = nlohmann::ordered_json::array();
    for (int index : hunk->evidence) one["evidence"].push_back(nlohmann::ordered_json(json_of(review_.evidence()[static_cast<size_t>(index)])));
    hunks.push_back(std::move(one));
    if (!hunk->reason.empty()) reason = hunk->reason;
  }
  DecisionRecord record{.file = file(), .text_before = before, .text_after = outcome.text, .kind = outcome.kind, .reason = reason,
                        .detail = nlohmann::ordered_json{{"author", "built-in agent"}, {"hunks", std::move(hunks)}}.dump(
                            -1, ' ', false, nlohmann::json::error_handler_t::replace),
                        .options = options(),
                        .known = std::move(known)};
  recorder_.start([this, record = std::move(record)] {
    const std::string problem = decisions_.add(record);
    if (!problem.empty())
      QMetaObject::invokeMethod(this, [this, problem] { say(tr("The decision is made, but not stored: %1").arg(to_qstring(problem)), true); }, Qt::QueuedConnection);
  });
}

QByteArray AgentPanel::save_state() const {
  QJsonObject state;
  state.insert(QStringLiteral("goal"), goal_->currentIndex());
  state.insert(QStringLiteral("path"), path_);
  if (!review_.hunks().empty() || review_.can_undo()) state.insert(QStringLiteral("review"), to_qstring(review_.to_json()));
  return QJsonDocument(state).toJson(QJsonDocument::Compact);
}

bool AgentPanel::restore_state(const QByteArray& bytes) {
  const QJsonObject state = QJsonDocument::fromJson(bytes).object();
  if (running() || state.value(QStringLiteral("path")).toString() != context_.document.path()) return false;
  const int goal = state.value(QStringLiteral("goal")).toInt();
  if (goal >= 0 && goal < goal_->count()) goal_->setCurrentIndex(goal);
  if (!state.contains(QStringLiteral("review"))) return true;
  const auto review = Review::from_json(to_utf8(state.value(QStringLiteral("review")).toString()));
  if (!review) return false;
  review_ = *review;
  path_ = context_.document.path();
  chosen_ = 0;
  review_.typed(context_.document.text());
  say(tr("The proposals of the last session are back."));
  refresh();
  show_run();
  return true;
}

}  // namespace bakery::panel
