// SPDX-License-Identifier: GPL-3.0-or-later
// Named arrangements of the docks: columns of rows of tabs, as data.
#pragma once

#include <QDockWidget>
#include <QMainWindow>

#include <vector>

namespace bakery::workbench {

struct Tabs {
  int share;                        // of the column's height
  std::vector<const char*> docks;   // ids; the first is in front
};

struct Column {
  int share;                        // of the window's width
  std::vector<Tabs> rows;
};

struct Workspace {
  const char* id;
  const char* title;
  const char* doc;
  std::vector<Column> columns;
};

const std::vector<Workspace>& workspaces();
const Workspace* find_workspace(const QString& id);

// Places all docks; those that the workspace does not name are hidden, as tabs of its last row.
void arrange(QMainWindow& window, const std::vector<QDockWidget*>& docks, const Workspace& workspace);

}  // namespace bakery::workbench
