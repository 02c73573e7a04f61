// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/runs/runs_view.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QResizeEvent>
#include <QShortcut>
#include <QTabBar>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <map>
#include <set>

#include "app/session/files.h"
#include "views/common/qt_text.h"
#include "views/common/rich_text.h"
#include "views/common/runner.h"

namespace bakery::views {

RunsView::RunsView(const ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
  setObjectName(QStringLiteral("runs_view"));
  card_ = new QTextBrowser(this);
  card_->setObjectName(QStringLiteral("run_result"));
  card_->setAccessibleName(tr("Result of the last run"));
  card_->setFrameShape(QFrame::NoFrame);
  card_->setOpenLinks(false);
  card_->setMinimumSize(160, 60);
  card_->document()->setDocumentMargin(8);

  make_table();
  make_tree();
  plot_ = new RunPlot(context_.theme, this);
  tabs_ = new QTabWidget(this);
  tabs_->setObjectName(QStringLiteral("runs_tabs"));
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName(tr("History, plot and candidates"));
  tabs_->tabBar()->setAccessibleName(tabs_->accessibleName());
  tabs_->addTab(table_, tr("History"));
  tabs_->addTab(plot_, tr("Plot"));
  tabs_->addTab(tree_, tr("Candidates"));

  filter_ = new QLineEdit(this);
  filter_->setObjectName(QStringLiteral("runs_filter"));
  filter_->setPlaceholderText(tr("Filter: words that a row must hold"));
  filter_->setAccessibleName(tr("Filter of the runs"));
  filter_->setToolTip(tr("Words that a row must hold, in any column (Ctrl+Shift+H)"));
  filter_->setClearButtonEnabled(true);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 3, 6, 3);
  bar->setSpacing(2);
  bar->addWidget(filter_, 1);
  open_ = button(tr("Open…"), QStringLiteral("runs_open"), tr("Shows the chosen candidate's text beside the editor's (Enter)"), &RunsView::open_chosen);
  compare_ = button(tr("Compare"), QStringLiteral("runs_compare"), tr("Compares the two chosen rows (Ctrl+click or Ctrl+Space chooses a second one)"), &RunsView::compare_chosen);
  for (QToolButton* b : {open_, compare_, button(tr("Export…"), QStringLiteral("runs_export"), tr("Writes the listed rows as CSV or JSON"), &RunsView::ask_export),
                         button(tr("Import…"), QStringLiteral("runs_import"), tr("Lists the lines of a receipt file (.jsonl), read-only"), &RunsView::ask_import),
                         button(tr("Reload"), QStringLiteral("runs_reload"), tr("Reads the store again"), &RunsView::refresh)})
    bar->addWidget(b);
  note_ = new QLabel(this);
  note_->setObjectName(QStringLiteral("runs_note"));
  note_->setTextFormat(Qt::RichText);
  note_->setWordWrap(true);
  note_->setContentsMargins(8, 2, 8, 4);
  note_->hide();
  auto* below = new QWidget(this);
  auto* column = new QVBoxLayout(below);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(note_);
  column->addWidget(tabs_, 1);

  splitter_ = new QSplitter(Qt::Vertical, this);
  splitter_->setObjectName(QStringLiteral("runs_splitter"));
  splitter_->setChildrenCollapsible(false);
  splitter_->setHandleWidth(4);
  splitter_->addWidget(card_);
  splitter_->addWidget(below);
  splitter_->setStretchFactor(0, 1);
  splitter_->setStretchFactor(1, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter_);
  setFocusProxy(card_);

