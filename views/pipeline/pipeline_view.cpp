// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/pipeline/pipeline_view.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "views/common/glyph_icon.h"
#include "views/common/qt_text.h"
#include "views/pipeline/pipeline_canvas.h"

namespace bakery::views {

PipelineView::PipelineView(const ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
  setObjectName(QStringLiteral("pipeline_view"));
  canvas_ = new PipelineCanvas(context, this);
  table_ = new TableTwin(tr("Pipeline as a table"),
                         {tr("What"), tr("Name"), tr("From"), tr("To"), tr("Facts"), tr("Completed by"), tr("Finding")}, this);
  table_->setObjectName(QStringLiteral("pipeline_table"));
  stack_ = new QStackedWidget(this);
  stack_->addWidget(canvas_);
  stack_->addWidget(table_);
  setFocusProxy(canvas_);
  caption_ = new QLabel(this);
  caption_->setObjectName(QStringLiteral("pipeline_caption"));
  caption_->setTextFormat(Qt::RichText);
  caption_->setWordWrap(true);

  auto* top = new QHBoxLayout;
  top->setContentsMargins(10, 2, 6, 2);
  top->setSpacing(3);
  top->addWidget(caption_, 1);
  const auto add = [&](const QString& text, const QString& what, bool checkable) {
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setToolTip(what);
    button->setAccessibleName(what);
    button->setCheckable(checkable);
    button->setFocusPolicy(Qt::TabFocus);
    top->addWidget(button);
    return button;
  };
  detail_ = add(tr("Data path"), tr("Show engines, buffers and tensors as well (D)"), true);
  detail_->setObjectName(QStringLiteral("pipeline_detail"));
  table_button_ = add(tr("Table"), tr("Show as a table (T)"), true);
  const auto add_glyph = [&](Glyph glyph, const QString& what, auto act) {
    QToolButton* button = add({}, what, false);
    set_glyph(button, glyph, context_.theme);
    connect(button, &QToolButton::clicked, this, act);
  };
  const auto centre = [this] { return QRectF(canvas_->rect()).center(); };
  add_glyph(Glyph::zoom_out, tr("Smaller (-)"), [this, centre] { canvas_->zoom_by(1 / 1.2, centre()); });
  add_glyph(Glyph::fit, tr("Fit (0)"), [this] { canvas_->fit(); });
  add_glyph(Glyph::zoom_in, tr("Larger (+)"), [this, centre] { canvas_->zoom_by(1.2, centre()); });
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(top);
  layout->addWidget(stack_, 1);

  connect(detail_, &QToolButton::clicked, this, [this](bool on) {
    canvas_->set_detail(on ? PipelineCanvas::Detail::everything : PipelineCanvas::Detail::hand_offs);
  });
  connect(table_button_, &QToolButton::clicked, this, &PipelineView::show_table);
  connect(canvas_, &PipelineCanvas::table_wanted, this, [this] { show_table(true); });
  connect(canvas_, &PipelineCanvas::shown_changed, this, [this] {
    show_caption();
    fill_table();
  });
  connect(table_, &TableTwin::closed, this, [this] { show_table(false); });
  const auto place_of = [this](int row) {
    const int nodes = static_cast<int>(canvas_->scene().nodes.size());
    return row < nodes ? PipePlace{false, row} : PipePlace{true, row - nodes};
  };
  connect(table_, &TableTwin::row_chosen, this, [this, place_of](int row) { canvas_->choose(place_of(row)); });
  connect(table_, &TableTwin::source_wanted, this, [this, place_of](int row) { canvas_->go_to_source(place_of(row)); });
  connect(&context_.focus, &Focus::changed, this, &PipelineView::take_lit);
  connect(&context_.theme, &Theme::changed, this, &PipelineView::show_caption);
  show_caption();
  fill_table();
}

bool PipelineView::shows_table() const { return stack_->currentWidget() == table_; }

void PipelineView::show_table(bool table) {
  table_button_->setChecked(table);
  stack_->setCurrentWidget(table ? static_cast<QWidget*>(table_) : canvas_);
  setFocusProxy(stack_->currentWidget());
  stack_->currentWidget()->setFocus();
  if (table) take_lit();
}

void PipelineView::show_caption() {
  const PipelineScene& scene = canvas_->scene();
  const QString muted = context_.theme.css(Token::muted);
  const QSignalBlocker quiet(detail_);
  detail_->setChecked(!canvas_->compact());
  QStringList parts;
  if (canvas_->stale()) parts << QStringLiteral("<span style='color:%1'>%2</span>").arg(context_.theme.css(Token::error), tr("The text has no schedule; this is the last one"));
  const auto sample = [&](Token token, const char* line, const QString& text) {
    return QStringLiteral("<span style='color:%1'><b>%2</b></span> <span style='color:%3'>%4</span>")
        .arg(context_.theme.css(token), QString::fromUtf8(line), muted, text);
  };
  bool forward = false, backward = false;
  for (const PipeEdge& edge : scene.edges) {
    forward |= edge.kind == PipeEdgeKind::forward;
    backward |= edge.kind == PipeEdgeKind::backward;
  }
  if (forward) parts << sample(Token::accent, "━▶", tr("data is there"));
  if (backward) parts << sample(Token::code_keyword, "╍▶", tr("slot is free"));
  if (!scene.left_out.empty()) parts << QStringLiteral("<span style='color:%1'>%2</span>").arg(context_.theme.css(Token::review), to_qstring(scene.left_out));
  if (!canvas_->trouble().isEmpty())
    parts << QStringLiteral("<span style='color:%1'>%2</span>")
                 .arg(context_.theme.css(Token::review), tr("Plain layout: %1").arg(canvas_->trouble().remove(QLatin1Char('`')).toHtmlEscaped()));
  caption_->setText(parts.join(QStringLiteral(" &nbsp; ")));
}

void PipelineView::fill_table() {
  const PipelineScene& scene = canvas_->scene();
  const Analysis& analysis = *canvas_->data().analysis;
  const auto finding = [&](int f) {
    return f < 0 ? QString() : to_qstring(analysis.findings[f].id + " " + analysis.findings[f].message).remove(QLatin1Char('`'));
  };
  std::vector<QStringList> rows;
  for (const PipeNode& node : scene.nodes)
    rows.push_back({tr(to_string(node.kind)), to_qstring(node.name), {}, {}, to_qstring(node.facts), {}, finding(node.finding)});
  for (const PipeEdge& edge : scene.edges)
    rows.push_back({tr(to_string(edge.kind)), to_qstring(edge.name), to_qstring(scene.nodes[edge.from].name), to_qstring(scene.nodes[edge.to].name),
                    to_qstring(edge.facts), to_qstring(edge.completer), finding(edge.finding)});
  table_->set_rows(std::move(rows));
  take_lit();
}

void PipelineView::take_lit() {
  if (!shows_table()) return;
  const PipeLighting& lit = canvas_->lighting();
  const PipePlace current = canvas_->current();
  const int nodes = static_cast<int>(lit.nodes.size());
  if (current.index >= 0 && context_.focus.state().origin == Origin::pipeline) return table_->show_row(current.edge ? nodes + current.index : current.index);
  const bool hand_off = !context_.focus.state().barrier.empty();
  for (int n = 0; n < nodes && !hand_off; ++n)
    if (lit.nodes[n]) return table_->show_row(n);
  for (int e = 0; e < static_cast<int>(lit.edges.size()); ++e)
    if (lit.edges[e]) return table_->show_row(nodes + e);
  table_->show_row(-1);
}

}  // namespace bakery::views
