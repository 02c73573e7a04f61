// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/editor/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

#include "views/common/glyph_icon.h"
#include "views/common/qt_text.h"
#include "views/editor/code_edit.h"

namespace bakery::views {

namespace {

constexpr size_t kMostMatches = 100000;

// "\1" is the first group, "\0" all of it, "\n" a new line, "\\" a backslash.
QString expanded(const QString& with, const QRegularExpressionMatch& match) {
  QString out;
  for (qsizetype i = 0; i < with.size(); ++i) {
    const QChar next = i + 1 < with.size() ? with[i + 1] : QChar();
    if (with[i] != QLatin1Char('\\') || next.isNull()) {
      out += with[i];
      continue;
    }
    ++i;
    if (next.isDigit()) out += match.captured(next.digitValue());
    else if (next == QLatin1Char('n')) out += QLatin1Char('\n');
    else if (next == QLatin1Char('t')) out += QLatin1Char('\t');
    else out += next;
  }
  return out;
}

}  // namespace

FindBar::FindBar(CodeEdit* edit, const Theme& theme, QWidget* parent) : QWidget(parent), edit_(edit), theme_(theme) {
  setObjectName(QStringLiteral("find_bar"));
  const auto field = [this](const QString& placeholder, const QString& name) {
    auto* line = new QLineEdit(this);
    line->setPlaceholderText(placeholder);
    line->setAccessibleName(name);
    line->setClearButtonEnabled(true);
    return line;
  };
  line_ = field(tr("Find"), tr("Text to find"));
  with_ = field(tr("Replace with"), tr("Text to put in its place"));
  with_->setObjectName(QStringLiteral("replace_text"));
  count_ = new QLabel(this);
  count_->setObjectName(QStringLiteral("find_count"));
  const auto button = [&](Glyph glyph, const QString& tip, auto act) {
    auto* b = new QToolButton(this);
    set_glyph(b, glyph, theme);
    b->setToolTip(tip);
    b->setAccessibleName(tip);
    connect(b, &QToolButton::clicked, this, act);
    return b;
  };
  const auto option = [&](const QString& text, const QString& tip, const char* id) {
    auto* b = new QToolButton(this);
    b->setObjectName(QLatin1String(id));
    b->setText(text);
    b->setCheckable(true);
    b->setToolTip(tip);
    b->setAccessibleName(tip);
    connect(b, &QToolButton::toggled, this, [this] { find_from(true, true); });
    return b;
  };
  exact_case_ = option(QStringLiteral("Aa"), tr("Match case"), "find_case");
  whole_word_ = option(QStringLiteral("ab|"), tr("Whole words"), "find_word");
  expression_ = option(QStringLiteral(".*"), tr("Regular expression; \\1 is its first group"), "find_expression");
  const auto push = [&](const QString& text, const QString& tip, auto act) {
    auto* b = new QPushButton(text, this);
    b->setToolTip(tip);
    connect(b, &QPushButton::clicked, this, act);
    return b;
  };

  auto* first = new QHBoxLayout;
  first->addWidget(line_, 1);
  for (QWidget* w : std::initializer_list<QWidget*>{exact_case_, whole_word_, expression_, count_}) first->addWidget(w);
  first->addWidget(button(Glyph::up, tr("Previous (Shift+Enter)"), [this] { find(false); }));
  first->addWidget(button(Glyph::down, tr("Next (Enter)"), [this] { find(true); }));
  first->addWidget(button(Glyph::close, tr("Close (Escape)"), [this] { shut(); }));
  replace_row_ = new QWidget(this);
  auto* second = new QHBoxLayout(replace_row_);
  second->setContentsMargins(0, 0, 0, 0);
  second->addWidget(with_, 1);
  second->addWidget(push(tr("Replace"), tr("Replaces this one and goes to the next (Enter)"), [this] { replace(); }));
  second->addWidget(push(tr("Replace all"), tr("Replaces every one; one undo brings all back (Ctrl+Alt+Enter)"), [this] { replace_all(); }));
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(6, 4, 6, 4);
  rows->setSpacing(4);
  rows->addLayout(first);
  rows->addWidget(replace_row_);
  setTabOrder(line_, with_);
  with_->installEventFilter(this);
  connect(line_, &QLineEdit::textEdited, this, [this] { find_from(true, true); });
  connect(edit_, &QsciScintilla::selectionChanged, this, [this] {
    if (isVisible()) show_count();
  });
  connect(edit_, &CodeEdit::text_edited, this, [this] {
    if (isVisible()) search();
  });
  hide();
}

void FindBar::open() { show_row(replace_row_->isVisible()); }

void FindBar::open_replace() { show_row(true); }

void FindBar::show_row(bool replace) {
  const QString selected = edit_->selectedText();
  if (!selected.isEmpty() && !selected.contains(QLatin1Char('\n'))) line_->setText(selected);
  replace_row_->setVisible(replace);
  show();
  line_->setFocus();
  line_->selectAll();
  search();
}

std::optional<QRegularExpression> FindBar::pattern() const {
  QString text = expression_->isChecked() ? line_->text() : QRegularExpression::escape(line_->text());
  if (text.isEmpty()) return std::nullopt;
  if (whole_word_->isChecked()) text = QStringLiteral("\\b(?:%1)\\b").arg(text);
  QRegularExpression::PatternOptions options = QRegularExpression::MultilineOption | QRegularExpression::UseUnicodePropertiesOption;
  if (!exact_case_->isChecked()) options |= QRegularExpression::CaseInsensitiveOption;
  return QRegularExpression(text, options);
}

void FindBar::search() {
  matches_.clear();
  capped_ = false;
  const auto wanted = pattern();
  if (wanted && wanted->isValid()) {
    const std::string utf8 = static_cast<const TextStore*>(edit_)->text();
    const QString text = to_qstring(utf8);
    qsizetype seen = 0;
    uint32_t bytes = utf8.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // before `seen`; Qt drops the mark
    const auto to_bytes = [&](qsizetype at) {
      bytes += static_cast<uint32_t>(QStringView(text).mid(seen, at - seen).toUtf8().size());
      seen = at;
      return bytes;
    };
    for (auto i = wanted->globalMatch(text); i.hasNext();) {
      const QRegularExpressionMatch match = i.next();
      if (match.capturedLength() == 0) continue;
      if (matches_.size() == kMostMatches) {
        capped_ = true;
        break;
      }
      const uint32_t begin = to_bytes(match.capturedStart()), end = to_bytes(match.capturedEnd());
      matches_.push_back({{begin, end}, expression_->isChecked() ? expanded(with_->text(), match) : with_->text()});
    }
  }
  std::vector<Span> spans;
  for (const Match& match : matches_) spans.push_back(match.span);
  edit_->show_matches(spans);
  show_count();
}

void FindBar::find(bool forward) { find_from(forward, false); }

void FindBar::find_from(bool forward, bool from_selection) {
  search();
  if (matches_.empty()) return;
  const Span chosen = edit_->selection();
  size_t next;
  if (forward) {
    const uint32_t from = from_selection ? chosen.begin : chosen.end;
    next = static_cast<size_t>(std::find_if(matches_.begin(), matches_.end(), [&](const Match& m) { return m.span.begin >= from; }) - matches_.begin()) % matches_.size();
  } else {
    const auto after = std::find_if(matches_.begin(), matches_.end(), [&](const Match& m) { return m.span.begin >= chosen.begin; });
    next = static_cast<size_t>(after - matches_.begin() + static_cast<ptrdiff_t>(matches_.size()) - 1) % matches_.size();
  }
  edit_->show_offset(matches_[next].span.begin);
  edit_->select_span(matches_[next].span);
  show_count();
}

void FindBar::replace() {
  search();
  const Span chosen = edit_->selection();
  for (const Match& match : matches_) {
    if (match.span != chosen) continue;
    edit_->type_over(match.span, to_utf8(match.with));
    break;
  }
  find_from(true, true);
}

void FindBar::replace_all() {
  search();
  std::vector<TextEdit> edits;
  for (const Match& match : matches_) edits.push_back({match.span, to_utf8(match.with)});
  if (edits.empty()) return;
  const int count = static_cast<int>(edits.size());
  edit_->apply(edits, to_utf8(tr("replacing %1 places").arg(count)));
  count_->setText(tr("%1 replaced").arg(count));
}

void FindBar::show_count() {
  const auto wanted = pattern();
  const bool wrong = wanted && !wanted->isValid();
  count_->setStyleSheet(wrong ? QStringLiteral("color: %1").arg(theme_.css(Token::error)) : QString());
  count_->setToolTip(QString());
  if (!wanted) return count_->clear();
  if (wrong) {
    count_->setText(tr("not an expression"));
    return count_->setToolTip(wanted->errorString());
  }
  if (matches_.empty()) return count_->setText(tr("not found"));
  const Span chosen = edit_->selection();
  const auto here = std::find_if(matches_.begin(), matches_.end(), [&](const Match& m) { return m.span == chosen; });
  const QString all = tr("%1%2").arg(matches_.size()).arg(capped_ ? QStringLiteral("+") : QString());
  count_->setText(here == matches_.end() ? tr("%1 found").arg(all) : tr("%1 of %2").arg(here - matches_.begin() + 1).arg(all));
}

void FindBar::shut() {
  hide();
  edit_->show_matches({});
  edit_->setFocus();
}

// Enter in the second field replaces; elsewhere in the bar it finds.
bool FindBar::eventFilter(QObject* watched, QEvent* event) {
  if (watched != with_ || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const bool plain = !(key->modifiers() & ~Qt::KeypadModifier);
  if (!plain || (key->key() != Qt::Key_Return && key->key() != Qt::Key_Enter)) return QWidget::eventFilter(watched, event);
  replace();
  return true;
}

void FindBar::keyPressEvent(QKeyEvent* event) {
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (event->key() == Qt::Key_Escape) return shut();
  if (enter && replace_row_->isVisible() && event->modifiers().testFlags(Qt::ControlModifier | Qt::AltModifier)) return replace_all();
  if (enter) return find(!(event->modifiers() & Qt::ShiftModifier));
  QWidget::keyPressEvent(event);
}

}  // namespace bakery::views