  connect(card_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
    if (auto state = place_behind(link)) context_.focus.set(std::move(*state));
  });
  connect(card_, &QTextBrowser::highlighted, this, [this](const QUrl& link) {
    if (auto state = place_behind(link)) context_.focus.hover(std::move(*state));
    else context_.focus.end_hover();
  });
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    rows_->set_words(text);
    rows_changed();
  });
  connect(plot_, &RunPlot::chosen, this, [this](qint64 run) {
    const QModelIndex index = rows_->mapFromSource(model_->index(model_->index_of(run), 0));
    if (!index.isValid()) return;
    table_->selectRow(index.row());
    table_->scrollTo(index);
  });
  auto* find = new QShortcut(QKeySequence(QStringLiteral("Ctrl+Shift+H")), this);
  find->setContext(Qt::WidgetWithChildrenShortcut);
  connect(find, &QShortcut::activated, filter_, [this] { filter_->setFocus(); });
  connect(&context_.theme, &Theme::changed, this, [this] {
    show_result();
    fill_tree();
  });
  connect(&context_.snapshots, &Snapshots::changed, this, &RunsView::show_result);
  connect(&context_.document, &Document::path_changed, this, &RunsView::load);
  if (context_.runner) {
    connect(context_.runner, &Runner::finished, this, &RunsView::show_result);
    connect(context_.runner, &Runner::progressed, this, &RunsView::show_result);
    connect(context_.runner, &Runner::busy_changed, this, &RunsView::show_result);
    connect(context_.runner, &Runner::recorded, this, &RunsView::load);
  }
  show_result();
  selection_changed();
  load();
}

RunsView::~RunsView() = default;

void RunsView::make_table() {
  model_ = new RunsModel(context_.theme, this);
  rows_ = new RunsFilter(this);
  rows_->setSourceModel(model_);
  table_ = new QTableView(this);
  table_->setObjectName(QStringLiteral("runs_table"));
  table_->setAccessibleName(tr("Runs"));
  table_->setModel(rows_);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setAlternatingRowColors(true);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setFrameShape(QFrame::NoFrame);
  table_->setTabKeyNavigation(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(table_->fontMetrics().height() + 8);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_->setSortingEnabled(true);
  table_->sortByColumn(RunsModel::time_column, Qt::DescendingOrder);
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunsView::selection_changed);
  connect(table_, &QTableView::activated, this, &RunsView::open_chosen);
}

void RunsView::make_tree() {
  tree_ = new QTreeWidget(this);
  tree_->setObjectName(QStringLiteral("candidates_tree"));
  tree_->setAccessibleName(tr("Candidates, each below the one it was made from"));
  tree_->setHeaderLabels({tr("Candidate"), tr("Schedule"), tr("Target"), tr("Author"), tr("Runs"), tr("Last status"), tr("Best span ms"), tr("Made")});
  tree_->setFrameShape(QFrame::NoFrame);
  tree_->setUniformRowHeights(true);
  tree_->setAllColumnsShowFocus(true);
  tree_->setExpandsOnDoubleClick(false);
  connect(tree_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) { open_candidate(to_utf8(item->data(0, Qt::UserRole).toString())); });
  connect(tree_, &QTreeWidget::itemSelectionChanged, this, &RunsView::selection_changed);
}

QToolButton* RunsView::button(const QString& text, const QString& id, const QString& tip, void (RunsView::*act)()) {
  auto* b = new QToolButton(this);
  b->setText(text);
  b->setObjectName(id);
  b->setToolTip(tip);
  b->setAccessibleName(QString(text).remove(QStringLiteral("…")));
  b->setFocusPolicy(Qt::TabFocus);
  connect(b, &QToolButton::clicked, this, act);
  return b;
}

// ---- the result -------------------------------------------------------------------------

void RunsView::show_result() {
  const Runner* runner = context_.runner;
  if (runner && runner->busy()) {
    page_ = {progress_html(runner->progress(), runner->simulating(), context_.theme), {}};
  } else {
    const Analysis& now = context_.snapshots.analysis();
    page_ = result_page(runner ? runner->result().get() : nullptr, now.revision == 0 ? "" : now.hash, context_.theme);
  }
  if (card_->property("shown").toString() == page_.html) return;  // keeps scrolling and selection
  card_->setProperty("shown", page_.html);
  card_->setHtml(page_.html);
}

std::optional<FocusState> RunsView::place_behind(const QUrl& link) const {
  if (!context_.runner || !context_.runner->result()) return std::nullopt;
  bool ok = false;
  const size_t number = link.toString().section(QLatin1Char(':'), 1).toULongLong(&ok);
  if (!ok || number >= page_.places.size()) return std::nullopt;
  FocusState state = focus_on_place(page_.places[number], *context_.runner->result(), context_.snapshots.shown());
  state.origin = Origin::runs;
  return state;
}

// ---- the history ------------------------------------------------------------------------

