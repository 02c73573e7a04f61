// SPDX-License-Identifier: GPL-3.0-or-later
// Findings and coverage as a tree: a group a severity, a row a finding.
#pragma once

#include <QAbstractItemModel>

#include <memory>
#include <vector>

#include "app/session/analysis.h"
#include "views/common/focus.h"
#include "views/common/severity_mark.h"

namespace bakery::views {

// Those that belong to what is in the focus: the finding itself, else the same lines or resource.
std::vector<int> findings_at(const Analysis& analysis, const FocusState& focus);

class FindingsModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { id_column, place_column, line_column, message_column, column_count };
  enum Role { finding_role = Qt::UserRole, coverage_role };  // index into Analysis::findings / coverage, else -1

  explicit FindingsModel(const Theme& theme, QObject* parent = nullptr);

  // Keeps rows (and so selection and folding) when the same findings come again.
  void show(std::shared_ptr<const Analysis> analysis);
  QModelIndex index_of_finding(int finding) const;
  int count(SeverityMark mark) const;
  // Rows that are lit: indices into Analysis::findings.
  void light(std::vector<int> findings);

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  struct Row {
    int finding = -1, coverage = -1;
  };
  struct Group {
    SeverityMark mark;
    std::vector<Row> rows;
  };

  std::vector<Group> group(const Analysis& analysis) const;
  QVariant group_data(const Group& group, int column, int role) const;

  const Theme& theme_;
  std::shared_ptr<const Analysis> analysis_;
  std::vector<Group> groups_;  // none is empty
  std::vector<int> lit_;
};

}  // namespace bakery::views
