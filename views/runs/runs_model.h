// SPDX-License-Identifier: GPL-3.0-or-later
// The history as a table: a row a run.
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QStringList>

#include <vector>

#include "views/common/tokens.h"
#include "views/runs/history.h"

namespace bakery::views {

class RunsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { time_column, status_column, kind_column, span_column, ratio_column, shape_column, schedule_column, hash_column,
                target_column, device_column, author_column, run_column_count };
  enum Role { sort_role = Qt::UserRole };

  explicit RunsModel(const Theme& theme, QObject* parent = nullptr);

  void show(std::vector<RunRow> rows);       // of the store; imported ones stay
  void add_imported(std::vector<RunRow> rows);
  const RunRow& row(int index) const { return rows_[static_cast<size_t>(index)]; }
  int index_of(int64_t id) const;            // -1: not there

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  QString text(const RunRow& row, int column) const;

  const Theme& theme_;
  std::vector<RunRow> rows_;
};

// Rows that hold every word of the filter in some column.
class RunsFilter : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit RunsFilter(QObject* parent = nullptr);
  void set_words(const QString& text);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  QStringList words_;
};

bool is_good_status(const std::string& status);
QString time_text(int64_t milliseconds);   // "" for 0
QString short_time(int64_t milliseconds);  // without this year

}  // namespace bakery::views
