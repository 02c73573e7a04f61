// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/runs/run_plot.h"

#include <QHBoxLayout>
#include <QMouseEvent>
#include <QToolTip>
#include <QVBoxLayout>

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "views/common/qt_text.h"
#include "views/common/runner.h"
#include "views/runs/runs_model.h"

namespace bakery::views {

namespace {

constexpr double kReach = 12;       // pixels about a mark
constexpr size_t kMostSeries = 8;   // in colours of their own

constexpr Token kColours[] = {Token::accent, Token::code_keyword, Token::ok, Token::code_number, Token::review, Token::code_operation, Token::code_definition, Token::muted};
constexpr QCPScatterStyle::ScatterShape kShapes[] = {QCPScatterStyle::ssDisc,     QCPScatterStyle::ssSquare,           QCPScatterStyle::ssDiamond,
                                                     QCPScatterStyle::ssTriangle, QCPScatterStyle::ssTriangleInverted, QCPScatterStyle::ssCircle,
                                                     QCPScatterStyle::ssPlus,     QCPScatterStyle::ssStar};

QString title_of(const std::string& figure) {
  if (figure == "span_ms") return RunPlot::tr("measured span, ms");
  if (figure == "span_min_ms") return RunPlot::tr("least measured span, ms");
  if (figure == "logical_steps") return RunPlot::tr("logical steps (no time)");
  QString title = to_qstring(figure);
  return title.replace(QLatin1Char('_'), QLatin1Char(' '));
}

}  // namespace

std::vector<std::string> plot_figures(const std::vector<const RunRow*>& rows) {
  std::vector<std::string> names;
  for (const char* first : {"span_ms", "ratio", "registers"})
    for (const RunRow* row : rows)
      if (row->run.ended > 0 && row->figure(first)) {
        names.emplace_back(first);
        break;
      }
  for (const RunRow* row : rows)
    for (const StoredFigure& figure : row->run.figures)
      if (row->run.ended > 0 && std::find(names.begin(), names.end(), figure.name) == names.end()) names.push_back(figure.name);
  return names;
}

std::vector<PlotSeries> plot_series(const std::vector<const RunRow*>& rows, const std::string& figure) {
  std::map<std::string, PlotSeries> by_name;
  for (const RunRow* row : rows) {
    if (row->run.ended == 0 || !row->figure(figure)) continue;
    const StoredRun& r = row->run;
    const std::string device = r.kind == "simulate" ? "reference machine" : to_utf8(short_name(r.device));
    std::string name = (r.schedule.empty() ? r.candidate.substr(0, 8) : r.schedule);
    for (const std::string& part : {r.shape, r.kind, device})
      if (!part.empty()) name += " · " + part;
    PlotSeries& series = by_name[name];
    series.name = name;
    series.rows.push_back(row);
  }
  std::vector<PlotSeries> all;
  for (auto& [name, series] : by_name) {
    std::stable_sort(series.rows.begin(), series.rows.end(), [](const RunRow* a, const RunRow* b) { return a->run.ended < b->run.ended; });
    all.push_back(std::move(series));
  }
  std::stable_sort(all.begin(), all.end(), [](const PlotSeries& a, const PlotSeries& b) { return a.rows.size() > b.rows.size(); });
  return all;
}

RunPlot::RunPlot(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setObjectName(QStringLiteral("run_plot"));
  auto* label = new QLabel(tr("Figure"), this);
  figure_ = new QComboBox(this);
  figure_->setObjectName(QStringLiteral("plot_figure"));
  figure_->setAccessibleName(tr("Figure to plot"));
  figure_->setToolTip(tr("Which figure of the listed runs is plotted over time"));
  figure_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  label->setBuddy(figure_);
  caption_ = new QLabel(this);
  caption_->setObjectName(QStringLiteral("plot_caption"));
  caption_->setTextFormat(Qt::PlainText);
  caption_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* top = new QHBoxLayout;
  top->setContentsMargins(8, 4, 8, 2);
  top->setSpacing(8);
  top->addWidget(label);
  top->addWidget(figure_);
  top->addWidget(caption_, 1);
  plot_ = new QCustomPlot(this);
  plot_->setObjectName(QStringLiteral("plot"));
  plot_->setAccessibleName(tr("Figure over time; the table of runs holds the same values"));
  plot_->setMinimumHeight(90);
  plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  plot_->setMouseTracking(true);
  plot_->installEventFilter(this);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(top);
  layout->addWidget(plot_, 1);
  connect(figure_, &QComboBox::currentIndexChanged, this, [this] {
    wanted_ = figure_->currentData().toString();
    draw();
  });
  connect(&theme_, &Theme::changed, this, &RunPlot::draw);
  draw();
}

void RunPlot::show_rows(std::vector<const RunRow*> rows) {
  rows_ = std::move(rows);
  const QSignalBlocker quiet(figure_);
  figure_->clear();
  for (const std::string& name : plot_figures(rows_)) figure_->addItem(title_of(name), to_qstring(name));
  figure_->setEnabled(figure_->count() > 0);
  if (const int at = figure_->findData(wanted_); at >= 0) figure_->setCurrentIndex(at);
  draw();
}

void RunPlot::select(int64_t run) {
  if (selected_ == run) return;
  selected_ = run;
  draw();
}

void RunPlot::draw() {
  const std::string figure = to_utf8(figure_->currentData().toString());
  series_ = figure.empty() ? std::vector<PlotSeries>() : plot_series(rows_, figure);
  marks_.clear();
  plot_->clearPlottables();
  const QColor ink = theme_[Token::text], muted = theme_[Token::muted], border = theme_[Token::border];
  plot_->setBackground(QBrush(theme_[Token::base]));
  for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) {
    axis->setBasePen(QPen(border));
    axis->setTickPen(QPen(border));
    axis->setSubTickPen(QPen(border));
    axis->setTickLabelColor(muted);
    axis->setLabelColor(muted);
    axis->setTickLabelFont(font());
    axis->setLabelFont(font());
    axis->grid()->setPen(QPen(theme_[Token::grid]));
    axis->grid()->setZeroLinePen(QPen(border));
  }
  const QSharedPointer<QCPAxisTickerDateTime> ticker(new QCPAxisTickerDateTime);
  ticker->setTickCount(5);
  plot_->xAxis->setTicker(ticker);
  plot_->yAxis->setLabel(figure.empty() ? QString() : title_of(figure));

