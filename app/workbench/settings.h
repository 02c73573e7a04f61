// SPDX-License-Identifier: GPL-3.0-or-later
// What the window remembers. In BAKERY_HOME if that is set, else where the system keeps settings.
#pragma once

#include <QSettings>

#include <memory>

namespace bakery::workbench {

inline constexpr int kLayoutVersion = 3;
inline constexpr int kRecentFiles = 12;

std::unique_ptr<QSettings> open_settings();

}  // namespace bakery::workbench
