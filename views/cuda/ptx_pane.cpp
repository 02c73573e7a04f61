// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cuda/ptx_pane.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include <Qsci/qscistyle.h>
#include <Qsci/qscistyledtext.h>

#include <algorithm>
#include <set>

#include "views/common/qt_text.h"
#include "views/cuda/line_hover.h"

namespace bakery::views {

namespace {

constexpr int kPause = 700;  // milliseconds without an edit before the compiler is asked
constexpr int kLitMarker = 1;
constexpr int kNumberStyle = QsciScintilla::STYLE_LASTPREDEFINED + 1, kLinkStyle = kNumberStyle + 1;

}  // namespace

PtxPane::PtxPane(const ViewContext& context, QWidget* parent)
    : QWidget(parent), context_(context), compiles_(Compiles::of(context.snapshots)) {
  setObjectName(QStringLiteral("ptx_pane"));
  caption_ = new QLabel(this);
  caption_->setObjectName(QStringLiteral("ptx_caption"));
  caption_->setTextFormat(Qt::RichText);
  caption_->setWordWrap(true);
  act_ = new QToolButton(this);
  act_->setObjectName(QStringLiteral("ptx_act"));
  act_->setFocusPolicy(Qt::TabFocus);
  edit_ = new QsciScintilla(this);
  edit_->setObjectName(QStringLiteral("ptx_text"));
  edit_->setAccessibleName(tr("PTX"));
  edit_->setFrameShape(QFrame::NoFrame);
  edit_->setUtf8(true);
  edit_->setReadOnly(true);
  lexer_ = new PtxLexer(edit_);
  edit_->setLexer(lexer_);
  edit_->setCaretLineVisible(true);
  edit_->setCaretWidth(2);
  edit_->setScrollWidth(1);
  edit_->setScrollWidthTracking(true);
  edit_->SendScintilla(QsciScintilla::SCI_SETBUFFEREDDRAW, false);
  edit_->setMarginType(0, QsciScintilla::TextMarginRightJustified);
  edit_->setMarginType(1, QsciScintilla::SymbolMarginColor);
  for (const int margin : {0, 1}) edit_->setMarginMarkerMask(margin, 0);
  edit_->setMarginWidth(1, 6);
  edit_->setMarginWidth(2, 0);
  setFocusProxy(edit_);
  auto* top = new QHBoxLayout;
  top->setContentsMargins(10, 3, 8, 3);
  top->addWidget(caption_, 1);
  top->addWidget(act_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(top);
  layout->addWidget(edit_, 1);
  delay_.setSingleShot(true);
  delay_.setInterval(kPause);

  connect(&delay_, &QTimer::timeout, this, [this] {
    if (isVisible()) compiles_.request(context_.snapshots.shown().analysis);
  });
  connect(act_, &QToolButton::clicked, this, [this] {
    if (compiles_.busy()) compiles_.cancel();
    else compiles_.request(context_.snapshots.shown().analysis);
  });
  connect(&compiles_, &Compiles::changed, this, &PtxPane::take_result);
  connect(&context_.snapshots, &Snapshots::changed, this, [this] {
    if (!isVisible()) return;
    want();
    if (looks_stale_ != stale()) apply_theme();
    show_caption();
  });
  connect(edit_, &QsciScintilla::cursorPositionChanged, this, &PtxPane::take_caret);
  connect(&context_.focus, &Focus::changed, this, [this] { take_lit(true); });
  connect(&context_.focus, &Focus::lit_changed, this, [this] { take_lit(false); });
  connect(&context_.theme, &Theme::changed, this, [this] {
    apply_theme();
    show_caption();
  });
  new LineHover(edit_, [this](uint32_t line) { take_hover(line); });
  apply_theme();
  show_caption();
}

// ---- the compiler -----------------------------------------------------------------------

bool PtxPane::stale() const { return made_from_ != context_.snapshots.shown().analysis; }

// What nobody sees is not compiled; while a person types, the compiler waits.
void PtxPane::want() {
  if (context_.snapshots.analysis().revision == 0) return;
  if (!stale() && compiled_) return;
  if (compiles_.last().kernel) delay_.start();
  else compiles_.request(context_.snapshots.shown().analysis);
}

void PtxPane::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  take_result();
  take_lit(true);
  if (looks_stale_ != stale()) apply_theme();
  if (stale() || !compiled_) compiles_.request(context_.snapshots.shown().analysis);
}

void PtxPane::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  delay_.stop();
}

