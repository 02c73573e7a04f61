// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/editor/code_edit.h"

#include <QKeyEvent>
#include <QPainter>

#include <Qsci/qscicommandset.h>

#include <algorithm>
#include <cctype>

#include "app/session/line_diff.h"
#include "views/common/severity_mark.h"
#include "views/editor/cake_lexer.h"

namespace bakery::views {

namespace {

enum Margin { number_margin = 0, mark_margin = 1, fold_margin = 2 };
enum Marker { hint_marker = 0, review_marker = 1, error_marker = 2, focus_marker = 3, finding_marker = 4 };
constexpr int kSeverities = 3;
constexpr int kWordIndicator = CodeEdit::kIndicators + kSeverities;
constexpr int kMatchIndicator = kWordIndicator + 1;
constexpr size_t kShownMatches = 5000;
constexpr unsigned kMarkMask = (1u << hint_marker) | (1u << review_marker) | (1u << error_marker);

int indicator_of(Severity severity) { return CodeEdit::kIndicators + static_cast<int>(severity); }

int marker_of(Severity severity) {
  switch (severity) {
    case Severity::error: return error_marker;
    case Severity::review: return review_marker;
    case Severity::hint: return hint_marker;
  }
  return hint_marker;
}

bool is_word(char c) {
  const auto u = static_cast<unsigned char>(c);
  return std::isalnum(u) || c == '_' || u >= 0x80;
}

bool has_long_line(const std::string& text) {
  size_t begin = 0;
  for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    if (end - begin > CodeEdit::kColouredColumns) return true;
  return text.size() - begin > CodeEdit::kColouredColumns;
}

}  // namespace

CodeEdit::CodeEdit(QWidget* parent) : QsciScintilla(parent), lexer_(new CakeLexer(this)) {
  setObjectName(QStringLiteral("code_edit"));
  setAccessibleName(tr("Schedule text"));
  setFrameShape(QFrame::NoFrame);
  setUtf8(true);
  setLexer(lexer_);
  setEolMode(EolUnix);
  setIndentationsUseTabs(false);
  setIndentationWidth(4);
  setTabWidth(4);
  setAutoIndent(true);
  setBackspaceUnindents(true);
  setTabIndents(true);
  setBraceMatching(SloppyBraceMatch);
  setCaretLineVisible(true);
  setCaretWidth(2);
  setScrollWidth(1);
  setScrollWidthTracking(true);
  setAutoCompletionSource(AcsNone);
  setWrapMode(WrapNone);
  SendScintilla(SCI_SETBUFFEREDDRAW, false);
  SendScintilla(SCI_SETMOUSEDWELLTIME, 350);
  SendScintilla(SCI_SETENDATLASTLINE, true);
  SendScintilla(SCI_SETYCARETPOLICY, CARET_SLOP | CARET_STRICT | CARET_EVEN, 4);

  setMarginType(number_margin, NumberMargin);
  setMarginType(mark_margin, SymbolMargin);
  setMarginWidth(mark_margin, 18);
  setMarginMarkerMask(number_margin, 0);
  setMarginMarkerMask(mark_margin, static_cast<int>(kMarkMask));
  setMarginSensitivity(mark_margin, true);
  setFolding(PlainFoldStyle, fold_margin);
  setMarginWidth(fold_margin, 14);
  SendScintilla(SCI_MARKERDEFINE, SC_MARKNUM_FOLDER, SC_MARK_ARROW);
  SendScintilla(SCI_MARKERDEFINE, SC_MARKNUM_FOLDEROPEN, SC_MARK_ARROWDOWN);
  SendScintilla(SCI_SETAUTOMATICFOLD, SC_AUTOMATICFOLD_SHOW | SC_AUTOMATICFOLD_CHANGE);
  SendScintilla(SCI_SETMODEVENTMASK, SendScintilla(SCI_GETMODEVENTMASK) | SC_MOD_CONTAINER);

  for (int i = 0; i < kSeverities; ++i) {
    SendScintilla(SCI_INDICSETSTYLE, kIndicators + i, i == 2 ? INDIC_DOTS : INDIC_SQUIGGLE);
    SendScintilla(SCI_INDICSETUNDER, kIndicators + i, true);
  }
  SendScintilla(SCI_INDICSETSTYLE, kWordIndicator, INDIC_STRAIGHTBOX);
  SendScintilla(SCI_INDICSETALPHA, kWordIndicator, 60);
  SendScintilla(SCI_INDICSETOUTLINEALPHA, kWordIndicator, 160);
  SendScintilla(SCI_INDICSETUNDER, kWordIndicator, true);
  SendScintilla(SCI_INDICSETSTYLE, kMatchIndicator, INDIC_STRAIGHTBOX);
  SendScintilla(SCI_INDICSETALPHA, kMatchIndicator, 50);
  SendScintilla(SCI_INDICSETOUTLINEALPHA, kMatchIndicator, 180);
  SendScintilla(SCI_INDICSETUNDER, kMatchIndicator, true);

  // Keys that the window uses.
  for (const QKeyCombination keys : {Qt::CTRL | Qt::Key_Slash, Qt::CTRL | Qt::Key_L, Qt::CTRL | Qt::SHIFT | Qt::Key_T,
                                     Qt::CTRL | Qt::Key_T, Qt::CTRL | Qt::Key_D}) {
    const int key = keys.toCombined();
    if (QsciCommand* command = standardCommands()->boundTo(key)) {
      if (command->key() == key) command->setKey(0);
      else command->setAlternateKey(0);
    }
  }

  connect(this, &QsciScintillaBase::SCN_MODIFIED, this,
          [this](int, int type, const char*, int, int, int, int, int, int token, int) {
            if (!(type & SC_MOD_CONTAINER) || token < 0 || static_cast<size_t>(token) >= labels_.size()) return;
            if (type & SC_PERFORMED_UNDO) emit undone(labels_[static_cast<size_t>(token)]);
            if (type & SC_PERFORMED_REDO) emit redone(labels_[static_cast<size_t>(token)]);
          });
  connect(this, &QsciScintilla::textChanged, this, [this] {
    fit_number_margin();
    if (!quiet_) emit text_edited();
  });
  connect(this, &QsciScintillaBase::SCN_DWELLSTART, this, [this](int position, int x, int y) {
    if (position >= 0) emit hovered(static_cast<uint32_t>(position), viewport()->mapToGlobal(QPoint(x, y)));
  });
  connect(this, &QsciScintillaBase::SCN_DWELLEND, this, [this] { emit hover_left(); });
  connect(this, &QsciScintilla::marginClicked, this, [this](int margin, int line, Qt::KeyboardModifiers) {
    if (margin == mark_margin && (markersAtLine(line) & kMarkMask)) emit margin_mark_clicked(static_cast<uint32_t>(line + 1));
  });
}

// ---- text -------------------------------------------------------------------------------

std::string CodeEdit::range(long begin, long end) const {
  if (end <= begin) return {};
  const auto* bytes = reinterpret_cast<const char*>(SendScintilla(SCI_GETRANGEPOINTER, static_cast<unsigned long>(begin), end - begin));
  return std::string(bytes, static_cast<size_t>(end - begin));
}

std::string CodeEdit::text() const { return range(0, SendScintilla(SCI_GETLENGTH)); }

void CodeEdit::replace_range(long begin, long end, const std::string& with) {
  SendScintilla(SCI_SETTARGETRANGE, static_cast<unsigned long>(begin), end);
  SendScintilla(SCI_REPLACETARGET, with.size(), with.data());
}

// Scintilla measures a line whole at each change, colour by colour.
void CodeEdit::set_plain(bool plain) {
  if (plain == plain_) return;
  plain_ = plain;
  SendScintilla(SCI_SETLEXER, plain ? SCLEX_NULL : SCLEX_PYTHON);
  if (plain) SendScintilla(SCI_CLEARDOCUMENTSTYLE);
  for (const int set : {1, 2})  // a new lexer knows no words
    if (!plain) SendScintilla(SCI_SETKEYWORDS, static_cast<unsigned long>(set - 1), lexer_->keywords(set));
}

void CodeEdit::replace_text(const std::string& text) {
  quiet_ = true;
  SendScintilla(SCI_CLEARALL);
  replace_range(0, SendScintilla(SCI_GETLENGTH), text);
  SendScintilla(SCI_EMPTYUNDOBUFFER);
  labels_.clear();
  SendScintilla(SCI_SETSAVEPOINT);
  SendScintilla(SCI_GOTOPOS, 0ul);
  setEolMode(line_end_of(text) == "\n" ? EolUnix : EolWindows);
  set_plain(has_long_line(text));
  quiet_ = false;
  emit text_edited();
}

template <class Change>
void CodeEdit::as_one_step(Change change) {
  quiet_ = true;
  SendScintilla(SCI_BEGINUNDOACTION);
  change();
  SendScintilla(SCI_ENDUNDOACTION);
  quiet_ = false;
  emit text_edited();
}

void CodeEdit::apply(const std::vector<TextEdit>& edits, const std::string& label) {
  if (edits.empty()) return;
  std::vector<TextEdit> ordered = edits;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const TextEdit& a, const TextEdit& b) { return a.span.begin < b.span.begin; });
  const bool windows = eolMode() == EolWindows;  // text made elsewhere takes the line ends of this file
  as_one_step([&] {
    for (auto edit = ordered.rbegin(); edit != ordered.rend(); ++edit)
      replace_range(edit->span.begin, edit->span.end, windows ? with_line_ends(edit->text, "\r\n") : edit->text);
    // After the text: a label alone would take the save point's place without telling.
    if (!label.empty()) {
      SendScintilla(SCI_ADDUNDOACTION, labels_.size(), 0L);
      labels_.push_back(QString::fromStdString(label));
    }
    show_offset(ordered.front().span.begin);
  });
  if (std::any_of(ordered.begin(), ordered.end(), [](const TextEdit& edit) { return has_long_line(edit.text); })) set_plain(true);
}

