// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>

#include "views/common/glyph_icon.h"
#include "views/common/qt_text.h"
#include "views/common/rich_text.h"
#include "views/timeline/events_model.h"
#include "views/timeline/key_sheet.h"
#include "views/timeline/legend.h"
#include "views/timeline/timeline_canvas.h"

namespace bakery::views {

namespace {

constexpr int kMostCopied = 100'000;  // rows

QToolButton* text_button(QWidget* parent, const QString& text, const QString& tip) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  button->setFocusPolicy(Qt::TabFocus);
  button->setAutoRaise(true);
  return button;
}

}  // namespace

TimelineView::TimelineView(const ViewContext& context, QWidget* parent)
    : QWidget(parent), context_(context), canvas_(new TimelineCanvas(context, this)), events_(new EventsModel(this)) {
  setObjectName(QStringLiteral("timeline_view"));
  setFocusProxy(canvas_);
  selection_ = new QLabel(this);
  selection_->setObjectName(QStringLiteral("timeline_selection"));
  selection_->setTextFormat(Qt::RichText);
  selection_->setWordWrap(true);
  selection_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  totals_ = new QLabel(this);
  totals_->setObjectName(QStringLiteral("timeline_totals"));
  totals_->setTextFormat(Qt::RichText);
  totals_->setWordWrap(true);
  totals_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  totals_->setContentsMargins(10, 4, 10, 0);
  totals_->hide();
  note_ = new QLineEdit(this);
  note_->setObjectName(QStringLiteral("timeline_note"));
  note_->setPlaceholderText(tr("Note for the marked time; Enter keeps it, Esc drops it"));
  note_->setAccessibleName(tr("Note of the marker"));
  note_->installEventFilter(this);
  note_->hide();

  auto* split = new QSplitter(Qt::Vertical, this);
  split->setObjectName(QStringLiteral("timeline_splitter"));
  split->setChildrenCollapsible(false);
  split->addWidget(canvas_);
  split->addWidget(make_table());
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  auto* bottom = new QHBoxLayout;
  bottom->setContentsMargins(10, 4, 10, 2);
  bottom->addWidget(selection_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_top());
  layout->addWidget(make_filter_bar());
  layout->addWidget(make_banner());
  layout->addWidget(split, 1);
  layout->addWidget(note_);
  layout->addWidget(totals_);
  layout->addLayout(bottom);
  legend_ = new Legend(context_.theme, this);
  layout->addWidget(legend_);

  connect(canvas_, &TimelineCanvas::selection_changed, this, &TimelineView::show_selection);
  connect(canvas_, &TimelineCanvas::stale_changed, this, &TimelineView::show_caption);
  connect(canvas_, &TimelineCanvas::area_changed, this, &TimelineView::show_totals);
  connect(canvas_, &TimelineCanvas::replay_changed, this, &TimelineView::show_banner);
  connect(canvas_, &TimelineCanvas::told, this, [this](const QString& text) { selection_->setText(rich_text(to_utf8(text))); });
  connect(canvas_, &TimelineCanvas::note_wanted, this, &TimelineView::ask_note);
  connect(canvas_, &TimelineCanvas::table_wanted, this, [this] { show_table(!table_->isVisible()); });
  connect(canvas_, &TimelineCanvas::keys_wanted, this, [this] { (new KeySheet(context_.theme, this))->show(); });
  connect(canvas_, &TimelineCanvas::filter_wanted, this, [this] {
    filter_bar_->show();
    filter_->setFocus(Qt::ShortcutFocusReason);
    filter_->selectAll();
  });
  connect(canvas_, &TimelineCanvas::filter_changed, this, [this] {
    show_caption();
    show_filter_answer();
    if (table_->isVisible()) fill_table();
  });
  connect(&context_.theme, &Theme::changed, this, &TimelineView::show_filter_answer);
  show_caption();
  show_selection();
}

