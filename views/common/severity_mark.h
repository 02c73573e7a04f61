// SPDX-License-Identifier: GPL-3.0-or-later
// The mark of a severity: a shape and a colour, so that colour never stands alone.
#pragma once

#include <QIcon>
#include <QPixmap>

#include "core_ir/finding.h"
#include "views/common/tokens.h"

namespace bakery::views {

enum class SeverityMark : uint8_t { error, review, hint, uncovered };

SeverityMark mark_of(Severity severity);
Token token_of(SeverityMark mark);
QString title_of(SeverityMark mark);  // "Errors", "Not covered"
QPixmap severity_pixmap(SeverityMark mark, ThemeId theme, int size, qreal pixel_ratio);
QIcon severity_icon(SeverityMark mark, ThemeId theme);

}  // namespace bakery::views
