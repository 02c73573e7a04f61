// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QStatusBar>
#include <QPainter>
#include <QProxyStyle>
#include <QAbstractSpinBox>
#include <QTextBrowser>
#include <QTimer>
#include <QToolTip>
#include <QVBoxLayout>

#include <utility>

#include "agent_panel/panel/agent_panel.h"
#include "app/workbench/key_map.h"
#include "app/workbench/message_bar.h"
#include "app/workbench/palette.h"
#include "app/workbench/run_bar.h"
#include "app/workbench/workspaces.h"
#include "app/session/files.h"
#include "app/session/resources.h"
#include "core_ir/targets.h"
#include "views/common/compiles.h"
#include "views/common/fix.h"
#include "views/common/focus_spec.h"
#include "views/common/qt_text.h"
#include "views/common/view_requests.h"
#include "views/editor/code_edit.h"
#include "views/editor/editor_view.h"
#include "views/editor/find_bar.h"
#include "views/lessons/lessons_view.h"
#include "views/timeline/key_sheet.h"
#include "views/view_list.h"

namespace bakery::workbench {

using views::ThemeId;
using views::Token;
using views::to_qstring;
using views::to_utf8;

namespace {

// Fusion derives the frames of fields from the window's colour: on black they would be black.
class FramedStyle : public QProxyStyle {
 public:
  explicit FramedStyle(QColor frame) : QProxyStyle(QStringLiteral("Fusion")), frame_(frame) {}

  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* p, const QWidget* widget) const override {
    QProxyStyle::drawComplexControl(control, option, p, widget);
    if (control == CC_ComboBox || control == CC_SpinBox) frame(option->rect, p);
  }
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* p, const QWidget* widget) const override {
    QProxyStyle::drawPrimitive(element, option, p, widget);
    const bool inside = widget && (qobject_cast<const QComboBox*>(widget->parentWidget()) || qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()));
    if (element == PE_FrameLineEdit && !inside) frame(option->rect, p);
  }

 private:
  void frame(const QRect& rect, QPainter* p) const {
    p->save();
    p->setRenderHint(QPainter::Antialiasing);
    p->setPen(frame_);
    p->setBrush(Qt::NoBrush);
    p->drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    p->restore();
  }

  QColor frame_;
};

}  // namespace

void apply_theme(ThemeId theme) {
  QApplication::setStyle(new FramedStyle(views::color(theme, Token::border)));
  const QPalette palette = views::palette(theme);
  QApplication::setPalette(palette);
  QToolTip::setPalette(palette);
  qApp->setStyleSheet(views::style_sheet(theme));
}

MainWindow::MainWindow(ThemeId theme, QWidget* parent, WorkerCommand worker)
    : QMainWindow(parent), settings_(open_settings()), theme_(theme), focus_(snapshots_),
      runner_(worker), context_{document_, snapshots_, focus_, theme_, &runner_} {
  views::Compiles::of(snapshots_).set_worker(std::move(worker));
  setObjectName(QStringLiteral("main_window"));
  setDockNestingEnabled(true);
  setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
  setAcceptDrops(true);
  resize(1600, 1000);
  apply_theme(theme);

  messages_ = new MessageBar(theme_, this);
  addToolBar(Qt::TopToolBarArea, messages_);
  addToolBarBreak(Qt::TopToolBarArea);
  make_docks();
  run_bar_ = new RunBar(context_, *settings_, this);
  make_menus();
  make_workspaces();
  connect(&views::ViewRequests::of(focus_), &views::ViewRequests::view_wanted, this, &MainWindow::raise_view);
  make_target_picker();
  make_status_bar();
  palette_ = new Palette(theme_, this);
  make_run_bar();

  connect(&document_, &views::Document::path_changed, this, &MainWindow::show_title);
  connect(&document_, &views::Document::modified_changed, this, &MainWindow::show_title);
  connect(&document_, &views::Document::opened, this, [this] {
    messages_->clear();
    fresh_ = true;
  });
  connect(&snapshots_, &views::Snapshots::after_change, this, &MainWindow::show_first_error);
  connect(&snapshots_, &views::Snapshots::changed, this, &MainWindow::show_status);
  connect(&snapshots_, &views::Snapshots::busy_changed, this, &MainWindow::show_status);
  connect(&focus_, &views::Focus::changed, this, [this] {
    back_->setEnabled(focus_.can_go_back());
    forward_->setEnabled(focus_.can_go_forward());
  });
  connect(editor_->edit(), &QsciScintilla::cursorPositionChanged, this, [this](int line, int column) {
    caret_->setText(tr("Ln %1, Col %2").arg(line + 1).arg(column + 1));
  });
  connect(editor_, &views::EditorView::said, this, &MainWindow::report);
  connect(editor_, &views::EditorView::noted, this, [this](const QString& text) { statusBar()->showMessage(text, 5000); });
  keep_session();
  show_title();
  show_status();
  workspace_ = QLatin1String(workspaces().front().id);
  reset_layout();
  show_workspace();
  editor_->edit()->setFocus();
}