// A narrow view has its caption over the buttons; a low one leaves its room to the lanes.
void TimelineView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  top_->setDirection(width() < 900 ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  legend_->setVisible(height() >= 420);
}

QWidget* TimelineView::make_top() {
  auto* top = new QWidget(this);
  caption_ = new QLabel(top);
  caption_->setObjectName(QStringLiteral("timeline_caption"));
  caption_->setTextFormat(Qt::PlainText);
  caption_->setWordWrap(true);
  top_ = new QBoxLayout(QBoxLayout::LeftToRight, top);
  top_->setContentsMargins(10, 3, 6, 3);
  top_->setSpacing(0);
  top_->addWidget(caption_, 1);
  auto* row = new QHBoxLayout;
  row->setSpacing(0);
  top_->addLayout(row);
  const auto button = [&](Glyph glyph, const QString& tip, std::function<void()> act) {
    auto* b = new QToolButton(top);
    set_glyph(b, glyph, context_.theme);
    b->setToolTip(tip);
    b->setAccessibleName(tip);
    b->setFocusPolicy(Qt::TabFocus);
    connect(b, &QToolButton::clicked, this, act);
    row->addWidget(b);
  };
  button(Glyph::first, tr("First event (Home)"), [this] { canvas_->step_to_end(false); });
  button(Glyph::back, tr("Step back (J)"), [this] { canvas_->step(-1); });
  button(Glyph::forward, tr("Step forward (K)"), [this] { canvas_->step(1); });
  button(Glyph::last, tr("Last event (End)"), [this] { canvas_->step_to_end(true); });
  play_ = text_button(top, tr("Play"), tr("Play the steps (P)"));
  play_->setObjectName(QStringLiteral("timeline_play"));
  play_->setCheckable(true);
  connect(play_, &QToolButton::toggled, canvas_, &TimelineCanvas::set_playing);
  connect(canvas_, &TimelineCanvas::playing_changed, this, [this](bool on) {
    play_->setChecked(on);
    play_->setText(on ? tr("Stop") : tr("Play"));
  });
  row->addWidget(play_);
  auto* speed = new QComboBox(top);
  speed->setObjectName(QStringLiteral("timeline_speed"));
  speed->setAccessibleName(tr("Speed of playing"));
  speed->setToolTip(speed->accessibleName());
  for (const double factor : {0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0}) speed->addItem(tr("%1x").arg(factor), factor);
  speed->setCurrentIndex(3);
  connect(speed, &QComboBox::currentIndexChanged, this, [this, speed] { canvas_->set_speed(speed->currentData().toDouble()); });
  row->addWidget(speed);
  button(Glyph::zoom_out, tr("Zoom out (S, Ctrl+wheel)"), [this] { canvas_->zoom_by(1 / 1.25, canvas_->viewport_mapping().width / 2.0); });
  button(Glyph::zoom_in, tr("Zoom in (W, Ctrl+wheel)"), [this] { canvas_->zoom_by(1.25, canvas_->viewport_mapping().width / 2.0); });
  button(Glyph::fit, tr("Show the whole run (0)"), [this] { canvas_->fit_all(); });
  auto* filter = text_button(top, tr("Filter"), tr("Filter lanes and events (/)"));
  connect(filter, &QToolButton::clicked, canvas_, &TimelineCanvas::filter_wanted);
  row->addWidget(filter);
  table_button_ = text_button(top, tr("Table"), tr("The events as a table (T)"));
  table_button_->setObjectName(QStringLiteral("timeline_table_button"));
  table_button_->setCheckable(true);
  connect(table_button_, &QToolButton::toggled, this, &TimelineView::show_table);
  row->addWidget(table_button_);
  auto* keys = text_button(top, QStringLiteral("?"), tr("Keys of the timeline (?)"));
  connect(keys, &QToolButton::clicked, canvas_, &TimelineCanvas::keys_wanted);
  row->addWidget(keys);
  return top;
}

