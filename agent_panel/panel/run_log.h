// SPDX-License-Identifier: GPL-3.0-or-later
// What the agent does: its plan, and below each step the tool calls with their answers. Plain text only.
#pragma once

#include <QTreeWidget>

#include <map>
#include <vector>

#include "agent_panel/harness/agent.h"
#include "views/common/tokens.h"

namespace bakery::panel {

class RunLog : public QTreeWidget {
  Q_OBJECT

 public:
  RunLog(const views::Theme& theme, QWidget* parent = nullptr);

  void clear_run();
  void show_plan(const std::vector<PlanStep>& plan);
  void show_tool(const ToolCall& tool);
  int tool_count() const { return static_cast<int>(tools_.size()); }

 private:
  void paint_step(int step);

  const views::Theme& theme_;
  std::vector<PlanStep> plan_;
  std::vector<QTreeWidgetItem*> steps_;
  std::map<int, QTreeWidgetItem*> tools_;
};

}  // namespace bakery::panel
