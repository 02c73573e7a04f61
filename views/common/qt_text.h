// SPDX-License-Identifier: GPL-3.0-or-later
// The one place where the core's UTF-8 meets Qt's UTF-16.
#pragma once

#include <QString>

#include <string>
#include <string_view>

namespace bakery::views {

inline QString to_qstring(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

inline std::string to_utf8(const QString& text) { return text.toStdString(); }

}  // namespace bakery::views
