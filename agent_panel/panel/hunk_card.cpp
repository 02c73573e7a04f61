// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent_panel/panel/hunk_card.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QScrollBar>
#include <QStyle>
#include <QTextBlock>
#include <QVBoxLayout>

#include <algorithm>

#include "views/common/qt_text.h"

namespace bakery::panel {

using views::Token;
using views::to_qstring;
using views::to_utf8;

namespace {

constexpr int kMostRows = 16;     // of a diff before it scrolls
constexpr int kRecheckAfter = 200;  // milliseconds of quiet

QString bare(std::string line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return to_qstring(line);
}

QString lines_word(size_t n) { return n == 1 ? QStringLiteral("line") : QStringLiteral("lines"); }

void fit_height(QPlainTextEdit* edit, int rows) {
  const int shown = std::clamp(rows, 1, kMostRows);
  const int bar = edit->horizontalScrollBar()->sizeHint().height();
  edit->setFixedHeight(shown * edit->fontMetrics().lineSpacing() + 10 + bar);
}

// "errors 2 → 1 · findings 3 → 2 · ends at logical step 812"
QString worth_of(const Evidence& e) {
  QStringList parts;
  const auto change = [](const QString& what, auto from, auto to) { return QStringLiteral("%1 %2 → %3").arg(what).arg(from).arg(to); };
  parts << change(HunkCard::tr("errors"), e.errors_before, e.errors_after) << change(HunkCard::tr("findings"), e.findings_before, e.findings_after);
  if (e.errors_before == 0 && e.errors_after == 0) {
    const double percent = e.steps_before > 0 ? 100.0 * static_cast<double>(e.steps_after - e.steps_before) / static_cast<double>(e.steps_before) : 0;
    parts << change(HunkCard::tr("logical steps"), e.steps_before, e.steps_after) + QStringLiteral(" (%1%2 %)").arg(percent > 0 ? "+" : "").arg(percent, 0, 'f', 1);
  } else if (e.errors_after == 0) {
    parts << HunkCard::tr("ends at logical step %1").arg(e.steps_after);
  }
  if (e.smem_before != e.smem_after) parts << change(HunkCard::tr("shared memory"), e.smem_before, e.smem_after) + HunkCard::tr(" bytes");
  return parts.join(QStringLiteral(" · "));
}

QString list_of(const std::vector<std::string>& names) {
  QStringList list;
  for (const std::string& name : names) list << to_qstring(name);
  return list.join(QStringLiteral(", "));
}

}  // namespace

// ---- the diff ---------------------------------------------------------------------------

DiffText::DiffText(const views::Theme& theme, QWidget* parent) : QPlainTextEdit(parent), theme_(theme) {
  setObjectName(QStringLiteral("hunk_diff"));
  setAccessibleName(tr("Changed lines"));
  setReadOnly(true);
  setTabChangesFocus(true);
  setLineWrapMode(NoWrap);
  setFont(views::code_font());
  setFrameShape(QFrame::NoFrame);
  document()->setDocumentMargin(3);
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  connect(&theme_, &views::Theme::changed, this, &DiffText::colour);
}

void DiffText::show_hunk(const PlacedHunk& placed) {
  QStringList rows;
  const uint32_t line = placed.line;
  const auto number = [](uint32_t n) { return QStringLiteral("%1 ").arg(n, 4); };
  const QString blank(5, QLatin1Char(' '));
  if (line > 1) rows << number(line - 1) + QStringLiteral("  ") + to_qstring(placed.above);
  uint32_t at = line;
  const bool in_text = placed.hunk.state != HunkState::accepted && !placed.conflict;
  for (const std::string& gone : placed.hunk.before) rows << (in_text ? number(at) : blank) + QStringLiteral("- ") + bare(gone), ++at;
  for (const std::string& come : placed.hunk.state == HunkState::accepted ? placed.hunk.text : placed.hunk.proposed)
    rows << blank + QStringLiteral("+ ") + bare(come);
  if (!placed.below.empty()) rows << number(line + placed.length) + QStringLiteral("  ") + to_qstring(placed.below);
  const QString text = rows.join(QLatin1Char('\n'));
  if (text != toPlainText()) setPlainText(text);
  fit_height(this, static_cast<int>(rows.size()));
  colour();
}

void DiffText::colour() {
  QList<QTextEdit::ExtraSelection> marks;
  for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
    const QString text = block.text();
    const QChar sign = text.size() > 5 ? text[5] : QLatin1Char(' ');
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(block);
    mark.format.setProperty(QTextFormat::FullWidthSelection, true);
    if (sign == QLatin1Char('+')) {
      mark.format.setBackground(theme_[Token::added_line]);
    } else if (sign == QLatin1Char('-')) {
      mark.format.setBackground(theme_[Token::removed_line]);
    } else {
      mark.cursor.select(QTextCursor::BlockUnderCursor);
      mark.format = {};
      mark.format.setForeground(theme_[Token::muted]);
    }
    marks << mark;
  }
  setExtraSelections(marks);
}

