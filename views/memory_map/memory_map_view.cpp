// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory_map/memory_map_view.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

#include "views/common/qt_text.h"
#include "views/common/severity_mark.h"
#include "views/common/view_requests.h"

namespace bakery::views {

namespace {

constexpr int kRight = 14;         // free pixels right of the axis
constexpr double kBarrierWidth = 22;

bool heading(const MemoryRow& row) {
  return row.kind == RowKind::total || row.kind == RowKind::pool || row.kind == RowKind::columns;
}

QString joined(const std::vector<std::string>& names) {
  QStringList list;
  for (const std::string& name : names) list << to_qstring(name).toHtmlEscaped();
  return list.isEmpty() ? QStringLiteral("nobody") : list.join(QStringLiteral(", "));
}

}  // namespace

MemoryMapView::MemoryMapView(const ViewContext& context, QWidget* parent)
    : QAbstractScrollArea(parent), context_(context), data_(context.snapshots.shown()) {
  setObjectName(QStringLiteral("memory_map_view"));
  setFocusPolicy(Qt::StrongFocus);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Memory map"));
  viewport()->setMouseTracking(true);
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
  connect(&context_.snapshots, &Snapshots::changed, this, &MemoryMapView::take_snapshot);
  table_ = new TableTwin(tr("Memory map as a table"), {tr("Name"), tr("Stage"), tr("From"), tr("To"), tr("Bytes"), tr("Facts"), tr("Overlap")}, this);
  table_->setObjectName(QStringLiteral("memory_map_table"));
  connect(table_, &TableTwin::closed, this, [this] { show_table(false); });
  connect(table_, &TableTwin::row_chosen, this, [this](int row) { choose(table_rows_[static_cast<size_t>(row)]); });
  connect(table_, &TableTwin::source_wanted, this, [this](int row) { go_to_source(table_rows_[static_cast<size_t>(row)]); });
  connect(&context_.focus, &Focus::changed, this, &MemoryMapView::take_focus);
  connect(&context_.focus, &Focus::lit_changed, this, &MemoryMapView::take_lit);
  connect(&context_.theme, &Theme::changed, viewport(), qOverload<>(&QWidget::update));
  measure();
  take_snapshot();
}

// ---- what is shown ----------------------------------------------------------------------

void MemoryMapView::take_snapshot() {
  const Snapshot& next = context_.snapshots.shown();
  MemoryMap map = make_memory_map(*next.analysis);
  stale_ = map.rows.empty() && !map_.rows.empty() && !next.analysis->schedule.complete && next.analysis->source.line_count() > 1;
  if (!stale_) {
    data_ = next;
    map_ = std::move(map);
    hover_ = {};
    if (current_.row >= static_cast<int>(map_.rows.size())) current_ = {};
    if (current_.row >= 0 && current_.cell >= static_cast<int>(map_.rows[current_.row].cells.size())) current_.cell = -1;
    measure();
    if (!table_->isHidden()) fill_table();
  }
  take_focus();
}

void MemoryMapView::take_lit() {
  if (!stale_) data_ = context_.snapshots.shown();
  lighting_ = light(map_, data_, stale_ ? FocusState{} : context_.focus.lit());
  viewport()->update();
}

void MemoryMapView::take_focus() {
  take_lit();
  select_in_table();
  if (stale_ || context_.focus.state().origin == Origin::memory_map) return;
  for (size_t r = 0; r < lighting_.rows.size(); ++r)
    if (lighting_.rows[r]) return reveal(static_cast<int>(r));
}

// ---- as a table -------------------------------------------------------------------------

void MemoryMapView::fill_table() {
  std::vector<QStringList> rows;
  table_rows_.clear();
  for (int r = 0; r < static_cast<int>(map_.rows.size()); ++r) {
    const MemoryRow& row = map_.rows[r];
    const bool columns = row.kind == RowKind::columns || row.kind == RowKind::tmem;
    const auto place = [&](int64_t at) { return columns ? tr("column %1").arg(at) : to_qstring(hex_text(at)); };
    const auto add = [&](int cell, const QString& name, const QString& stage, int64_t begin, int64_t end, const QString& overlap) {
      const bool range = end > begin;
      rows.push_back({name, stage, range ? place(begin) : QString(), range ? place(end) : QString(),
                      range && !columns ? QString::number(end - begin) : QString(), to_qstring(row.facts), overlap});
      table_rows_.push_back({r, cell});
    };
    if (row.cells.empty() || row.kind == RowKind::total) {
      add(-1, to_qstring(row.name), {}, 0, row.kind == RowKind::total ? map_.used : 0, {});
      continue;
    }
    for (int c = 0; c < static_cast<int>(row.cells.size()); ++c) {
      const MemoryCell& cell = row.cells[c];
      QString overlap;
      for (const auto& [begin, end] : row.overlaps)
        if (begin < cell.end && cell.begin < end) overlap += tr("%1 bytes from %2 ").arg(end - begin).arg(to_qstring(hex_text(begin)));
      add(c, to_qstring(cell.name.empty() ? row.name : cell.name), cell.stage >= 0 ? QString::number(cell.stage) : QString(), cell.begin, cell.end, overlap);
    }
  }
  table_->set_rows(std::move(rows));
}

void MemoryMapView::select_in_table() {
  if (table_->isHidden()) return;
  for (size_t i = 0; i < table_rows_.size(); ++i) {
    const Hit at = table_rows_[i];
    if (context_.focus.state().origin == Origin::memory_map ? at == current_ : at.cell >= 0 && lighting_.cells[at.row][at.cell])
      return table_->show_row(static_cast<int>(i));
  }
  if (context_.focus.state().origin != Origin::memory_map) table_->show_row(-1);
}

void MemoryMapView::show_table(bool table) {
  table_->setVisible(table);
  if (!table) return setFocus();
  fill_table();
  table_->setGeometry(rect());
  table_->raise();
  table_->setFocus();
  select_in_table();
}

void MemoryMapView::contextMenuEvent(QContextMenuEvent* event) {
  const Hit at = event->reason() == QContextMenuEvent::Mouse ? hit(event->pos()) : current_;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  QAction* source = menu->addAction(tr("Go to the text\tEnter"));
  source->setEnabled(at.row >= 0 && can_choose(at.row));
  connect(source, &QAction::triggered, this, [this, at] { go_to_source(at); });
  connect(menu->addAction(tr("Show as a table\tT")), &QAction::triggered, this, [this] { show_table(true); });
  menu->popup(event->globalPos());
}

void MemoryMapView::go_to_source(Hit at) {
  if (at.row < 0 || !can_choose(at.row)) return;
  choose(at);
  ViewRequests::of(context_.focus).show_view(QStringLiteral("editor"));
}

// ---- measures ---------------------------------------------------------------------------

int MemoryMapView::row_height() const { return fontMetrics().height() + 7; }
int MemoryMapView::axis_height() const { return QFontMetrics(small_).height() + 5; }

// A pool's and the tensor memory's heading carry the axis of what is below them.
int MemoryMapView::row_top(int row) const { return 4 + row * row_height(); }

int MemoryMapView::rows_height() const { return row_top(static_cast<int>(map_.rows.size())) + 6; }

void MemoryMapView::measure() {
  small_ = font();
  small_.setPointSizeF(std::max(7.5, font().pointSizeF() - 1));
  QFont bold = font();
  bold.setBold(true);
  const QFontMetrics names(bold), facts(small_);
  int name = 0, fact = 0;
  for (const MemoryRow& row : map_.rows) {
    name = std::max(name, names.horizontalAdvance(to_qstring(row.name)) + (heading(row) ? 0 : 12) + (row.wrong ? 18 : 0));
    fact = std::max(fact, facts.horizontalAdvance(to_qstring(row.facts)));
  }
  names_ = std::min(name, 190);
  header_ = std::min({10 + names_ + 14 + fact + 12, 420, std::max(120, viewport()->width() / 2)});
  QScrollBar* bar = verticalScrollBar();
  bar->setSingleStep(row_height());
  bar->setPageStep(viewport()->height());
  bar->setRange(0, std::max(0, rows_height() - viewport()->height()));
}

double MemoryMapView::x_of(const MemoryRow& row, int64_t at) const {
  const bool columns = row.kind == RowKind::tmem || row.kind == RowKind::columns;
  const int64_t end = columns ? map_.columns : row.kind == RowKind::total ? std::max(map_.limit, map_.used) : map_.end;
  const double width = viewport()->width() - header_ - kRight;
  return header_ + 1 + (end > 0 ? width * static_cast<double>(at) / static_cast<double>(end) : 0);
}

QRectF MemoryMapView::cell_box(int r, int c) const {
  const MemoryRow& row = map_.rows[r];
  const MemoryCell& cell = row.cells[c];
  const double y = row_top(r) - verticalScrollBar()->value() + 2.5;
  const double h = row_height() - 5;
  if (row.kind == RowKind::compiler) {
    // 8 bytes would be less than a pixel: barriers stand side by side behind their names, not to scale.
    const QFontMetrics metrics(small_);
    double total = 0, left = 0;
    for (size_t i = 0; i < row.cells.size(); ++i) {
      if (i == 0 || row.cells[i].name != row.cells[i - 1].name) total += metrics.horizontalAdvance(to_qstring(row.cells[i].name)) + 14;
      if (static_cast<int>(i) == c) left = total;
      total += kBarrierWidth;
    }
    const double room = viewport()->width() - header_ - kRight;
    const double scale = total > room && total > 0 ? room / total : 1;
    return QRectF(header_ + 1 + left * scale, y, kBarrierWidth * scale - 1, h);
  }
  const double x0 = x_of(row, cell.begin), x1 = x_of(row, cell.end);
  return QRectF(x0, y, std::max(2.0, x1 - x0 - 1), h);
}

void MemoryMapView::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  table_->setGeometry(rect());
  measure();
}