void CodeEdit::undo() {
  quiet_ = true;
  QsciScintilla::undo();
  quiet_ = false;
  emit text_edited();
}

void CodeEdit::redo() {
  quiet_ = true;
  QsciScintilla::redo();
  quiet_ = false;
  emit text_edited();
}

void CodeEdit::mark_saved() { SendScintilla(SCI_SETSAVEPOINT); }

uint32_t CodeEdit::caret_offset() const { return static_cast<uint32_t>(SendScintilla(SCI_GETCURRENTPOS)); }

uint32_t CodeEdit::caret_line() const {
  return static_cast<uint32_t>(SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(caret_offset()))) + 1;
}

void CodeEdit::show_offset(uint32_t offset) {
  SendScintilla(SCI_GOTOPOS, static_cast<unsigned long>(offset));
  SendScintilla(SCI_ENSUREVISIBLE, SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(offset)));
  SendScintilla(SCI_SETXOFFSET, 0ul);
  SendScintilla(SCI_SCROLLCARET);
}

void CodeEdit::select_span(Span span) {
  SendScintilla(SCI_SETSEL, static_cast<unsigned long>(span.begin), static_cast<long>(span.end));
}

Span CodeEdit::selection() const {
  return {static_cast<uint32_t>(SendScintilla(SCI_GETSELECTIONSTART)), static_cast<uint32_t>(SendScintilla(SCI_GETSELECTIONEND))};
}