void RunsView::load() {
  ++loading_;
  setProperty("pending", true);
  const QString file = context_.document.path().isEmpty() ? context_.document.file_name() : context_.document.path();
  thread_.post([this, file = to_utf8(file)](std::stop_token) {
    auto history = std::make_shared<History>(load_history(Store::look_for(file)));
    QMetaObject::invokeMethod(
        this, [this, history] {
          if (--loading_ > 0) return;
          setProperty("pending", false);
          take(std::move(*history));
        },
        Qt::QueuedConnection);
  });
}

void RunsView::take(History history) {
  int64_t kept = 0;
  if (const auto rows = chosen(); rows.size() == 1) kept = rows.front()->run.id;
  plot_->show_rows({});
  history_ = std::move(history);
  model_->show(std::move(history_.rows));
  history_.rows.clear();
  const bool first = table_->property("sized").isNull() && model_->rowCount() > 0;
  if (first) {
    table_->setProperty("sized", true);
    table_->resizeColumnsToContents();
  }
  const QModelIndex index = rows_->mapFromSource(model_->index(model_->index_of(kept), 0));
  if (kept != 0 && index.isValid()) table_->selectRow(index.row());
  note_->setText(history_.note.empty() ? QString() : rich_text(history_.note));
  note_->setVisible(!history_.note.empty());
  fill_tree();
  rows_changed();
}

void RunsView::fill_tree() {
  tree_->clear();
  struct Sum {
    int runs = 0;
    const StoredRun* last = nullptr;
    std::optional<double> best;
  };
  std::map<std::string, Sum> sums;
  for (int i = 0; i < model_->rowCount(); ++i) {
    const RunRow& row = model_->row(i);
    if (row.imported) continue;
    Sum& sum = sums[row.run.candidate];
    ++sum.runs;
    if (!sum.last || sum.last->id < row.run.id) sum.last = &row.run;
    if (const auto span = row.figure("span_ms"); span && is_good_status(row.run.status) && (!sum.best || *span < *sum.best)) sum.best = span;
  }
  // Oldest first, so that a parent is there before what was made from it.
  std::vector<const StoredCandidate*> all;
  for (const StoredCandidate& candidate : history_.candidates) all.push_back(&candidate);
  std::stable_sort(all.begin(), all.end(), [](const StoredCandidate* a, const StoredCandidate* b) { return a->created < b->created; });
  std::map<std::string, QTreeWidgetItem*> items;
  for (const StoredCandidate* c : all) {
    const auto parent = items.find(c->parent);
    auto* item = parent == items.end() ? new QTreeWidgetItem(tree_) : new QTreeWidgetItem(parent->second);
    const Sum& sum = sums[c->hash];
    const QStringList texts = {to_qstring(c->hash.substr(0, 8)), to_qstring(c->schedule), to_qstring(c->target), to_qstring(c->author), QString::number(sum.runs),
                               sum.last ? to_qstring(sum.last->status) : QString(), sum.best ? QString::number(*sum.best, 'f', 4) : QString(), time_text(c->created)};
    for (int column = 0; column < texts.size(); ++column) item->setText(column, texts[column]);
    item->setData(0, Qt::UserRole, to_qstring(c->hash));
    item->setFont(0, code_font());
    item->setToolTip(0, to_qstring(c->hash));
    if (sum.last) item->setForeground(5, context_.theme[is_good_status(sum.last->status) ? Token::ok : Token::error]);
    items[c->hash] = item;
  }
  tree_->expandAll();
  for (int column = 0; column < tree_->columnCount() - 1; ++column) tree_->resizeColumnToContents(column);
}

std::vector<const RunRow*> RunsView::listed() const {
  std::vector<const RunRow*> rows;
  for (int i = 0; i < rows_->rowCount(); ++i) rows.push_back(&model_->row(rows_->mapToSource(rows_->index(i, 0)).row()));
  return rows;
}

std::vector<const RunRow*> RunsView::chosen() const {
  std::vector<const RunRow*> rows;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows()) rows.push_back(&model_->row(rows_->mapToSource(index).row()));
  return rows;
}

void RunsView::rows_changed() {
  plot_->show_rows(listed());
  tabs_->setTabText(0, rows_->rowCount() == model_->rowCount() ? tr("History (%1)").arg(model_->rowCount())
                                                               : tr("History (%1 of %2)").arg(rows_->rowCount()).arg(model_->rowCount()));
  tabs_->setTabText(2, tr("Candidates (%1)").arg(history_.candidates.size()));
  selection_changed();
}