// Hidden first: what hiding tells the views must find them whole.
MainWindow::~MainWindow() {
  hide();
  qDeleteAll(docks_);  // before what they refer to
  delete run_bar_;
}

// ---- parts ------------------------------------------------------------------------------

void MainWindow::make_docks() {
  for (const views::ViewEntry& entry : views::view_list()) {
    auto* dock = new QDockWidget(tr(entry.title), this);
    dock->setObjectName(QLatin1String(entry.id));
    QWidget* view = entry.make(context_, dock);
    dock->setWidget(view);
    dock->setFocusProxy(view);
    if (auto* editor = qobject_cast<views::EditorView*>(view)) editor_ = editor;
    if (auto* lessons = qobject_cast<views::LessonsView*>(view)) lessons_ = lessons;
    docks_.push_back(dock);
  }
  connect(lessons_, &views::LessonsView::text_wanted, this, &MainWindow::start_from);
  auto* agent_dock = new QDockWidget(tr("Agent"), this);
  agent_dock->setObjectName(QStringLiteral("agent"));
  agent_dock->setWidget(agent_ = new panel::AgentPanel(context_, agent_dock));
  agent_dock->setFocusProxy(agent_);
  docks_.push_back(agent_dock);
  for (QDockWidget* dock : docks_) {
    addDockWidget(Qt::LeftDockWidgetArea, dock);
    dock->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(dock, &QWidget::customContextMenuRequested, this, [this, dock](QPoint at) {
      if (at.y() < dock->widget()->y()) make_dock_menu(dock, dock->mapToGlobal(at));
    });
  }
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
}

// A dock can be moved without the mouse's aim, and where windows can't be dragged.
void MainWindow::make_dock_menu(QDockWidget* dock, QPoint at) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const auto move = [&](const QString& title, Qt::DockWidgetArea area) {
    menu->addAction(title, this, [this, dock, area] {
      dock->setFloating(false);
      addDockWidget(area, dock);
      dock->show();
    });
  };
  move(tr("Move to the &left"), Qt::LeftDockWidgetArea);
  move(tr("Move to the &right"), Qt::RightDockWidgetArea);
  move(tr("Move to the &top"), Qt::TopDockWidgetArea);
  move(tr("Move to the &bottom"), Qt::BottomDockWidgetArea);
  QMenu* with = menu->addMenu(tr("&Tab with"));
  for (QDockWidget* other : docks_) {
    if (other == dock || !other->isVisible()) continue;
    with->addAction(other->windowTitle(), this, [this, dock, other] {
      dock->setFloating(false);
      tabifyDockWidget(other, dock);
      dock->show();
      dock->raise();
    });
  }
  menu->addSeparator();
  menu->addAction(tr("&Hide"), dock, &QWidget::hide);
  menu->addAction(tr("Re&set layout"), this, &MainWindow::reset_layout);
  menu->popup(at);
}

void MainWindow::make_workspaces() {
  auto* corner = new QWidget(menuBar());
  auto* layout = new QHBoxLayout(corner);
  layout->setContentsMargins(8, 1, 8, 1);
  layout->setSpacing(2);
  for (const Workspace& workspace : workspaces()) {
    auto* button = new QToolButton(corner);
    button->setDefaultAction(findChild<QAction*>(QStringLiteral("workspace.") + QLatin1String(workspace.id)));
    button->setAccessibleName(tr("Workspace %1").arg(tr(workspace.title)));
    button->setToolTip(tr("%1: %2").arg(tr(workspace.title), tr(workspace.doc)));
    button->setFocusPolicy(Qt::TabFocus);
    layout->addWidget(button);
    workspace_buttons_.push_back(button);
  }
  menuBar()->setCornerWidget(corner, Qt::TopRightCorner);
}