std::string CodeEdit::word_at(uint32_t offset) const {
  const auto at = static_cast<unsigned long>(offset);
  return range(SendScintilla(SCI_WORDSTARTPOSITION, at, 1L), SendScintilla(SCI_WORDENDPOSITION, at, 1L));
}

QRect CodeEdit::caret_box(uint32_t offset) const {
  const auto position = static_cast<long>(offset);
  return {static_cast<int>(SendScintilla(SCI_POINTXFROMPOSITION, 0ul, position)),
          static_cast<int>(SendScintilla(SCI_POINTYFROMPOSITION, 0ul, position)), 1,
          static_cast<int>(SendScintilla(SCI_TEXTHEIGHT, SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(offset))))};
}

void CodeEdit::type_over(Span span, const std::string& text) {
  as_one_step([&] {
    replace_range(span.begin, span.end, text);
    SendScintilla(SCI_GOTOPOS, static_cast<unsigned long>(span.begin + text.size()));
  });
}

void CodeEdit::duplicate() {
  as_one_step([this] { SendScintilla(SCI_SELECTIONDUPLICATE); });
}

void CodeEdit::move_lines(bool up) {
  as_one_step([&] { SendScintilla(up ? SCI_MOVESELECTEDLINESUP : SCI_MOVESELECTEDLINESDOWN); });
}

