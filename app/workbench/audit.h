// SPDX-License-Identifier: GPL-3.0-or-later
// Looks over a shown window for texts that do not fit their widgets, parts that lie on one another,
// and text too faint to read.
#pragma once

#include <QStringList>
#include <QWidget>

namespace bakery::workbench {

// One line a fault: which widget, its text, and what is wrong.
QStringList audit(QWidget* window);

}  // namespace bakery::workbench