void MainWindow::make_menus() {
  views::CodeEdit* edit = editor_->edit();
  commands_ = {
      {"&File", "file.new", "&New", "Ctrl+N", [this] { start_new(); }},
      {"&File", "file.template", "New from &template", "", nullptr},
      {"&File", "file.open", "&Open…", "Ctrl+O", [this] { choose_file(); }},
      {"&File", "file.recent", "Open &recent", "", nullptr},
      {"&File", "", "", "", nullptr},
      {"&File", "file.save", "&Save", "Ctrl+S", [this] { save(); }},
      {"&File", "file.save_as", "Save &as…", "Ctrl+Shift+S", [this] { save_as(); }},
      {"&File", "", "", "", nullptr},
      {"&File", "file.quit", "&Quit", "Ctrl+Q", [this] { close(); }},
      {"&Edit", "edit.undo", "&Undo", "Ctrl+Z", [edit] { edit->undo(); }},
      {"&Edit", "edit.redo", "&Redo", "Ctrl+Shift+Z", [edit] { edit->redo(); }},
      {"&Edit", "", "", "", nullptr},
      {"&Edit", "edit.cut", "Cu&t", "Ctrl+X", [edit] { edit->cut(); }},
      {"&Edit", "edit.copy", "&Copy", "Ctrl+C", [edit] { edit->copy(); }},
      {"&Edit", "edit.paste", "&Paste", "Ctrl+V", [edit] { edit->paste(); }},
      {"&Edit", "", "", "", nullptr},
      {"&Edit", "edit.find", "&Find", "Ctrl+F", [this] { editor_->find_bar()->open(); }},
      {"&Edit", "edit.replace", "&Replace", "Ctrl+H", [this] { editor_->find_bar()->open_replace(); }},
      {"&Edit", "edit.find_next", "Find &next", "F3", [this] { editor_->find_bar()->find(true); }},
      {"&Edit", "edit.find_previous", "Find pre&vious", "Shift+F3", [this] { editor_->find_bar()->find(false); }},
      {"&Edit", "", "", "", nullptr},
      {"&Edit", "edit.complete", "C&omplete", "Ctrl+Space", [this] { editor_->complete(); }},
      {"&Edit", "edit.call", "Operands of the c&all", "Ctrl+Shift+Space", [this] { editor_->show_call(); }},
      {"&Edit", "edit.facts", "What is this", "Ctrl+I", [this] { editor_->show_facts(); }},
      {"&Edit", "edit.rename", "Rena&me…", "F2", [this] { editor_->rename(); }},
      {"&Edit", "edit.indent", "&Indent", "Ctrl+]", [edit] { edit->indent(true); }},
      {"&Edit", "edit.dedent", "&Dedent", "Ctrl+[", [edit] { edit->indent(false); }},
      {"&Edit", "edit.duplicate", "Dup&licate", "Ctrl+D", [edit] { edit->duplicate(); }},
      {"&Edit", "edit.line_up", "Lines up", "Alt+Up", [edit] { edit->move_lines(true); }},
      {"&Edit", "edit.line_down", "Lines down", "Alt+Down", [edit] { edit->move_lines(false); }},
      {"&Edit", "edit.fold", "Fold or unfold", "Ctrl+Shift+[", [edit] { edit->toggle_fold(); }},
      {"&Edit", "edit.comment", "Toggle co&mment", "Ctrl+/", [edit] { edit->toggle_comment(); }},
      {"&Edit", "", "", "", nullptr},
      {"&Edit", "fix.apply", "Apply the fi&x", "Ctrl+.", [this] { apply_first_fix(); }},
      {"&Go", "go.next_finding", "&Next finding", "F8", [this] { editor_->go_to_finding(1); }},
      {"&Go", "go.previous_finding", "&Previous finding", "Shift+F8", [this] { editor_->go_to_finding(-1); }},
      {"&Go", "", "", "", nullptr},
      {"&Go", "go.back", "&Back", "Alt+Left", [this] { focus_.back(); }},
      {"&Go", "go.forward", "&Forward", "Alt+Right", [this] { focus_.forward(); }},
      {"&Go", "", "", "", nullptr},
      {"&Go", "go.line", "&Line…", "Ctrl+G", [this] { editor_->go_to_line(); }},
      {"&Go", "go.definition", "&Definition", "F12", [this] { editor_->go_to_definition(); }},
      {"&Go", "go.references", "&References", "Shift+F12", [this] { editor_->find_references(); }},
      {"&Go", "go.next_reference", "Next reference", "F4", [this] { editor_->step_reference(1); }},
      {"&Go", "go.previous_reference", "Previous reference", "Shift+F4", [this] { editor_->step_reference(-1); }},
      {"&Go", "", "", "", nullptr},
      {"&Go", "go.replay", "&Replay the witness", "Ctrl+Shift+R", [this] { views::ViewRequests::of(focus_).replay(focus_.state().finding); }},
      {"&Go", "go.clear", "Clear the f&ocus", "", [this] { focus_.clear(); }},
      {"&View", "view.palette", "&Command palette…", "Ctrl+Shift+P", [this] { palette_->open(actions_list()); }},
      {"&View", "view.keys", "&Keys…", "", [this] { show_key_dialog(); }},
      {"&View", "", "", "", nullptr},
      {"&View", "theme.light", "Light theme", "", [this] { set_theme(ThemeId::light); }},
      {"&View", "theme.dark", "Dark theme", "", [this] { set_theme(ThemeId::dark); }},
      {"&View", "theme.contrast", "High contrast theme", "", [this] { set_theme(ThemeId::contrast); }},
      {"&View", "view.theme", "Next &theme", "Ctrl+Shift+T",
       [this] { set_theme(views::kThemes[(static_cast<size_t>(theme_.id()) + 1) % std::size(views::kThemes)]); }},
      {"&View", "view.larger", "&Larger text", "Ctrl++", [edit] { edit->zoomIn(1); }},
      {"&View", "view.smaller", "&Smaller text", "Ctrl+-", [edit] { edit->zoomOut(1); }},
      {"&View", "view.plain", "&Normal text", "Ctrl+0", [edit] { edit->zoomTo(0); }},
      {"&View", "", "", "", nullptr},
      {"&View", "view.reset", "&Reset layout", "", [this] { reset_layout(); }},
      {"&View", "", "", "", nullptr},
      {"&Workspace", "workspace.author", "Author", "Ctrl+Alt+1", [this] { set_workspace(QStringLiteral("author")); }},
      {"&Workspace", "workspace.profile", "Profile", "Ctrl+Alt+2", [this] { set_workspace(QStringLiteral("profile")); }},
      {"&Workspace", "workspace.supervise", "Supervise", "Ctrl+Alt+3", [this] { set_workspace(QStringLiteral("supervise")); }},
      {"&Workspace", "workspace.teach", "Teach", "Ctrl+Alt+4", [this] { set_workspace(QStringLiteral("teach")); }},
      {"&Lessons", "lesson.twin", "&Broken or whole twin", "Ctrl+T", [this] { lessons_->twin(); }},
      {"&Lessons", "lesson.next", "&Next step of the lesson", "Ctrl+Alt+Right", [this] { lessons_->go(lessons_->step() + 1); }},
      {"&Lessons", "lesson.back", "&Previous step of the lesson", "Ctrl+Alt+Left", [this] { lessons_->go(lessons_->step() - 1); }},
      {"&Lessons", "", "", "", nullptr},
      {"&Lessons", "lesson.step", "&Step one event", "F10", [this] { lessons_->step_event(1); }},
      {"&Lessons", "lesson.step_back", "Step &back one event", "Shift+F10", [this] { lessons_->step_event(-1); }},
      {"&Lessons", "lesson.run", "&Run or pause", "F9", [this] { lessons_->run_or_pause(); }},
      {"&Lessons", "", "", "", nullptr},
      {"&Help", "help.keys", "&Keyboard", "F1", [this] { show_keys(); }},
  };
  std::vector<std::pair<QString, QMenu*>> menus;
  for (const Command& command : commands_) {
    const QString title = tr(command.menu);
    if (menus.empty() || menus.back().first != title) menus.emplace_back(title, menuBar()->addMenu(title));
    QMenu* menu = menus.back().second;
    if (*command.id == 0) {
      menu->addSeparator();
      continue;
    }
    if (!command.act) {
      QMenu* sub = menu->addMenu(tr(command.title));
      sub->setObjectName(QLatin1String(command.id));
      if (qstrcmp(command.id, "file.recent")) {
        connect(sub, &QMenu::aboutToShow, this, [this, sub] { fill_templates(sub); });
      } else {
        recent_ = sub;
        connect(sub, &QMenu::aboutToShow, this, &MainWindow::show_recent);
      }
      continue;
    }
    QAction* action = menu->addAction(tr(command.title));
    action->setObjectName(QLatin1String(command.id));
    action->setProperty("menu", QString(title).remove(QLatin1Char('&')));
    if (title == tr("&Workspace")) action->setCheckable(true);
    QList<QKeySequence> keys;
    if (*command.keys) keys << QKeySequence(QLatin1String(command.keys));
    if (!qstrcmp(command.id, "edit.redo")) keys << QKeySequence(QStringLiteral("Ctrl+Y"));
    if (!qstrcmp(command.id, "view.larger")) keys << QKeySequence(QStringLiteral("Ctrl+="));
    action->setShortcuts(keys);
    connect(action, &QAction::triggered, this, command.act);
    if (!qstrcmp(command.id, "go.back")) back_ = action;
    if (!qstrcmp(command.id, "go.forward")) forward_ = action;
  }
  back_->setEnabled(false);
  forward_->setEnabled(false);
  for (const auto& [title, menu] : menus) {
    if (title == tr("&View")) views_menu_ = menu;
    if (title == tr("&Lessons"))
      for (const Lesson& lesson : lessons_->lessons()) {
        const QString id = to_qstring(lesson.id);
        QAction* action = menu->addAction(to_qstring(lesson.title), this, [this, id] { start_lesson(id); });
        action->setObjectName(QStringLiteral("lesson.") + id);
        action->setProperty("menu", tr("Lesson"));
      }
    if (title == tr("&Lessons")) make_puzzles(menu);
    if (title != tr("&Go")) continue;
    menu->addSeparator();
    for (size_t i = 0; i < docks_.size(); ++i) {
      const QString id = docks_[i]->objectName();
      QAction* action = menu->addAction(tr("To the %1").arg(docks_[i]->windowTitle()), this, [this, id] { raise_view(id); });
      action->setObjectName(QStringLiteral("go.") + id);
      action->setProperty("menu", tr("Go"));
      if (i < 9) action->setShortcut(QKeySequence(QStringLiteral("Ctrl+%1").arg(i + 1)));
    }
  }
  QAction* before_lessons = nullptr;
  for (const auto& [title, menu] : menus)
    if (title == tr("&Lessons")) before_lessons = menu->menuAction();
  auto* run = new QMenu(tr("R&un"), this);
  run->addActions(run_bar_->actions_for_menu());
  menuBar()->insertMenu(before_lessons, run);
  for (QAction* action : run->actions()) action->setProperty("menu", tr("Run"));
  for (QDockWidget* dock : docks_) {
    QAction* action = dock->toggleViewAction();
    action->setObjectName(QStringLiteral("show.") + dock->objectName());
    action->setProperty("menu", tr("Show or hide"));
    views_menu_->addAction(action);
  }
  auto* agent = new QMenu(tr("Agen&t"), this);
  menuBar()->insertMenu(before_lessons, agent);
  for (QAction* action : agent_->review_actions()) {
    action->setProperty("menu", tr("Agent"));
    agent->addAction(action);
  }
  connect(agent_->review_actions().front(), &QAction::triggered, this, [this] { show_view(QStringLiteral("agent")); });
  connect(agent_, &panel::AgentPanel::notice, this, [this](const QString& text) { messages_->say(text); });
  load_keys(actions_list(), *settings_);
  editor_->edit()->set_window_actions(actions_list());
}