void CodeEdit::indent(bool deeper) {
  const Span chosen = selection();
  const auto line_of = [this](uint32_t offset) { return SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(offset)); };
  const long first = line_of(chosen.begin);
  long last = line_of(chosen.end);
  if (last > first && SendScintilla(SCI_POSITIONFROMLINE, last) == static_cast<long>(chosen.end)) --last;
  as_one_step([&] {
    for (long line = first; line <= last; ++line) {
      const long now = SendScintilla(SCI_GETLINEINDENTATION, line);
      const bool empty = SendScintilla(SCI_POSITIONFROMLINE, line) == SendScintilla(SCI_GETLINEENDPOSITION, line);
      if (!empty) SendScintilla(SCI_SETLINEINDENTATION, line, std::max(0L, deeper ? now + 4 - now % 4 : (now - 1) / 4 * 4));
    }
  });
}

void CodeEdit::toggle_fold() {
  long line = static_cast<long>(caret_line()) - 1;
  if (!(SendScintilla(SCI_GETFOLDLEVEL, line) & SC_FOLDLEVELHEADERFLAG)) line = SendScintilla(SCI_GETFOLDPARENT, line);
  if (line < 0) return;
  SendScintilla(SCI_TOGGLEFOLD, line);
  if (!SendScintilla(SCI_GETFOLDEXPANDED, line)) SendScintilla(SCI_GOTOLINE, line);  // the caret stays in sight
}

void CodeEdit::toggle_comment() {
  long first = SendScintilla(SCI_LINEFROMPOSITION, SendScintilla(SCI_GETSELECTIONSTART));
  const long end = SendScintilla(SCI_GETSELECTIONEND);
  long last = SendScintilla(SCI_LINEFROMPOSITION, end);
  if (last > first && SendScintilla(SCI_POSITIONFROMLINE, last) == end) --last;
  struct Line {
    long begin;
    std::string text;
    size_t indent;
  };
  std::vector<Line> lines;
  bool commented = true;
  size_t least = std::string::npos;
  for (long l = first; l <= last; ++l) {
    const long begin = SendScintilla(SCI_POSITIONFROMLINE, l);
    std::string text = range(begin, SendScintilla(SCI_GETLINEENDPOSITION, l));
    const size_t indent = text.find_first_not_of(" \t");
    if (indent == std::string::npos) continue;
    commented = commented && text[indent] == '#';
    least = std::min(least, indent);
    lines.push_back({begin, std::move(text), indent});
  }
  if (lines.empty()) return;
  as_one_step([&] {
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      if (commented) {
        const size_t length = line->text.compare(line->indent, 2, "# ") == 0 ? 2 : 1;
        const long at = line->begin + static_cast<long>(line->indent);
        replace_range(at, at + static_cast<long>(length), "");
      } else {
        const long at = line->begin + static_cast<long>(least);
        replace_range(at, at, "# ");
      }
    }
  });
}

bool CodeEdit::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const QKeySequence keys(static_cast<QKeyEvent*>(event)->keyCombination());
    for (const QPointer<QAction>& action : window_actions_)
      if (action && action->isEnabled() && action->shortcuts().contains(keys)) {
        event->ignore();
        return false;
      }
  }
  return QsciScintilla::event(event);
}

void CodeEdit::keyPressEvent(QKeyEvent* event) {
  if (key_filter_ && key_filter_(*event)) return event->accept();
  if (event->key() == Qt::Key_Backtab) return indent(false);
  // An action that can't be done now must not leave its letter in the text.
  if (event->modifiers() == Qt::AltModifier && !event->text().isEmpty() && event->text().front().isPrint()) return event->ignore();
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  bool opens_block = false;
  if (enter && event->modifiers() == Qt::NoModifier && !hasSelectedText()) {
    const long position = SendScintilla(SCI_GETCURRENTPOS);
    const long line = SendScintilla(SCI_LINEFROMPOSITION, position);
    const std::string before = range(SendScintilla(SCI_POSITIONFROMLINE, line), position);
    const size_t last = before.find_last_not_of(" \t");
    opens_block = last != std::string::npos && before[last] == ':';
  }
  if (opens_block) SendScintilla(SCI_BEGINUNDOACTION);
  QsciScintilla::keyPressEvent(event);
  if (opens_block) {
    SendScintilla(SCI_REPLACESEL, "    ");
    SendScintilla(SCI_ENDUNDOACTION);
  }
  emit key_done(event->key());
}

// ---- marks ------------------------------------------------------------------------------