void MemoryMapView::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange) measure();
}

void MemoryMapView::focusInEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusInEvent(event);
  viewport()->update();
}

void MemoryMapView::focusOutEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusOutEvent(event);
  viewport()->update();
}

void MemoryMapView::reveal(int row) {
  QScrollBar* bar = verticalScrollBar();
  if (row_top(row) < bar->value()) bar->setValue(row_top(row) - 4);
  else if (row_top(row) + row_height() > bar->value() + viewport()->height())
    bar->setValue(row_top(row) + row_height() + 4 - viewport()->height());
}

// ---- keys and mouse ---------------------------------------------------------------------

MemoryMapView::Hit MemoryMapView::hit(QPoint position) const {
  const int row = (position.y() + verticalScrollBar()->value() - 4) / row_height();
  if (position.y() + verticalScrollBar()->value() < 4 || row >= static_cast<int>(map_.rows.size())) return {};
  Hit at{row, -1};
  if (position.x() >= header_)
    for (size_t c = 0; c < map_.rows[row].cells.size(); ++c)
      if (cell_box(row, static_cast<int>(c)).adjusted(0, -3, 1, 3).contains(position)) at.cell = static_cast<int>(c);
  return at;
}

bool MemoryMapView::can_choose(int row) const {
  const RowKind kind = map_.rows[row].kind;
  return kind == RowKind::view || kind == RowKind::tmem || kind == RowKind::compiler || kind == RowKind::pool;
}