// Broken schedules to practise on; each opens as a copy.
void MainWindow::make_puzzles(QMenu* menu) {
  menu->addSeparator();
  const QDir folder(to_qstring(resources_folder()) + QStringLiteral("/lessons/broken"));
  for (const QFileInfo& info : folder.entryInfoList({QStringLiteral("*.cake")}, QDir::Files, QDir::Name)) {
    const FileText file = read_text_file(to_utf8(info.filePath()));
    const QString symptom = to_qstring(file.text.substr(0, file.text.find('\n'))).remove(0, 2);
    QAction* action = menu->addAction(symptom, this, [this, text = file.text] { start_from(text); });
    action->setObjectName(QStringLiteral("puzzle.") + info.completeBaseName());
    action->setProperty("menu", tr("Find the cause"));
  }
}

QList<QAction*> MainWindow::actions_list() const {
  QList<QAction*> list;
  for (QAction* menu : menuBar()->actions())
    for (QAction* action : menu->menu()->actions())
      if (!action->isSeparator() && !action->menu() && !action->objectName().isEmpty()) list << action;
  return list;
}

void MainWindow::make_target_picker() {
  QToolBar* bar = addToolBar(tr("Target"));
  bar->setObjectName(QStringLiteral("target_bar"));
  bar->setMovable(false);
  bar->toggleViewAction()->setVisible(false);
  auto* label = new QLabel(tr("Target"), bar);
  target_ = new QComboBox(bar);
  target_->setObjectName(QStringLiteral("target_picker"));
  target_->setAccessibleName(tr("Target"));
  target_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  label->setBuddy(target_);
  bar->addWidget(label);
  bar->addWidget(target_);
  target_->addItem(tr("as the schedule says"), QString());
  for (const Target& target : targets())
    target_->addItem(QStringLiteral("%1 · %2").arg(QLatin1String(target.name), QLatin1String(target.gpus)),
                     QString::fromLatin1(target.name));
  connect(target_, &QComboBox::currentIndexChanged, this,
          [this] { snapshots_.set_target(to_utf8(target_->currentData().toString())); });
}