// ---- the card ---------------------------------------------------------------------------

HunkCard::HunkCard(const views::Theme& theme, QWidget* parent) : QFrame(parent), theme_(theme) {
  setObjectName(QStringLiteral("hunk_card"));
  setFrameShape(QFrame::NoFrame);
  const auto label = [this](const char* id) {
    auto* l = new QLabel(this);
    l->setObjectName(QLatin1String(id));
    l->setTextFormat(Qt::PlainText);
    l->setWordWrap(true);
    l->setTextInteractionFlags(Qt::TextSelectableByMouse);
    l->installEventFilter(this);
    return l;
  };
  title_ = label("hunk_title");
  worth_ = label("hunk_worth");
  state_ = label("hunk_state");
  state_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  diff_ = new DiffText(theme_, this);
  diff_->installEventFilter(this);

  buttons_ = new QWidget(this);
  auto* row = new QHBoxLayout(buttons_);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(6);
  accept_ = button("hunk_accept", tr("Accept"), tr("Put these lines into the text (Alt+A)"), &HunkCard::accept_asked);
  reject_ = button("hunk_reject", tr("Reject"), tr("Leave the text as it is; the proposal stays readable (Alt+R)"), &HunkCard::reject_asked);
  edit_ = button("hunk_edit", tr("Edit…"), tr("Change the lines, then accept them (Alt+E)"), &HunkCard::edit_asked);
  restore_ = button("hunk_restore", tr("Restore"), tr("Make it pending again"), &HunkCard::restore_asked);
  for (QPushButton* b : {accept_, reject_, edit_, restore_}) row->addWidget(b);
  row->addWidget(state_, 1);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(9, 7, 9, 8);
  layout->setSpacing(4);
  layout->addWidget(title_);
  layout->addWidget(worth_);
  layout->addWidget(diff_);
  layout->addWidget(buttons_);

  pause_.setSingleShot(true);
  pause_.setInterval(kRecheckAfter);
  connect(&pause_, &QTimer::timeout, this, &HunkCard::recheck);
  connect(&theme_, &views::Theme::changed, this, &HunkCard::show_texts);
}

QPushButton* HunkCard::button(const char* id, const QString& text, const QString& tip, void (HunkCard::*asked)(int)) {
  auto* b = new QPushButton(text, buttons_);
  b->setObjectName(QLatin1String(id));
  b->setToolTip(tip);
  b->setAutoDefault(false);
  connect(b, &QPushButton::clicked, this, [this, asked] { emit (this->*asked)(hunk()); });
  return b;
}

void HunkCard::show_hunk(const PlacedHunk& placed, const std::vector<Evidence>& evidence, bool chosen, bool may_change) {
  placed_ = placed;
  evidence_.clear();
  steps_.clear();
  for (int index : placed.hunk.evidence) {
    evidence_.push_back(evidence[static_cast<size_t>(index)]);
    steps_ << (evidence.size() > 1 ? tr("step %1 of %2 · ").arg(index + 1).arg(evidence.size()) : QString());
  }
  const HunkState state = placed.hunk.state;
  accept_->setVisible(state != HunkState::accepted);
  reject_->setVisible(state == HunkState::pending);
  edit_->setVisible(state == HunkState::pending);
  restore_->setVisible(state == HunkState::rejected);
  for (QPushButton* b : {reject_, edit_, restore_}) b->setEnabled(may_change);
  accept_->setEnabled(may_change && !placed.conflict);
  edit_->setText(placed.conflict ? tr("Settle…") : tr("Edit…"));
  if (property("chosen").toBool() != chosen || property("state").toString() != QLatin1String(to_string(state))) {
    setProperty("chosen", chosen);
    setProperty("state", QLatin1String(to_string(state)));
    style()->unpolish(this);
    style()->polish(this);
  }
  diff_->show_hunk(placed);
  show_texts();
  if (state != HunkState::pending) end_edit();
}

