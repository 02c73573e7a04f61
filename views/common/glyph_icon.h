// SPDX-License-Identifier: GPL-3.0-or-later
// Small line icons, drawn instead of taken from a font that may not have them.
#pragma once

#include <QAbstractButton>
#include <QIcon>

#include "views/common/tokens.h"

namespace bakery::views {

enum class Glyph : uint8_t { first, back, forward, last, zoom_out, zoom_in, fit, up, down, close };

QIcon glyph_icon(Glyph glyph, ThemeId theme);
// Sets the icon and keeps it in the theme's colours.
void set_glyph(QAbstractButton* button, Glyph glyph, const Theme& theme);

}  // namespace bakery::views