void MainWindow::make_run_bar() {
  addToolBar(run_bar_);
  run_bar_->toggleViewAction()->setVisible(false);
  removeToolBar(messages_);
  addToolBarBreak();
  addToolBar(messages_);
  statusBar()->addPermanentWidget(run_bar_->progress());
  connect(messages_, &MessageBar::said_aside, this, [this](const QString& text) { statusBar()->showMessage(text, 8000); });
  connect(run_bar_, &RunBar::says, messages_, &MessageBar::say);
  connect(run_bar_, &RunBar::started, this, [this] {
    if (auto* dock = findChild<QDockWidget*>(QStringLiteral("runs"))) {
      dock->show();
      dock->raise();
    }
  });
  runner_.look_for_device();
}

void MainWindow::make_status_bar() {
  const auto label = [this](const char* id) {
    auto* l = new QLabel(this);
    l->setObjectName(QLatin1String(id));
    l->setTextFormat(Qt::RichText);
    l->setContentsMargins(6, 1, 6, 1);
    return l;
  };
  verdict_ = label("verdict");
  counts_ = label("counts");
  progress_ = label("progress");
  caret_ = label("caret");
  caret_->setText(tr("Ln 1, Col 1"));
  statusBar()->addWidget(verdict_);
  statusBar()->addWidget(counts_);
  statusBar()->addPermanentWidget(progress_);
  statusBar()->addPermanentWidget(caret_);
  statusBar()->setSizeGripEnabled(false);
}

