// SPDX-License-Identifier: GPL-3.0-or-later
// The window: docks from the view list, menus, target picker, status bar.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QToolButton>

#include <functional>
#include <memory>
#include <vector>

#include "app/workbench/settings.h"
#include "views/common/runner.h"
#include "views/common/session_store.h"
#include "views/common/view_context.h"

namespace bakery::views {
class EditorView;
class LessonsView;
class TimelineView;
}

namespace bakery::panel {
class AgentPanel;
}

namespace bakery::workbench {

class MessageBar;
class Palette;
class RunBar;

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(views::ThemeId theme, QWidget* parent = nullptr, WorkerCommand worker = local_worker());
  ~MainWindow() override;

  // Empty on success.
  QString open(const QString& path);
  void set_target(const QString& target);
  // False: there is no such place in the shown snapshot.
  bool focus_on(const QString& spec);
  // Shows a dock by its id; false: there is none.
  bool raise_view(const QString& id);
  QDockWidget* show_view(const QString& id);  // without the keyboard
  bool settled() const;
  // Nothing is analysed, mended, laid out, compiled, run or proposed any more.
  bool idle() const;
  // An action by its id, as from the palette; false: there is none, or it is disabled.
  bool perform(const QString& id);
  QStringList action_ids() const;
  bool asks(const QString& id) const;  // opens a dialog that waits
  void restore_layout();
  void reset_layout();
  // Each workspace keeps its own layout; false: there is none of this id.
  bool set_workspace(const QString& id);
  // NAME or NAME:STEP, in the workspace for it; false: there is none.
  bool start_lesson(const QString& spec);
  QString workspace() const { return workspace_; }
  // Every action: of the menus, and of the docks.
  QList<QAction*> actions_list() const;
  void save_settings();
  // Brings back what a crash or the last close left; from here on every change is kept.
  void start_session(const QString& named_file);
  void set_theme(views::ThemeId theme);

  views::Snapshots& snapshots() { return snapshots_; }
  views::Focus& focus() { return focus_; }
  views::Runner& runner() { return runner_; }
  RunBar& run_bar() { return *run_bar_; }
  MessageBar& messages() { return *messages_; }
  views::SessionStore& session() { return session_; }

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  struct Command {
    const char* menu;
    const char* id;
    const char* title;
    const char* keys;
    std::function<void()> act;
  };

  void make_docks();
  int layout_version() const;
  void make_dock_menu(QDockWidget* dock, QPoint at);
  void make_workspaces();
  void make_puzzles(QMenu* menu);
  void show_workspace();
  void make_menus();
  void make_target_picker();
  void make_run_bar();
  void make_status_bar();
  void show_title();
  void show_status();
  void show_first_error();
  void show_recent();
  void fill_templates(QMenu* menu);
  void keep_session();
  void tell_restored(const views::SavedSession& session, int others);
  void compare_with_disk();
  void remember_file();
  bool may_discard();
  bool save();
  bool save_as();
  void choose_file();
  void start_new();
  void start_from(const std::string& text);  // an unsaved copy
  void apply_first_fix();
  void show_keys();
  void show_key_dialog();
  void report(const QString& error);

  std::unique_ptr<QSettings> settings_;
  views::Theme theme_;
  views::Document document_;
  views::SessionStore session_{document_, views::session_folder()};
  views::Snapshots snapshots_;
  views::Focus focus_;
  views::Runner runner_;
  views::ViewContext context_;
  views::EditorView* editor_ = nullptr;
  views::LessonsView* lessons_ = nullptr;
  panel::AgentPanel* agent_ = nullptr;
  std::vector<QDockWidget*> docks_;
  std::vector<Command> commands_;
  MessageBar* messages_ = nullptr;
  RunBar* run_bar_ = nullptr;
  QMenu* recent_ = nullptr;
  QComboBox* target_ = nullptr;
  QAction* back_ = nullptr;
  QAction* forward_ = nullptr;
  QLabel* verdict_ = nullptr;
  QLabel* counts_ = nullptr;
  QLabel* progress_ = nullptr;
  QLabel* caret_ = nullptr;
  QString workspace_;
  QMenu* views_menu_ = nullptr;
  Palette* palette_ = nullptr;
  std::vector<QToolButton*> workspace_buttons_;
  bool fresh_ = false;  // opened, but its findings were not shown yet
};

// Style, palette and fonts of the whole program.
void apply_theme(views::ThemeId theme);

}  // namespace bakery::workbench
