// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/tokens.h"

#include <QFontDatabase>

#include <array>
#include <cmath>

namespace bakery::views {

namespace {

struct Entry {
  const char* name;
  QRgb colours[3];
};

constexpr std::array kTable = {
#define TOKEN(name, light, dark, contrast) Entry{#name, {light, dark, contrast}},
#include "views/common/tokens.def"
#undef TOKEN
};
static_assert(kTable.size() == static_cast<size_t>(Token::count_));

double linear(double channel) {
  return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& color) {
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

}  // namespace

QColor color(ThemeId theme, Token token) {
  return QColor(kTable[static_cast<size_t>(token)].colours[static_cast<size_t>(theme)]);
}

const char* name(Token token) { return kTable[static_cast<size_t>(token)].name; }

const char* to_string(ThemeId theme) {
  constexpr const char* names[] = {"light", "dark", "contrast"};
  return names[static_cast<size_t>(theme)];
}

std::optional<ThemeId> find_theme(const QString& name) {
  for (const ThemeId theme : kThemes)
    if (name == QLatin1String(to_string(theme))) return theme;
  return std::nullopt;
}

double contrast(const QColor& a, const QColor& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

QPalette palette(ThemeId theme) {
  const auto c = [theme](Token token) { return color(theme, token); };
  QPalette p;
  p.setColor(QPalette::Window, c(Token::window));
  p.setColor(QPalette::WindowText, c(Token::text));
  p.setColor(QPalette::Base, c(Token::base));
  p.setColor(QPalette::AlternateBase, c(Token::alternate));
  p.setColor(QPalette::Text, c(Token::text));
  p.setColor(QPalette::PlaceholderText, c(Token::muted));
  p.setColor(QPalette::Button, c(Token::window));
  p.setColor(QPalette::ButtonText, c(Token::text));
  p.setColor(QPalette::BrightText, c(Token::error));
  p.setColor(QPalette::Link, c(Token::accent));
  p.setColor(QPalette::LinkVisited, c(Token::accent));
  p.setColor(QPalette::Highlight, c(Token::selection));
  p.setColor(QPalette::HighlightedText, c(Token::text));
  p.setColor(QPalette::ToolTipBase, c(Token::tooltip));
  p.setColor(QPalette::ToolTipText, c(Token::text));
  p.setColor(QPalette::Light, c(Token::raised));
  p.setColor(QPalette::Midlight, c(Token::panel));
  p.setColor(QPalette::Mid, c(Token::border));
  p.setColor(QPalette::Dark, c(Token::border));
  p.setColor(QPalette::Shadow, c(Token::border));
  for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    p.setColor(QPalette::Disabled, role, c(Token::disabled));
  return p;
}

QString style_sheet(ThemeId theme) {
  const auto c = [theme](Token token) { return color(theme, token).name(); };
  QString sheet = QStringLiteral(
      "QToolTip { background: %tooltip; color: %text; border: 1px solid %border; padding: 3px; }"
      "QMainWindow::separator { background: %window; width: 5px; height: 5px; }"
      "QMainWindow::separator:hover { background: %accent; }"
      "QSplitter::handle { background: %window; }"
      "QSplitter::handle:hover { background: %accent; }"
      "QDockWidget { color: %text; }"
      "QDockWidget::title { background: %window; padding: 2px 0 2px 9px; text-align: left;"
      " border-bottom: 1px solid %border; }"
      "QStatusBar { background: %window; border-top: 1px solid %border; }"
      "QStatusBar::item { border: none; }"
      "QMenuBar { background: %window; border-bottom: 1px solid %border; }"
      "QMenuBar::item { padding: 4px 9px; background: transparent; }"
      "QMenuBar::item:selected { background: %selection; }"
      "QMenu { background: %panel; border: 1px solid %border; padding: 4px; }"
      "QMenu::item { padding: 4px 26px 4px 22px; }"
      "QMenu::item:selected { background: %selection; color: %text; }"
      "QMenu::item:disabled { color: %disabled; }"
      "QMenu::separator { height: 1px; background: %border; margin: 4px 6px; }"
      "QToolBar { background: %window; border: none; spacing: 6px; padding: 3px 6px; }"
      "QHeaderView::section { background: %window; color: %muted; border: none;"
      " border-right: 1px solid %border; border-bottom: 1px solid %border; padding: 3px 6px; }"
      "QToolButton { border: 1px solid transparent; border-radius: 4px; padding: 2px 5px; }"
      "QToolButton:hover { background: %selection; }"
      "QToolButton#cuda_directives { border-color: %border; }"
      "QToolButton:checked, QToolButton#cuda_directives:checked { background: %selection; border-color: %border; }"
      "QToolButton:focus { border-color: %accent; }"
      "QPushButton { background: %raised; border: 1px solid %border; border-radius: 4px; padding: 3px 10px; }"
      "QPushButton:hover { border-color: %accent; }"
      "QPushButton:focus { border-color: %accent; }"
      "QPushButton:disabled { color: %disabled; }"
      "QFrame#pipeline_edit QLineEdit { background: %base; border: 1px solid %border; border-radius: 3px; padding: 2px 4px; }"
      "QFrame#pipeline_edit QLineEdit:focus { border-color: %accent; }"
      "QFrame#pipeline_edit QLineEdit:disabled { color: %disabled; }"
      "QRadioButton::indicator, QCheckBox::indicator { width: 12px; height: 12px; border: 1px solid %muted;"
      " background: %base; }"
      "QRadioButton::indicator { border-radius: 7px; }"
      "QRadioButton::indicator:checked, QCheckBox::indicator:checked { background: %accent; border: 1px solid %accent; }"
      "QSlider::groove:horizontal { height: 4px; background: %border; border-radius: 2px; }"
      "QSlider::handle:horizontal { background: %accent; width: 10px; margin: -4px 0; border-radius: 5px; }"
      "QTreeView { border: none; }"
      "QTreeView::item { padding: 2px 0; }"
      "QTreeView::item:selected { background: %selection; color: %text; }"
      "QToolBar#message_bar { background: %focus_line; border-bottom: 1px solid %border; }");
  for (size_t i = kTable.size(); i-- > 0;)
    sheet.replace(QLatin1Char('%') + QLatin1String(kTable[i].name) + QLatin1Char(';'),
                  c(static_cast<Token>(i)) + QLatin1Char(';'));
  return sheet;
}

QFont code_font() {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  for (const char* family : {"DejaVu Sans Mono", "Liberation Mono"})
    if (QFontDatabase::hasFamily(QLatin1String(family))) {
      font = QFont(QLatin1String(family));
      break;
    }
  font.setStyleHint(QFont::Monospace);
  font.setFixedPitch(true);
  font.setPointSizeF(10);
  return font;
}

void Theme::set(ThemeId id) {
  if (id_ == id) return;
  id_ = id;
  emit changed();
}

}  // namespace bakery::views