// ---- what is shown ----------------------------------------------------------------------

void MainWindow::show_title() {
  setWindowTitle(tr("%1[*] – Bakery").arg(document_.file_name()));
  setWindowFilePath(document_.path());
  setWindowModified(document_.modified());
  for (QDockWidget* dock : docks_)
    if (dock->objectName() == QLatin1String("editor"))
      dock->setWindowTitle(tr("Editor: %1%2").arg(document_.file_name(), document_.modified() ? QStringLiteral(" *") : QString()));
}

void MainWindow::show_status() {
  const Analysis& analysis = snapshots_.analysis();
  if (analysis.revision == 0) {
    verdict_->setText(snapshots_.busy() ? tr("Checking") : tr("No schedule"));
    counts_->clear();
    progress_->clear();
    return;
  }
  const Token token = analysis.verdict == Verdict::accepted   ? Token::ok
                      : analysis.verdict == Verdict::rejected ? Token::error
                                                              : Token::review;
  verdict_->setText(QStringLiteral("<b style='color:%1'>%2</b>").arg(theme_.css(token), QLatin1String(to_string(analysis.verdict))));
  const auto plural = [](size_t n, const QString& one, const QString& many) {
    return QStringLiteral("%1 %2").arg(n).arg(n == 1 ? one : many);
  };
  counts_->setText(QStringList{plural(analysis.count(Severity::error), tr("error"), tr("errors")),
                               plural(analysis.count(Severity::review), tr("review"), tr("reviews")),
                               plural(analysis.count(Severity::hint), tr("hint"), tr("hints")),
                               tr("%1 not covered").arg(analysis.coverage.size())}
                       .join(QStringLiteral(" · ")));
  const QString target = analysis.target ? QString::fromLatin1(analysis.target->name) : tr("no target: choose one, the hardware was not checked");
  progress_->setText(snapshots_.busy() ? tr("%1 · checking").arg(target)
                                       : tr("%1 · checked in %2 ms").arg(target, QString::number(snapshots_.milliseconds(), 'f', 1)));
}

// A file that opens with an error opens at its cause.
void MainWindow::show_first_error() {
  const std::vector<Finding>& findings = snapshots_.analysis().findings;
  if (snapshots_.busy() || !std::exchange(fresh_, false) || !focus_.state().empty()) return;
  if (findings.empty() || findings.front().severity != Severity::error) return;
  views::FocusState state = views::focus_on_finding(snapshots_.shown(), 0);
  state.origin = views::Origin::command;
  focus_.set(std::move(state));
}

void MainWindow::show_recent() {
  recent_->clear();
  const QStringList files = settings_->value(QStringLiteral("recent")).toStringList();
  for (const QString& path : files)
    recent_->addAction(QDir::toNativeSeparators(path), this, [this, path] {
      if (may_discard()) report(open(path));
    });
  if (files.isEmpty()) recent_->addAction(tr("None yet"))->setEnabled(false);
}

void MainWindow::report(const QString& error) {
  if (!error.isEmpty()) messages_->say(error);
}

// ---- files ------------------------------------------------------------------------------

QString MainWindow::open(const QString& path) {
  const QString error = document_.open(path);
  if (error.isEmpty()) {
    focus_.clear();
    remember_file();
  }
  return error;
}

void MainWindow::remember_file() {
  QStringList files = settings_->value(QStringLiteral("recent")).toStringList();
  files.removeAll(document_.path());
  files.prepend(document_.path());
  settings_->setValue(QStringLiteral("recent"), files.mid(0, kRecentFiles));
}

