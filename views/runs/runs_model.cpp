// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/runs/runs_model.h"

#include <QDateTime>

#include "views/common/qt_text.h"
#include "views/common/runner.h"

namespace bakery::views {

bool is_good_status(const std::string& status) { return status == "correct" || status == "compiled" || status == "accepted"; }

QString time_text(int64_t milliseconds) {
  return milliseconds == 0 ? QString() : QDateTime::fromMSecsSinceEpoch(milliseconds).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

QString short_time(int64_t milliseconds) {
  const QDateTime time = QDateTime::fromMSecsSinceEpoch(milliseconds);
  return time.date().year() == QDate::currentDate().year() ? time.toString(QStringLiteral("MM-dd HH:mm:ss")) : time_text(milliseconds);
}

RunsModel::RunsModel(const Theme& theme, QObject* parent) : QAbstractTableModel(parent), theme_(theme) {
  connect(&theme_, &Theme::changed, this, [this] {
    if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, run_column_count - 1));
  });
}

void RunsModel::show(std::vector<RunRow> rows) {
  beginResetModel();
  for (RunRow& row : rows_)
    if (row.imported) rows.push_back(std::move(row));
  rows_ = std::move(rows);
  endResetModel();
}

void RunsModel::add_imported(std::vector<RunRow> rows) {
  if (rows.empty()) return;
  beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(rows.size()) - 1);
  std::move(rows.begin(), rows.end(), std::back_inserter(rows_));
  endInsertRows();
}

int RunsModel::index_of(int64_t id) const {
  for (size_t i = 0; i < rows_.size(); ++i)
    if (!rows_[i].imported && rows_[i].run.id == id) return static_cast<int>(i);
  return -1;
}

int RunsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }
int RunsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : run_column_count; }

QString RunsModel::text(const RunRow& row, int column) const {
  const StoredRun& run = row.run;
  const auto figure = [&](const char* name, const char* format) {
    const auto value = row.figure(name);
    return value ? QString::asprintf(format, *value) : QString();
  };
  switch (column) {
    case time_column: return run.ended == 0 ? tr("receipt") : short_time(run.ended);
    case kind_column: return to_qstring(run.kind);
    case schedule_column: return to_qstring(run.schedule);
    case hash_column: return to_qstring(run.candidate.substr(0, 8));
    case target_column: return to_qstring(row.target);
    case shape_column: return to_qstring(run.shape);
    case status_column: return to_qstring(run.status);
    case span_column: return figure("span_ms", "%.4f");
    case ratio_column: return figure("ratio", "%.3f");
    case device_column: return short_name(run.device);
    case author_column: return to_qstring(row.author);
    default: return {};
  }
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const RunRow& row = rows_[static_cast<size_t>(index.row())];
  const int column = index.column();
  switch (role) {
    case Qt::DisplayRole: return text(row, column);
    case sort_role:
      if (column == time_column) return QVariant::fromValue<qlonglong>(row.imported ? -1 : row.run.id);
      if (column == span_column || column == ratio_column) {
        const auto value = row.figure(column == span_column ? "span_ms" : "ratio");
        return value ? *value : -1.0;
      }
      return text(row, column);
    case Qt::TextAlignmentRole:
      return column == span_column || column == ratio_column ? int(Qt::AlignRight | Qt::AlignVCenter) : int(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ForegroundRole:
      if (column == status_column) return theme_[is_good_status(row.run.status) ? Token::ok : Token::error];
      if (column == hash_column || column == author_column) return theme_[Token::muted];
      return {};
    case Qt::FontRole:
      if (column == hash_column) return code_font();
      return {};
    case Qt::ToolTipRole: {
      if (column == hash_column) return to_qstring(row.run.candidate);
      if (column == time_column) return time_text(row.run.ended);
      if (column == device_column) return to_qstring(row.run.device + (row.run.driver.empty() ? "" : ", driver " + row.run.driver));
      QStringList lines = {text(row, column)};
      for (const StoredFinding& finding : row.run.findings) lines << to_qstring(finding.id + " line " + std::to_string(finding.line) + ": " + finding.message);
      return lines.join(QLatin1Char('\n'));
    }
    default: return {};
  }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= run_column_count) return {};
  const QString names[] = {tr("Time"), tr("Status"), tr("Kind"), tr("Span ms"), tr("Ratio"), tr("Shape"), tr("Schedule"), tr("Hash"), tr("Target"), tr("Device"), tr("Author")};
  const QString tips[] = {tr("When it ended"),
                          tr("How it ended"),
                          tr("run and bench: on the device; simulate: on the reference machine; compile: never ran"),
                          tr("Measured GPU time, median, of a clean build; never of logical steps"),
                          tr("The peer's span / this span; above 1 is faster than the peer"),
                          tr("Shape, and the inputs' distribution if it is not the contract's"),
                          tr("The schedule's name"),
                          tr("The candidate: hash of the text without comments"),
                          tr("Exact target"),
                          tr("Where it ran"),
                          tr("Who wrote the candidate")};
  static_assert(std::size(names) == run_column_count && std::size(tips) == run_column_count);
  if (role == Qt::DisplayRole) return names[section];
  if (role == Qt::ToolTipRole) return tips[section];
  return {};
}

RunsFilter::RunsFilter(QObject* parent) : QSortFilterProxyModel(parent) { setSortRole(RunsModel::sort_role); }

void RunsFilter::set_words(const QString& text) {
  words_ = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  invalidateFilter();
}

bool RunsFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  for (const QString& word : words_) {
    bool found = false;
    for (int column = 0; column < sourceModel()->columnCount() && !found; ++column)
      found = sourceModel()->index(row, column, parent).data().toString().contains(word, Qt::CaseInsensitive);
    if (!found) return false;
  }
  return true;
}

}  // namespace bakery::views