void PtxPane::take_result() {
  const Compiles::Result& last = compiles_.last();
  if (last.ok() && !compiles_.busy() && last.analysis != made_from_) {
    const bool same = compiled_ && compiled_->answer.ptx == last.compiled->answer.ptx;
    made_from_ = last.analysis;
    compiled_ = last.compiled;
    kernel_ = last.kernel;
    link_ = make_cuda_text(kernel_->lowered, true);
    if (!same) show_text();
    else apply_theme();
    take_lit(false);
  }
  show_caption();
}

void PtxPane::show_directives(bool on) {
  directives_ = on;
  if (compiled_) show_text();
}

void PtxPane::show_text() {
  const uint32_t first = static_cast<uint32_t>(edit_->firstVisibleLine());
  const uint32_t kept = first < text_.lines.size() ? text_.lines[first].ptx : 1;
  text_ = make_ptx_text(compiled_->answer.ptx, made_from_->source.name(), made_from_->schedule.name + ".cu", directives_);
  quiet_ = true;
  edit_->setText(to_qstring(text_.text));
  const auto at = std::lower_bound(text_.lines.begin(), text_.lines.end(), kept, [](const PtxText::Line& l, uint32_t n) { return l.ptx < n; });
  edit_->setFirstVisibleLine(static_cast<int>(at - text_.lines.begin()));
  edit_->setCursorPosition(static_cast<int>(at - text_.lines.begin()), 0);
  last_line_ = static_cast<int>(at - text_.lines.begin());
  quiet_ = false;
  apply_theme();
  take_lit(false);
}

void PtxPane::show_caption() {
  const auto coloured = [&](Token token, const QString& text) {
    return QStringLiteral("<span style='color:%1'>%2</span>").arg(context_.theme.css(token), text.toHtmlEscaped());
  };
  QString text;
  const Compiles::Result& last = compiles_.last();
  if (compiles_.busy()) {
    text = coloured(Token::muted, tr("PTX · %1…").arg(compiles_.progress()));
  } else if (last.kernel && !last.ok() && last.analysis == context_.snapshots.shown().analysis) {
    text = coloured(Token::error, tr("No PTX: %1").arg(last.trouble().remove(QLatin1Char('`'))));
    if (compiled_) text += coloured(Token::muted, tr(" This is the last good one."));
  } else if (compiled_) {
    const int64_t spilled = compiled_->spill_stores + compiled_->spill_loads;
    text = QStringLiteral("PTX ") + coloured(Token::muted, tr("· %1 registers a thread · ").arg(compiled_->registers)) +
           coloured(spilled > 0 ? Token::review : Token::muted, spilled > 0 ? tr("%1 bytes spill").arg(spilled) : tr("no spills")) +
           coloured(Token::muted, tr(" · NVRTC %1").arg(to_qstring(compiled_->answer.nvrtc_version)));
    if (stale()) text += coloured(Token::review, tr(" · older than the text"));
  } else {
    text = coloured(Token::muted, tr("PTX · not compiled"));
  }
  caption_->setText(text);
  act_->setText(compiles_.busy() ? tr("Stop") : tr("Compile"));
  act_->setToolTip(compiles_.busy() ? tr("Stop the compiler") : tr("Compile the kernel in the worker process"));
  act_->setAccessibleName(act_->toolTip());
  act_->setVisible(compiles_.busy() || stale() || !compiled_);
}

// ---- the link ---------------------------------------------------------------------------

// PTX of the schedule lines that the CUDA lights, and of CUDA lines that no schedule line names.
void PtxPane::take_lit(bool scroll) {
  if (!isVisible()) return;
  lit_.clear();
  if (made_from_) {
    std::set<uint32_t> schedule, cuda;
    for (const uint32_t line : lit_lines(link_, *made_from_, context_.snapshots.analysis(), context_.focus.lit())) {
      schedule.insert(link_.lines[line - 1].schedule);
      cuda.insert(link_.lines[line - 1].cuda);
    }
    schedule.erase(0);
    for (size_t i = 0; i < text_.lines.size(); ++i) {
      const PtxText::Line& line = text_.lines[i];
      if (line.schedule != 0 ? schedule.contains(line.schedule) : line.cuda != 0 && cuda.contains(line.cuda)) lit_.push_back(static_cast<uint32_t>(i + 1));
    }
  }
  mark();
  if (!scroll || lit_.empty() || edit_->hasFocus()) return;
  const int first = edit_->firstVisibleLine();
  const int room = std::max(1, static_cast<int>(edit_->SendScintilla(QsciScintilla::SCI_LINESONSCREEN)));
  if (std::none_of(lit_.begin(), lit_.end(), [&](uint32_t line) { return static_cast<int>(line) > first && static_cast<int>(line) <= first + room; }))
    edit_->setFirstVisibleLine(std::max(0, static_cast<int>(lit_.front()) - 1 - room / 4));
}