FocusState MemoryMapView::focus_at(Hit at) const {
  FocusState state;
  if (at.row < 0) return state;
  const MemoryRow& row = map_.rows[at.row];
  const int stage = at.cell >= 0 ? row.cells[at.cell].stage : -1;
  if (row.kind == RowKind::view || row.kind == RowKind::tmem) state = focus_on_resource(data_, row.name, stage);
  else if (row.kind == RowKind::compiler && at.cell >= 0) state = focus_on_resource(data_, row.cells[at.cell].name, stage);
  else if (row.kind == RowKind::pool) state = focus_on_span(data_.analysis->schedule.pools[row.resource].span);
  state.origin = Origin::memory_map;
  return state;
}

void MemoryMapView::choose(Hit at) {
  if (at.row < 0 || stale_ || context_.snapshots.busy()) return;
  current_ = at;
  FocusState state = focus_at(at);
  reveal(at.row);
  viewport()->update();
  setAccessibleDescription(name_of(at));
  context_.focus.end_hover();
  if (!state.empty()) context_.focus.set(std::move(state));
}

void MemoryMapView::move_row(int direction) {
  const int count = static_cast<int>(map_.rows.size());
  for (int row = current_.row < 0 && direction < 0 ? count - 1 : current_.row + direction; row >= 0 && row < count; row += direction)
    if (can_choose(row)) {
      const bool first_barrier = map_.rows[row].kind == RowKind::compiler && !map_.rows[row].cells.empty();
      return choose({row, first_barrier ? 0 : -1});
    }
}