void CodeEdit::show_findings(const std::vector<Finding>& findings) {
  const long length = SendScintilla(SCI_GETLENGTH);
  for (int i = 0; i < kSeverities; ++i) {
    SendScintilla(SCI_SETINDICATORCURRENT, kIndicators + i);
    SendScintilla(SCI_INDICATORCLEARRANGE, 0ul, length);
    markerDeleteAll(i);
  }
  for (const Finding& finding : findings) {
    const long begin = std::min<long>(finding.span.begin, length);
    long end = std::min<long>(finding.span.end, length);
    if (end <= begin) end = std::min(length, SendScintilla(SCI_POSITIONAFTER, static_cast<unsigned long>(begin)));
    SendScintilla(SCI_SETINDICATORCURRENT, indicator_of(finding.severity));
    if (end > begin) SendScintilla(SCI_INDICATORFILLRANGE, static_cast<unsigned long>(begin), end - begin);
    markerAdd(static_cast<int>(SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(begin))), marker_of(finding.severity));
  }
}

void CodeEdit::light_lines(uint32_t first, uint32_t last, bool finding) {
  markerDeleteAll(focus_marker);
  markerDeleteAll(finding_marker);
  if (first == 0) return;
  for (uint32_t line = first; line <= std::min(last, first + 200); ++line)
    markerAdd(static_cast<int>(line) - 1, finding ? finding_marker : focus_marker);
}

void CodeEdit::light_words(const std::vector<std::string>& names) {
  if (names.empty() && words_.empty()) return;
  words_ = names;
  const std::string all = text();
  SendScintilla(SCI_SETINDICATORCURRENT, kWordIndicator);
  SendScintilla(SCI_INDICATORCLEARRANGE, 0ul, static_cast<long>(all.size()));
  for (const std::string& name : names) {
    if (name.empty()) continue;
    size_t newline = all.find('\n'), comment = all.find('#');  // of the line looked at
    for (size_t at = all.find(name); at != std::string::npos; at = all.find(name, at + name.size())) {
      for (; newline < at; newline = all.find('\n', newline + 1))
        if (comment < newline) comment = all.find('#', newline);
      const bool begins = at == 0 || !is_word(all[at - 1]);
      const bool ends = at + name.size() >= all.size() || !is_word(all[at + name.size()]);
      if (begins && ends && comment >= at) SendScintilla(SCI_INDICATORFILLRANGE, at, static_cast<long>(name.size()));
    }
  }
}

void CodeEdit::show_matches(const std::vector<Span>& matches) {
  SendScintilla(SCI_SETINDICATORCURRENT, kMatchIndicator);
  SendScintilla(SCI_INDICATORCLEARRANGE, 0ul, SendScintilla(SCI_GETLENGTH));
  for (size_t i = 0; i < std::min(matches.size(), kShownMatches); ++i)
    SendScintilla(SCI_INDICATORFILLRANGE, static_cast<unsigned long>(matches[i].begin), static_cast<long>(matches[i].end - matches[i].begin));
}

uint32_t CodeEdit::offset_at(QPoint point) const {
  const long position = SendScintilla(SCI_POSITIONFROMPOINTCLOSE, static_cast<unsigned long>(std::max(0, point.x())), std::max(0, point.y()));
  return position < 0 ? kNowhere : static_cast<uint32_t>(position);
}

void CodeEdit::mouseMoveEvent(QMouseEvent* event) {
  QsciScintilla::mouseMoveEvent(event);
  const uint32_t offset = event->buttons() ? kNowhere : offset_at(event->pos());
  if (offset == pointed_) return;
  pointed_ = offset;
  emit pointed(offset);
}

void CodeEdit::leaveEvent(QEvent* event) {
  QsciScintilla::leaveEvent(event);
  pointed_ = kNowhere;
  emit pointed(kNowhere);
}

void CodeEdit::mousePressEvent(QMouseEvent* event) {
  const uint32_t offset = offset_at(event->pos());
  if (event->button() == Qt::LeftButton && event->modifiers() == Qt::ControlModifier && offset != kNowhere)
    return emit definition_asked(offset);
  QsciScintilla::mousePressEvent(event);
}

