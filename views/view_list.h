// SPDX-License-Identifier: GPL-3.0-or-later
// All views, in one list. A new view is one folder and one line in view_list.cpp.
#pragma once

#include <QWidget>

#include <vector>

#include "views/common/view_context.h"

namespace bakery::views {

struct ViewEntry {
  const char* id;     // also the dock's object name; stable
  const char* title;
  QWidget* (*make)(const ViewContext& context, QWidget* parent);
};

const std::vector<ViewEntry>& view_list();

}  // namespace bakery::views
