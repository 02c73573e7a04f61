// SPDX-License-Identifier: GPL-3.0-or-later
// Messages carry code in backticks; this makes HTML of them.
#pragma once

#include <QString>

#include <string_view>

namespace bakery::views {

QString rich_text(std::string_view message);

}  // namespace bakery::views
