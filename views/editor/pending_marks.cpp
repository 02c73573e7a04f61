// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/editor/pending_marks.h"

#include <QMouseEvent>

#include <Qsci/qscistyle.h>
#include <Qsci/qscistyledtext.h>

#include <algorithm>
#include <map>

#include "views/editor/code_edit.h"

namespace bakery::views {

namespace {

constexpr int kAnnotationStyle = 120;         // beyond those of the lexer
constexpr int kChosenStyle = 121, kConflictStyle = 122;
constexpr int kBarWidth = 5;

}  // namespace

PendingMarks::PendingMarks(CodeEdit& edit, const ViewContext& context, QObject* parent)
    : QObject(parent), edit_(edit), context_(context) {
  edit_.setMarginType(kMargin, QsciScintilla::SymbolMargin);
  edit_.setMarginMarkerMask(kMargin, 1 << kBarMarker);
  edit_.setMarginSensitivity(kMargin, true);
  edit_.setMarginWidth(kMargin, 0);
  edit_.setAnnotationDisplay(QsciScintilla::AnnotationStandard);
  edit_.viewport()->installEventFilter(this);
  connect(&edit_, &QsciScintilla::marginClicked, this, [this](int margin, int line, Qt::KeyboardModifiers) {
    if (const int hunk = margin == kMargin ? hunk_at(line) : 0) context_.document.pending().choose(hunk);
  });
  connect(&context_.document.pending(), &PendingHunks::changed, this, &PendingMarks::show);
  connect(&context_.theme, &Theme::changed, this, [this] {
    apply_theme();
    show();
  });
  apply_theme();
}

void PendingMarks::apply_theme() {
  const Theme& theme = context_.theme;
  edit_.markerDefine(QsciScintilla::FullRectangle, kBarMarker);
  edit_.setMarkerBackgroundColor(theme[Token::agent], kBarMarker);
  edit_.markerDefine(QsciScintilla::Background, kRemovedMarker);
  edit_.setMarkerBackgroundColor(theme[Token::removed_line], kRemovedMarker);
}

// The line whose box holds what would come: the last one that goes, else the one before.
static int anchor(const PendingHunk& hunk, int lines) {
  const int line = static_cast<int>(hunk.removed > 0 ? hunk.line + hunk.removed - 2 : hunk.line - std::min(hunk.line, 2u));
  return std::clamp(line, 0, std::max(0, lines - 1));
}

void PendingMarks::show() {
  const std::vector<PendingHunk>& hunks = context_.document.pending().list();
  const Theme& theme = context_.theme;
  edit_.markerDeleteAll(kBarMarker);
  edit_.markerDeleteAll(kRemovedMarker);
  edit_.clearAnnotations();
  edit_.setMarginWidth(kMargin, hunks.empty() ? 0 : kBarWidth);
  std::map<int, QList<QsciStyledText>> boxes;
  for (const PendingHunk& hunk : hunks) {
    const int line = anchor(hunk, edit_.lines());
    for (uint32_t i = 0; i < hunk.removed; ++i) {
      const int removed = static_cast<int>(hunk.line + i) - 1;
      edit_.markerAdd(removed, kBarMarker);
      if (!hunk.conflict) edit_.markerAdd(removed, kRemovedMarker);
    }
    edit_.markerAdd(line, kBarMarker);
    const QString text = hunk.conflict         ? tr("conflicts with what you typed:\n") + hunk.added
                         : hunk.added.isEmpty() ? tr("(takes these lines away)")
                                                : hunk.added;
    const QsciStyle style(hunk.conflict ? kConflictStyle : hunk.chosen ? kChosenStyle : kAnnotationStyle, QStringLiteral("proposal"),
                          theme[Token::text], theme[hunk.conflict ? Token::error_line : hunk.chosen ? Token::focus_line : Token::added_line],
                          code_font());
    if (!boxes[line].isEmpty()) boxes[line] << QsciStyledText(QStringLiteral("\n"), style);
    boxes[line] << QsciStyledText(text, style);
  }
  for (const auto& [line, texts] : boxes) edit_.annotate(line, texts);
}

int PendingMarks::hunk_at(int line) const {
  for (const PendingHunk& hunk : context_.document.pending().list()) {
    const int first = static_cast<int>(hunk.line) - 1;
    if (anchor(hunk, edit_.lines()) == line || (line >= first && line < first + static_cast<int>(hunk.removed))) return hunk.id;
  }
  return 0;
}

// A click into a box chooses its hunk.
bool PendingMarks::eventFilter(QObject*, QEvent* event) {
  if (event->type() != QEvent::MouseButtonPress || context_.document.pending().list().empty()) return false;
  const auto* mouse = static_cast<QMouseEvent*>(event);
  const long height = edit_.SendScintilla(QsciScintilla::SCI_TEXTHEIGHT, 0ul);
  if (height <= 0 || mouse->button() != Qt::LeftButton) return false;
  const long row = edit_.SendScintilla(QsciScintilla::SCI_GETFIRSTVISIBLELINE) + mouse->position().toPoint().y() / height;
  const long line = edit_.SendScintilla(QsciScintilla::SCI_DOCLINEFROMVISIBLE, static_cast<unsigned long>(row));
  if (row == edit_.SendScintilla(QsciScintilla::SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(line))) return false;
  const int hunk = hunk_at(static_cast<int>(line));
  if (!hunk) return false;
  context_.document.pending().choose(hunk);
  return true;
}

}  // namespace bakery::views
