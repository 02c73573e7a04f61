// SPDX-License-Identifier: GPL-3.0-or-later
// How a fill looks, for the lanes and the legend.
#pragma once

#include <QPixmap>

#include "views/common/tokens.h"
#include "views/timeline/pyramid.h"

namespace bakery::views {

Token token_of(Fill fill);
QPixmap hatch_tile(ThemeId theme, qreal pixel_ratio);  // over waiting and stuck

}  // namespace bakery::views
