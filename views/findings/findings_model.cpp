// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/findings/findings_model.h"

#include <QBrush>
#include <QFont>

#include <algorithm>
#include <utility>

#include "views/common/qt_text.h"

namespace bakery::views {

namespace {

constexpr quintptr kGroup = ~quintptr{0};

QString plain(const std::string& message) { return to_qstring(message).remove(QLatin1Char('`')); }

}  // namespace

std::vector<int> findings_at(const Analysis& analysis, const FocusState& focus) {
  if (focus.finding >= 0) return {focus.finding};
  std::vector<int> found;
  const auto lines = lines_of(analysis.source, focus);
  const auto at_stage = [](int wanted, const std::optional<int>& stage) { return wanted < 0 || !stage || *stage == wanted; };
  for (size_t i = 0; i < analysis.findings.size(); ++i) {
    const Finding& f = analysis.findings[i];
    const uint32_t line = analysis.source.position(f.span.begin).line;
    const bool here = lines && line >= lines->first && line <= lines->second;
    const bool barrier = !focus.barrier.empty() && f.resource == focus.barrier && at_stage(focus.stage, f.stage);
    const bool buffer = !focus.buffer.empty() && f.resource == focus.buffer && at_stage(focus.slot, f.stage);
    if (here || barrier || buffer) found.push_back(static_cast<int>(i));
  }
  return found;
}

FindingsModel::FindingsModel(const Theme& theme, QObject* parent)
    : QAbstractItemModel(parent), theme_(theme), analysis_(std::make_shared<Analysis>()) {
  connect(&theme, &Theme::changed, this, [this] {
    for (int g = 0; g < rowCount(); ++g) {
      const QModelIndex group = index(g, 0);
      emit dataChanged(group, index(g, column_count - 1));
      if (rowCount(group) > 0) emit dataChanged(index(0, 0, group), index(rowCount(group) - 1, column_count - 1, group));
    }
  });
}

std::vector<FindingsModel::Group> FindingsModel::group(const Analysis& analysis) const {
  std::vector<Group> groups;
  for (const Severity severity : {Severity::error, Severity::review, Severity::hint}) {
    Group g{mark_of(severity), {}};
    for (size_t i = 0; i < analysis.findings.size(); ++i)
      if (analysis.findings[i].severity == severity) g.rows.push_back({static_cast<int>(i), -1});
    if (!g.rows.empty()) groups.push_back(std::move(g));
  }
  Group uncovered{SeverityMark::uncovered, {}};
  for (size_t i = 0; i < analysis.coverage.size(); ++i) uncovered.rows.push_back({-1, static_cast<int>(i)});
  if (!uncovered.rows.empty()) groups.push_back(std::move(uncovered));
  return groups;
}

void FindingsModel::show(std::shared_ptr<const Analysis> analysis) {
  std::vector<Group> next = group(*analysis);
  const auto same_ids = [&](const Group& a, const Group& b) {
    return a.mark == b.mark && std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(),
                                          [&](const Row& x, const Row& y) {
                                            if ((x.finding < 0) != (y.finding < 0)) return false;
                                            return x.finding < 0
                                                       ? analysis_->coverage[x.coverage].id == analysis->coverage[y.coverage].id
                                                       : analysis_->findings[x.finding].id == analysis->findings[y.finding].id;
                                          });
  };
  if (std::equal(groups_.begin(), groups_.end(), next.begin(), next.end(), same_ids)) {
    groups_ = std::move(next);
    analysis_ = std::move(analysis);
    for (int g = 0; g < rowCount(); ++g) {
      const QModelIndex group = index(g, 0);
      emit dataChanged(index(0, 0, group), index(rowCount(group) - 1, column_count - 1, group));
    }
    return;
  }
  beginResetModel();
  groups_ = std::move(next);
  analysis_ = std::move(analysis);
  endResetModel();
}

QModelIndex FindingsModel::index_of_finding(int finding) const {
  for (size_t g = 0; g < groups_.size(); ++g)
    for (size_t r = 0; r < groups_[g].rows.size(); ++r)
      if (finding >= 0 && groups_[g].rows[r].finding == finding)
        return createIndex(static_cast<int>(r), 0, static_cast<quintptr>(g));
  return {};
}

