// SPDX-License-Identifier: GPL-3.0-or-later
// The main of window tests that have none of their own: GoogleTest inside a QApplication.
#include <gtest/gtest.h>

#include <QApplication>

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  QApplication application(argc, argv);
  return RUN_ALL_TESTS();
}
