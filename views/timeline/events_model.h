// SPDX-License-Identifier: GPL-3.0-or-later
// The events of a run as rows; what a filter lets through.
#pragma once

#include <QAbstractTableModel>

#include <vector>

#include "views/common/snapshots.h"

namespace bakery::views {

class EventsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { number_column, lane_column, event_column, stage_column, completion_column, iteration_column, begin_column, end_column, line_column, column_count };

  explicit EventsModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

  // `matches`: by event; empty: all.
  void show(const Snapshot& snapshot, const std::vector<uint8_t>& matches);
  uint32_t event_at(int row) const;
  int row_of(uint32_t event) const;  // -1: filtered out

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  Snapshot data_;
  bool all_ = true;
  std::vector<uint32_t> rows_;  // events, unless all are shown
};

}  // namespace bakery::views
