// SPDX-License-Identifier: GPL-3.0-or-later
// One table of colours by meaning. The editor, the timeline, the lists and the widgets' palette
// read nothing else, so that a theme reaches everything.
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <QPalette>
#include <QString>

#include <cstdint>
#include <optional>

namespace bakery::views {

enum class Token : uint8_t {
#define TOKEN(name, light, dark, contrast) name,
#include "views/common/tokens.def"
#undef TOKEN
  count_,
};

enum class ThemeId : uint8_t { light, dark, contrast };
inline constexpr ThemeId kThemes[] = {ThemeId::light, ThemeId::dark, ThemeId::contrast};

QColor color(ThemeId theme, Token token);
const char* name(Token token);
const char* to_string(ThemeId theme);
std::optional<ThemeId> find_theme(const QString& name);

inline bool is_dark(ThemeId theme) { return theme != ThemeId::light; }

// Contrast ratio of two opaque colours, 1 to 21 (WCAG 2).
double contrast(const QColor& a, const QColor& b);

QPalette palette(ThemeId theme);
QString style_sheet(ThemeId theme);
QFont code_font();

// The theme in force; views repaint on `changed`.
class Theme : public QObject {
  Q_OBJECT

 public:
  explicit Theme(ThemeId id = ThemeId::light, QObject* parent = nullptr) : QObject(parent), id_(id) {}
  ThemeId id() const { return id_; }
  QColor operator[](Token token) const { return color(id_, token); }
  QString css(Token token) const { return color(id_, token).name(); }
  void set(ThemeId id);

 signals:
  void changed();

 private:
  ThemeId id_;
};

}  // namespace bakery::views