void MemoryMapView::move_cell(int direction) {
  if (current_.row < 0) return move_row(1);
  const int count = static_cast<int>(map_.rows[current_.row].cells.size());
  const int least = map_.rows[current_.row].kind == RowKind::compiler ? 0 : -1;
  const int next = std::clamp(current_.cell + direction, least, count - 1);
  if (next != current_.cell) choose({current_.row, next});
}

void MemoryMapView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Down: case Qt::Key_J: move_row(1); break;
    case Qt::Key_Up: case Qt::Key_K: move_row(-1); break;
    case Qt::Key_Right: case Qt::Key_L: move_cell(1); break;
    case Qt::Key_Left: case Qt::Key_H: move_cell(-1); break;
    case Qt::Key_Home:
      current_ = {};
      move_row(1);
      break;
    case Qt::Key_End:
      current_ = {};
      move_row(-1);
      break;
    case Qt::Key_Return: case Qt::Key_Enter: go_to_source(current_); break;
    case Qt::Key_T: show_table(true); break;
    case Qt::Key_Escape:
      current_ = {};
      context_.focus.clear();
      viewport()->update();
      break;
    default: QAbstractScrollArea::keyPressEvent(event); return;
  }
  event->accept();
}

void MemoryMapView::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) choose(hit(event->position().toPoint()));
}

void MemoryMapView::mouseMoveEvent(QMouseEvent* event) {
  const Hit at = hit(event->position().toPoint());
  if (at == hover_) return;
  hover_ = at;
  viewport()->setCursor(at.row >= 0 && can_choose(at.row) && !stale_ ? Qt::PointingHandCursor : Qt::ArrowCursor);
  viewport()->update();
  if (stale_ || at.row < 0) context_.focus.end_hover();
  else context_.focus.hover(focus_at(at));
}

bool MemoryMapView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = tip_at(help->pos());
    if (text.isEmpty()) QToolTip::hideText();
    else QToolTip::showText(help->globalPos(), text, viewport());
    return true;
  }
  if (event->type() == QEvent::Leave) {
    hover_ = {};
    context_.focus.end_hover();
    viewport()->update();
  }
  return QAbstractScrollArea::viewportEvent(event);
}

std::optional<QPoint> MemoryMapView::place_of(const std::string& name, int stage) const {
  for (size_t r = 0; r < map_.rows.size(); ++r) {
    const MemoryRow& row = map_.rows[r];
    if (row.name == name && stage < 0)
      return QPoint(20, row_top(static_cast<int>(r)) + row_height() / 2 - verticalScrollBar()->value());
    for (size_t c = 0; c < row.cells.size(); ++c)
      if ((row.name == name || row.cells[c].name == name) && row.cells[c].stage == stage)
        return cell_box(static_cast<int>(r), static_cast<int>(c)).center().toPoint();
  }
  return std::nullopt;
}

QString MemoryMapView::tip_at(QPoint position) const { return tip(hit(position)); }

QString MemoryMapView::name_of(Hit at) const {
  const MemoryRow& row = map_.rows[at.row];
  if (at.cell < 0) return to_qstring(row.name + ", " + row.facts);
  const MemoryCell& cell = row.cells[at.cell];
  QString name = to_qstring(cell.name.empty() ? row.name : cell.name);
  if (cell.stage >= 0) name += QStringLiteral("[%1]").arg(cell.stage);
  return name;
}

