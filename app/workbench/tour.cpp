// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/tour.h"

#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QPixmap>
#include <QTimer>

#include <functional>

#include "app/workbench/audit.h"
#include "app/workbench/main_window.h"
#include "app/workbench/workspaces.h"

namespace bakery::workbench {

namespace {

constexpr int kSettle = 120;  // milliseconds for layouts and asynchronous parts
constexpr int kLongest = 10000;

void wait_until(const std::function<bool()>& done) {
  QElapsedTimer clock;
  clock.start();
  while ((clock.elapsed() < kSettle || !done()) && clock.elapsed() < kLongest)
    QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 20);
}

}  // namespace

Tour take_tour(MainWindow& window, const QString& folder) {
  Tour tour;
  if (!QDir().mkpath(folder)) {
    tour.error = QStringLiteral("can't make the folder %1").arg(folder);
    return tour;
  }
  QTimer tick;  // keeps the loop turning
  tick.start(20);
  const auto take = [&](const QString& name, QWidget* widget) {
    wait_until([&] { return window.idle(); });
    if (!widget->grab().save(QDir(folder).filePath(name + QStringLiteral(".png"))))
      tour.error = QStringLiteral("can't write %1/%2.png").arg(folder, name);
    ++tour.pictures;
    for (const QString& fault : audit(widget)) tour.faults << QStringLiteral("%1: %2").arg(name, fault);
  };
  for (const views::ThemeId theme : views::kThemes) {
    window.set_theme(theme);
    const QString prefix = QLatin1String(views::to_string(theme)) + QLatin1Char('_');
    for (const Workspace& workspace : workspaces()) {
      window.set_workspace(QLatin1String(workspace.id));
      window.reset_layout();
      take(prefix + QLatin1String(workspace.id), &window);
    }
    window.set_workspace(QLatin1String(workspaces().front().id));
    for (QDockWidget* dock : window.findChildren<QDockWidget*>()) {
      window.raise_view(dock->objectName());
      take(prefix + QStringLiteral("view_") + dock->objectName(), dock);
    }
    for (const char* id : {"view.palette", "view.keys", "help.keys"}) {
      window.findChild<QAction*>(QLatin1String(id))->trigger();
      QWidget* shown = QApplication::activePopupWidget();
      for (const char* name : {"palette", "key_dialog", "key_sheet"})
        if (auto* widget = window.findChild<QWidget*>(QLatin1String(name)); widget && widget->isVisible()) shown = widget;
      if (!shown) continue;
      take(prefix + shown->objectName(), shown);
      shown->close();
      QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    if (!tour.error.isEmpty()) break;
  }
  return tour;
}

}  // namespace bakery::workbench
