// SPDX-License-Identifier: GPL-3.0-or-later
// What every view is given.
#pragma once

#include "views/common/document.h"
#include "views/common/focus.h"
#include "views/common/snapshots.h"
#include "views/common/tokens.h"

namespace bakery::views {

struct ViewContext {
  Document& document;
  Snapshots& snapshots;
  Focus& focus;
  Theme& theme;
};

}  // namespace bakery::views