QString MemoryMapView::tip(Hit at) const {
  if (at.row < 0) return {};
  const MemoryRow& row = map_.rows[at.row];
  const Schedule& schedule = data_.analysis->schedule;
  QString rows;
  const auto fact = [&](const QString& what, const QString& value) {
    rows += QStringLiteral("<tr><td style='color:%1; padding-right:12px'>%2</td><td>%3</td></tr>")
                .arg(context_.theme.css(Token::muted), what, value);
  };
  const auto place = [](int64_t value) { return QStringLiteral("%1 (%2)").arg(to_qstring(hex_text(value))).arg(value); };
  switch (row.kind) {
    case RowKind::view: {
      const View& view = schedule.views[row.resource];
      const int stage = at.cell >= 0 ? row.cells[at.cell].stage : -1;
      const int64_t offset = view.offset + std::max(0, stage) * view.stage_bytes();
      const int64_t bytes = stage >= 0 ? view.stage_bytes() : view.bytes();
      fact(tr("bytes"), QStringLiteral("%1 (%2)").arg(to_qstring(byte_text(bytes))).arg(bytes));
      fact(tr("offset in %1").arg(to_qstring(schedule.pools[view.pool].name)), place(offset));
      fact(tr("ends before"), place(offset + bytes));
      fact(tr("aligned to"), offset == 0 ? tr("1024 or more") : QString::number(alignment_of(offset)));
      QStringList shape;
      for (const int64_t extent : view.shape) shape << QString::number(extent);
      fact(tr("one stage"), QStringLiteral("%1 %2").arg(shape.join(QStringLiteral(" × ")), QLatin1String(info(view.dtype).name)));
      fact(tr("swizzle"), view.swizzle ? *view.swizzle > 0 ? tr("%1 bytes").arg(*view.swizzle) : tr("none") : tr("not written"));
      if (!view.alias.empty()) fact(tr("alias group"), to_qstring(view.alias).toHtmlEscaped());
      const Users users = users_of(schedule, Space::shared, row.resource);
      fact(tr("filled by"), joined(users.fill));
      fact(tr("read by"), joined(users.read));
      for (const auto& [begin, end] : row.overlaps)
        fact(QStringLiteral("<b style='color:%1'>DATA-001</b>").arg(context_.theme.css(Token::error)),
             tr("%1 bytes from %2 overlap").arg(end - begin).arg(to_qstring(hex_text(begin))));
      break;
    }
    case RowKind::tmem: {
      const Tmem& tmem = schedule.tmems[row.resource];
      fact(tr("columns"), tr("%1, from %2").arg(tmem.width).arg(tmem.cols));
      fact(tr("type"), QLatin1String(info(tmem.dtype).name));
      const Users users = users_of(schedule, Space::tensor, row.resource);
      fact(tr("filled by"), joined(users.fill));
      fact(tr("read by"), joined(users.read));
      break;
    }
    case RowKind::compiler: {
      if (at.cell < 0) {
        fact(tr("bytes"), QString::number(schedule.hidden_bytes()));
        fact(tr("holds"), tr("8 bytes a barrier stage; drawn side by side, not to scale"));
        break;
      }
      const MemoryCell& cell = row.cells[at.cell];
      fact(tr("bytes"), QString::number(cell.end - cell.begin));
      fact(tr("address"), place(cell.begin));
      break;
    }
    case RowKind::free:
      if (at.cell < 0) return tr("Bytes of the pool that no view names");
      fact(tr("bytes"), QString::number(row.cells[at.cell].end - row.cells[at.cell].begin));
      fact(tr("from"), place(row.cells[at.cell].begin));
      break;
    case RowKind::total:
      fact(tr("pools"), tr("%1 bytes").arg(schedule.pool_bytes()));
      fact(tr("compiler"), tr("%1 bytes").arg(schedule.hidden_bytes()));
      fact(tr("together"), tr("%1 bytes").arg(map_.used));
      if (map_.limit > 0)
        fact(tr("limit of %1").arg(QLatin1String(data_.analysis->target->name)), tr("%1 bytes").arg(map_.limit));
      break;
    case RowKind::pool: case RowKind::columns: return {};
  }
  return QStringLiteral("<b>%1</b><table>%2</table>").arg(name_of(at).toHtmlEscaped(), rows);
}

// ---- painting ---------------------------------------------------------------------------

void MemoryMapView::paintEvent(QPaintEvent*) {
  QPainter p(viewport());
  const Theme& theme = context_.theme;
  p.fillRect(viewport()->rect(), theme[Token::lane]);
  if (map_.rows.empty()) {
    p.setPen(theme[Token::muted]);
    p.drawText(viewport()->rect().adjusted(12, 8, -12, -8), Qt::AlignTop | Qt::AlignLeft, tr("No shared memory is declared"));
    return;
  }
  if (stale_) p.setOpacity(0.45);
  p.fillRect(0, 0, header_, viewport()->height(), theme[Token::lane_header]);
  for (int row = 0; row < static_cast<int>(map_.rows.size()); ++row) {
    const int top = row_top(row) - verticalScrollBar()->value();
    if (top + row_height() >= 0 && top <= viewport()->height()) paint_row(p, row);
  }
  p.setPen(QPen(theme[Token::border], 0));
  p.drawLine(header_, 0, header_, viewport()->height());
  if (hasFocus() && current_.row >= 0) {
    p.setPen(QPen(theme[Token::accent], 1));
    p.setBrush(Qt::NoBrush);
    p.drawRect(QRectF(1.5, row_top(current_.row) - verticalScrollBar()->value() + 0.5, header_ - 3, row_height() - 1));
  }
}