  plot_->legend->setVisible(!series_.empty());
  plot_->legend->setBrush(QBrush(theme_[Token::panel]));
  plot_->legend->setBorderPen(QPen(border));
  plot_->legend->setTextColor(ink);
  plot_->legend->setFont(font());
  plot_->axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignTop | Qt::AlignRight);
  double least = INFINITY, most = -INFINITY, first = INFINITY, last = -INFINITY;
  for (size_t s = 0; s < series_.size(); ++s) {
    const size_t style = std::min(s, kMostSeries - 1);
    const QColor colour = theme_[kColours[style]];
    QCPGraph* graph = plot_->addGraph();
    graph->setPen(QPen(colour, 1.5));
    graph->setScatterStyle(QCPScatterStyle(kShapes[style], QPen(colour, 1.5), QBrush(colour), 7));
    graph->setName(to_qstring(series_[s].name));
    if (s >= kMostSeries) graph->removeFromLegend();
    for (const RunRow* row : series_[s].rows) {
      const double x = static_cast<double>(row->run.ended) / 1000, y = *row->figure(figure);
      if (!std::isfinite(y)) continue;
      graph->addData(x, y);
      marks_.push_back({row, x, y, s});
      least = std::min(least, y), most = std::max(most, y), first = std::min(first, x), last = std::max(last, x);
    }
  }
  // What was not correct is crossed out; the chosen one is ringed.
  const auto overlay = [&](QCPScatterStyle::ScatterShape shape, const QColor& colour, double size, const auto& wanted) {
    QCPGraph* graph = plot_->addGraph();
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setScatterStyle(QCPScatterStyle(shape, QPen(colour, 2), QBrush(Qt::NoBrush), size));
    graph->removeFromLegend();
    for (const Mark& mark : marks_)
      if (wanted(*mark.row)) graph->addData(mark.x, mark.y);
  };
  overlay(QCPScatterStyle::ssCross, theme_[Token::error], 11, [](const RunRow& row) { return !is_good_status(row.run.status); });
  overlay(QCPScatterStyle::ssCircle, theme_[Token::chosen], 14, [this](const RunRow& row) { return selected_ != 0 && row.run.id == selected_; });
  if (marks_.empty()) {
    caption_->setText(tr("no run that is listed has a figure to plot"));
    plot_->xAxis->setRange(QCPRange(0, 1));
    plot_->yAxis->setRange(QCPRange(0, 1));
  } else {
    caption_->setText(tr("%1 of %2 listed runs; wheel zooms, drag pans").arg(marks_.size()).arg(rows_.size()));
    // The legend stands over the top of the plot.
    const double lines = static_cast<double>(std::min(series_.size(), kMostSeries));
    const double room = most > least ? (most - least) : std::max(std::abs(most) * 0.1, 1e-9);
    const double width = last > first ? last - first : 60;
    plot_->xAxis->setRange(first - width * 0.05, last + width * 0.05);
    plot_->yAxis->setRange(least - room * 0.12, most + room * (0.15 + 0.12 * lines));
    ticker->setDateTimeFormat(width < 2 * 86400 ? QStringLiteral("HH:mm:ss\nyyyy-MM-dd") : QStringLiteral("yyyy-MM-dd"));
  }
  plot_->xAxis->setTickLabels(!marks_.empty());
  plot_->yAxis->setTickLabels(!marks_.empty());
  plot_->replot();
}

