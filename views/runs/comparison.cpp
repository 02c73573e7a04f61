// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/runs/comparison.h"

#include <QDialogButtonBox>
#include <QSplitter>
#include <QSyntaxHighlighter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/session/analysis.h"
#include "app/session/fixes.h"
#include "views/common/qt_text.h"
#include "views/common/rich_text.h"
#include "views/common/runner.h"
#include "views/runs/runs_model.h"

namespace bakery::views {

namespace {

class DiffColours : public QSyntaxHighlighter {
 public:
  DiffColours(const Theme& theme, QTextDocument* document) : QSyntaxHighlighter(document), theme_(theme) {}

 protected:
  void highlightBlock(const QString& text) override {
    QTextCharFormat format;
    if (text.startsWith(QLatin1String("+++")) || text.startsWith(QLatin1String("---")) || text.startsWith(QLatin1String("@@"))) format.setForeground(theme_[Token::muted]);
    else if (text.startsWith(QLatin1Char('+'))) format.setForeground(theme_[Token::ok]);
    else if (text.startsWith(QLatin1Char('-'))) format.setForeground(theme_[Token::error]);
    else return;
    setFormat(0, static_cast<int>(text.size()), format);
  }

 private:
  const Theme& theme_;
};

void add_findings(const ComparedRun& side, bool is_a, std::vector<FindingDelta>& all) {
  const auto add = [&](const std::string& id, const std::string& message, int line) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const FindingDelta& f) { return f.id == id && f.message == message; });
    FindingDelta& delta = same == all.end() ? all.emplace_back(FindingDelta{id, message, line, false, false}) : *same;
    (is_a ? delta.in_a : delta.in_b) = true;
  };
  for (const StoredFinding& f : side.row.run.findings) add(f.id, f.message, f.line);
  if (!side.text) return;
  AnalysisOptions options;
  options.target = side.row.target;
  options.timeline = false;
  const auto analysis = analyse(side.row.file, *side.text, options);
  for (const Finding& f : analysis->findings)
    if (f.severity != Severity::hint) add(f.id, f.message, static_cast<int>(analysis->source.position(f.span.begin).line));
}

QString side_html(const char* letter, const RunRow& row, const Theme& theme) {
  const StoredRun& r = row.run;
  QStringList parts;
  if (r.id != 0) parts << QStringLiteral("#%1").arg(r.id);
  parts << to_qstring(r.kind);
  for (const std::string* text : {&r.schedule, &r.shape, &r.device, &row.author})
    if (!text->empty()) parts << to_qstring(*text).toHtmlEscaped();
  if (r.ended > 0) parts << time_text(r.ended);
  return QStringLiteral("<p style='margin:2px 0'><b>%1</b> <code>%2</code> <span style='color:%3'>%4</span> <span style='color:%5'>%6</span></p>")
      .arg(QLatin1String(letter), to_qstring(r.candidate.substr(0, 8)), theme.css(is_good_status(r.status) ? Token::ok : Token::error), to_qstring(r.status).toHtmlEscaped(),
           theme.css(Token::muted), parts.join(QStringLiteral(" · ")));
}

}  // namespace

Comparison compare_runs(ComparedRun a, ComparedRun b) {
  Comparison c;
  std::vector<std::string> names;
  for (const ComparedRun* side : {&a, &b})
    for (const StoredFigure& f : side->row.run.figures)
      if (std::find(names.begin(), names.end(), f.name) == names.end()) names.push_back(f.name);
  for (const std::string& name : names) {
    FigureDelta delta{name, "", a.row.figure(name), b.row.figure(name), std::nullopt};
    for (const ComparedRun* side : {&a, &b})
      for (const StoredFigure& f : side->row.run.figures)
        if (f.name == name) delta.unit = f.unit;
    const auto spread_a = a.row.figure("spread"), spread_b = b.row.figure("spread");
    if (name == "span_ms" && delta.a && delta.b && spread_a && spread_b && *delta.a > 0)
      delta.significant = std::abs(*delta.b / *delta.a - 1) > std::max(*spread_a, *spread_b);
    c.figures.push_back(std::move(delta));
  }
  add_findings(a, true, c.findings);
  add_findings(b, false, c.findings);
  std::stable_sort(c.findings.begin(), c.findings.end(), [](const FindingDelta& x, const FindingDelta& y) { return (x.in_a && x.in_b) < (y.in_a && y.in_b); });
  if (a.text && b.text && *a.text != *b.text) c.diff = unified_diff(a.row.run.schedule + ".cake", *a.text, *b.text);
  c.a = std::move(a);
  c.b = std::move(b);
  return c;
}

