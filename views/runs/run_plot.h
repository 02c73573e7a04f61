// SPDX-License-Identifier: GPL-3.0-or-later
// One figure of the listed runs over time. The table beside it holds the same values.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QWidget>

#include <vector>

#include "views/common/tokens.h"
#include "views/runs/history.h"

class QCustomPlot;

namespace bakery::views {

// One curve: the runs of one schedule, shape and device, by time. Kinds are never mixed.
struct PlotSeries {
  std::string name;
  std::vector<const RunRow*> rows;   // with the figure, oldest first
};
// Of the rows that have the figure and a time; the largest ones first.
std::vector<PlotSeries> plot_series(const std::vector<const RunRow*>& rows, const std::string& figure);
// Names of the figures that some row has; spans first.
std::vector<std::string> plot_figures(const std::vector<const RunRow*>& rows);

class RunPlot : public QWidget {
  Q_OBJECT

 public:
  explicit RunPlot(const Theme& theme, QWidget* parent = nullptr);

  // The rows must live until the next call.
  void show_rows(std::vector<const RunRow*> rows);
  void select(int64_t run);          // 0: none
  QComboBox* figure() const { return figure_; }
  QLabel* caption() const { return caption_; }
  // Centre of the run's mark within this widget; null: it has none.
  QPointF place_of(int64_t run) const;
  const std::vector<PlotSeries>& series() const { return series_; }

 signals:
  void chosen(qint64 run);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Mark {
    const RunRow* row;
    double x, y;
    size_t series;
  };

  void draw();
  const Mark* mark_at(const QPointF& position) const;
  QString describe(const Mark& mark) const;

  const Theme& theme_;
  QComboBox* figure_;
  QLabel* caption_;
  QCustomPlot* plot_;
  std::vector<const RunRow*> rows_;
  std::vector<PlotSeries> series_;
  std::vector<Mark> marks_;
  QString wanted_;           // the figure that a person chose
  int64_t selected_ = 0;
};

}  // namespace bakery::views