void HunkCard::show_replaced(const ReviewHunk& hunk) {
  replaced_ = true;
  show_hunk({.hunk = hunk}, {}, false, false);
  for (QPushButton* b : {accept_, reject_, edit_, restore_}) b->hide();
}

void HunkCard::show_texts() {
  const auto colour = [this](QLabel* label, Token token) {
    QPalette palette = label->palette();
    palette.setColor(QPalette::WindowText, theme_[token]);
    palette.setColor(QPalette::Text, theme_[token]);
    label->setPalette(palette);
  };
  const bool greyed = placed_.hunk.state == HunkState::rejected;
  QStringList titles, worths;
  for (const Evidence& e : evidence_) {
    const QString title = to_qstring(e.title).remove(QLatin1Char('`'));
    titles << (e.finding.empty() ? title : to_qstring(e.finding) + QStringLiteral(": ") + title);
    QString worth = steps_[worths.size()] + worth_of(e);
    if (!e.fixed.empty()) worth += tr("\nrepairs %1").arg(list_of(e.fixed));
    if (!e.added.empty()) worth += tr("\nbrings %1").arg(list_of(e.added));
    worths << worth;
  }
  if (titles.isEmpty()) {
    const size_t gone = placed_.hunk.before.size(), come = placed_.hunk.proposed.size();
    titles << tr("takes away %1 %2, puts in %3 %4").arg(gone).arg(lines_word(gone)).arg(come).arg(lines_word(come));
  }
  title_->setText(titles.join(QLatin1Char('\n')));
  worth_->setText(worths.join(QLatin1Char('\n')));
  worth_->setVisible(!worths.isEmpty());
  worth_->setToolTip(tr("Counted in the agent's order: with the steps before this one."));
  QFont bold = font();
  bold.setBold(!greyed);
  title_->setFont(bold);
  colour(title_, greyed ? Token::muted : Token::text);
  const bool worse = std::any_of(evidence_.begin(), evidence_.end(), [](const Evidence& e) { return !e.added.empty() || e.errors_after > e.errors_before; });
  colour(worth_, greyed ? Token::muted : worse ? Token::review : Token::muted);

  QString state = placed_.conflict                                  ? tr("conflict: you changed these lines")
                  : replaced_                                       ? tr("rejected, replaced by a newer proposal")
                  : placed_.hunk.state == HunkState::accepted       ? (placed_.hunk.text == placed_.hunk.proposed ? tr("✓ accepted") : tr("✓ accepted, edited"))
                  : placed_.hunk.state == HunkState::rejected       ? tr("✗ rejected")
                                                                    : QString();
  if (!placed_.hunk.reason.empty() && !placed_.conflict) state += tr(": ") + to_qstring(placed_.hunk.reason);
  state_->setText(state);
  state_->setToolTip(state);
  colour(state_, placed_.conflict ? Token::error : placed_.hunk.state == HunkState::accepted ? Token::ok : Token::muted);
  setAccessibleName(QStringLiteral("%1, %2").arg(titles.join(QStringLiteral("; ")), QLatin1String(to_string(placed_.hunk.state))));
}

// ---- edit, then accept ------------------------------------------------------------------

