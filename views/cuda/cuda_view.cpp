// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cuda/cuda_view.h"

#include <QAction>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <Qsci/qscilexercpp.h>
#include <Qsci/qscistyle.h>
#include <Qsci/qscistyledtext.h>

#include <algorithm>

#include "views/common/qt_text.h"
#include "views/common/rich_text.h"
#include "views/cuda/line_hover.h"

namespace bakery::views {

namespace {

enum Margin { cuda_margin = 0, schedule_margin = 1, space_margin = 2 };
constexpr int kFocusMarker = 1;
constexpr int kCudaStyle = QsciScintilla::STYLE_LASTPREDEFINED + 1;
constexpr int kScheduleStyle = kCudaStyle + 1;

class CudaLexer : public QsciLexerCPP {
 public:
  using QsciLexerCPP::QsciLexerCPP;
  const char* keywords(int set) const override {
    if (set == 2) return "__global__ __device__ __shared__ __forceinline__ __launch_bounds__ __grid_constant__ u16 u32 u64 "
                         "uint8_t uint16_t uint32_t uint64_t int32_t int64_t threadIdx blockIdx gridDim blockDim TensorMap";
    return QsciLexerCPP::keywords(set);
  }
};

}  // namespace

CudaView::CudaView(const ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
  setObjectName(QStringLiteral("cuda_view"));
  caption_ = new QLabel(this);
  caption_->setObjectName(QStringLiteral("cuda_caption"));
  caption_->setTextFormat(Qt::RichText);
  caption_->setWordWrap(true);
  directives_ = new QToolButton(this);
  directives_->setText(tr("#line"));
  directives_->setCheckable(true);
  directives_->setFocusPolicy(Qt::TabFocus);
  directives_->setObjectName(QStringLiteral("cuda_directives"));
  directives_->setToolTip(tr("Show the #line directives that lead the compiler back to the schedule"));
  directives_->setAccessibleName(directives_->toolTip());

  edit_ = new QsciScintilla(this);
  edit_->setObjectName(QStringLiteral("cuda_text"));
  edit_->setAccessibleName(tr("Generated CUDA"));
  edit_->setFrameShape(QFrame::NoFrame);
  edit_->setUtf8(true);
  edit_->setReadOnly(true);
  lexer_ = new CudaLexer(edit_);
  lexer_->setFoldPreprocessor(false);
  edit_->setLexer(lexer_);
  edit_->setFolding(QsciScintilla::NoFoldStyle);
  edit_->setCaretLineVisible(true);
  edit_->setCaretWidth(2);
  edit_->setScrollWidth(1);
  edit_->setScrollWidthTracking(true);
  edit_->SendScintilla(QsciScintilla::SCI_SETBUFFEREDDRAW, false);
  edit_->setMarginType(cuda_margin, QsciScintilla::TextMarginRightJustified);
  edit_->setMarginType(schedule_margin, QsciScintilla::TextMarginRightJustified);
  edit_->setMarginType(space_margin, QsciScintilla::SymbolMarginColor);
  for (const int margin : {cuda_margin, schedule_margin, space_margin}) edit_->setMarginMarkerMask(margin, 0);
  edit_->setMarginWidth(space_margin, 6);
  setFocusProxy(edit_);

  auto* top = new QHBoxLayout;
  top->setContentsMargins(10, 3, 8, 3);
  top->addWidget(caption_, 1);
  const std::pair<QString, QString> panes[] = {{tr("CUDA"), tr("Show the CUDA (P goes on)")},
                                               {tr("PTX"), tr("Compile, and show the PTX (P goes on)")},
                                               {tr("Both"), tr("Show CUDA and PTX side by side (P goes on)")}};
  for (size_t i = 0; i < std::size(panes); ++i) {
    QToolButton*& button = pane_buttons_[i] = new QToolButton(this);
    button->setText(panes[i].first);
    button->setToolTip(panes[i].second);
    button->setAccessibleName(panes[i].second);
    button->setCheckable(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setObjectName(QStringLiteral("cuda_pane_%1").arg(i));
    connect(button, &QToolButton::clicked, this, [this, i] { show_panes(static_cast<Panes>(i)); });
    top->addWidget(button);
  }
  top->addWidget(directives_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(top);
  splitter_ = new QSplitter(Qt::Horizontal, this);
  splitter_->setChildrenCollapsible(false);
  ptx_ = new PtxPane(context, this);
  splitter_->addWidget(edit_);
  splitter_->addWidget(ptx_);
  layout->addWidget(splitter_, 1);
  auto* next = new QAction(this);
  next->setShortcut(Qt::Key_P);
  next->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(next, &QAction::triggered, this, [this] { show_panes(static_cast<Panes>((static_cast<int>(panes_) + 1) % 3)); });
  addAction(next);
  new LineHover(edit_, [this](uint32_t line) { take_hover(line); });
  connect(ptx_, &PtxPane::cuda_line_entered, this, &CudaView::light_cuda);
  connect(directives_, &QToolButton::toggled, ptx_, &PtxPane::show_directives);

  connect(&kernels_, &Kernels::made, this, &CudaView::take_kernel);
  connect(directives_, &QToolButton::toggled, this, &CudaView::show_text);
  connect(edit_, &QsciScintilla::cursorPositionChanged, this, &CudaView::take_caret);
  connect(&context_.snapshots, &Snapshots::changed, this, &CudaView::take_snapshot);
  connect(&context_.focus, &Focus::changed, this, &CudaView::take_focus);
  connect(&context_.focus, &Focus::lit_changed, this, &CudaView::take_lit);
  connect(&context_.theme, &Theme::changed, this, [this] {
    apply_theme();
    show_caption();
  });
  show_panes(Panes::cuda);
  apply_theme();
  take_snapshot();
  show_caption();
}

void CudaView::show_panes(Panes panes) {
  panes_ = panes;
  for (size_t i = 0; i < std::size(pane_buttons_); ++i) pane_buttons_[i]->setChecked(static_cast<Panes>(i) == panes);
  const bool typing = edit_->hasFocus() || ptx_->edit()->hasFocus();
  edit_->setVisible(panes != Panes::ptx);
  ptx_->setVisible(panes != Panes::cuda);
  setFocusProxy(panes == Panes::ptx ? ptx_->edit() : edit_);
  if (typing) setFocus();
}

// ---- from the schedule ------------------------------------------------------------------

void CudaView::take_snapshot() {
  wanted_ = context_.snapshots.analysis().revision != 0;
  if (wanted_ && isVisible()) {
    wanted_ = false;
    kernels_.submit(context_.snapshots.shown().analysis);
  }
}

// Nothing is lowered for a view that nobody sees.
void CudaView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (wanted_) take_snapshot();
}

void CudaView::take_kernel(std::shared_ptr<const Analysis> analysis, std::shared_ptr<const LoweredKernel> kernel) {
  const bool was_stale = stale_;
  if (kernel->lowered_ok) {
    const bool same = kernel_ && kernel_->lowered.cuda == kernel->lowered.cuda;
    kernel_ = std::move(kernel);
    made_from_ = std::move(analysis);
    refused_.clear();
    stale_ = false;
    if (!same) show_text();
  } else {
    refused_ = kernel->findings;
    stale_ = true;
  }
  if (was_stale != stale_) apply_theme();
  show_caption();
  take_focus();
}

void CudaView::show_text() {
  if (!kernel_) return;
  const uint32_t first = static_cast<uint32_t>(edit_->firstVisibleLine());
  const uint32_t kept = first < text_.lines.size() ? text_.lines[first].cuda : 1;
  int line = 0, column = 0;
  edit_->getCursorPosition(&line, &column);
  const uint32_t caret = static_cast<size_t>(line) < text_.lines.size() ? text_.lines[line].cuda : 1;
  text_ = make_cuda_text(kernel_->lowered, directives_->isChecked());
  quiet_ = true;
  edit_->setText(to_qstring(text_.text));
  const auto shown = [&](uint32_t cuda) {
    const auto at = std::lower_bound(text_.lines.begin(), text_.lines.end(), cuda,
                                     [](const CudaText::Line& l, uint32_t number) { return l.cuda < number; });
    return static_cast<int>(at - text_.lines.begin());
  };
  edit_->setCursorPosition(shown(caret), 0);
  edit_->setFirstVisibleLine(shown(kept));
  last_line_ = shown(caret);
  quiet_ = false;
  apply_theme();
  take_focus();
}

void CudaView::show_caption() {
  const auto muted = [this](const QString& text) { return QStringLiteral("<span style='color:%1'>%2</span>").arg(context_.theme.css(Token::muted), text); };
  if (stale_) {
    QString why = tr("the schedule is incomplete");
    if (!refused_.empty())
      why = QStringLiteral("<b>%1</b> %2").arg(to_qstring(refused_.front().id).toHtmlEscaped(), rich_text(refused_.front().message));
    if (refused_.size() > 1) why += tr(", and %1 more").arg(refused_.size() - 1);
    caption_->setText(QStringLiteral("<span style='color:%1'>%2</span> %3")
                          .arg(context_.theme.css(Token::error), kernel_ ? tr("Not lowered; this is the last good text:") : tr("Not lowered:"), why));
  } else if (kernel_) {
    const LaunchManifest& manifest = kernel_->lowered.manifest;
    caption_->setText(QStringLiteral("%1 %2").arg(to_qstring(manifest.kernel).toHtmlEscaped(),
                                                  muted(tr("· %1 · %2 threads · %3 lines")
                                                            .arg(to_qstring(manifest.target))
                                                            .arg(manifest.threads)
                                                            .arg(std::count(kernel_->lowered.cuda.begin(), kernel_->lowered.cuda.end(), '\n')))));
  } else {
    caption_->setText(muted(tr("No CUDA yet")));
  }
}

// ---- the link ---------------------------------------------------------------------------

void CudaView::take_lit() {
  lit_.clear();
  if (made_from_) lit_ = lit_lines(text_, *made_from_, context_.snapshots.analysis(), context_.focus.lit());
  edit_->markerDeleteAll(kFocusMarker);
  for (const uint32_t line : lit_) edit_->markerAdd(static_cast<int>(line) - 1, kFocusMarker);
}

void CudaView::take_focus() {
  take_lit();
  if (lit_.empty() || edit_->hasFocus()) return;
  const int first = edit_->firstVisibleLine();
  const int room = std::max(1, static_cast<int>(edit_->SendScintilla(QsciScintilla::SCI_LINESONSCREEN)));
  const auto seen = [&](uint32_t line) { return static_cast<int>(line) - 1 >= first && static_cast<int>(line) - 1 < first + room; };
  if (!std::any_of(lit_.begin(), lit_.end(), seen)) edit_->setFirstVisibleLine(std::max(0, static_cast<int>(lit_.front()) - 1 - room / 4));
}

// A line of the CUDA that no schedule line stands behind.
void CudaView::light_cuda(uint32_t cuda_line) {
  const auto at = std::lower_bound(text_.lines.begin(), text_.lines.end(), cuda_line, [](const CudaText::Line& l, uint32_t n) { return l.cuda < n; });
  if (at == text_.lines.end() || at->cuda != cuda_line) return;
  edit_->markerDeleteAll(kFocusMarker);
  lit_ = {static_cast<uint32_t>(at - text_.lines.begin()) + 1};
  edit_->markerAdd(static_cast<int>(lit_.front()) - 1, kFocusMarker);
  edit_->setFirstVisibleLine(std::max(0, static_cast<int>(lit_.front()) - 4));
}

std::optional<FocusState> CudaView::focus_of(uint32_t shown_line) const {
  const uint32_t schedule_line = text_.schedule_line(shown_line);
  if (schedule_line == 0 || !made_from_ || context_.snapshots.busy()) return std::nullopt;
  const Analysis& shown = context_.snapshots.analysis();
  const uint32_t now = carry_line(*made_from_, shown, schedule_line);
  if (now < 1 || now > shown.source.line_count()) return std::nullopt;
  FocusState state = focus_on_span(shown.source.line_span(now));
  state.origin = Origin::cuda;
  return state;
}

void CudaView::take_hover(uint32_t line) {
  if (auto state = focus_of(line)) context_.focus.hover(std::move(*state));
  else context_.focus.end_hover();
}

// A caret that a person moves is a focus on the schedule line behind it.
void CudaView::take_caret() {
  int line = 0, column = 0;
  edit_->getCursorPosition(&line, &column);
  if (quiet_ || line == last_line_) return;
  last_line_ = line;
  if (auto state = focus_of(static_cast<uint32_t>(line) + 1)) context_.focus.set_passing(std::move(*state));
  else if (static_cast<size_t>(line) < text_.lines.size()) ptx_->light_cuda(text_.lines[static_cast<size_t>(line)].cuda);
}

// ---- looks ------------------------------------------------------------------------------

void CudaView::apply_theme() {
  const Theme& theme = context_.theme;
  const QFont font = code_font();
  const auto shade = [&](Token token) { return theme[stale_ ? Token::disabled : token]; };
  lexer_->setDefaultFont(font);
  lexer_->setDefaultColor(shade(Token::text));
  lexer_->setDefaultPaper(theme[Token::base]);
  lexer_->setFont(font, -1);
  lexer_->setColor(shade(Token::text), -1);
  lexer_->setPaper(theme[Token::base], -1);
  const auto paint = [&](Token token, std::initializer_list<int> styles) {
    for (const int style : styles) lexer_->setColor(shade(token), style);
  };
  paint(Token::code_comment, {QsciLexerCPP::Comment, QsciLexerCPP::CommentLine, QsciLexerCPP::CommentDoc, QsciLexerCPP::CommentLineDoc});
  paint(Token::code_number, {QsciLexerCPP::Number});
  paint(Token::code_string, {QsciLexerCPP::DoubleQuotedString, QsciLexerCPP::SingleQuotedString, QsciLexerCPP::RawString, QsciLexerCPP::UnclosedString});
  paint(Token::code_keyword, {QsciLexerCPP::Keyword});
  paint(Token::code_operation, {QsciLexerCPP::KeywordSet2});
  paint(Token::code_decorator, {QsciLexerCPP::PreProcessor});
  paint(Token::code_operator, {QsciLexerCPP::Operator});

  edit_->setColor(shade(Token::text));
  edit_->setPaper(theme[Token::base]);
  edit_->setCaretForegroundColor(theme[Token::text]);
  edit_->setCaretLineBackgroundColor(theme[Token::text]);
  edit_->SendScintilla(QsciScintilla::SCI_SETCARETLINEBACKALPHA, 12);
  edit_->setSelectionBackgroundColor(theme[Token::selection]);
  edit_->resetSelectionForegroundColor();
  edit_->setMarginsFont(font);
  edit_->setMarginsForegroundColor(theme[Token::margin_text]);
  edit_->setMarginsBackgroundColor(theme[Token::margin]);
  edit_->setMarginBackgroundColor(space_margin, theme[Token::base]);
  edit_->setFoldMarginColors(theme[Token::margin], theme[Token::margin]);
  edit_->markerDefine(QsciScintilla::Background, kFocusMarker);
  edit_->setMarkerBackgroundColor(theme[Token::focus_line], kFocusMarker);
  for (const uint32_t line : lit_) edit_->markerAdd(static_cast<int>(line) - 1, kFocusMarker);

  // Two numbers a line: of the file, and behind an arrow of the schedule.
  QFont small = font;
  small.setPointSizeF(font.pointSizeF() - 1);
  const QsciStyle of_cuda(kCudaStyle, tr("line"), theme[Token::margin_text], theme[Token::margin], small);
  const QsciStyle of_schedule(kScheduleStyle, tr("schedule line"), theme[Token::accent], theme[Token::margin], small);
  edit_->clearMarginText();
  for (size_t i = 0; i < text_.lines.size(); ++i) {
    const CudaText::Line& line = text_.lines[i];
    QList<QsciStyledText> parts{QsciStyledText(QStringLiteral("%1").arg(line.cuda, 4), of_cuda)};
    if (line.schedule != 0) parts << QsciStyledText(QStringLiteral(" L%1").arg(line.schedule, -4), of_schedule);
    else parts << QsciStyledText(QStringLiteral("      "), of_schedule);
    edit_->setMarginText(static_cast<int>(i), parts);
  }
  edit_->setMarginWidth(cuda_margin, QString(text_.lines.size() > 999 ? 10 : 9, QLatin1Char('9')));
  edit_->setMarginWidth(schedule_margin, 0);
}

}  // namespace bakery::views
