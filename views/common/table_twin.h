// SPDX-License-Identifier: GPL-3.0-or-later
// What a painted view shows, as a table: for screen readers, and to copy from.
#pragma once

#include <QAbstractTableModel>
#include <QTableView>

#include <vector>

namespace bakery::views {

class TwinModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  TwinModel(const QStringList& headers, QObject* parent) : QAbstractTableModel(parent), headers_(headers) {}
  void set_rows(std::vector<QStringList> rows);
  const std::vector<QStringList>& rows() const { return rows_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QStringList headers_;
  std::vector<QStringList> rows_;
};

// Rows are those of the painted view, in its order.
class TableTwin : public QTableView {
  Q_OBJECT

 public:
  TableTwin(const QString& name, const QStringList& headers, QWidget* parent);

  void set_rows(std::vector<QStringList> rows);
  // Selects without telling; -1: none.
  void show_row(int row);
  // The selected rows, or all, with headings; tabs between cells.
  QString as_text() const;

 signals:
  void row_chosen(int row);     // a person went there
  void source_wanted(int row);  // Enter
  void closed();                // T or Esc

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  TwinModel* model_;
  bool quiet_ = false;
};

}  // namespace bakery::views
