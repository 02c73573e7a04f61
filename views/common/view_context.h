// SPDX-License-Identifier: GPL-3.0-or-later
// What every view is given.
#pragma once

#include "views/common/document.h"
#include "views/common/focus.h"
#include "views/common/snapshots.h"
#include "views/common/tokens.h"

namespace bakery::views {

class Runner;

struct ViewContext {
  Document& document;
  Snapshots& snapshots;
  Focus& focus;
  Theme& theme;
  Runner* runner = nullptr;  // null: nothing is run
};

}  // namespace bakery::views