void HunkCard::begin_edit(const std::string& text, Preview preview, const std::string& file, const std::string& target) {
  if (editor_) return editor_->setFocus();
  preview_ = std::move(preview);
  file_ = file;
  target_ = target;
  edit_box_ = new QWidget(this);
  auto* column = new QVBoxLayout(edit_box_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  editor_ = new QPlainTextEdit(edit_box_);
  editor_->setObjectName(QStringLiteral("hunk_editor"));
  editor_->setAccessibleName(tr("Lines to accept"));
  editor_->setToolTip(tr("Ctrl+Enter accepts these lines, Escape gives up"));
  editor_->setFont(views::code_font());
  editor_->setLineWrapMode(QPlainTextEdit::NoWrap);
  editor_->setTabChangesFocus(true);
  std::string shown = with_line_ends(text, "\n");
  if (shown.ends_with('\n')) shown.pop_back();
  editor_->setPlainText(to_qstring(shown));
  fit_height(editor_, editor_->blockCount() + 1);
  editor_->installEventFilter(this);
  verdict_ = new QLabel(edit_box_);
  verdict_->setObjectName(QStringLiteral("hunk_verdict"));
  verdict_->setTextFormat(Qt::PlainText);
  verdict_->setWordWrap(true);
  auto* row = new QHBoxLayout;
  auto* take = new QPushButton(tr("Accept these lines"), edit_box_);
  take->setObjectName(QStringLiteral("hunk_accept_edited"));
  take->setToolTip(tr("Ctrl+Enter"));
  auto* cancel = new QPushButton(tr("Cancel"), edit_box_);
  cancel->setObjectName(QStringLiteral("hunk_cancel_edit"));
  cancel->setToolTip(tr("Escape"));
  for (QPushButton* b : {take, cancel}) {
    b->setAutoDefault(false);
    row->addWidget(b);
  }
  row->addStretch(1);
  column->addWidget(editor_);
  column->addWidget(verdict_);
  column->addLayout(row);
  static_cast<QVBoxLayout*>(layout())->addWidget(edit_box_);
  buttons_->hide();
  checker_ = std::make_unique<views::Snapshots>(nullptr, views::Snapshots::Fixes::left_out);
  checker_->set_target(target_);
  connect(checker_.get(), &views::Snapshots::changed, this, &HunkCard::show_verdict);
  connect(editor_, &QPlainTextEdit::textChanged, this, [this] {
    fit_height(editor_, editor_->blockCount() + 1);
    verdict_->setText(tr("checking …"));
    pause_.start();
  });
  connect(take, &QPushButton::clicked, this, [this] { emit edited(hunk(), editor_->toPlainText()); });
  connect(cancel, &QPushButton::clicked, this, &HunkCard::end_edit);
  editor_->setFocus();
  recheck();
}

void HunkCard::end_edit() {
  if (!editor_) return;
  pause_.stop();
  checker_.reset();
  editor_ = nullptr;
  verdict_ = nullptr;
  edit_box_->hide();
  edit_box_->deleteLater();
  edit_box_ = nullptr;
  buttons_->show();
}

void HunkCard::recheck() {
  if (!editor_) return;
  const QString text = editor_->toPlainText();
  const auto result = preview_(hunk(), to_utf8(text.isEmpty() ? text : text + QLatin1Char('\n')));
  if (!result) return verdict_->setText(tr("the proposal is gone"));
  verdict_->setText(tr("checking …"));
  checker_->submit(file_, *result);
}

void HunkCard::show_verdict() {
  if (!verdict_ || checker_->busy()) return;
  const Analysis& analysis = checker_->analysis();
  const size_t errors = analysis.count(Severity::error);
  QString text = errors == 0 ? tr("with these lines: no errors") : tr("with these lines: %1 %2").arg(errors).arg(errors == 1 ? tr("error") : tr("errors"));
  if (errors > 0) text += QStringLiteral(", ") + to_qstring(analysis.findings.front().id + ": " + analysis.findings.front().message).remove(QLatin1Char('`'));
  else text += tr(" · ends at logical step %1").arg(analysis.timeline.end);
  verdict_->setText(text);
  QPalette palette = verdict_->palette();
  palette.setColor(QPalette::WindowText, theme_[errors == 0 ? Token::ok : Token::error]);
  verdict_->setPalette(palette);
}

bool HunkCard::eventFilter(QObject* watched, QEvent* event) {
  if (watched == editor_ && event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Escape) return end_edit(), true;
    if ((key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) && key->modifiers() == Qt::ControlModifier) {
      emit edited(hunk(), editor_->toPlainText());
      return true;
    }
  }
  if (event->type() == QEvent::MouseButtonPress || event->type() == QEvent::FocusIn) emit pointed_at(hunk());
  return QFrame::eventFilter(watched, event);
}

void HunkCard::mousePressEvent(QMouseEvent* event) {
  emit pointed_at(hunk());
  QFrame::mousePressEvent(event);
}

}  // namespace bakery::panel