QWidget* TimelineView::make_filter_bar() {
  filter_bar_ = new QWidget(this);
  filter_ = new QLineEdit(filter_bar_);
  filter_->setObjectName(QStringLiteral("timeline_filter"));
  filter_->setAccessibleName(tr("Filter lanes and events"));
  filter_->setPlaceholderText(tr("words, or role:load barrier:full phase:1 stage:2 wait>20"));
  filter_->setToolTip(tr("Words look through roles, barriers, buffers and operations. Terms: role, barrier, buffer, engine, op, stage, "
                         "phase, completion, step, wait>N, and loop variables as k:3"));
  filter_->setClearButtonEnabled(true);
  filter_->installEventFilter(this);
  filter_answer_ = new QLabel(filter_bar_);
  filter_answer_->setObjectName(QStringLiteral("timeline_filter_answer"));
  filter_answer_->setWordWrap(true);
  threshold_ = new QSpinBox(filter_bar_);
  threshold_->setObjectName(QStringLiteral("timeline_threshold"));
  threshold_->setRange(1, 1'000'000);
  threshold_->setValue(static_cast<int>(canvas_->wait_threshold()));
  threshold_->setPrefix(tr("waits ≥ "));
  threshold_->setToolTip(tr("What > and < stop at: waits of so many steps"));
  threshold_->setAccessibleName(threshold_->toolTip());
  connect(threshold_, &QSpinBox::valueChanged, this, [this](int steps) { canvas_->set_wait_threshold(steps); });
  connect(filter_, &QLineEdit::textChanged, canvas_, &TimelineCanvas::set_filter);
  connect(filter_, &QLineEdit::returnPressed, this, [this] { canvas_->setFocus(); });
  auto* row = new QHBoxLayout(filter_bar_);
  row->setContentsMargins(10, 0, 6, 3);
  row->addWidget(filter_, 2);
  row->addWidget(filter_answer_, 1);
  row->addWidget(threshold_);
  filter_bar_->hide();
  return filter_bar_;
}

QWidget* TimelineView::make_banner() {
  banner_ = new QWidget(this);
  banner_->setObjectName(QStringLiteral("timeline_banner"));
  banner_->setAutoFillBackground(true);
  banner_text_ = new QLabel(banner_);
  banner_text_->setTextFormat(Qt::RichText);
  banner_text_->setWordWrap(true);
  auto* leave = text_button(banner_, tr("Leave"), tr("Leave the witness (Esc)"));
  auto* back = text_button(banner_, tr("Back"), tr("Step back (J)"));
  auto* on = text_button(banner_, tr("Forward"), tr("Step forward (K)"));
  connect(leave, &QToolButton::clicked, canvas_, &TimelineCanvas::leave_replay);
  connect(back, &QToolButton::clicked, this, [this] { canvas_->step(-1); });
  connect(on, &QToolButton::clicked, this, [this] { canvas_->step(1); });
  auto* row = new QHBoxLayout(banner_);
  row->setContentsMargins(10, 4, 6, 4);
  row->addWidget(banner_text_, 1);
  for (QToolButton* button : {back, on, leave}) row->addWidget(button, 0, Qt::AlignTop);
  const auto colour = [this] {
    QPalette palette = banner_->palette();
    palette.setColor(QPalette::Window, context_.theme[Token::error_line]);
    banner_->setPalette(palette);
  };
  connect(&context_.theme, &Theme::changed, banner_, colour);
  colour();
  banner_->hide();
  return banner_;
}

