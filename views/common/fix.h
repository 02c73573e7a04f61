// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

#include "views/common/document.h"
#include "views/common/snapshots.h"

namespace bakery::views {

// Applies one fix as one undo step. False when the text has moved on since the finding was made.
bool apply_fix(Document& document, const Snapshots& snapshots, int finding, size_t fix);

}  // namespace bakery::views
