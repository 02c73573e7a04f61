// SPDX-License-Identifier: GPL-3.0-or-later
// The audit of pictures finds what it is for.
#include <gtest/gtest.h>

#include <QLabel>
#include <QPushButton>
#include <QTest>

#include <functional>

#include "app/workbench/audit.h"

using bakery::workbench::audit;

namespace {

QString found(const std::function<void(QWidget&)>& fill) {
  QWidget window;
  window.resize(400, 200);
  QPalette palette;
  palette.setColor(QPalette::Window, Qt::white);
  palette.setColor(QPalette::WindowText, Qt::black);
  window.setPalette(palette);
  window.setAutoFillBackground(true);
  fill(window);
  window.show();
  EXPECT_TRUE(QTest::qWaitForWindowExposed(&window));
  return audit(&window).join(QLatin1Char('\n'));
}

QLabel* label(QWidget& parent, const char* text, QRect place, QColor ink = Qt::black) {
  auto* l = new QLabel(QLatin1String(text), &parent);
  l->setGeometry(place);
  l->setAutoFillBackground(true);
  QPalette palette = parent.palette();
  palette.setColor(QPalette::WindowText, ink);
  l->setPalette(palette);
  return l;
}

TEST(Audit, SoundIsSilent) {
  EXPECT_EQ(found([](QWidget& w) { label(w, "plain", {10, 10, 120, 30}); }), "");
}

TEST(Audit, FindsClippedText) {
  EXPECT_TRUE(found([](QWidget& w) { label(w, "a text that does not fit", {10, 10, 40, 30}); }).contains("wants"));
}

TEST(Audit, FindsFaintText) {
  EXPECT_TRUE(found([](QWidget& w) { label(w, "faint", {10, 10, 120, 30}, QColor(220, 220, 220)); }).contains("contrast"));
}

TEST(Audit, FindsOverlaps) {
  EXPECT_TRUE(found([](QWidget& w) {
                label(w, "one", {10, 10, 120, 30});
                label(w, "two", {100, 20, 120, 30});
              }).contains("overlap"));
}

}  // namespace
