// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/findings/finding_card.h"

#include <QLabel>
#include <QPushButton>
#include <QUrl>

#include <algorithm>

#include "views/common/fix.h"
#include "views/common/qt_text.h"
#include "views/common/rich_text.h"
#include "views/common/severity_mark.h"

namespace bakery::views {

namespace {

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

QString escape(std::string_view text) { return to_qstring(text).toHtmlEscaped(); }

QString line_link(const SourceText& source, Span span, const Theme& theme) {
  return QStringLiteral("<a href='span:%1:%2' style='color:%3; text-decoration:none'>line %4</a>")
      .arg(span.begin)
      .arg(span.end)
      .arg(theme.css(Token::accent))
      .arg(source.position(span.begin).line);
}

QString heading(const QString& text, const Theme& theme) {
  return QStringLiteral("<p style='color:%1; margin:9px 0 2px 0'><b>%2</b></p>").arg(theme.css(Token::muted), text);
}

QString overview_html(const Analysis& analysis, const Theme& theme) {
  const size_t errors = analysis.count(Severity::error);
  const size_t reviews = analysis.count(Severity::review);
  QString html;
  if (analysis.revision == 0) return QStringLiteral("<p style='color:%1'>Open a schedule to see what its checks say.</p>").arg(theme.css(Token::muted));
  if (errors + reviews == 0)
    html += QStringLiteral("<p><b style='color:%1'>No errors.</b> %2</p>")
                .arg(theme.css(Token::ok), analysis.findings.empty() ? QString() : QStringLiteral("Hints are in the list above."));
  else
    html += QStringLiteral("<p>Choose a finding to see its rule, both sides and a fix. F8 goes to the next one.</p>");
  const auto list = [&](const QString& title, const auto& items, auto text_of) {
    if (items.empty()) return;
    html += heading(title, theme) + QStringLiteral("<ul style='margin:0 0 0 -22px'>");
    for (const auto& item : items) html += QStringLiteral("<li>%1</li>").arg(text_of(item));
    html += QStringLiteral("</ul>");
  };
  list(QStringLiteral("Assumed"), analysis.assumptions, [](const std::string& text) { return rich_text(text); });
  if (!analysis.samples.empty()) {
    constexpr size_t kMost = 4;
    html += heading(QStringLiteral("Ran with %1 sets of scalars, among them").arg(analysis.samples.size()), theme);
    html += QStringLiteral("<ul style='margin:0 0 0 -22px'>");
    const size_t stride = std::max<size_t>(1, analysis.samples.size() / kMost);
    for (size_t i = 0; i < analysis.samples.size(); i += stride)
      html += QStringLiteral("<li>%1</li>").arg(rich_text(analysis.samples[i].text));
    html += QStringLiteral("</ul>");
  }
  list(QStringLiteral("Not covered"), analysis.coverage,
       [&](const Coverage& item) { return escape(item.id) + QStringLiteral(" ") + rich_text(item.message); });
  return html;
}

}  // namespace

LineChange changed_lines(const SourceText& source, const std::vector<TextEdit>& edits) {
  const std::string after_text = apply_edits(source.text(), edits);
  const auto before = split_lines(source.text()), after = split_lines(after_text);
  size_t head = 0, tail = 0;
  const size_t shorter = std::min(before.size(), after.size());
  while (head < shorter && before[head] == after[head]) ++head;
  while (tail < shorter - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
  LineChange change;
  change.first_line = static_cast<uint32_t>(head + 1);
  for (size_t i = head; i < before.size() - tail; ++i) change.removed.emplace_back(before[i]);
  for (size_t i = head; i < after.size() - tail; ++i) change.added.emplace_back(after[i]);
  return change;
}

QString card_html(const Analysis& analysis, int index, const Theme& theme) {
  if (index < 0 || static_cast<size_t>(index) >= analysis.findings.size()) return overview_html(analysis, theme);
  const Finding& f = analysis.findings[index];
  const SourceText& source = analysis.source;
  const QString muted = theme.css(Token::muted);
  QString html = QStringLiteral("<p style='margin:0'><b style='color:%1'>%2</b> &nbsp;%3 &nbsp;· %4 &nbsp;<span style='color:%5'>%6, %7</span></p>")
                     .arg(theme.css(token_of(mark_of(f.severity))), escape(f.id), escape(place(f)),
                          line_link(source, f.span, theme), muted, QLatin1String(to_string(f.severity)),
                          QLatin1String(to_string(f.confidence)));
  html += QStringLiteral("<p style='margin:5px 0 3px 0'>%1</p>").arg(rich_text(f.message));
  if (!f.contract.empty())
    html += QStringLiteral("<p style='margin:0; color:%1'>Rule: %2</p>").arg(muted, rich_text(f.contract));
  if (!f.expected.empty() || !f.declared.empty()) {
    html += QStringLiteral("<table cellspacing='0' cellpadding='2' style='margin-top:6px'>");
    const auto row = [&](const char* title, const std::string& text, Token token) {
      if (!text.empty())
        html += QStringLiteral("<tr><td style='color:%1'>%2&nbsp;&nbsp;</td><td style='color:%3'>%4</td></tr>")
                    .arg(muted, QLatin1String(title), theme.css(token), rich_text(text));
    };
    row("expected", f.expected, Token::ok);
    row("declared", f.declared, Token::error);
    html += QStringLiteral("</table>");
  }
  if (!f.iteration.empty()) {
    QStringList values;
    for (const auto& [name, value] : f.iteration) values << QStringLiteral("%1=%2").arg(escape(name)).arg(value);
    html += QStringLiteral("<p style='margin:5px 0 0 0; color:%1'>Seen at %2</p>").arg(muted, values.join(QStringLiteral(", ")));
  }
  if (!f.related.empty()) {
    html += heading(QStringLiteral("Also takes part"), theme);
    for (const Related& related : f.related) {
      QString who = escape(related.role);
      if (!related.resource.empty()) {
        if (!who.isEmpty()) who += QStringLiteral(", ");
        who += escape(related.resource) + (related.stage ? QStringLiteral("[%1]").arg(*related.stage) : QString());
      }
      html += QStringLiteral("<p style='margin:1px 0'>%1 &nbsp;%2 &nbsp;%3</p>")
                  .arg(line_link(source, related.span, theme), who, rich_text(related.note));
    }
  }
  if (!f.witness.empty()) {
    html += heading(QStringLiteral("How it happens"), theme);
    html += QStringLiteral("<table cellspacing='0' cellpadding='1'>");
    for (size_t i = 0; i < f.witness.size(); ++i) {
      const WitnessStep& step = f.witness[i];
      const QString where = step.event_index != UINT32_MAX
                                ? QStringLiteral("<a href='event:%1:%2:%3' style='color:%4; text-decoration:none'>line %5</a>")
                                      .arg(step.event_index).arg(step.span.begin).arg(step.span.end)
                                      .arg(theme.css(Token::accent)).arg(source.position(step.span.begin).line)
                                : line_link(source, step.span, theme);
      html += QStringLiteral("<tr><td style='color:%1'>%2.&nbsp;</td><td>%3&nbsp;&nbsp;</td><td><b>%4</b>&nbsp;&nbsp;</td><td>%5</td></tr>")
                  .arg(muted).arg(i + 1).arg(where, escape(step.role), rich_text(step.event));
    }
    html += QStringLiteral("</table>");
  }
  for (const Fix& fix : f.fixes) {
    html += heading(QStringLiteral("Fix: ") + rich_text(fix.title), theme);
    const LineChange change = changed_lines(source, fix.edits);
    html += QStringLiteral("<pre style='margin:0'>");
    const auto rows = [&](const std::vector<std::string>& lines, const char* sign, Token token) {
      constexpr size_t kMost = 6;
      for (size_t i = 0; i < std::min(lines.size(), kMost); ++i)
        html += QStringLiteral("<span style='color:%1'>%2 %3</span>\n").arg(theme.css(token), QLatin1String(sign), escape(lines[i]));
      if (lines.size() > kMost) html += QStringLiteral("  … %1 more\n").arg(lines.size() - kMost);
    };
    rows(change.removed, "-", Token::error);
    rows(change.added, "+", Token::ok);
    html += QStringLiteral("</pre>");
  }
  return html;
}

FindingCard::FindingCard(const ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
  setObjectName(QStringLiteral("finding_card"));
  text_ = new QTextBrowser(this);
  text_->setObjectName(QStringLiteral("finding_text"));
  text_->setAccessibleName(tr("The chosen finding"));
  text_->setOpenLinks(false);
  text_->setFrameShape(QFrame::NoFrame);
  text_->document()->setDocumentMargin(9);
  layout_ = new QVBoxLayout(this);
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->setSpacing(0);
  layout_->addWidget(text_, 1);
  connect(text_, &QTextBrowser::anchorClicked, this, &FindingCard::follow);
  connect(&context_.snapshots, &Snapshots::after_change, this, &FindingCard::refresh);
  connect(&context_.focus, &Focus::changed, this, &FindingCard::refresh);
  connect(&context_.theme, &Theme::changed, this, [this] {
    shown_finding_ = -2;
    refresh();
  });
  refresh();
}

void FindingCard::refresh() {
  const std::shared_ptr<const Analysis>& analysis = context_.snapshots.shown().analysis;
  const int finding = context_.focus.state().finding;
  if (analysis == shown_ && finding == shown_finding_) return;
  shown_ = analysis;
  shown_finding_ = finding;
  text_->setHtml(QStringLiteral("<div style='color:%1'>%2</div>")
                     .arg(context_.theme.css(Token::text), card_html(*analysis, finding, context_.theme)));
  delete fixes_;
  fixes_ = nullptr;
  if (finding < 0 || static_cast<size_t>(finding) >= analysis->findings.size()) return;
  const std::vector<Fix>& fixes = analysis->findings[finding].fixes;
  if (fixes.empty()) return;
  fixes_ = new QWidget(this);
  auto* rows = new QVBoxLayout(fixes_);
  rows->setContentsMargins(9, 5, 9, 6);
  rows->setSpacing(4);
  for (size_t i = 0; i < fixes.size(); ++i) {
    auto* row = new QHBoxLayout;
    auto* button = new QPushButton(i == 0 ? tr("Apply fix  (Ctrl+.)") : tr("Apply fix"), fixes_);
    button->setObjectName(QStringLiteral("apply_fix_%1").arg(i));
    auto* title = new QLabel(rich_text(fixes[i].title), fixes_);
    title->setTextFormat(Qt::RichText);
    title->setWordWrap(true);
    row->addWidget(button, 0, Qt::AlignTop);
    row->addWidget(title, 1);
    rows->addLayout(row);
    connect(button, &QPushButton::clicked, this,
            [this, finding, i] { apply_fix(context_.document, context_.snapshots, finding, i); });
  }
  layout_->addWidget(fixes_);
}

void FindingCard::follow(const QUrl& link) {
  const QStringList parts = link.toString().split(QLatin1Char(':'));
  if (parts.size() == 3 && parts[0] == QLatin1String("span")) {
    FocusState state = focus_on_span({parts[1].toUInt(), parts[2].toUInt()});
    state.finding = context_.focus.state().finding;
    state.origin = Origin::findings;
    context_.focus.set(std::move(state));
  } else if (parts.size() == 4 && parts[0] == QLatin1String("event")) {
    FocusState state = focus_on_event(context_.snapshots.shown(), parts[1].toUInt());
    if (state.empty()) state = focus_on_span({parts[2].toUInt(), parts[3].toUInt()});
    state.finding = context_.focus.state().finding;
    state.origin = Origin::findings;
    context_.focus.set(std::move(state));
  }
}

}  // namespace bakery::views
