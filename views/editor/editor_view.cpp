// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/editor/editor_view.h"

#include <QInputDialog>
#include <QKeyEvent>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <cctype>

#include "views/common/qt_text.h"
#include "views/common/rich_text.h"
#include "views/common/severity_mark.h"
#include "views/editor/call_tip.h"
#include "views/editor/code_edit.h"
#include "views/editor/completion_popup.h"
#include "views/editor/find_bar.h"
#include "views/editor/places_bar.h"
#include "views/editor/pending_marks.h"

namespace bakery::views {

EditorView::EditorView(const ViewContext& context, QWidget* parent)
    : QWidget(parent), context_(context), edit_(new CodeEdit(this)), find_bar_(new FindBar(edit_, context.theme, this)),
      places_(new PlacesBar(edit_, context.theme, this)), popup_(new CompletionPopup(edit_, context.theme)),
      call_tip_(new CallTip(edit_, context.theme)) {
  setObjectName(QStringLiteral("editor_view"));
  setFocusProxy(edit_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(edit_, 1);
  layout->addWidget(find_bar_);
  layout->addWidget(places_);
  context_.document.attach(edit_);
  edit_->apply_theme(context_.theme);
  new PendingMarks(*edit_, context_, this);

  connect(&context_.theme, &Theme::changed, this, [this] { edit_->apply_theme(context_.theme); });
  connect(&context_.document, &Document::path_changed, this, &EditorView::submit);
  connect(edit_, &CodeEdit::text_edited, this, &EditorView::submit);
  connect(&context_.document, &Document::opened, this, [this] {
    last_line_ = edit_->caret_line();
    if (edit_->plain()) emit said(tr("A line has more than %1 columns: the text is shown without colours, and typing in that line is slow.").arg(CodeEdit::kColouredColumns));
  });
  connect(edit_, &CodeEdit::text_edited, &context_.document, &Document::text_changed);
  connect(edit_, &QsciScintilla::modificationChanged, &context_.document, &Document::set_modified);
  connect(edit_, &QsciScintilla::cursorPositionChanged, this, &EditorView::take_caret);
  connect(edit_, &CodeEdit::hovered, this, &EditorView::show_hover);
  connect(edit_, &CodeEdit::hover_left, this, [] { QToolTip::hideText(); });
  connect(edit_, &CodeEdit::pointed, this, &EditorView::point_at);
  connect(edit_, &CodeEdit::definition_asked, this, &EditorView::jump_to_definition);
  connect(edit_, &CodeEdit::undone, this, [this](const QString& label) { emit noted(tr("Took back: %1").arg(label)); });
  connect(edit_, &CodeEdit::redone, this, [this](const QString& label) { emit noted(tr("Did again: %1").arg(label)); });
  connect(edit_, &QsciScintillaBase::SCN_CHARADDED, this, &EditorView::take_char);
  connect(edit_, &CodeEdit::key_done, this, &EditorView::take_key);
  edit_->set_key_filter([this](const QKeyEvent& event) {
    if (popup_->take_key(event)) {
      if (!popup_->isVisible() && event.key() != Qt::Key_Escape) call_tip_->follow();
      return true;
    }
    const bool tip = event.key() == Qt::Key_Escape && call_tip_->isVisible();
    if (tip) call_tip_->hide();
    return tip;
  });
  edit_->installEventFilter(this);
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
  connect(&context_.focus, &Focus::lit_changed, this, &EditorView::light);
}

void EditorView::submit() {
  context_.snapshots.submit(to_utf8(context_.document.file_name()), context_.document.text());
}

void EditorView::take_snapshot() {
  edit_->show_findings(context_.snapshots.analysis().findings);
  take_focus();
}

void EditorView::take_focus() {
  light();
  const FocusState& state = context_.focus.state();
  const bool elsewhere = sender() == &context_.focus && state.origin != Origin::editor;
  if (context_.snapshots.busy() || !elsewhere || !state.span) return;
  moving_caret_ = true;
  edit_->show_offset(state.span->begin);
  last_line_ = edit_->caret_line();
  moving_caret_ = false;
}

void EditorView::light() {
  if (context_.snapshots.busy()) return;  // marks move with the text until the answer comes
  const FocusState& lit = context_.focus.lit();
  const auto lines = lines_of(context_.snapshots.analysis().source, lit);
  const bool own = lit.origin == Origin::editor && lit.event == kNoEvent && lit.finding < 0;
  if (lines && !own) edit_->light_lines(lines->first, lines->second, lit.finding >= 0);
  else edit_->light_lines(0, 0, false);
  std::vector<std::string> words;
  for (const std::string& name : {lit.barrier, lit.buffer})
    if (!name.empty()) words.push_back(name);
  edit_->light_words(words);
}

// What the mouse is over lights up everywhere: the resource of that name, else what its line does.
void EditorView::point_at(uint32_t offset) {
  const Snapshot& shown = context_.snapshots.shown();
  const SourceText& source = shown.analysis->source;
  if (offset >= source.text().size() || context_.snapshots.busy()) return context_.focus.end_hover();
  FocusState state = focus_on_resource(shown, edit_->word_at(offset));
  if (state.empty()) {
    const uint32_t line = source.position(offset).line;
    if (source.line(line).find_first_not_of(" \t") != std::string_view::npos) state = focus_on_span(source.line_span(line));
  }
  state.origin = Origin::editor;
  context_.focus.hover(std::move(state));
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

bool EditorView::show_hover(uint32_t offset, QPoint global) {
  if (context_.snapshots.busy() || popup_->isVisible()) return false;
  const Analysis& analysis = context_.snapshots.analysis();
  const int finding = finding_at(offset);
  const auto what = hover(analysis, offset);
  QStringList parts;
  if (finding >= 0) parts << finding_tip(analysis.findings[finding], context_.theme);
  if (what) parts << hover_tip(*what, context_.theme);
  if (!parts.isEmpty()) QToolTip::showText(global + QPoint(0, 6), parts.join(QStringLiteral("<hr>")), edit_->viewport());
  return !parts.isEmpty();
}

void EditorView::show_facts() {
  const uint32_t caret = edit_->caret_offset();
  const QPoint below = edit_->viewport()->mapToGlobal(edit_->caret_box(caret).bottomLeft());
  if (!show_hover(caret, below)) emit said(tr("Nothing is known about what is at the caret."));
}

// ---- typing -----------------------------------------------------------------------------

void EditorView::complete() { popup_->offer(true); }

void EditorView::show_call() {
  call_tip_->follow();
  if (!call_tip_->isVisible()) emit said(tr("The caret is in no call."));
}

void EditorView::take_char(int character) {
  if (character == '(' || character == ',' || character == ')' || (character == '=' && call_tip_->isVisible())) call_tip_->follow();
  const bool name = character == '_' || (character < 128 && std::isalnum(character));
  const bool opens = character == '.' || character == '"' || character == '\'' || character == '=' || character == '@';
  if (name || opens || character == '(') popup_->offer(character == '=' && call_tip_->isVisible());
  else popup_->hide();
}

void EditorView::take_key(int key) {
  if (key == Qt::Key_Backspace && popup_->isVisible()) popup_->offer(false);
  const bool moves = key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Home || key == Qt::Key_End ||
                     key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_Delete;
  if (moves) popup_->hide();
  if ((moves || key == Qt::Key_Backspace || key == Qt::Key_Return) && call_tip_->isVisible()) call_tip_->follow();
}

void EditorView::close_popups() {
  popup_->hide();
  call_tip_->hide();
}

bool EditorView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == edit_ && (event->type() == QEvent::FocusOut || event->type() == QEvent::Hide || event->type() == QEvent::MouseButtonPress ||
                           event->type() == QEvent::Wheel))
    close_popups();
  return QWidget::eventFilter(watched, event);
}

// ---- names ------------------------------------------------------------------------------

void EditorView::go_to_line() {
  bool chosen = false;
  const int line = QInputDialog::getInt(this, tr("Go to line"), tr("Line, 1 to %1").arg(edit_->lines()),
                                        static_cast<int>(edit_->caret_line()), 1, edit_->lines(), 1, &chosen);
  if (chosen) go_to_line(line);
}

void EditorView::go_to_line(int line) {
  edit_->show_offset(static_cast<uint32_t>(edit_->positionFromLineIndex(std::clamp(line, 1, edit_->lines()) - 1, 0)));
  edit_->setFocus();
}

void EditorView::go_to_definition() { jump_to_definition(edit_->caret_offset()); }

void EditorView::jump_to_definition(uint32_t offset) {
  const auto use = name_at(context_.document.text(), offset);
  if (!use) return emit said(tr("There is no name here that the schedule binds."));
  FocusState state = focus_on_span(use->definition);
  state.origin = Origin::command;
  if (!context_.snapshots.busy()) context_.focus.set(std::move(state));  // so that Back returns
  edit_->show_offset(use->definition.begin);
  edit_->select_span(use->definition);
  edit_->setFocus();
}

void EditorView::find_references() {
  const auto use = name_at(context_.document.text(), edit_->caret_offset());
  if (!use) return emit said(tr("There is no name here that the schedule binds."));
  const size_t count = use->places.size();
  places_->open(QStringLiteral("<b>%1</b>: %2").arg(to_qstring(use->name), count == 1 ? tr("1 place") : tr("%1 places").arg(count)), use->places);
}

void EditorView::step_reference(int direction) { places_->step(direction); }

void EditorView::rename() {
  const auto use = name_at(context_.document.text(), edit_->caret_offset());
  if (!use) return emit said(tr("There is no name here that the schedule binds."));
  bool chosen = false;
  const QString name = QInputDialog::getText(this, tr("Rename"), tr("New name of %1, which stands in %2 places").arg(to_qstring(use->name)).arg(use->places.size()),
                                             QLineEdit::Normal, to_qstring(use->name), &chosen);
  if (chosen) rename_to(name.trimmed());
}

bool EditorView::rename_to(const QString& name) {
  const uint32_t caret = edit_->caret_offset();
  const Renaming renaming = bakery::rename(context_.document.text(), caret, to_utf8(name));
  if (!renaming.error.empty()) {
    emit said(to_qstring(renaming.error));
    return false;
  }
  uint32_t after = caret;  // the caret stays on its place
  for (const TextEdit& edit : renaming.edits)
    if (edit.span.end < caret) after += static_cast<uint32_t>(edit.text.size()) - (edit.span.end - edit.span.begin);
  context_.document.apply(renaming.edits, to_utf8(tr("renaming to %1").arg(name)));
  edit_->show_offset(after);
  return true;
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

QString hover_tip(const Hover& hover, const Theme& theme) {
  QString html = QStringLiteral("<div style='max-width:520px'><b>%1</b>").arg(rich_text(hover.title));
  if (!hover.doc.empty()) html += QStringLiteral("<div>%1</div>").arg(rich_text(hover.doc));
  html += QStringLiteral("<table style='margin-top:4px'>");
  for (const auto& [name, value] : hover.facts)
    html += QStringLiteral("<tr><td style='color:%1; padding-right:12px'>%2</td><td>%3</td></tr>")
                .arg(theme.css(Token::muted), to_qstring(name), rich_text(value));
  return html + QStringLiteral("</table></div>");
}

}  // namespace bakery::views
