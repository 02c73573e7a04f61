// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/workspaces.h"

#include <QSet>

namespace bakery::workbench {

const std::vector<Workspace>& workspaces() {
  static const std::vector<Workspace> list = {
      {"author", "Author", "write a schedule and see at once what breaks",
       {{43, {{54, {"editor"}}, {46, {"findings"}}}},
        {57, {{56, {"timeline"}}, {44, {"pipeline", "memory_map", "cuda", "occupancy", "runs", "agent"}}}}}},
      {"profile", "Profile", "run it, and see where the time goes",
       {{38, {{62, {"editor", "cuda"}}, {38, {"findings", "memory_map"}}}},
        {62, {{42, {"timeline", "pipeline"}}, {42, {"runs"}}, {16, {"occupancy"}}}}}},
      {"supervise", "Supervise", "watch an agent, and decide on each of its changes",
       {{40, {{66, {"editor"}}, {34, {"findings"}}}},
        {30, {{55, {"timeline", "cuda"}}, {45, {"pipeline", "memory_map", "runs"}}}},
        {30, {{100, {"agent"}}}}}},
      {"teach", "Teach", "step through a pipeline, break it, and read why it broke",
       {{30, {{100, {"lessons"}}}},
        {30, {{62, {"editor"}}, {38, {"findings"}}}},
        {40, {{58, {"timeline"}}, {42, {"pipeline", "memory_map"}}}}}},
  };
  return list;
}

const Workspace* find_workspace(const QString& id) {
  for (const Workspace& workspace : workspaces())
    if (id == QLatin1String(workspace.id)) return &workspace;
  return nullptr;
}

void arrange(QMainWindow& window, const std::vector<QDockWidget*>& docks, const Workspace& workspace) {
  const auto find = [&](const char* id) -> QDockWidget* {
    for (QDockWidget* dock : docks)
      if (dock->objectName() == QLatin1String(id)) return dock;
    return nullptr;
  };
  for (QDockWidget* dock : docks) {
    dock->setFloating(false);
    window.removeDockWidget(dock);
  }

  struct Row {
    QList<QDockWidget*> tabs;
    int share = 0;
  };
  struct Placed {
    QList<Row> rows;
    int share = 0;
  };
  QList<Placed> columns;
  QSet<QDockWidget*> placed;
  for (const Column& column : workspace.columns) {
    Placed next{.share = column.share};
    for (const Tabs& tabs : column.rows) {
      Row row{.share = tabs.share};
      for (const char* id : tabs.docks)
        if (QDockWidget* dock = find(id)) row.tabs << dock;
      if (!row.tabs.isEmpty()) next.rows << row;
    }
    if (!next.rows.isEmpty()) columns << next;
  }
  if (columns.isEmpty()) return;

  // The columns are split before the rows, so that each row stays inside its column.
  QList<QDockWidget*> heads;
  QList<int> widths;
  for (const Placed& column : columns) {
    QDockWidget* head = column.rows.front().tabs.front();
    if (heads.isEmpty()) window.addDockWidget(Qt::LeftDockWidgetArea, head);
    else window.splitDockWidget(heads.back(), head, Qt::Horizontal);
    heads << head;
    widths << window.width() * column.share / 100;
  }
  for (const Placed& column : columns)
    for (qsizetype r = 1; r < column.rows.size(); ++r)
      window.splitDockWidget(column.rows[r - 1].tabs.front(), column.rows[r].tabs.front(), Qt::Vertical);
  for (const Placed& column : columns)
    for (const Row& row : column.rows)
      for (QDockWidget* dock : row.tabs) {
        if (dock != row.tabs.front()) window.tabifyDockWidget(row.tabs.front(), dock);
        placed << dock;
      }
  QDockWidget* last = columns.back().rows.back().tabs.front();
  for (QDockWidget* dock : docks) {
    if (!placed.contains(dock)) window.tabifyDockWidget(last, dock);
    dock->setVisible(placed.contains(dock));
  }
  for (const Placed& column : columns)
    for (const Row& row : column.rows) row.tabs.front()->raise();
  window.resizeDocks(heads, widths, Qt::Horizontal);
  for (const Placed& column : columns) {
    QList<QDockWidget*> fronts;
    QList<int> heights;
    for (const Row& row : column.rows) {
      fronts << row.tabs.front();
      heights << window.height() * row.share / 100;
    }
    window.resizeDocks(fronts, heights, Qt::Vertical);
  }
}

}  // namespace bakery::workbench
