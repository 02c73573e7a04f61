// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/findings/findings_view.h"

#include <QAction>
#include <QEvent>
#include <QHeaderView>
#include <QVBoxLayout>

#include "views/findings/finding_card.h"
#include "views/findings/findings_model.h"

namespace bakery::views {

FindingsView::FindingsView(const ViewContext& context, QWidget* parent)
    : QWidget(parent), context_(context), model_(new FindingsModel(context.theme, this)) {
  setObjectName(QStringLiteral("findings_view"));
  list_ = new QTreeView(this);
  list_->setObjectName(QStringLiteral("findings_list"));
  list_->setAccessibleName(tr("Findings"));
  list_->setModel(model_);
  list_->setRootIsDecorated(true);
  list_->setIndentation(14);
  list_->setUniformRowHeights(true);
  list_->setAllColumnsShowFocus(true);
  list_->setFrameShape(QFrame::NoFrame);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setTextElideMode(Qt::ElideRight);
  list_->setExpandsOnDoubleClick(false);
  list_->header()->setStretchLastSection(true);
  list_->header()->setSectionsMovable(false);
  for (const int column : {FindingsModel::id_column, FindingsModel::place_column, FindingsModel::line_column})
    list_->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  setFocusProxy(list_);

  card_ = new FindingCard(context, this);
  splitter_ = new QSplitter(Qt::Vertical, this);
  splitter_->setObjectName(QStringLiteral("findings_splitter"));
  splitter_->setChildrenCollapsible(false);
  splitter_->setHandleWidth(4);
  splitter_->addWidget(list_);
  splitter_->addWidget(card_);
  splitter_->setStretchFactor(0, 1);
  splitter_->setStretchFactor(1, 2);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter_);

  connect(model_, &QAbstractItemModel::modelReset, this, [this] {
    for (int g = 0; g < model_->rowCount(); ++g) list_->setFirstColumnSpanned(g, {}, true);
    list_->expandAll();
  });
  connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& current) { if (!showing_focus_) take_click(current); });
  connect(list_, &QTreeView::clicked, this, &FindingsView::take_click);
  connect(&context_.snapshots, &Snapshots::changed, this, &FindingsView::take_snapshot);
  connect(&context_.focus, &Focus::changed, this, &FindingsView::take_focus);
  connect(&context_.focus, &Focus::lit_changed, this, &FindingsView::take_light);
  list_->setMouseTracking(true);
  list_->viewport()->installEventFilter(this);
  connect(list_, &QTreeView::entered, this, [this](const QModelIndex& index) { context_.focus.hover(focus_of(index)); });
  auto* replay = new QAction(tr("Replay the witness in the timeline"), this);
  replay->setShortcut(QKeySequence(Qt::SHIFT | Qt::Key_R));
  replay->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(replay, &QAction::triggered, card_, &FindingCard::replay);
  addAction(replay);
  take_snapshot();
}

bool FindingsView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == list_->viewport() && event->type() == QEvent::Leave) context_.focus.end_hover();
  return QWidget::eventFilter(watched, event);
}

void FindingsView::take_light() { model_->light(findings_at(context_.snapshots.analysis(), context_.focus.lit())); }

void FindingsView::take_snapshot() {
  showing_focus_ = true;
  model_->show(context_.snapshots.shown().analysis);
  showing_focus_ = false;
  take_focus();
}

// The chosen finding, else the first one that is at the focus.
void FindingsView::take_focus() {
  take_light();
  const FocusState& state = context_.focus.state();
  const Analysis& analysis = context_.snapshots.analysis();
  int wanted = state.finding;
  if (wanted < 0 && !state.empty()) {
    const auto lines = lines_of(analysis.source, state);
    for (size_t i = 0; i < analysis.findings.size() && wanted < 0; ++i) {
      const uint32_t line = analysis.source.position(analysis.findings[i].span.begin).line;
      if (lines && line >= lines->first && line <= lines->second) wanted = static_cast<int>(i);
    }
  }
  const QModelIndex index = model_->index_of_finding(wanted);
  showing_focus_ = true;
  if (index.isValid()) {
    list_->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    list_->scrollTo(index);
  } else {
    list_->selectionModel()->clear();
  }
  showing_focus_ = false;
}

FocusState FindingsView::focus_of(const QModelIndex& index) const {
  FocusState state;
  if (!index.isValid()) return state;
  const int finding = index.data(FindingsModel::finding_role).toInt();
  const int coverage = index.data(FindingsModel::coverage_role).toInt();
  if (finding >= 0)
    state = focus_on_finding(context_.snapshots.shown(), finding);
  else if (coverage >= 0 && static_cast<size_t>(coverage) < context_.snapshots.analysis().coverage.size())
    state = focus_on_span(context_.snapshots.analysis().coverage[static_cast<size_t>(coverage)].span);
  state.origin = Origin::findings;
  return state;
}

void FindingsView::take_click(const QModelIndex& index) {
  if (FocusState state = focus_of(index); !state.empty()) context_.focus.set(std::move(state));
}

void FindingsView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  list_->setColumnHidden(FindingsModel::place_column, width() < 560);  // the message needs the room
  splitter_->setOrientation(width() > 1.9 * height() && width() > 900 ? Qt::Horizontal : Qt::Vertical);
}

}  // namespace bakery::views
