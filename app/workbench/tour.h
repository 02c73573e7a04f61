// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of every workspace and every view in every theme, from one window that switches live.
#pragma once

#include <QString>
#include <QStringList>

namespace bakery::workbench {

class MainWindow;

struct Tour {
  int pictures = 0;
  QStringList faults;   // of the audit, each with its picture's name
  QString error;        // why it ended early
};

// Writes FOLDER/THEME_NAME.png. The window has to be settled.
Tour take_tour(MainWindow& window, const QString& folder);

}  // namespace bakery::workbench
