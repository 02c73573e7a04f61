// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/occupancy/occupancy_view.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

#include "views/common/qt_text.h"

namespace bakery::views {

namespace {

constexpr int kCardWidth = 210;

}  // namespace

OccupancyView::OccupancyView(const ViewContext& context, QWidget* parent)
    : QWidget(parent), context_(context), compiles_(Compiles::of(context.snapshots)) {
  setObjectName(QStringLiteral("occupancy_view"));
  state_ = new QLabel(this);
  state_->setObjectName(QStringLiteral("occupancy_state"));
  state_->setTextFormat(Qt::RichText);
  state_->setWordWrap(true);
  state_->setContentsMargins(10, 0, 10, 3);
  shapes_ = new QComboBox(this);
  shapes_->setObjectName(QStringLiteral("occupancy_shape"));
  shapes_->setEditable(true);
  shapes_->setInsertPolicy(QComboBox::NoInsert);
  shapes_->setMinimumWidth(140);
  shapes_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  shapes_->setMinimumContentsLength(30);
  shapes_->setAccessibleName(tr("Shape"));
  shapes_->lineEdit()->setAccessibleName(tr("Shape"));
  shapes_->setToolTip(tr("The shape that waves are counted for: the shown sample, one of a contract beside the schedule, or typed (M=4096, N=4096, K=512)"));
  compile_ = new QPushButton(tr("Compile"), this);
  compile_->setObjectName(QStringLiteral("occupancy_compile"));
  auto* top = new QHBoxLayout;
  top->setContentsMargins(10, 3, 8, 3);
  top->addWidget(shapes_, 1);
  top->addWidget(compile_);

  strip_ = new QWidget(this);
  grid_ = new QGridLayout(strip_);
  grid_->setContentsMargins(8, 2, 8, 8);
  grid_->setSpacing(6);
  scroll_ = new QScrollArea(this);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setWidget(strip_);
  scroll_->setFocusPolicy(Qt::NoFocus);
  empty_ = new QLabel(tr("No role is declared"), this);
  empty_->setContentsMargins(12, 6, 12, 6);
  empty_->setForegroundRole(QPalette::PlaceholderText);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(top);
  layout->addWidget(state_);
  layout->addWidget(empty_);
  layout->addWidget(scroll_, 1);
  setFocusProxy(shapes_);

  connect(shapes_, &QComboBox::currentIndexChanged, this, &OccupancyView::take_shape);
  connect(shapes_->lineEdit(), &QLineEdit::returnPressed, this, &OccupancyView::take_shape);
  connect(compile_, &QPushButton::clicked, this, [this] {
    if (compiles_.busy()) compiles_.cancel();
    else compiles_.request(context_.snapshots.shown().analysis);
  });
  connect(&compiles_, &Compiles::changed, this, &OccupancyView::fill);
  connect(&context_.document, &Document::path_changed, this, &OccupancyView::find_contracts);
  connect(&context_.snapshots, &Snapshots::changed, this, &OccupancyView::take_snapshot);
  connect(&context_.focus, &Focus::changed, this, &OccupancyView::take_lit);
  connect(&context_.focus, &Focus::lit_changed, this, &OccupancyView::take_lit);
  connect(&context_.theme, &Theme::changed, this, [this] {
    show_state();
    for (GaugeCard* card : cards_) card->update();
  });
  find_contracts();
  take_snapshot();
}

// The first entry is the shown sample; a contract's first shape is chosen where there is one.
void OccupancyView::find_contracts() {
  contracts_ = contract_shapes(to_utf8(context_.document.path()));
  const QSignalBlocker quiet(shapes_);
  shapes_->clear();
  shapes_->addItem(tr("the shown sample"));
  for (const GridShape& shape : contracts_) shapes_->addItem(to_qstring(shape.text + "  (" + shape.origin + ")"));
  shapes_->setCurrentIndex(contracts_.empty() ? 0 : 1);
  take_shape();
}

GridShape OccupancyView::shape() const {
  const int index = shapes_->currentIndex();
  if (index >= 0 && shapes_->currentText() == shapes_->itemText(index))
    return index == 0 ? shape_of_sample(context_.snapshots.shown()) : contracts_[static_cast<size_t>(index - 1)];
  return parse_shape(to_utf8(shapes_->currentText())).value_or(GridShape{to_utf8(shapes_->currentText()), "typed, but not as NAME=VALUE", {}});
}

void OccupancyView::take_shape() {
  shapes_->lineEdit()->setCursorPosition(0);
  fill();
}

void OccupancyView::take_snapshot() {
  const Analysis& analysis = context_.snapshots.analysis();
  stale_ = analysis.schedule.roles.empty() && !gauges_.empty() && !analysis.schedule.complete && analysis.source.line_count() > 1;
  if (stale_) {
    for (size_t i = 0; i < cards_.size() && i < gauges_.size(); ++i) cards_[i]->show_gauge(gauges_[i], true);
    show_state();
  } else {
    fill();
  }
}

void OccupancyView::fill() {
  if (stale_) return show_state();
  const Snapshot& shown = context_.snapshots.shown();
  const Compiles::Result* result = compiles_.of_analysis(shown.analysis.get());
  gauges_ = make_gauges(*shown.analysis, result && result->ok() ? result->compiled.get() : nullptr, shape());
  light(gauges_, context_.focus.lit());
  const bool more = cards_.size() != gauges_.size();
  while (cards_.size() < gauges_.size()) cards_.push_back(new GaugeCard(context_, strip_));
  while (cards_.size() > gauges_.size()) {
    delete cards_.back();
    cards_.pop_back();
  }
  for (size_t i = 0; i < cards_.size(); ++i) cards_[i]->show_gauge(gauges_[i], false);
  empty_->setVisible(gauges_.empty());
  scroll_->setVisible(!gauges_.empty());
  if (more) {
    columns_ = 0;
    arrange();
  }
  show_state();
}

void OccupancyView::arrange() {
  const int columns = std::clamp((width() - 16) / kCardWidth, 1, std::max(1, static_cast<int>(cards_.size())));
  if (columns == columns_) return;
  for (int c = 0; c < grid_->columnCount(); ++c) grid_->setColumnStretch(c, c < columns ? 1 : 0);
  for (int r = 0; r < grid_->rowCount(); ++r) grid_->setRowStretch(r, 0);
  columns_ = columns;
  for (size_t i = 0; i < cards_.size(); ++i) {
    grid_->addWidget(cards_[i], static_cast<int>(i) / columns, static_cast<int>(i) % columns);
    grid_->setColumnStretch(static_cast<int>(i) % columns, 1);
    cards_[i]->show();
  }
  grid_->setRowStretch(static_cast<int>(cards_.size() + columns - 1) / columns, 1);
}

void OccupancyView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

void OccupancyView::take_lit() {
  if (stale_) return;
  light(gauges_, context_.focus.lit());
  for (size_t i = 0; i < cards_.size(); ++i) cards_[i]->show_gauge(gauges_[i], false);
}

void OccupancyView::show_state() {
  const auto coloured = [&](Token token, const QString& text) {
    return QStringLiteral("<span style='color:%1'>%2</span>").arg(context_.theme.css(token), text.toHtmlEscaped());
  };
  const Compiles::Result* result = compiles_.of_analysis(context_.snapshots.shown().analysis.get());
  QString text;
  if (stale_) text = coloured(Token::error, tr("The text has no schedule; these are the last numbers"));
  else if (compiles_.busy()) text = coloured(Token::muted, tr("Compiling: %1…").arg(compiles_.progress()));
  else if (result && result->ok()) text = coloured(Token::muted, tr("Compiled by NVRTC %1: %2 registers a thread").arg(to_qstring(result->compiled->answer.nvrtc_version)).arg(result->compiled->registers));
  else if (result) text = coloured(Token::review, tr("Not compiled: %1").arg(result->trouble().remove(QLatin1Char('`'))));
  else text = coloured(Token::muted, tr("As declared; not compiled yet"));
  state_->setText(text);
  compile_->setText(compiles_.busy() ? tr("Stop") : tr("Compile"));
  compile_->setToolTip(compiles_.busy() ? tr("Stop the compiler") : tr("Compile the kernel in the worker process, for the registers that it really takes"));
}

GaugeCard* OccupancyView::card(const std::string& id) const {
  for (GaugeCard* card : cards_)
    if (card->gauge().id == id) return card;
  return nullptr;
}

}  // namespace bakery::views