bool MainWindow::may_discard() {
  if (!document_.modified()) return true;
  const auto answer = QMessageBox::question(this, tr("Unsaved changes"), tr("Save the changes to %1?").arg(document_.file_name()),
                                            QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
  if (answer == QMessageBox::Save) return save();
  return answer == QMessageBox::Discard;
}

bool MainWindow::save() {
  if (document_.path().isEmpty()) return save_as();
  const QString error = document_.save();
  report(error);
  return error.isEmpty();
}

bool MainWindow::save_as() {
  const QString folder = document_.path().isEmpty() ? QDir::current().filePath(document_.file_name()) : document_.path();
  const QString path = QFileDialog::getSaveFileName(this, tr("Save as"), folder, tr("Schedules (*.cake);;All files (*)"));
  if (path.isEmpty()) return false;
  const QString error = document_.save_as(path);
  report(error);
  if (error.isEmpty()) remember_file();
  return error.isEmpty();
}

void MainWindow::choose_file() {
  if (!may_discard()) return;
  const QString folder = document_.path().isEmpty() ? QDir::currentPath() : QFileInfo(document_.path()).path();
  const QString path = QFileDialog::getOpenFileName(this, tr("Open a schedule"), folder, tr("Schedules (*.cake);;All files (*)"));
  if (!path.isEmpty()) report(open(path));
}

void MainWindow::start_new() {
  start_from(
      "@cake.schedule(target=\"sm_90a\")\n"
      "def kernel(lm, A: LM.tma2d, N: LM.i32):\n"
      "    pool = lm.smem(32768)\n"
      "    load = lm.role(warps=[0])\n"
      "\n"
      "    with load:\n"
      "        pass\n");
}

void MainWindow::start_from(const std::string& text) {
  if (!may_discard()) return;
  focus_.clear();
  document_.start_new(text);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!may_discard()) return event->ignore();
  session_.end();
  save_settings();
  event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (urls.isEmpty() || !urls.front().isLocalFile() || !may_discard()) return;
  report(open(urls.front().toLocalFile()));
}

// ---- commands ---------------------------------------------------------------------------

void MainWindow::set_target(const QString& target) {
  const int index = target_->findData(target);
  if (index >= 0) target_->setCurrentIndex(index);
}

bool MainWindow::focus_on(const QString& spec) {
  auto state = views::parse_focus(to_utf8(spec), snapshots_.shown());
  if (!state) return false;
  state->origin = views::Origin::command;
  focus_.set(std::move(*state));
  return true;
}

QDockWidget* MainWindow::show_view(const QString& id) {
  for (QDockWidget* dock : docks_)
    if (dock->objectName() == id) {
      dock->show();
      dock->raise();
      return dock;
    }
  return nullptr;
}

bool MainWindow::raise_view(const QString& id) {
  QDockWidget* dock = show_view(id);
  if (dock) dock->widget()->setFocus();
  return dock != nullptr;
}

bool MainWindow::settled() const { return snapshots_.settled(); }

bool MainWindow::idle() const {
  if (!settled() || snapshots_.fixing() || runner_.busy() || agent_->running()) return false;
  if (runner_.device().state == views::DeviceState::looking) return false;
  const auto widgets = findChildren<QWidget*>();
  return std::none_of(widgets.begin(), widgets.end(), [](const QWidget* w) { return w->isVisible() && w->property("pending").toBool(); });
}

bool MainWindow::asks(const QString& id) const {
  for (const QAction* action : actions_list())
    if (action->objectName() == id) return action->text().contains(QChar(0x2026));
  return false;
}

QStringList MainWindow::action_ids() const {
  QStringList ids;
  for (const QAction* action : actions_list()) ids << action->objectName();
  return ids;
}

bool MainWindow::perform(const QString& id) {
  for (QAction* action : actions_list())
    if (action->objectName() == id && action->isEnabled()) {
      action->trigger();
      return true;
    }
  return false;
}

void MainWindow::apply_first_fix() {
  int finding = focus_.state().finding;
  const Analysis& analysis = snapshots_.analysis();
  const uint32_t line = editor_->edit()->caret_line();
  for (size_t i = 0; i < analysis.findings.size() && finding < 0; ++i)
    if (!analysis.findings[i].fixes.empty() && analysis.source.position(analysis.findings[i].span.begin).line == line)
      finding = static_cast<int>(i);
  if (finding < 0) return messages_->say(tr("No finding is chosen: press F8, or put the caret on a marked line."));
  if (!views::apply_fix(document_, snapshots_, finding, 0))
    messages_->say(analysis.findings[finding].fixes.empty() ? tr("No fix is known for this finding.")
                                                            : tr("The text has changed since; try again in a moment."));
}

