// SPDX-License-Identifier: GPL-3.0-or-later
// The window's part in keeping work: sessions, and files that change under it.
#include <QDir>
#include <QFileInfo>
#include <QStatusBar>

#include "agent_panel/panel/agent_panel.h"
#include "app/session/fixes.h"
#include "app/session/resources.h"
#include "app/workbench/main_window.h"
#include "app/workbench/message_bar.h"
#include "views/common/diff_dialog.h"
#include "views/common/focus_spec.h"
#include "views/common/qt_text.h"
#include "views/editor/code_edit.h"
#include "views/editor/editor_view.h"

namespace bakery::workbench {

using views::to_qstring;
using views::to_utf8;

void MainWindow::keep_session() {
  views::CodeEdit* edit = editor_->edit();
  session_.add_part(
      QStringLiteral("editor"),
      [edit] {
        return QJsonObject{{QStringLiteral("caret"), static_cast<double>(edit->caret_offset())},
                           {QStringLiteral("first_line"), edit->firstVisibleLine()}};
      },
      [edit](const QJsonValue& value) {
        edit->show_offset(static_cast<uint32_t>(value[QStringLiteral("caret")].toDouble()));
        edit->setFirstVisibleLine(value[QStringLiteral("first_line")].toInt());
      });
  session_.add_part(
      QStringLiteral("focus"), [this] { return to_qstring(views::focus_spec(focus_.state(), snapshots_.shown())); },
      [this](const QJsonValue& value) {
        const QString spec = value.toString();
        auto* once = new QObject(this);
        connect(&snapshots_, &views::Snapshots::after_change, once, [this, once, spec] {
          if (snapshots_.busy()) return;
          once->deleteLater();
          if (auto state = views::parse_focus(to_utf8(spec), snapshots_.shown())) {
            state->origin = views::Origin::editor;  // lights it, and leaves the caret where it was
            focus_.set(std::move(*state));
          }
        });
      });
  session_.add_part(
      QStringLiteral("layout"),
      [this] {
        return QJsonObject{{QStringLiteral("workspace"), workspace_},
                           {QStringLiteral("state"), QString::fromLatin1(saveState(layout_version()).toBase64())}};
      },
      [this](const QJsonValue& value) {
        set_workspace(value[QStringLiteral("workspace")].toString());
        restoreState(QByteArray::fromBase64(value[QStringLiteral("state")].toString().toLatin1()), layout_version());
        messages_->settle();
      });
  session_.add_part(
      QStringLiteral("agent"), [this] { return QString::fromLatin1(agent_->save_state().toBase64()); },
      [this](const QJsonValue& value) {
        const QByteArray state = QByteArray::fromBase64(value.toString().toLatin1());
        if (!state.isEmpty() && !agent_->restore_state(state)) messages_->say(tr("The agent's proposals could not be read; the text is whole."));
      });
  const auto touch = [this] { session_.touch(); };
  connect(agent_, &panel::AgentPanel::state_changed, this, touch);
  connect(edit, &views::CodeEdit::text_edited, this, touch);
  connect(edit, &QsciScintilla::cursorPositionChanged, this, touch);
  connect(&document_, &views::Document::path_changed, this, touch);
  connect(&document_, &views::Document::modified_changed, this, touch);
  connect(&focus_, &views::Focus::changed, this, touch);
  connect(&session_, &views::SessionStore::failed, this, &MainWindow::report);
  connect(&document_, &views::Document::changed_on_disk, this, [this] {
    messages_->ask(tr("%1 changed on disk, and here is unsaved text.").arg(document_.file_name()),
                   {{tr("&Reload"), [this] { report(document_.reload()); }},
                    {tr("&Keep mine"), [this] { document_.keep_mine(); }},
                    {tr("&Compare"), [this] { compare_with_disk(); }, false}});
  });
  connect(&document_, &views::Document::reloaded_from_disk, this,
          [this] { messages_->say(tr("%1 changed on disk and was loaded. Undo brings the text before back.").arg(document_.file_name())); });
  connect(&document_, &views::Document::gone_from_disk, this, [this] {
    messages_->ask(tr("%1 is gone from disk; its text is still here.").arg(document_.file_name()), tr("&Save it again"), [this] { save(); });
  });
}

// `named`: a file was given, so that nothing but its own unsaved text is brought back.
void MainWindow::start_session(const QString& named) {
  report(session_.begin());
  QStringList set_aside;
  const std::vector<views::SavedSession> left = session_.left_over(&set_aside);
  const QString path = named.isEmpty() ? QString() : QFileInfo(named).absoluteFilePath();
  const views::SavedSession* chosen = nullptr;
  int others = 0;
  for (const views::SavedSession& session : left) {
    if (!session.modified) continue;
    if (!chosen && (named.isEmpty() || session.path == path)) chosen = &session;
    else ++others;
  }
  if (!chosen && named.isEmpty() && !left.empty() && !left.front().path.isEmpty()) chosen = &left.front();
  const bool restored = chosen && session_.restore(*chosen);
  fresh_ = fresh_ && !restored;  // the caret was brought back, too
  if (restored && chosen->modified) {
    tell_restored(*chosen, others);
  } else if (others > 0) {
    messages_->say(tr("Unsaved changes of another session are kept (%1); they come back when Bakery starts without a file.").arg(others));
  }
  for (const views::SavedSession& session : left)
    if (&session != chosen && !session.modified) session_.discard(session);
  if (!set_aside.isEmpty())
    messages_->say(tr("A session could not be read; it was set aside as %1").arg(QDir::toNativeSeparators(set_aside.join(QStringLiteral(", ")))));
  session_.write();
}

void MainWindow::tell_restored(const views::SavedSession& session, int others) {
  const bool today = session.when.date() == QDate::currentDate();
  const QString when = QLocale().toString(session.when, today ? QStringLiteral("HH:mm") : QStringLiteral("d MMM HH:mm"));
  QString text = tr("Restored unsaved changes of %1 from %2.").arg(document_.file_name(), when);
  if (others > 0) text += tr(" More is kept (%1), and comes back at the next start.").arg(others);
  std::vector<MessageBar::Action> actions = {{tr("&Discard them"), [this] {
    if (document_.path().isEmpty()) document_.apply(views::difference(document_.text(), {}), to_utf8(tr("discarding the restored text")));
    else report(document_.reload());
  }}};
  if (document_.disk_text()) actions.push_back({tr("&Compare"), [this] { compare_with_disk(); }, false});
  messages_->ask(text, std::move(actions));
}

void MainWindow::compare_with_disk() {
  const auto disk = document_.disk_text();
  if (!disk) return messages_->say(tr("can't read %1").arg(QDir::toNativeSeparators(document_.path())));
  const std::string diff = unified_diff(to_utf8(document_.file_name()), *disk, document_.text());
  views::show_diff(tr("%1: on disk, and here").arg(document_.file_name()), diff, theme_, this);
}

void MainWindow::fill_templates(QMenu* menu) {
  menu->clear();
  const QDir folder(QDir(to_qstring(resources_folder())).filePath(QStringLiteral("templates")));
  for (const QFileInfo& info : folder.entryInfoList({QStringLiteral("*.cake")}, QDir::Files, QDir::Name)) {
    QFile file(info.absoluteFilePath());
    if (!file.open(QIODevice::ReadOnly)) continue;
    const std::string text = file.readAll().toStdString();
    // The first line is a comment that says what it is.
    const QString title = to_qstring(text.substr(0, text.find('\n'))).remove(0, 1).trimmed();
    menu->addAction(title, this, [this, text] {
      if (!may_discard()) return;
      focus_.clear();
      document_.start_new(text.substr(text.find('\n') + 1));
    });
  }
  if (menu->isEmpty()) menu->addAction(tr("None found"))->setEnabled(false);
}

}  // namespace bakery::workbench
