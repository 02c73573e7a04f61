// SPDX-License-Identifier: GPL-3.0-or-later
// The command line of bakery-workbench.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

#include "views/common/tokens.h"

namespace bakery::workbench {

struct Options {
  QString file;
  QString target;
  std::optional<views::ThemeId> theme;
  QString focus;
  QString view;          // to bring to the front
  QString workspace;
  QString lesson;        // NAME or NAME:STEP
  QString shot;          // not empty: photograph and leave
  std::optional<QSize> size;
  QString tour;          // not empty: photograph everything and leave
  bool until_shown = false;
  QString contract;      // to choose
  QStringList actions;   // ids
  QString worker_replay; // a recorded session in place of the device
  bool audit = false;    // with a shot: also print what is clipped
};

// `error` is set instead of an answer for wrong use; `text` for --help and --version.
struct ParsedOptions {
  Options options;
  QString error;
  QString text;
};

ParsedOptions parse_options(const QStringList& arguments);

}  // namespace bakery::workbench
