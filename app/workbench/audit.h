// SPDX-License-Identifier: GPL-3.0-or-later
// Looks over a shown window for texts that do not fit their widgets.
#pragma once

#include <QStringList>
#include <QWidget>

namespace bakery::workbench {

// One line a fault: which widget, its text, wanted and given size.
QStringList audit(QWidget* window);

}  // namespace bakery::workbench