// Scintilla places a pixmap by its raw size, which is wrong at a scale of 2; so the marks are painted
// here, over the margin.
void CodeEdit::paintEvent(QPaintEvent* event) {
  QsciScintilla::paintEvent(event);
  const int first = static_cast<int>(SendScintilla(SCI_GETFIRSTVISIBLELINE));
  const int shown = static_cast<int>(SendScintilla(SCI_LINESONSCREEN)) + 1;
  const int height = static_cast<int>(SendScintilla(SCI_TEXTHEIGHT, static_cast<unsigned long>(first)));
  const int size = std::min(14, height - 1);
  const int left = marginWidth(number_margin) + (marginWidth(mark_margin) - size) / 2;
  QPainter p(viewport());
  for (int row = first; row <= first + shown; ++row) {
    const int line = static_cast<int>(SendScintilla(SCI_DOCLINEFROMVISIBLE, static_cast<unsigned long>(row)));
    if (line >= lines()) break;
    if (row != static_cast<int>(SendScintilla(SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(line)))) continue;  // an annotation
    const unsigned marks = markersAtLine(line) & kMarkMask;
    if (!marks) continue;
    const SeverityMark mark = marks & (1u << error_marker)    ? SeverityMark::error
                              : marks & (1u << review_marker) ? SeverityMark::review
                                                              : SeverityMark::hint;
    p.drawPixmap(left, (row - first) * height + (height - size) / 2, severity_pixmap(mark, theme_, size, devicePixelRatioF()));
  }
}

// ---- looks ------------------------------------------------------------------------------

void CodeEdit::fit_number_margin() {
  const QString widest = QString(std::max<qsizetype>(3, QString::number(lines()).size()) + 1, QLatin1Char('9'));
  setMarginWidth(number_margin, widest);
}

void CodeEdit::apply_theme(const Theme& theme) {
  setFont(code_font());
  setColor(theme[Token::text]);
  setPaper(theme[Token::base]);
  lexer_->apply(theme);
  setMarginsFont(code_font());
  setMarginsForegroundColor(theme[Token::margin_text]);
  setMarginsBackgroundColor(theme[Token::margin]);
  setFoldMarginColors(theme[Token::base], theme[Token::base]);
  setCaretForegroundColor(theme[Token::text]);
  setCaretLineBackgroundColor(theme[Token::text]);
  SendScintilla(SCI_SETCARETLINEBACKALPHA, 12);  // over, not instead of, a lit line
  setSelectionBackgroundColor(theme[Token::selection]);
  setSelectionForegroundColor(theme[Token::text]);
  setMatchedBraceBackgroundColor(theme[Token::brace_match]);
  setMatchedBraceForegroundColor(theme[Token::text]);
  setUnmatchedBraceBackgroundColor(theme[Token::error_line]);
  setUnmatchedBraceForegroundColor(theme[Token::error]);
  setCallTipsBackgroundColor(theme[Token::tooltip]);
  setCallTipsForegroundColor(theme[Token::text]);
  setCallTipsHighlightColor(theme[Token::accent]);
  setIndentationGuidesBackgroundColor(theme[Token::base]);
  setIndentationGuidesForegroundColor(theme[Token::border]);
  setWhitespaceForegroundColor(theme[Token::border]);
  setEdgeColor(theme[Token::border]);
  // Text under the selection keeps its own colours.
  resetSelectionForegroundColor();

  const auto rgb = [&](Token token) {
    const QColor c = theme[token];
    return static_cast<long>(c.red() | (c.green() << 8) | (c.blue() << 16));
  };
  for (const int marker : {SC_MARKNUM_FOLDER, SC_MARKNUM_FOLDEROPEN}) {
    SendScintilla(SCI_MARKERSETFORE, marker, rgb(Token::muted));
    SendScintilla(SCI_MARKERSETBACK, marker, rgb(Token::muted));
  }
  SendScintilla(SCI_INDICSETFORE, indicator_of(Severity::error), rgb(Token::error));
  SendScintilla(SCI_INDICSETFORE, indicator_of(Severity::review), rgb(Token::review));
  SendScintilla(SCI_INDICSETFORE, indicator_of(Severity::hint), rgb(Token::hint));
  SendScintilla(SCI_INDICSETFORE, kWordIndicator, rgb(Token::accent));
  SendScintilla(SCI_INDICSETFORE, kMatchIndicator, rgb(Token::review));

  markerDefine(Background, focus_marker);
  setMarkerBackgroundColor(theme[Token::focus_line], focus_marker);
  markerDefine(Background, finding_marker);
  setMarkerBackgroundColor(theme[Token::error_line], finding_marker);
  for (const int marker : {error_marker, review_marker, hint_marker}) markerDefine(Invisible, marker);
  theme_ = theme.id();
  fit_number_margin();
}

}  // namespace bakery::views