void MainWindow::set_theme(ThemeId theme) {
  apply_theme(theme);
  theme_.set(theme);
  settings_->setValue(QStringLiteral("theme"), QLatin1String(views::to_string(theme)));
  show_status();
}

// A layout of other docks is none of ours.
int MainWindow::layout_version() const {
  size_t version = kLayoutVersion;
  for (const QDockWidget* dock : docks_) version = qHash(dock->objectName(), version);
  return static_cast<int>(version & 0x7fffffff);
}

namespace {
QString layout_key(const QString& workspace) { return QStringLiteral("layout/") + workspace; }
}

bool MainWindow::set_workspace(const QString& id) {
  const Workspace* workspace = find_workspace(id);
  if (!workspace) return false;
  if (!workspace_.isEmpty() && workspace_ != id) settings_->setValue(layout_key(workspace_), saveState(layout_version()));
  const bool changed = workspace_ != id;
  workspace_ = id;
  if (changed && !restoreState(settings_->value(layout_key(id)).toByteArray(), layout_version())) reset_layout();
  show_workspace();
  return true;
}

bool MainWindow::start_lesson(const QString& spec) {
  const QStringList parts = spec.split(QLatin1Char(':'));
  set_workspace(QStringLiteral("teach"));
  if (!lessons_->start(parts.front())) return false;
  if (parts.size() == 1) return true;
  lessons_->go(parts[1].toInt() - 1);
  return parts.size() == 2 && lessons_->step() == parts[1].toInt() - 1;
}

void MainWindow::show_workspace() {
  for (const Workspace& workspace : workspaces())
    findChild<QAction*>(QStringLiteral("workspace.") + QLatin1String(workspace.id))
        ->setChecked(workspace_ == QLatin1String(workspace.id));
}

void MainWindow::restore_layout() {
  restoreGeometry(settings_->value(QStringLiteral("geometry")).toByteArray());
  const QString id = settings_->value(QStringLiteral("workspace")).toString();
  workspace_.clear();
  if (!set_workspace(id)) set_workspace(QLatin1String(workspaces().front().id));
  messages_->settle();
}

void MainWindow::reset_layout() {
  arrange(*this, docks_, *find_workspace(workspace_));
  messages_->settle();
}

void MainWindow::save_settings() {
  settings_->setValue(QStringLiteral("geometry"), saveGeometry());
  settings_->setValue(QStringLiteral("workspace"), workspace_);
  settings_->setValue(layout_key(workspace_), saveState(layout_version()));
  settings_->setValue(QStringLiteral("theme"), QLatin1String(views::to_string(theme_.id())));
}

void MainWindow::show_key_dialog() {
  auto* dialog = new KeyDialog(actions_list(), *settings_, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->show();
}

void MainWindow::show_keys() {
  QString rows;
  const auto row = [&](const QString& keys, const QString& what) {
    rows += QStringLiteral("<tr><td style='padding-right:18px'><b>%1</b></td><td>%2</td></tr>").arg(keys.toHtmlEscaped(), what);
  };
  rows += QStringLiteral("<tr><td colspan=2><u>%1</u></td></tr>").arg(tr("Window"));
  for (const QAction* action : actions_list())
    if (!action->shortcut().isEmpty()) row(action->shortcut().toString(QKeySequence::NativeText), action_title(*action));
  rows += QStringLiteral("<tr><td colspan=2><br><u>%1</u></td></tr>").arg(tr("Timeline"));
  for (const views::TimelineKey& key : views::timeline_keys())
    if (*key.keys) row(QString::fromUtf8(key.keys), tr(key.effect));
  rows += QStringLiteral("<tr><td colspan=2><br><u>%1</u></td></tr>").arg(tr("Memory map"));
  row(QStringLiteral("Up Down, Home End"), tr("previous and next view, first and last"));
  row(QStringLiteral("Left Right"), tr("stages of the view, barriers"));
  auto* sheet = new QDialog(this);
  sheet->setObjectName(QStringLiteral("key_sheet"));
  sheet->setWindowTitle(tr("Keyboard"));
  sheet->setAttribute(Qt::WA_DeleteOnClose);
  auto* text = new QTextBrowser(sheet);
  text->setAccessibleName(tr("Keys and what they do"));
  text->setFrameShape(QFrame::NoFrame);
  text->setHtml(QStringLiteral("<table>%1</table>").arg(rows));
  auto* layout = new QVBoxLayout(sheet);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(text);
  sheet->resize(620, 680);
  sheet->show();
}

}  // namespace bakery::workbench
