// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/editor/editor_view.h"

#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>

#include "views/common/qt_text.h"
#include "views/common/rich_text.h"
#include "views/common/severity_mark.h"
#include "views/editor/code_edit.h"
#include "views/editor/find_bar.h"
#include "views/editor/pending_marks.h"

namespace bakery::views {

EditorView::EditorView(const ViewContext& context, QWidget* parent)
    : QWidget(parent), context_(context), edit_(new CodeEdit(this)), find_bar_(new FindBar(edit_, context.theme, this)) {
  setObjectName(QStringLiteral("editor_view"));
  setFocusProxy(edit_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(edit_, 1);
  layout->addWidget(find_bar_);
  context_.document.attach(edit_);
  edit_->apply_theme(context_.theme);
  new PendingMarks(*edit_, context_, this);

  connect(&context_.theme, &Theme::changed, this, [this] { edit_->apply_theme(context_.theme); });
  connect(&context_.document, &Document::path_changed, this, &EditorView::submit);
  connect(edit_, &CodeEdit::text_edited, this, &EditorView::submit);
  connect(edit_, &CodeEdit::text_edited, &context_.document, &Document::text_changed);
  connect(&context_.document, &Document::opened, this, [this] { last_line_ = edit_->caret_line(); });
  connect(edit_, &QsciScintilla::modificationChanged, &context_.document, &Document::set_modified);
  connect(edit_, &QsciScintilla::cursorPositionChanged, this, &EditorView::take_caret);
  connect(edit_, &CodeEdit::hovered, this, &EditorView::show_hover);
  connect(edit_, &CodeEdit::hover_left, this, [] { QToolTip::hideText(); });
  connect(edit_, &CodeEdit::margin_mark_clicked, this, [this](uint32_t line) {
    const Analysis& analysis = context_.snapshots.analysis();
    for (size_t i = 0; i < analysis.findings.size(); ++i)
      if (analysis.source.position(analysis.findings[i].span.begin).line == line) {
        FocusState state = focus_on_finding(context_.snapshots.shown(), static_cast<int>(i));
        state.origin = Origin::command;
        return context_.focus.set(std::move(state));
      }
  });
  connect(&context_.snapshots, &Snapshots::changed, this, &EditorView::take_snapshot);
  connect(&context_.focus, &Focus::changed, this, &EditorView::take_focus);
}

void EditorView::submit() {
  context_.snapshots.submit(to_utf8(context_.document.file_name()), context_.document.text());
}

void EditorView::take_snapshot() {
  edit_->show_findings(context_.snapshots.analysis().findings);
  take_focus();
}

void EditorView::take_focus() {
  const FocusState& state = context_.focus.state();
  const SourceText& source = context_.snapshots.analysis().source;
  if (context_.snapshots.busy()) return;  // marks move with the text until the answer comes
  const auto lines = lines_of(source, state);
  const bool from_caret = state.origin == Origin::editor && state.event == kNoEvent && state.finding < 0;
  if (lines && !from_caret) edit_->light_lines(lines->first, lines->second, state.finding >= 0);
  else edit_->light_lines(0, 0, false);
  std::vector<std::string> words;
  for (const std::string& name : {state.barrier, state.buffer})
    if (!name.empty()) words.push_back(name);
  edit_->light_words(words);
  const bool elsewhere = sender() == &context_.focus && state.origin != Origin::editor;
  if (elsewhere && state.span) {
    moving_caret_ = true;
    edit_->show_offset(state.span->begin);
    last_line_ = edit_->caret_line();
    moving_caret_ = false;
  }
}

// A caret that a person moves is a focus on its line; while they type the old focus stays.
void EditorView::take_caret() {
  const uint32_t line = edit_->caret_line();
  if (line == last_line_) return;
  last_line_ = line;
  if (moving_caret_ || context_.snapshots.busy()) return;
  const SourceText& source = context_.snapshots.analysis().source;
  if (source.line(line).find_first_not_of(" \t") == std::string_view::npos) return;
  FocusState state = focus_on_span(source.line_span(line));
  state.origin = Origin::editor;
  context_.focus.set_passing(std::move(state));
}

int EditorView::finding_at(uint32_t offset) const {
  const std::vector<Finding>& findings = context_.snapshots.analysis().findings;
  int best = -1;
  for (size_t i = 0; i < findings.size(); ++i) {
    const Span span = findings[i].span;
    const bool here = span.contains(offset) || (span.begin == span.end && span.begin == offset);
    if (!here) continue;
    const auto length = [&](int index) { return findings[index].span.end - findings[index].span.begin; };
    if (best < 0 || length(static_cast<int>(i)) < length(best)) best = static_cast<int>(i);
  }
  return best;
}

void EditorView::show_hover(uint32_t offset, QPoint global) {
  if (context_.snapshots.busy()) return;
  const int finding = finding_at(offset);
  if (finding < 0) return;
  QToolTip::showText(global + QPoint(0, 6), finding_tip(context_.snapshots.analysis().findings[finding], context_.theme),
                     edit_->viewport());
}

void EditorView::go_to_finding(int direction) {
  const Snapshot& snapshot = context_.snapshots.shown();
  const std::vector<Finding>& findings = snapshot.analysis->findings;
  if (findings.empty() || context_.snapshots.busy()) return;
  std::vector<int> order(findings.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return findings[a].span.begin < findings[b].span.begin; });
  const int current = context_.focus.state().finding;
  int next;
  if (const auto at = std::find(order.begin(), order.end(), current); at != order.end()) {
    const int count = static_cast<int>(order.size());
    next = order[static_cast<size_t>((at - order.begin() + direction + count) % count)];
  } else {
    const uint32_t caret = edit_->caret_offset();
    next = direction > 0 ? order.front() : order.back();
    if (direction > 0) {
      for (const int i : order)
        if (findings[i].span.begin >= caret) { next = i; break; }
    } else {
      for (const int i : order)
        if (findings[i].span.begin < caret) next = i;
    }
  }
  FocusState state = focus_on_finding(snapshot, next);
  state.origin = Origin::command;
  context_.focus.set(std::move(state));
}

QString finding_tip(const Finding& finding, const Theme& theme) {
  const SeverityMark mark = mark_of(finding.severity);
  QString html = QStringLiteral("<div style='max-width:520px'><b style='color:%1'>%2</b> %3")
                     .arg(theme.css(token_of(mark)), to_qstring(finding.id).toHtmlEscaped(), rich_text(finding.message));
  if (!finding.contract.empty())
    html += QStringLiteral("<div style='color:%1; margin-top:4px'>%2</div>").arg(theme.css(Token::muted), rich_text(finding.contract));
  if (!finding.fixes.empty())
    html += QStringLiteral("<div style='margin-top:4px'>Ctrl+.  %1</div>").arg(rich_text(finding.fixes.front().title));
  return html + QStringLiteral("</div>");
}

}  // namespace bakery::views
