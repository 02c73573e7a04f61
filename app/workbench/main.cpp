// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QFontDatabase>
#include <QPixmap>
#include <QTimer>

#include <algorithm>
#include <cstdio>

#include "app/workbench/audit.h"
#include "app/workbench/main_window.h"
#include "app/workbench/message_bar.h"
#include "app/workbench/options.h"
#include "app/workbench/run_bar.h"
#include "app/workbench/tour.h"
#include "views/common/qt_text.h"

namespace {

using namespace bakery;

constexpr int kWrongUse = 2;
constexpr int kMissing = 3;
constexpr int kOwnError = 4;
constexpr int kLongestWait = 60000;  // milliseconds for one picture

int complain(const QString& text) {
  std::fprintf(stderr, "bakery-workbench: %s\n", views::to_utf8(text).c_str());
  return kWrongUse;
}

bool has_display() {
#ifdef Q_OS_UNIX
  for (const char* name : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"})
    if (!qEnvironmentVariableIsEmpty(name)) return true;
  return false;
#else
  return true;
#endif
}

// Runs the event loop until `done`, at most `milliseconds`.
template <class Done>
bool wait_for(Done done, int milliseconds) {
  QElapsedTimer clock;
  clock.start();
  while (!done()) {
    if (clock.hasExpired(milliseconds)) return false;
    QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 20);
  }
  return true;
}

// Focus, contract and actions of the options, each when the one before it is done. Empty, or what is wrong.
QString prepare(workbench::MainWindow& window, const workbench::Options& options) {
  if (!options.contract.isEmpty() && !QFileInfo::exists(options.contract)) return QStringLiteral("there is no contract %1").arg(options.contract);
  if (!options.contract.isEmpty()) window.run_bar().open_contract(QFileInfo(options.contract).absoluteFilePath());
  if (options.focus.isEmpty() && options.actions.isEmpty()) return {};
  wait_for([&] { return window.settled(); }, kLongestWait);
  if (!options.focus.isEmpty() && !window.focus_on(options.focus)) return QStringLiteral("there is no %1 in %2").arg(options.focus, options.file);
  for (const QString& id : options.actions) {
    wait_for([&] { return window.idle(); }, kLongestWait);
    if (!options.shot.isEmpty() && window.asks(id)) return QStringLiteral("%1 needs a person").arg(id);
    if (!window.perform(id)) return QStringLiteral("%1 can't be done now, or is no action; there are: %2").arg(id, window.action_ids().join(QLatin1Char(' ')));
  }
  return {};
}

int take_shot(workbench::MainWindow& window, const workbench::Options& options) {
  if (!wait_for([&] { return window.idle(); }, kLongestWait)) {
    std::fprintf(stderr, "bakery-workbench: the window was not ready within %d s\n", kLongestWait / 1000);
    return kOwnError;
  }
  QElapsedTimer clock;
  clock.start();
  wait_for([&] { return clock.elapsed() > 250; }, 1000);  // layouts settle, marks are painted
  if (!window.grab().save(options.shot)) return complain(QStringLiteral("can't write %1").arg(options.shot));
  if (!options.audit) return 0;
  const QStringList faults = workbench::audit(&window);
  for (const QString& fault : faults) std::printf("%s\n", views::to_utf8(fault).c_str());
  return faults.isEmpty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  QStringList arguments;
  for (int i = 0; i < argc; ++i) arguments << QString::fromLocal8Bit(argv[i]);
  const workbench::ParsedOptions parsed = workbench::parse_options(arguments);
  if (!parsed.error.isEmpty()) return complain(parsed.error);
  if (!parsed.text.isEmpty()) {
    std::fputs(views::to_utf8(parsed.text).c_str(), stdout);
    return 0;
  }
  const workbench::Options& options = parsed.options;

  const bool shot = !options.shot.isEmpty() || !options.tour.isEmpty();
  if (!has_display()) {
    if (!shot) {
      complain(QStringLiteral("there is no display; with --shot PNG a picture can be taken without one"));
      return kMissing;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }

  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("bakery-workbench"));
  QApplication::setApplicationDisplayName(QStringLiteral("Bakery"));
  if (QGuiApplication::platformName() == QLatin1String("offscreen") || QApplication::font().pointSizeF() < 9) {
    QFont font(QStringLiteral("DejaVu Sans"));
    font.setPointSizeF(9);
    QApplication::setFont(font);
  }
  const auto settings = workbench::open_settings();
  const auto remembered = views::find_theme(settings->value(QStringLiteral("theme")).toString());
  const views::ThemeId theme =
      options.theme ? *options.theme : shot ? views::ThemeId::light : remembered.value_or(views::ThemeId::light);

  WorkerCommand worker = local_worker();
  if (!options.worker_replay.isEmpty()) worker.argv.insert(worker.argv.end(), {"--replay", views::to_utf8(options.worker_replay)});
  workbench::MainWindow window(theme, nullptr, std::move(worker));
  if (!shot) window.restore_layout();
  if (options.size) window.resize(*options.size);
  if (!options.target.isEmpty()) window.set_target(options.target);
  if (!options.file.isEmpty()) {
    const QString error = window.open(options.file);
    if (!error.isEmpty()) {
      if (shot) return complain(error);
      window.messages().say(error);
    }
  }
  if (!options.workspace.isEmpty() && !window.set_workspace(options.workspace))
    return complain(QStringLiteral("there is no workspace %1").arg(options.workspace));
  if (!options.lesson.isEmpty() && !window.start_lesson(options.lesson))
    return complain(QStringLiteral("there is no lesson %1").arg(options.lesson));
  if (shot) window.reset_layout();  // a picture must not depend on who takes it
  if (!options.view.isEmpty() && !window.raise_view(options.view))
    return complain(QStringLiteral("there is no view %1").arg(options.view));
  if (!shot) window.start_session(options.file);
  window.show();
  QTimer tick;  // keeps the loop turning while something is waited for
  tick.start(10);
  if (options.until_shown) {
    const bool shown = wait_for([&] { return window.settled(); }, kLongestWait);
    window.repaint();
    return shown ? 0 : kOwnError;
  }
  const QString wrong = prepare(window, options);
  if (!wrong.isEmpty()) {
    if (shot) return complain(wrong);
    window.messages().say(wrong);
  }
  if (!options.shot.isEmpty()) return take_shot(window, options);
  if (!options.tour.isEmpty()) {
    const workbench::Tour tour = workbench::take_tour(window, options.tour);
    for (const QString& fault : tour.faults) std::printf("%s\n", views::to_utf8(fault).c_str());
    if (!tour.error.isEmpty()) return complain(tour.error);
    std::printf("%d pictures in %s\n", tour.pictures, views::to_utf8(options.tour).c_str());
    return tour.faults.isEmpty() ? 0 : 1;
  }
  tick.stop();
  if (!window.isVisible()) return 0;
  return QApplication::exec();
}