void MemoryMapView::paint_row(QPainter& p, int r) {
  const Theme& theme = context_.theme;
  const MemoryRow& row = map_.rows[r];
  const QRect all(0, row_top(r) - verticalScrollBar()->value(), viewport()->width(), row_height());
  const bool lit = r < static_cast<int>(lighting_.rows.size()) && lighting_.rows[r];
  if (row.kind == RowKind::pool || row.kind == RowKind::columns) p.fillRect(all, theme[Token::lane_group]);
  if (lit) {
    p.fillRect(QRect(0, all.top(), header_, all.height()), theme[Token::lane_lit]);
    p.fillRect(QRect(0, all.top(), 4, all.height()), theme[Token::lit]);
  } else if (r == hover_.row && can_choose(r) && !heading(row)) {
    p.fillRect(QRect(0, all.top(), header_, all.height()), theme[Token::lane_group]);
  }
  p.setPen(QPen(theme[Token::grid], 0));
  p.drawLine(0, all.bottom(), all.right(), all.bottom());

  int left = heading(row) ? 10 : 22;
  if (row.wrong) {
    p.drawPixmap(QPointF(left, all.center().y() - 6), severity_pixmap(SeverityMark::error, theme.id(), 13, devicePixelRatioF()));
    left += 18;
  }
  QFont font = this->font();
  font.setBold(heading(row));
  p.setFont(font);
  const bool quiet = row.kind == RowKind::free || row.kind == RowKind::compiler;
  p.setPen(theme[quiet ? Token::muted : Token::text]);
  const int name_room = std::max(0, 10 + names_ - left + 6);
  p.drawText(QRect(left, all.top(), name_room, all.height()), Qt::AlignVCenter,
             QFontMetrics(font).elidedText(to_qstring(row.name), Qt::ElideRight, name_room));
  p.setFont(small_);
  p.setPen(theme[row.wrong ? Token::error : Token::muted]);
  const int facts_left = 10 + names_ + 14, facts_room = header_ - 8 - facts_left;
  if (facts_room > 20)
    p.drawText(QRect(facts_left, all.top(), facts_room, all.height()), Qt::AlignVCenter | Qt::AlignRight,
               QFontMetrics(small_).elidedText(to_qstring(row.facts), Qt::ElideRight, facts_room));

  if (row.kind == RowKind::pool) paint_axis(p, all.top(), map_.end, false);
  if (row.kind == RowKind::columns) paint_axis(p, all.top(), map_.columns, true);
  for (size_t c = 0; c < row.cells.size(); ++c) paint_cell(p, r, static_cast<int>(c));
}

void MemoryMapView::paint_axis(QPainter& p, int y, int64_t end, bool columns) {
  if (end <= 0) return;
  const Theme& theme = context_.theme;
  MemoryRow scale;
  scale.kind = columns ? RowKind::columns : RowKind::pool;
  const QFontMetrics metrics(small_);
  const double room = viewport()->width() - header_ - kRight;
  const double least = metrics.horizontalAdvance(QStringLiteral("000 KiB")) + 18;
  int64_t step = columns ? 8 : 64;
  while (room * static_cast<double>(step) / static_cast<double>(end) < least && step < end) step *= 2;
  p.setFont(small_);
  for (int64_t at = 0; at <= end; at += step) {
    const double x = x_of(scale, at);
    p.setPen(QPen(theme[Token::border], 0));
    p.drawLine(QPointF(x, y + row_height() - 6), QPointF(x, y + row_height() - 1));
    const QString text = columns ? QString::number(at) : at == 0 ? QStringLiteral("0") : to_qstring(byte_text(at));
    const int width = metrics.horizontalAdvance(text);
    const double left = std::max<double>(header_ + 3, x - width / 2.0);
    if (left + width > viewport()->width() - 2) break;
    p.setPen(theme[Token::muted]);
    p.drawText(QRectF(left, y, width + 2, row_height() - 5), Qt::AlignVCenter, text);
  }
}

