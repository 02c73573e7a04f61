// SPDX-License-Identifier: GPL-3.0-or-later
// The agent's panel: a goal, what the agent does about it, and its proposals, each of which a person
// decides on. The text changes only through a decision, as one undo step of the editor.
#pragma once

#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QSplitter>
#include <QThreadPool>
#include <QTimer>
#include <QVBoxLayout>
#include <QWidget>

#include <functional>
#include <map>
#include <memory>

#include "agent_panel/harness/agent.h"
#include "app/session/decisions.h"
#include "views/common/view_context.h"

namespace bakery::panel {

class HunkCard;
class RunLog;

class AgentPanel : public QWidget {
  Q_OBJECT

 public:
  AgentPanel(const views::ViewContext& context, QWidget* parent = nullptr);
  ~AgentPanel() override;

  // For menus, keys and the palette; they work while the panel is hidden.
  QList<QAction*> review_actions() const { return actions_; }
  void start(AgentGoal goal);
  bool running() const { return run_ != nullptr; }
  const Review& review() const { return review_; }
  int chosen() const { return chosen_; }

  // What has to outlive a crash: the review and the goal. Restore after the text is back.
  QByteArray save_state() const;
  bool restore_state(const QByteArray& state);
  // Waits until every decision is in the store.
  void flush() { recorder_.waitForDone(); }

 signals:
  void state_changed();                 // save_state() has something new
  void notice(const QString& message);  // a run ended, a decision waits

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void make_controls(QVBoxLayout* layout);
  void make_review(QVBoxLayout* layout);
  void make_actions();
  void apply_theme();

  void start_chosen_goal();
  void stop();
  void take_event(const AgentEvent& event);
  void show_run();
  void show_meter(int analyses, double seconds);

  void sync();
  void take_text();
  bool decide(const std::function<ReviewOutcome()>& decision);
  void decide_with_reason(const std::function<ReviewOutcome(const std::string&)>& decision);
  void accept(int hunk);
  void accept_edited(int hunk, const QString& text);
  void reject(int hunk);
  void restore(int hunk);
  void edit(int hunk);
  void go(int direction);
  void choose(int hunk, bool show_in_text);
  void refresh();
  void record(const ReviewOutcome& outcome, const std::string& before, std::shared_ptr<const Analysis> known);
  std::string as_lines(const std::string& text) const;
  AnalysisOptions options() const;
  std::shared_ptr<const Analysis> newest_analysis() const;
  std::string file() const;
  bool may_change() const;
  void say(const QString& text, bool problem = false);

  views::ViewContext context_;
  Review review_;
  QString path_;                        // that the review is about
  int chosen_ = 0;
  std::unique_ptr<AgentRun> run_;
  int serial_ = 0;                      // of the run; events of an older one are dropped
  bool stopping_ = false;
  bool replace_open_ = false;           // asked for once, with proposals open
  int spent_ = 0;
  double seconds_ = 0;
  AgentBudget budget_;
  QElapsedTimer last_escape_;
  AnalysisOptions run_options_;
  DecisionRecorder decisions_;          // of the thread below
  QThreadPool recorder_;                // one thread: decisions keep their order
  QTimer typing_;

  QList<QAction*> actions_;
  QAction *accept_action_, *reject_action_, *edit_action_, *next_action_, *previous_action_, *accept_all_action_, *reject_all_action_,
      *undo_action_, *redo_action_, *start_action_;
  QComboBox *goal_, *mode_;
  QSpinBox* limit_;
  QPushButton* start_;
  QProgressBar* meter_;
  QLabel *meter_text_, *message_, *count_, *empty_;
  QLineEdit* reason_;
  QSplitter* splitter_;
  RunLog* log_;
  QScrollArea* scroll_;
  QWidget* cards_widget_;
  QVBoxLayout* cards_layout_;
  std::map<int, HunkCard*> cards_;
};

}  // namespace bakery::panel
