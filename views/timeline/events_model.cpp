// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/events_model.h"

#include <algorithm>

#include "views/common/qt_text.h"
#include "views/timeline/iterations.h"

namespace bakery::views {

void EventsModel::show(const Snapshot& snapshot, const std::vector<uint8_t>& matches) {
  beginResetModel();
  data_ = snapshot;
  all_ = matches.empty();
  rows_.clear();
  for (uint32_t e = 0; e < matches.size(); ++e)
    if (matches[e]) rows_.push_back(e);
  endResetModel();
}

uint32_t EventsModel::event_at(int row) const {
  if (row < 0 || row >= rowCount()) return UINT32_MAX;
  return all_ ? static_cast<uint32_t>(row) : rows_[static_cast<size_t>(row)];
}

int EventsModel::row_of(uint32_t event) const {
  if (!data_.timeline || event >= data_.timeline->events.size()) return -1;
  if (all_) return static_cast<int>(event);
  const auto it = std::lower_bound(rows_.begin(), rows_.end(), event);
  return it != rows_.end() && *it == event ? static_cast<int>(it - rows_.begin()) : -1;
}

int EventsModel::rowCount(const QModelIndex& parent) const {
  if (parent.isValid() || !data_.timeline) return 0;
  return static_cast<int>(all_ ? data_.timeline->events.size() : rows_.size());
}

int EventsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant EventsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const uint32_t e = event_at(index.row());
  if (e == UINT32_MAX) return {};
  const TimelineEvent& event = data_.timeline->events[e];
  const Schedule& schedule = data_.analysis->schedule;
  const bool numeric = index.column() != lane_column && index.column() != event_column && index.column() != iteration_column;
  if (role == Qt::TextAlignmentRole) return numeric ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole || role == Qt::AccessibleTextRole || (role == Qt::DisplayRole && index.column() == event_column)) {
    const QString text = to_qstring(describe(*data_.analysis, *data_.timeline, e)).remove(QLatin1Char('`'));
    if (role != Qt::DisplayRole) return QStringLiteral("%1, steps %2 to %3").arg(text).arg(event.begin).arg(event.end);
    return text;
  }
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case number_column: return e;
    case lane_column: {
      if (event.role < 0 || static_cast<size_t>(event.role) >= schedule.roles.size()) return {};
      const QString role_name = to_qstring(schedule.roles[static_cast<size_t>(event.role)].name);
      return event.warp == 0 ? role_name : tr("%1 (other warps)").arg(role_name);
    }
    case stage_column:
      if (event.barrier >= 0) return event.stage;
      return event.slot_view >= 0 ? QVariant(event.slot_stage) : QVariant();
    case completion_column: return event.completion > 0 ? QVariant(event.completion) : QVariant();
    case iteration_column:
      return event.iteration < data_.timeline->iterations.size() ? to_qstring(to_text(data_.timeline->iterations[event.iteration])) : QString();
    case begin_column: return static_cast<qlonglong>(event.begin);
    case end_column: return event.blocked ? QVariant(tr("never")) : QVariant(static_cast<qlonglong>(event.end));
    case line_column: return data_.analysis->source.position(event.span.begin).line;
    default: return {};
  }
}

QVariant EventsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case number_column: return tr("#");
    case lane_column: return tr("Role");
    case event_column: return tr("Event");
    case stage_column: return tr("Stage");
    case completion_column: return tr("Completion");
    case iteration_column: return tr("Iteration");
    case begin_column: return tr("Begin");
    case end_column: return tr("End");
    case line_column: return tr("Line");
    default: return {};
  }
}

}  // namespace bakery::views