void PtxPane::light_cuda(uint32_t cuda_line) {
  lit_.clear();
  for (size_t i = 0; i < text_.lines.size(); ++i)
    if (text_.lines[i].schedule == 0 && text_.lines[i].cuda == cuda_line) lit_.push_back(static_cast<uint32_t>(i + 1));
  mark();
  if (!lit_.empty()) edit_->setFirstVisibleLine(std::max(0, static_cast<int>(lit_.front()) - 4));
}

void PtxPane::mark() {
  edit_->markerDeleteAll(kLitMarker);
  for (const uint32_t line : lit_) edit_->markerAdd(static_cast<int>(line) - 1, kLitMarker);
}

std::optional<FocusState> PtxPane::focus_of(uint32_t line) const {
  if (line < 1 || line > text_.lines.size() || !made_from_ || context_.snapshots.busy()) return std::nullopt;
  const uint32_t schedule = text_.lines[line - 1].schedule;
  const Analysis& shown = context_.snapshots.analysis();
  const uint32_t now = schedule == 0 ? 0 : carry_line(*made_from_, shown, schedule);
  if (now < 1 || now > shown.source.line_count()) return std::nullopt;
  FocusState state = focus_on_span(shown.source.line_span(now));
  state.origin = Origin::cuda;
  return state;
}

void PtxPane::take_caret() {
  int line = 0, column = 0;
  edit_->getCursorPosition(&line, &column);
  if (quiet_ || line == last_line_) return;
  last_line_ = line;
  if (auto state = focus_of(static_cast<uint32_t>(line) + 1)) return context_.focus.set_passing(std::move(*state));
  if (static_cast<size_t>(line) < text_.lines.size() && text_.lines[static_cast<size_t>(line)].cuda != 0)
    emit cuda_line_entered(text_.lines[static_cast<size_t>(line)].cuda);
}

void PtxPane::take_hover(uint32_t line) {
  if (auto state = focus_of(line)) context_.focus.hover(std::move(*state));
  else context_.focus.end_hover();
}

// ---- looks ------------------------------------------------------------------------------

void PtxPane::apply_theme() {
  const Theme& theme = context_.theme;
  const QFont font = code_font();
  looks_stale_ = stale();
  const bool old = compiled_ && looks_stale_;
  lexer_->apply(theme, old);
  edit_->setPaper(theme[Token::base]);
  edit_->setCaretForegroundColor(theme[Token::text]);
  edit_->setCaretLineBackgroundColor(theme[Token::text]);
  edit_->SendScintilla(QsciScintilla::SCI_SETCARETLINEBACKALPHA, 12);
  edit_->setSelectionBackgroundColor(theme[Token::selection]);
  edit_->resetSelectionForegroundColor();
  edit_->setMarginsFont(font);
  edit_->setMarginsForegroundColor(theme[Token::margin_text]);
  edit_->setMarginsBackgroundColor(theme[Token::margin]);
  edit_->setMarginBackgroundColor(1, theme[Token::base]);
  edit_->markerDefine(QsciScintilla::Background, kLitMarker);
  edit_->setMarkerBackgroundColor(theme[Token::focus_line], kLitMarker);
  mark();
  QFont small = font;
  small.setPointSizeF(font.pointSizeF() - 1);
  const QsciStyle plain(kNumberStyle, tr("line"), theme[Token::margin_text], theme[Token::margin], small);
  const QsciStyle link(kLinkStyle, tr("schedule line"), theme[Token::accent], theme[Token::margin], small);
  edit_->clearMarginText();
  for (size_t i = 0; i < text_.lines.size(); ++i) {
    const PtxText::Line& line = text_.lines[i];
    const QString target = line.schedule != 0 ? QStringLiteral(" L%1").arg(line.schedule, -4) : line.cuda != 0 ? QStringLiteral(" C%1").arg(line.cuda, -4) : QStringLiteral("      ");
    edit_->setMarginText(static_cast<int>(i), QList<QsciStyledText>{QsciStyledText(QStringLiteral("%1").arg(line.ptx, 4), plain),
                                                                    QsciStyledText(target, line.schedule != 0 ? link : plain)});
  }
  edit_->setMarginWidth(0, QString(text_.lines.size() > 9999 ? 12 : 11, QLatin1Char('9')));
}

}  // namespace bakery::views