QWidget* TimelineView::make_table() {
  table_ = new QTableView(this);
  table_->setObjectName(QStringLiteral("timeline_table"));
  table_->setAccessibleName(tr("Events of the run"));
  table_->setModel(events_);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setWordWrap(false);
  table_->setFrameShape(QFrame::NoFrame);
  table_->setAlternatingRowColors(true);
  table_->setShowGrid(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
  const int widths[] = {8, 16, 48, 8, 12, 18, 9, 9, 7};
  for (int column = 0; column < EventsModel::column_count; ++column) table_->setColumnWidth(column, widths[column] * digit + 10);
  table_->horizontalHeader()->setSectionResizeMode(EventsModel::event_column, QHeaderView::Stretch);
  table_->horizontalHeader()->setMinimumSectionSize(40);
  table_->setToolTip(tr("Ctrl+C copies rows, Enter opens the source, T goes back to the picture"));
  table_->installEventFilter(this);
  table_->hide();
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
    if (!selecting_ && current.isValid()) canvas_->choose(events_->event_at(current.row()));
  });
  return table_;
}

bool TimelineView::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride) return QWidget::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const bool press = event->type() == QEvent::KeyPress;
  if (watched == filter_ && key->key() == Qt::Key_Escape) {
    if (press) {
      filter_->clear();
      filter_bar_->hide();
      canvas_->setFocus();
    }
    event->accept();
    return true;
  }
  if (watched == note_ && (key->key() == Qt::Key_Escape || key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter)) {
    if (press) {
      if (key->key() != Qt::Key_Escape) canvas_->add_marker({note_begin_, note_end_, note_->text().trimmed()});
      note_->hide();
      canvas_->setFocus();
    }
    event->accept();
    return true;
  }
  if (watched == table_) {
    if (key->matches(QKeySequence::Copy)) {
      if (press) copy_rows();
      event->accept();
      return true;
    }
    // What is no matter of a table is one of the picture: step, replay, filter, help …
    const bool own = key->modifiers() == Qt::NoModifier || key->modifiers() == Qt::ShiftModifier;
    const QString of_canvas = QStringLiteral("TJKEPR[]/?<>.,");
    const bool letter = own && !key->text().isEmpty() && of_canvas.contains(key->text().toUpper());
    if (press && (letter || key->key() == Qt::Key_Escape || key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter)) {
      QApplication::sendEvent(canvas_, event);
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void TimelineView::copy_rows() {
  QList<int> rows;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows()) rows << index.row();
  std::sort(rows.begin(), rows.end());
  QString text;
  const auto line = [&](auto&& cell) {
    for (int column = 0; column < EventsModel::column_count; ++column)
      text += (column > 0 ? QStringLiteral("\t") : QString()) + cell(column);
    text += QLatin1Char('\n');
  };
  line([&](int column) { return events_->headerData(column, Qt::Horizontal).toString(); });
  for (int i = 0; i < std::min<int>(kMostCopied, static_cast<int>(rows.size())); ++i)
    line([&](int column) { return events_->index(rows[i], column).data().toString(); });
  QApplication::clipboard()->setText(text);
  selection_->setText(rows.size() > kMostCopied ? tr("The first %L1 of %L2 rows are copied.").arg(kMostCopied).arg(rows.size())
                                                : tr("%L1 rows are copied.").arg(rows.size()));
}

void TimelineView::show_table(bool on) {
  table_->setVisible(on);
  const QSignalBlocker block(table_button_);
  table_button_->setChecked(on);
  if (on) {
    fill_table();
    table_->setFocus();
  } else {
    canvas_->setFocus();
  }
}

void TimelineView::fill_table() {
  selecting_ = true;
  events_->show(canvas_->snapshot(), canvas_->matches());
  selecting_ = false;
  select_in_table();
}

void TimelineView::select_in_table() {
  if (!table_->isVisible()) return;
  const int row = events_->row_of(canvas_->selected_event());
  selecting_ = true;
  if (row < 0) {
    table_->clearSelection();
  } else if (table_->currentIndex().row() != row) {
    table_->setCurrentIndex(events_->index(row, EventsModel::event_column));
    table_->scrollTo(table_->currentIndex());
  }
  selecting_ = false;
}

void TimelineView::show_filter_answer() {
  const QString answer = canvas_->filter_answer();
  filter_answer_->setText(answer.isEmpty() ? QString() : rich_text(to_utf8(answer)));
  filter_answer_->setStyleSheet(QStringLiteral("color: %1").arg(context_.theme.css(Token::error)));
}

void TimelineView::ask_note(qint64 begin, qint64 end) {
  note_begin_ = begin;
  note_end_ = end;
  note_->clear();
  note_->show();
  note_->setFocus();
}

void TimelineView::show_caption() {
  const Timeline& timeline = *canvas_->snapshot().timeline;
  if (timeline.lanes.empty()) {
    caption_->setText(tr("No run to show"));
    return;
  }
  QString text = tr("Logical run");
  if (!timeline.sample.empty()) text += tr(" with %1").arg(to_qstring(timeline.sample));
  text += tr(" · %L1 steps, %L2 events").arg(timeline.end).arg(timeline.events.size());
  text += timeline.truncated ? tr(", stopped at the event limit") : tr(", 0 dropped");
  if (canvas_->filtering())
    text += tr(" · %L1 bright").arg(std::count(canvas_->matches().begin(), canvas_->matches().end(), 1));
  if (canvas_->isolated()) text += tr(" · only %1").arg(to_qstring(to_text(*canvas_->isolated())));
  if (canvas_->stale()) text = tr("The text can't run as it stands; this is its last run. ") + text;
  caption_->setText(text);
}

void TimelineView::show_selection() {
  select_in_table();
  const Snapshot& data = canvas_->snapshot();
  const uint32_t event = canvas_->selected_event();
  if (event == kNoEvent) {
    selection_->setText(data.timeline->events.empty() ? QString() : tr("Click an event, or press K to step through the run. ? lists all keys."));
    return;
  }
  const TimelineEvent& e = data.timeline->events[event];
  selection_->setText(tr("Event %1: %2 · steps %3 to %4")
                          .arg(event + 1)
                          .arg(rich_text(describe(*data.analysis, *data.timeline, event)))
                          .arg(e.begin)
                          .arg(e.end));
}

void TimelineView::show_banner() {
  banner_->setVisible(canvas_->replay() != nullptr);
  banner_text_->setText(canvas_->replay_text());
  banner_text_->setAccessibleName(banner_text_->text());
}

void TimelineView::show_totals() {
  totals_->setVisible(canvas_->area().has_value());
  if (!canvas_->area()) return totals_->clear();
  const Area& area = *canvas_->area();
  const AreaTotals totals = canvas_->area_totals();
  const int64_t length = area.end - area.begin;
  const auto list = [&](const std::vector<AreaTotals::Named>& items, bool percent) {
    QStringList parts;
    for (const AreaTotals::Named& item : items)
      if (item.steps > 0)
        parts << to_qstring(item.name).toHtmlEscaped() + QStringLiteral("&nbsp;<b>%L1</b>").arg(item.steps) +
                     (percent ? QStringLiteral("&nbsp;(%1%)").arg(100 * item.steps / std::max<int64_t>(1, length)) : QString());
    return parts.isEmpty() ? tr("none") : parts.join(QStringLiteral(", "));
  };
  QString text = tr("<b>Area</b> steps %L1 to %L2: <b>%L3 steps</b> on %4 lanes, %L5 bars, %L6 iterations")
                     .arg(area.begin).arg(area.end).arg(length).arg(area.lanes.size()).arg(totals.bars).arg(totals.iterations);
  text += tr("<br>Busy: %1").arg(list(totals.busy, true));
  text += tr("<br>Waiting, by barrier: %1; by role: %2").arg(list(totals.wait_by_barrier, false), list(totals.wait_by_role, true));
  text += tr("<br>Moved: <b>%L1 bytes</b>").arg(totals.bytes);
  if (totals.engine_busy > 0)
    text += tr(" · engines busy %L1 steps, <b>%2%</b> of them beside a working role").arg(totals.engine_busy).arg(totals.overlap_percent());
  totals_->setText(text);
}

}  // namespace bakery::views
