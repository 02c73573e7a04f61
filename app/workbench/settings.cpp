// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/settings.h"

#include <QDir>

namespace bakery::workbench {

std::unique_ptr<QSettings> open_settings() {
  const QString home = qEnvironmentVariable("BAKERY_HOME");
  if (!home.isEmpty())
    return std::make_unique<QSettings>(QDir(home).filePath(QStringLiteral("workbench.ini")), QSettings::IniFormat);
  return std::make_unique<QSettings>(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("bakery"),
                                     QStringLiteral("workbench"));
}

}  // namespace bakery::workbench