QString comparison_html(const Comparison& c, const Theme& theme) {
  const auto tr = [](const char* text) { return ComparisonDialog::tr(text); };
  const auto muted = [&](const QString& text) { return QStringLiteral("<span style='color:%1'>%2</span>").arg(theme.css(Token::muted), text); };
  QString html = side_html("A", c.a.row, theme) + side_html("B", c.b.row, theme);
  if (c.a.row.run.shape != c.b.row.run.shape || c.a.row.run.device != c.b.row.run.device || c.a.row.run.kind != c.b.row.run.kind)
    html += QStringLiteral("<p style='color:%1'>%2</p>").arg(theme.css(Token::review), tr("Kind, shape or device differ: the figures are not of the same thing."));
  html += QStringLiteral("<table cellspacing='0' cellpadding='3'><tr>");
  for (const QString& name : {tr("figure"), QStringLiteral("A"), QStringLiteral("B"), tr("change"), QString()}) html += QStringLiteral("<td style='padding-right:14px'>%1</td>").arg(muted(name));
  html += QStringLiteral("</tr>");
  for (const FigureDelta& f : c.figures) {
    const auto value = [](const std::optional<double>& v) { return v ? QString::number(*v, 'g', 6) : QStringLiteral("–"); };
    QString change, mark;
    if (f.a && f.b && *f.a != 0) change = QString::asprintf("%+.1f %%", (*f.b / *f.a - 1) * 100);
    if (f.significant) mark = *f.significant ? QStringLiteral("<b>%1</b>").arg(tr("beyond the spread")) : muted(tr("within the spread"));
    QString name = to_qstring(f.name);
    name.replace(QLatin1Char('_'), QLatin1Char(' '));
    html += QStringLiteral("<tr><td style='padding-right:14px'>%1</td><td style='padding-right:14px'>%2</td><td style='padding-right:14px'>%3</td><td style='padding-right:14px'>%4</td><td>%5</td></tr>")
                .arg(name + (f.unit.empty() ? QString() : QLatin1Char(' ') + muted(to_qstring(f.unit))), value(f.a), value(f.b), change, mark);
  }
  html += QStringLiteral("</table><p style='margin:8px 0 2px 0'><b>%1</b></p>").arg(tr("Findings"));
  if (c.findings.empty()) html += QStringLiteral("<p>%1</p>").arg(muted(tr("Neither has any.")));
  for (const FindingDelta& f : c.findings) {
    const QString where = f.in_a && f.in_b ? muted(tr("both")) : QStringLiteral("<b>%1</b>").arg(f.in_a ? tr("only A") : tr("only B"));
    html += QStringLiteral("<p style='margin:2px 0'>%1 · %2 %3: %4</p>").arg(where, to_qstring(f.id), tr("line %1").arg(f.line), rich_text(f.message));
  }
  return html;
}

DiffText::DiffText(const Theme& theme, QWidget* parent) : QPlainTextEdit(parent) {
  setReadOnly(true);
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  setLineWrapMode(NoWrap);
  setFont(code_font());
  setFrameShape(QFrame::NoFrame);
  auto* colours = new DiffColours(theme, document());
  connect(&theme, &Theme::changed, colours, &QSyntaxHighlighter::rehighlight);
}

