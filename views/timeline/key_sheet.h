// SPDX-License-Identifier: GPL-3.0-or-later
// The keys and gestures of the timeline, for `?`.
#pragma once

#include <QDialog>

#include <span>

#include "views/common/tokens.h"

namespace bakery::views {

struct TimelineKey {
  const char* keys;
  const char* effect;  // empty keys: a heading
};
std::span<const TimelineKey> timeline_keys();

class KeySheet : public QDialog {
  Q_OBJECT

 public:
  explicit KeySheet(const Theme& theme, QWidget* parent = nullptr);
};

}  // namespace bakery::views
