// SPDX-License-Identifier: GPL-3.0-or-later
// Runs and candidates: the last run, and all that the store holds about earlier ones.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeWidget>
#include <QWidget>

#include <optional>

#include "views/common/task_thread.h"
#include "views/common/view_context.h"
#include "views/runs/comparison.h"
#include "views/runs/result_card.h"
#include "views/runs/run_plot.h"
#include "views/runs/runs_model.h"

namespace bakery::views {

class RunsView : public QWidget {
  Q_OBJECT

 public:
  RunsView(const ViewContext& context, QWidget* parent = nullptr);
  ~RunsView() override;

  QTextBrowser* card() const { return card_; }
  const ResultPage& page() const { return page_; }
  QTableView* table() const { return table_; }
  RunsModel* model() const { return model_; }
  QLineEdit* filter() const { return filter_; }
  RunPlot* plot() const { return plot_; }
  QTreeWidget* candidates() const { return tree_; }
  QTabWidget* tabs() const { return tabs_; }
  QLabel* note() const { return note_; }
  // True while the store is being read.
  bool loading() const { return loading_ > 0; }

  // Of the file that is open; read away from the window.
  void load();
  void import_receipts(const QString& path);
  QString export_rows(const QString& path);  // empty on success; .csv, else JSON

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void make_table();
  void make_tree();
  QToolButton* button(const QString& text, const QString& id, const QString& tip, void (RunsView::*act)());
  void show_result();
  std::optional<FocusState> place_behind(const QUrl& link) const;
  void take(History history);
  void fill_tree();
  void rows_changed();
  void selection_changed();
  std::vector<const RunRow*> listed() const;
  std::vector<const RunRow*> chosen() const;
  void open_chosen();
  void open_candidate(const std::string& hash);
  void compare_chosen();
  void ask_export();
  void ask_import();
  void refresh() { load(); }

  ViewContext context_;
  ResultPage page_;
  History history_;
  QTextBrowser* card_;
  QTabWidget* tabs_;
  QTableView* table_;
  RunsModel* model_;
  RunsFilter* rows_;
  QLineEdit* filter_;
  RunPlot* plot_;
  QTreeWidget* tree_;
  QLabel* note_;
  QToolButton* open_ = nullptr;
  QToolButton* compare_ = nullptr;
  QSplitter* splitter_;
  int loading_ = 0;
  TaskThread thread_;  // last: stops before the rest goes
};

}  // namespace bakery::views