void MemoryMapView::paint_cell(QPainter& p, int r, int c) {
  const Theme& theme = context_.theme;
  const MemoryRow& row = map_.rows[r];
  const MemoryCell& cell = row.cells[c];
  const QRectF box = cell_box(r, c);
  const bool lit = r < static_cast<int>(lighting_.cells.size()) && lighting_.cells[r][c];
  Token fill = Token::filling;
  switch (cell.kind) {
    case CellKind::used: fill = row.kind == RowKind::total ? Token::working : Token::filling; break;
    case CellKind::shared: fill = Token::phase_odd; break;
    case CellKind::barrier: fill = Token::phase_even; break;
    case CellKind::beyond: fill = Token::stuck; break;
    case CellKind::free: fill = Token::lane_alternate; break;
  }
  p.fillRect(box, theme[fill]);
  p.setBrush(Qt::NoBrush);
  if (cell.kind == CellKind::free) {
    p.setPen(QPen(theme[Token::border], 1, Qt::DashLine));
    p.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
  }
  if (cell.kind == CellKind::beyond) {
    p.setPen(QPen(theme[Token::error], 2));
    p.drawRect(box.adjusted(1, 1, -1, -1));
  }
  bool overlaps = false;
  for (const auto& [begin, end] : row.overlaps) {
    if (end <= cell.begin || cell.end <= begin) continue;
    overlaps = true;
    const double x0 = std::max(box.left(), x_of(row, begin)), x1 = std::min(box.right(), x_of(row, end) - 1);
    const QRectF part(x0, box.top(), std::max(3.0, x1 - x0), box.height());
    p.fillRect(part, theme[Token::stuck]);
    p.fillRect(part, QBrush(theme[Token::error], Qt::BDiagPattern));
    p.setPen(QPen(theme[Token::error], 2));
    p.drawRect(part.adjusted(3, 3, -3, -3));
  }
  QString text, shorter;
  const QFontMetrics metrics(small_);
  switch (row.kind) {
    case RowKind::view:
      shorter = cell.stage >= 0 ? QStringLiteral("[%1]").arg(cell.stage) : QString();
      text = shorter.isEmpty() ? to_qstring(hex_text(cell.begin)) : shorter + QLatin1Char(' ') + to_qstring(hex_text(cell.begin));
      // All stages of a view say the same: the last address is the longest.
      if (metrics.horizontalAdvance(shorter + QLatin1Char(' ') + to_qstring(hex_text(row.cells.back().begin))) > box.width() - 5) text = shorter;
      break;
    case RowKind::compiler:
      shorter = cell.stage >= 0 ? QString::number(cell.stage) : QString();
      text = cell.stage >= 0 ? shorter : QStringLiteral("·");
      if (c == 0 || row.cells[c - 1].name != cell.name) {
        p.setFont(small_);
        p.setPen(theme[Token::muted]);
        p.drawText(QRectF(header_ + 2, box.top(), box.left() - header_ - 6, box.height()), Qt::AlignVCenter | Qt::AlignRight,
                   to_qstring(cell.name));
      }
      break;
    case RowKind::tmem: text = to_qstring(row.name); break;
    case RowKind::free: text = to_qstring(byte_text(cell.end - cell.begin)); break;
    case RowKind::total:
      if (cell.kind == CellKind::free) text = to_qstring(byte_text(cell.end - cell.begin)) + tr(" left");
      else if (cell.kind == CellKind::beyond) text = to_qstring(byte_text(cell.end - cell.begin)) + tr(" too many");
      else if (map_.limit > 0) text = tr("%1 % of the limit").arg(static_cast<double>(map_.used) * 100 / static_cast<double>(map_.limit), 0, 'f', 1);
      break;
    default: break;
  }
  p.setFont(small_);
  if (metrics.horizontalAdvance(text) > box.width() - 5) text = shorter;
  if (!text.isEmpty() && metrics.horizontalAdvance(text) <= box.width() - 3) {
    if (overlaps) {
      const double width = metrics.horizontalAdvance(text) + 6;
      p.fillRect(QRectF(box.center().x() - width / 2, box.top() + 1, width, box.height() - 2), theme[Token::stuck]);
    }
    p.setPen(theme[cell.kind == CellKind::free ? Token::muted : Token::bar_text]);
    p.drawText(box.adjusted(1, 0, -1, 0), Qt::AlignCenter, text);
  }
  if (lit || (hover_ == Hit{r, c} && can_choose(r))) {
    p.setPen(QPen(theme[lit ? Token::lit : Token::border], lit ? 2 : 1));
    p.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    if (lit) {
      QColor wash = theme[Token::lit];
      wash.setAlphaF(0.15);
      p.fillRect(box, wash);
    }
  }
}

}  // namespace bakery::views
