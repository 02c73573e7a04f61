// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/rich_text.h"

#include "views/common/qt_text.h"

namespace bakery::views {

QString rich_text(std::string_view message) {
  QString html;
  bool code = false;
  for (const QChar c : to_qstring(message)) {
    if (c == QLatin1Char('`')) {
      html += code ? QStringLiteral("</code>") : QStringLiteral("<code>");
      code = !code;
    } else if (c == QLatin1Char('<')) {
      html += QStringLiteral("&lt;");
    } else if (c == QLatin1Char('&')) {
      html += QStringLiteral("&amp;");
    } else {
      html += c;
    }
  }
  if (code) html += QStringLiteral("</code>");
  return html;
}

}  // namespace bakery::views