void RunsView::selection_changed() {
  const auto rows = chosen();
  plot_->select(rows.size() == 1 ? rows.front()->run.id : 0);
  open_->setEnabled((rows.size() == 1 && rows.front()->has_text) || !tree_->selectedItems().isEmpty());
  compare_->setEnabled(rows.size() == 2);
}

// ---- what is done with rows -------------------------------------------------------------

void RunsView::open_chosen() {
  const auto rows = chosen();
  if (tabs_->currentWidget() == tree_ && !tree_->selectedItems().isEmpty()) open_candidate(to_utf8(tree_->selectedItems().front()->data(0, Qt::UserRole).toString()));
  else if (rows.size() == 1 && rows.front()->has_text) open_candidate(rows.front()->run.candidate);
}

void RunsView::open_candidate(const std::string& hash) {
  const auto at = std::find_if(history_.candidates.begin(), history_.candidates.end(), [&](const StoredCandidate& c) { return c.hash == hash; });
  if (at == history_.candidates.end()) return;
  auto* dialog = new CandidateDialog(*at, context_.document.text(), context_.theme, this);
  connect(dialog, &CandidateDialog::wants_text, this, [this, hash](const QString& text) {
    const std::string before = context_.document.text();
    context_.document.apply({{{0, static_cast<uint32_t>(before.size())}, to_utf8(text)}});
    if (context_.runner) context_.runner->set_parent(hash);
  });
  dialog->show();
}

void RunsView::compare_chosen() {
  auto rows = chosen();
  if (rows.size() != 2) return;
  // The older one is A.
  if (rows[0]->run.ended > rows[1]->run.ended) std::swap(rows[0], rows[1]);
  const auto side = [this](const RunRow& row) {
    ComparedRun out{row, std::nullopt};
    for (const StoredCandidate& c : history_.candidates)
      if (c.hash == row.run.candidate) out.text = c.text;
    return out;
  };
  compare_->setEnabled(false);
  thread_.post([this, a = side(*rows[0]), b = side(*rows[1])](std::stop_token) {
    auto made = std::make_shared<Comparison>(compare_runs(a, b));
    QMetaObject::invokeMethod(
        this, [this, made] {
          selection_changed();
          (new ComparisonDialog(std::move(*made), context_.theme, this))->show();
        },
        Qt::QueuedConnection);
  });
}

QString RunsView::export_rows(const QString& path) {
  const auto rows = listed();
  const std::string text = path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive) ? to_csv(rows) : to_json(rows);
  const auto error = write_file(to_utf8(path), text);
  return error ? to_qstring(to_text(*error)) : QString();
}

void RunsView::ask_export() {
  const QString path = QFileDialog::getSaveFileName(this, tr("Export the listed runs"), QStringLiteral("runs.csv"), tr("CSV (*.csv);;JSON (*.json)"));
  if (path.isEmpty()) return;
  const QString error = export_rows(path);
  note_->setText(error.isEmpty() ? tr("Wrote %1").arg(path.toHtmlEscaped()) : rich_text(to_utf8(error)));
  note_->show();
}

void RunsView::import_receipts(const QString& path) {
  const FileText text = read_text_file(to_utf8(path));
  std::string problem;
  if (text.error) problem = to_text(*text.error);
  plot_->show_rows({});
  if (problem.empty()) model_->add_imported(read_receipts(text.text, problem));
  note_->setText(problem.empty() ? tr("Listed the receipts of %1; they are not in the store.").arg(path.toHtmlEscaped()) : rich_text(problem));
  note_->show();
  rows_changed();
}

void RunsView::ask_import() {
  const QString path = QFileDialog::getOpenFileName(this, tr("Receipts to list"), QString(), tr("Receipts (*.jsonl);;All files (*)"));
  if (!path.isEmpty()) import_receipts(path);
}

void RunsView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const Qt::Orientation wanted = width() > 1.9 * height() && width() > 800 ? Qt::Horizontal : Qt::Vertical;
  if (splitter_->orientation() == wanted) return;
  splitter_->setOrientation(wanted);
  splitter_->setSizes(wanted == Qt::Horizontal ? QList<int>{width() * 45 / 100, width() * 55 / 100} : QList<int>{height() / 2, height() / 2});
}

}  // namespace bakery::views
