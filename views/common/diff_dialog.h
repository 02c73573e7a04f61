// SPDX-License-Identifier: GPL-3.0-or-later
// A unified diff to read, in a window that blocks nothing.
#pragma once

#include <QDialog>

#include <string>

#include "views/common/tokens.h"

namespace bakery::views {

QDialog* show_diff(const QString& title, const std::string& diff, const Theme& theme, QWidget* parent);

}  // namespace bakery::views
