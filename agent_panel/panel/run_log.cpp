// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent_panel/panel/run_log.h"

#include <QHeaderView>

#include "views/common/qt_text.h"

namespace bakery::panel {

using views::Token;
using views::to_qstring;

namespace {

constexpr qsizetype kMostAnswer = 20000;  // characters shown of one answer

}  // namespace

RunLog::RunLog(const views::Theme& theme, QWidget* parent) : QTreeWidget(parent), theme_(theme) {
  setObjectName(QStringLiteral("agent_log"));
  setAccessibleName(tr("Plan and tool calls"));
  setToolTip(tr("The agent's plan; open a step for its tool calls, and a call for its answer"));
  setHeaderHidden(true);
  setColumnCount(1);
  setIndentation(14);
  setFrameShape(QFrame::NoFrame);
  setTextElideMode(Qt::ElideRight);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  connect(&theme_, &views::Theme::changed, this, [this] {
    for (int i = 0; i < static_cast<int>(steps_.size()); ++i) paint_step(i);
  });
}

void RunLog::clear_run() {
  clear();
  plan_.clear();
  steps_.clear();
  tools_.clear();
}

void RunLog::paint_step(int step) {
  const PlanStep& planned = plan_[static_cast<size_t>(step)];
  QTreeWidgetItem* item = steps_[static_cast<size_t>(step)];
  const char* state = planned.state == StepState::done     ? "✓ "
                      : planned.state == StepState::active ? "▶ "
                      : planned.state == StepState::failed ? "✗ "
                                                           : "○ ";
  item->setText(0, QString::fromUtf8(state) + to_qstring(planned.title).remove(QLatin1Char('`')));
  const Token token = planned.state == StepState::done     ? Token::ok
                      : planned.state == StepState::active ? Token::accent
                      : planned.state == StepState::failed ? Token::error
                                                           : Token::muted;
  item->setForeground(0, theme_[token]);
  QFont font = item->font(0);
  font.setBold(planned.state == StepState::active);
  item->setFont(0, font);
}

void RunLog::show_plan(const std::vector<PlanStep>& plan) {
  plan_ = plan;
  while (steps_.size() < plan.size()) {
    steps_.push_back(new QTreeWidgetItem(this));
    steps_.back()->setExpanded(false);
  }
  for (int i = 0; i < static_cast<int>(plan.size()); ++i) {
    paint_step(i);
    if (plan[static_cast<size_t>(i)].state == StepState::active) scrollToItem(steps_[static_cast<size_t>(i)]);
  }
}

void RunLog::show_tool(const ToolCall& tool) {
  QTreeWidgetItem*& item = tools_[tool.id];
  if (!item) {
    const bool known = tool.step >= 0 && tool.step < static_cast<int>(steps_.size());
    item = known ? new QTreeWidgetItem(steps_[static_cast<size_t>(tool.step)]) : new QTreeWidgetItem(this);
  }
  const QString call = to_qstring(tool.name + " " + tool.arguments);
  item->setText(0, tool.answered ? QStringLiteral("%1  (%2 ms)").arg(call, QString::number(tool.milliseconds, 'f', 1)) : call + QStringLiteral("  …"));
  item->setToolTip(0, call);
  if (!tool.answered) return;
  QString answer = to_qstring(tool.answer);
  if (answer.size() > kMostAnswer) answer = answer.left(kMostAnswer) + tr("\n… %1 more characters").arg(answer.size() - kMostAnswer);
  auto* below = new QTreeWidgetItem(item);
  below->setText(0, answer.trimmed());
  below->setFont(0, views::code_font());
}

}  // namespace bakery::panel