QPointF RunPlot::place_of(int64_t run) const {
  for (const Mark& mark : marks_)
    if (mark.row->run.id == run)
      return plot_->mapTo(this, QPoint(static_cast<int>(plot_->xAxis->coordToPixel(mark.x)), static_cast<int>(plot_->yAxis->coordToPixel(mark.y))));
  return {};
}

const RunPlot::Mark* RunPlot::mark_at(const QPointF& position) const {
  const Mark* best = nullptr;
  double nearest = kReach;
  for (const Mark& mark : marks_) {
    const double d = std::hypot(plot_->xAxis->coordToPixel(mark.x) - position.x(), plot_->yAxis->coordToPixel(mark.y) - position.y());
    if (d > nearest) continue;
    nearest = d;
    best = &mark;
  }
  return best;
}

QString RunPlot::describe(const Mark& mark) const {
  const StoredRun& r = mark.row->run;
  return tr("%1 %2\n%3\n%4 %5, %6, %7")
      .arg(title_of(to_utf8(figure_->currentData().toString())), QString::number(mark.y, 'g', 6), to_qstring(series_[mark.series].name), to_qstring(r.candidate.substr(0, 8)),
           to_qstring(r.status), to_qstring(mark.row->author), time_text(r.ended));
}

bool RunPlot::eventFilter(QObject* watched, QEvent* event) {
  if (watched != plot_) return QWidget::eventFilter(watched, event);
  if (event->type() == QEvent::MouseMove) {
    auto* move = static_cast<QMouseEvent*>(event);
    const Mark* mark = mark_at(move->position());
    if (mark) QToolTip::showText(move->globalPosition().toPoint(), describe(*mark), plot_);
    else QToolTip::hideText();
    plot_->setCursor(mark ? Qt::PointingHandCursor : Qt::ArrowCursor);
  } else if (event->type() == QEvent::MouseButtonPress) {
    auto* press = static_cast<QMouseEvent*>(event);
    if (press->button() == Qt::LeftButton)
      if (const Mark* mark = mark_at(press->position()); mark && mark->row->run.id != 0) emit chosen(mark->row->run.id);
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace bakery::views
