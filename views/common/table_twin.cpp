// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/table_twin.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>

#include <algorithm>

namespace bakery::views {

void TwinModel::set_rows(std::vector<QStringList> rows) {
  if (rows == rows_) return;
  const bool same_shape = rows.size() == rows_.size();
  if (!same_shape) beginResetModel();
  rows_ = std::move(rows);
  if (!same_shape) endResetModel();
  else if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int TwinModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }

int TwinModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(headers_.size()); }

QVariant TwinModel::data(const QModelIndex& index, int role) const {
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::AccessibleTextRole) return {};
  return rows_[static_cast<size_t>(index.row())].value(index.column());
}

QVariant TwinModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role == Qt::TextAlignmentRole) return static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
  return orientation == Qt::Horizontal && role == Qt::DisplayRole ? headers_.value(section) : QVariant();
}

TableTwin::TableTwin(const QString& name, const QStringList& headers, QWidget* parent)
    : QTableView(parent), model_(new TwinModel(headers, this)) {
  setAccessibleName(name);
  setModel(model_);
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setEditTriggers(NoEditTriggers);
  setFrameShape(NoFrame);
  setShowGrid(false);
  setAlternatingRowColors(true);
  setWordWrap(false);
  setTabKeyNavigation(false);
  setToolTip(tr("Ctrl+C copies, Enter goes to the text, T shows the picture again"));
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
  horizontalHeader()->setStretchLastSection(true);
  horizontalHeader()->setHighlightSections(false);
  connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    if (!quiet_ && now.isValid()) emit row_chosen(now.row());
  });
  connect(this, &QTableView::clicked, this, [this](const QModelIndex& at) { emit row_chosen(at.row()); });
  hide();
}

void TableTwin::set_rows(std::vector<QStringList> rows) {
  const bool fresh = model_->rows().size() != rows.size();
  quiet_ = true;
  model_->set_rows(std::move(rows));
  quiet_ = false;
  if (!fresh) return;
  resizeColumnsToContents();
  for (int column = 0; column + 1 < model_->columnCount(); ++column) setColumnWidth(column, std::min(columnWidth(column) + 12, 320));
}

void TableTwin::show_row(int row) {
  quiet_ = true;
  if (row < 0 || row >= model_->rowCount()) {
    clearSelection();
  } else if (currentIndex().row() != row || !selectionModel()->isRowSelected(row)) {
    selectRow(row);
    scrollTo(model_->index(row, 0));
  }
  quiet_ = false;
}

QString TableTwin::as_text() const {
  const QModelIndexList chosen = selectionModel()->selectedRows();
  std::vector<int> rows;
  for (const QModelIndex& index : chosen) rows.push_back(index.row());
  std::sort(rows.begin(), rows.end());
  if (rows.empty())
    for (int row = 0; row < model_->rowCount(); ++row) rows.push_back(row);
  QStringList lines, headings;
  for (int column = 0; column < model_->columnCount(); ++column)
    headings << model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  lines << headings.join(QLatin1Char('\t'));
  for (const int row : rows) lines << model_->rows()[static_cast<size_t>(row)].join(QLatin1Char('\t'));
  return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void TableTwin::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) {
    QApplication::clipboard()->setText(as_text());
  } else if (event->key() == Qt::Key_T || event->key() == Qt::Key_Escape) {
    emit closed();
  } else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentIndex().isValid()) {
    emit source_wanted(currentIndex().row());
  } else {
    QTableView::keyPressEvent(event);
    return;
  }
  event->accept();
}

}  // namespace bakery::views