void FindingsModel::light(std::vector<int> findings) {
  if (findings == lit_) return;
  std::vector<int> touched = std::exchange(lit_, std::move(findings));
  touched.insert(touched.end(), lit_.begin(), lit_.end());
  for (const int finding : touched)
    if (const QModelIndex first = index_of_finding(finding); first.isValid())
      emit dataChanged(first, first.siblingAtColumn(column_count - 1), {Qt::BackgroundRole});
}

int FindingsModel::count(SeverityMark mark) const {
  for (const Group& g : groups_)
    if (g.mark == mark) return static_cast<int>(g.rows.size());
  return 0;
}

QModelIndex FindingsModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) : kGroup);
}

QModelIndex FindingsModel::parent(const QModelIndex& child) const {
  if (!child.isValid() || child.internalId() == kGroup) return {};
  return createIndex(static_cast<int>(child.internalId()), 0, kGroup);
}

int FindingsModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return static_cast<int>(groups_.size());
  if (parent.internalId() != kGroup || parent.column() != 0) return 0;
  return static_cast<int>(groups_[static_cast<size_t>(parent.row())].rows.size());
}

int FindingsModel::columnCount(const QModelIndex&) const { return column_count; }

QVariant FindingsModel::group_data(const Group& group, int column, int role) const {
  if (column != 0) return {};
  switch (role) {
    case Qt::DisplayRole: return QStringLiteral("%1 (%2)").arg(title_of(group.mark)).arg(group.rows.size());
    case Qt::ForegroundRole: return QBrush(theme_[Token::muted]);
    case Qt::FontRole: {
      QFont font;
      font.setBold(true);
      return font;
    }
    default: return {};
  }
}

QVariant FindingsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (index.internalId() == kGroup) {
    const Group& g = groups_[static_cast<size_t>(index.row())];
    if (role == finding_role || role == coverage_role) return -1;
    return group_data(g, index.column(), role);
  }
  const Group& g = groups_[static_cast<size_t>(index.internalId())];
  const Row row = g.rows[static_cast<size_t>(index.row())];
  if (role == finding_role) return row.finding;
  if (role == coverage_role) return row.coverage;
  const Finding* finding = row.finding >= 0 ? &analysis_->findings[row.finding] : nullptr;
  const Coverage* coverage = row.coverage >= 0 ? &analysis_->coverage[row.coverage] : nullptr;
  const Span span = finding ? finding->span : coverage->span;
  const std::string& message = finding ? finding->message : coverage->message;
  switch (role) {
    case Qt::DisplayRole:
      switch (index.column()) {
        case id_column: return to_qstring(finding ? finding->id : coverage->id);
        case place_column: return finding ? to_qstring(place(*finding)) : QString();
        case line_column: return analysis_->source.position(span.begin).line;
        case message_column: return plain(message);
        default: return {};
      }
    case Qt::ToolTipRole: return plain(message);
    case Qt::DecorationRole: return index.column() == id_column ? QVariant(severity_icon(g.mark, theme_.id())) : QVariant();
    case Qt::ForegroundRole: return index.column() == id_column ? QVariant(QBrush(theme_[token_of(g.mark)])) : QVariant();
    case Qt::BackgroundRole:
      return finding && std::find(lit_.begin(), lit_.end(), row.finding) != lit_.end() ? QVariant(QBrush(theme_[Token::lane_lit])) : QVariant();
    case Qt::TextAlignmentRole:
      return index.column() == line_column ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::AccessibleTextRole:
      return QStringLiteral("%1, line %2: %3").arg(title_of(g.mark)).arg(analysis_->source.position(span.begin).line).arg(plain(message));
    default: return {};
  }
}

QVariant FindingsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case id_column: return tr("Finding");
    case place_column: return tr("Place");
    case line_column: return tr("Line");
    case message_column: return tr("What was seen");
    default: return {};
  }
}

Qt::ItemFlags FindingsModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  if (index.internalId() == kGroup) return Qt::ItemIsEnabled;
  return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
}

}  // namespace bakery::views