void DiffText::show_diff(const std::string& diff) { setPlainText(to_qstring(diff)); }

ComparisonDialog::ComparisonDialog(Comparison comparison, const Theme& theme, QWidget* parent) : QDialog(parent), comparison_(std::move(comparison)) {
  setObjectName(QStringLiteral("comparison"));
  setWindowTitle(tr("Compare %1 and %2").arg(to_qstring(comparison_.a.row.run.candidate.substr(0, 8)), to_qstring(comparison_.b.row.run.candidate.substr(0, 8))));
  setAttribute(Qt::WA_DeleteOnClose);
  page_ = new QTextBrowser(this);
  page_->setObjectName(QStringLiteral("comparison_page"));
  page_->setAccessibleName(tr("Figures and findings of both"));
  page_->setFrameShape(QFrame::NoFrame);
  page_->setOpenLinks(false);
  diff_ = new DiffText(theme, this);
  diff_->setObjectName(QStringLiteral("comparison_diff"));
  diff_->setAccessibleName(tr("Text difference, from A to B"));
  diff_->show_diff(!comparison_.diff.empty()                     ? comparison_.diff
                   : comparison_.a.text && comparison_.b.text ? to_utf8(tr("The texts are the same."))
                                                                 : to_utf8(tr("The store does not hold both texts.")));
  auto* splitter = new QSplitter(Qt::Vertical, this);
  splitter->addWidget(page_);
  splitter->addWidget(diff_);
  splitter->setChildrenCollapsible(false);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(splitter, 1);
  layout->addWidget(buttons);
  resize(900, 700);
  const auto render = [this, &theme] { page_->setHtml(comparison_html(comparison_, theme)); };
  connect(&theme, &Theme::changed, this, render);
  render();
}

CandidateDialog::CandidateDialog(const StoredCandidate& candidate, const std::string& current, const Theme& theme, QWidget* parent) : QDialog(parent) {
  setObjectName(QStringLiteral("candidate"));
  setWindowTitle(tr("Candidate %1").arg(to_qstring(candidate.hash.substr(0, 8))));
  setAttribute(Qt::WA_DeleteOnClose);
  QStringList parts = {to_qstring(candidate.schedule).toHtmlEscaped(), to_qstring(candidate.target), tr("by %1").arg(to_qstring(candidate.author).toHtmlEscaped()), time_text(candidate.created)};
  if (!candidate.parent.empty()) parts << tr("made from %1").arg(to_qstring(candidate.parent.substr(0, 8)));
  auto* about = new QLabel(QStringLiteral("<code>%1</code> %2").arg(to_qstring(candidate.hash.substr(0, 8)), parts.join(QStringLiteral(" · "))), this);
  about->setTextFormat(Qt::RichText);
  about->setWordWrap(true);
  diff_ = new DiffText(theme, this);
  diff_->setObjectName(QStringLiteral("candidate_diff"));
  diff_->setAccessibleName(tr("From the text in the editor to this candidate"));
  const bool same = current == candidate.text;
  diff_->show_diff(same ? candidate.text : unified_diff(candidate.schedule + ".cake", current, candidate.text));
  auto* caption = new QLabel(same ? tr("This is the text in the editor.") : tr("From the text in the editor to this candidate:"), this);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  restore_ = buttons->addButton(tr("&Restore as new text"), QDialogButtonBox::ActionRole);
  restore_->setObjectName(QStringLiteral("candidate_restore"));
  restore_->setToolTip(tr("Puts this text into the editor, as one step that Undo takes back"));
  restore_->setEnabled(!same);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(restore_, &QPushButton::clicked, this, [this, text = to_qstring(candidate.text)] {
    emit wants_text(text);
    accept();
  });
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(about);
  layout->addWidget(caption);
  layout->addWidget(diff_, 1);
  layout->addWidget(buttons);
  resize(800, 640);
}

}  // namespace bakery::views
