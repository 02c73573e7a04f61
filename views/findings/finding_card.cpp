// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/findings/finding_card.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QUrl>

#include <algorithm>
#include <map>
#include <set>

#include "app/session/commands.h"
#include "app/session/wait_graph.h"
#include "views/common/fix.h"
#include "views/common/qt_text.h"
#include "views/common/rich_text.h"
#include "views/common/severity_mark.h"
#include "views/common/view_requests.h"

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

QString related_row(const SourceText& source, Span span, QString who, const QString& what, const QString& note, const Theme& theme) {
  if (!what.isEmpty()) who += (who.isEmpty() ? QString() : QStringLiteral(", ")) + what;
  return QStringLiteral("<p style='margin:1px 0'>%1 &nbsp;<b>%2</b> &nbsp;%3</p>").arg(line_link(source, span, theme), who, note);
}

QString list_html(const QStringList& items) {
  QString html = QStringLiteral("<ul style='margin:0 0 0 -22px'>");
  for (const QString& item : items) html += QStringLiteral("<li>%1</li>").arg(item);
  return html + QStringLiteral("</ul>");
}

QString assumed_html(const Analysis& analysis, const Theme& theme) {
  if (analysis.assumptions.empty()) return {};
  QStringList items;
  for (const std::string& text : analysis.assumptions) items << rich_text(text);
  return heading(QStringLiteral("Assumed"), theme) + list_html(items);
}

QString uncovered_html(const Analysis& analysis, const Theme& theme) {
  if (analysis.coverage.empty()) return {};
  QStringList items;
  for (const Coverage& item : analysis.coverage) items << escape(item.id) + QStringLiteral(" ") + rich_text(item.message);
  return heading(QStringLiteral("Not covered"), theme) + list_html(items);
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
  html += assumed_html(analysis, theme);
  if (!analysis.samples.empty()) {
    constexpr size_t kMost = 4;
    html += heading(QStringLiteral("Ran with %1 sets of scalars, among them").arg(analysis.samples.size()), theme);
    QStringList items;
    const size_t stride = std::max<size_t>(1, analysis.samples.size() / kMost);
    for (size_t i = 0; i < analysis.samples.size(); i += stride) items << rich_text(analysis.samples[i].text);
    html += list_html(items);
  }
  return html + uncovered_html(analysis, theme);
}

const char* meaning(Confidence confidence, bool of_a_run) {
  switch (confidence) {
    case Confidence::proved: return of_a_run ? "shown by the run with the sample below" : "from the text alone, whatever the scalars are";
    case Confidence::refuted: return of_a_run ? "the rule does not hold: the run with the sample below breaks it" : "the rule does not hold";
    case Confidence::likely: return "a pattern that is wrong more often than not; no run shows it";
  }
  return "";
}

const char* word(Confidence confidence) {
  switch (confidence) {
    case Confidence::proved: return "Proved";
    case Confidence::refuted: return "Refuted";
    case Confidence::likely: return "Likely";
  }
  return "";
}

// What the finding rests on, exactly: which runs were made, and what no run looked at.
QString evidence_html(const Analysis& analysis, const Finding& f, const Theme& theme) {
  const bool of_a_run = f.sample >= 0 && static_cast<size_t>(f.sample) < analysis.samples.size();
  QString html = heading(QStringLiteral("What this rests on"), theme);
  html += QStringLiteral("<table cellspacing='0' cellpadding='2'>");
  const auto row = [&](const QString& title, const QString& text) {
    if (!text.isEmpty())
      html += QStringLiteral("<tr><td style='color:%1'>%2&nbsp;&nbsp;</td><td>%3</td></tr>").arg(theme.css(Token::muted), title, text);
  };
  row(QStringLiteral("<b>%1</b>").arg(QLatin1String(word(f.confidence))), QLatin1String(meaning(f.confidence, of_a_run)));
  if (of_a_run) {
    row(QStringLiteral("sample"), rich_text(analysis.samples[static_cast<size_t>(f.sample)].text.empty() ? std::string("no scalars") : analysis.samples[static_cast<size_t>(f.sample)].text));
    row(QStringLiteral("trips"), trip_counts(analysis, f.sample));
    row(QStringLiteral("ran"), QStringLiteral("set %1 of %2 sets of scalars, shortest run first").arg(f.sample + 1).arg(analysis.samples.size()));
  } else if (!analysis.samples.empty()) {
    row(QStringLiteral("ran"), QStringLiteral("%1 sets of scalars for the other rules").arg(analysis.samples.size()));
  }
  QStringList assumed;
  for (const std::string& text : analysis.assumptions) assumed << rich_text(text);
  row(QStringLiteral("assumed"), assumed.join(QStringLiteral("; ")));
  if (analysis.coverage.empty()) row(QStringLiteral("not covered"), QStringLiteral("nothing that is known"));
  for (const Coverage& item : analysis.coverage) row(QStringLiteral("not covered"), escape(item.id) + QStringLiteral(": ") + rich_text(item.message));
  return html + QStringLiteral("</table>");
}

// The rule as `bakery explain` tells it.
QString explanation_html(const std::string& id, const Theme& theme) {
  CommandCall call;
  call.command = find_command("explain");
  call.values.push_back({"rule", {id}});
  const CommandResult result = run(call);
  const std::string& text = result.exit_code == kAccepted ? result.output : result.error;
  return QStringLiteral("<a name='rule'></a>") + heading(QStringLiteral("The rule"), theme) + QStringLiteral("<p style='white-space:pre-wrap; margin:0'>%1</p>").arg(escape(text));
}

// "`mma` · full[2] · completion 3 · at k=5"
QString place_html(const Finding& f, const Theme& theme) {
  QString html;
  const auto row = [&](const char* title, const QString& text) {
    if (!text.isEmpty())
      html += QStringLiteral("<tr><td style='color:%1'>%2&nbsp;&nbsp;</td><td>%3</td></tr>").arg(theme.css(Token::muted), QLatin1String(title), text);
  };
  row("role", escape(f.role));
  row("resource", escape(f.resource));
  row("stage", f.stage ? QString::number(*f.stage) : QString());
  row("completion", f.completion ? QStringLiteral("%1 (parity %2)").arg(*f.completion).arg(*f.completion % 2) : QString());
  QStringList values;
  for (const auto& [name, value] : f.iteration) values << QStringLiteral("%1=%2").arg(escape(name)).arg(value);
  row("iteration", values.join(QStringLiteral(", ")));
  row("expected", f.expected.empty() ? QString() : QStringLiteral("<span style='color:%1'>%2</span>").arg(theme.css(Token::ok), rich_text(f.expected)));
  row("declared", f.declared.empty() ? QString() : QStringLiteral("<span style='color:%1'>%2</span>").arg(theme.css(Token::error), rich_text(f.declared)));
  return html.isEmpty() ? html : QStringLiteral("<table cellspacing='0' cellpadding='2' style='margin-top:6px'>%1</table>").arg(html);
}

}  // namespace

QString trip_counts(const Analysis& analysis, int sample) {
  if (sample < 0 || static_cast<size_t>(sample) >= analysis.samples.size()) return {};
  const Trace trace = expand(analysis.schedule, analysis.samples[static_cast<size_t>(sample)], AnalysisOptions{}.event_limit);
  std::map<std::string, std::set<int64_t>> values;
  for (size_t i = 1; i < trace.iterations.size(); ++i)
    values[analysis.schedule.symbols[trace.iterations[i].symbol].name].insert(trace.iterations[i].value);
  QStringList parts;
  for (const auto& [name, seen] : values) parts << QStringLiteral("%1 %2").arg(escape(name)).arg(seen.size());
  return parts.join(QStringLiteral(", "));
}

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

QString card_html(const Analysis& analysis, int index, const Theme& theme, bool explained) {
  if (index < 0 || static_cast<size_t>(index) >= analysis.findings.size()) return overview_html(analysis, theme);
  const Finding& f = analysis.findings[index];
  const SourceText& source = analysis.source;
  const QString muted = theme.css(Token::muted);
  QString html = QStringLiteral("<p style='margin:0'><b style='color:%1'>%2</b> &nbsp;%3 &nbsp;· %4 <span style='color:%5'>· %6 gate, %7, %8</span></p>")
                     .arg(theme.css(token_of(mark_of(f.severity))), escape(f.id), escape(place(f)),
                          line_link(source, f.span, theme), muted, QLatin1String(to_string(f.gate)), QLatin1String(to_string(f.severity)),
                          QLatin1String(to_string(f.confidence)));
  html += QStringLiteral("<p style='margin:5px 0 3px 0'>%1</p>").arg(rich_text(f.message));
  if (!f.contract.empty())
    html += QStringLiteral("<p style='margin:0; color:%1'>Rule: %2</p>").arg(muted, rich_text(f.contract));
  html += place_html(f, theme);
  if (!f.related.empty()) {
    html += heading(QStringLiteral("Both sides"), theme);
    html += related_row(source, f.span, escape(f.role), escape(f.resource) + (f.stage ? QStringLiteral("[%1]").arg(*f.stage) : QString()),
                        QStringLiteral("the finding itself"), theme);
    for (const Related& related : f.related) {
      html += related_row(source, related.span, escape(related.role),
                          escape(related.resource) + (related.stage ? QStringLiteral("[%1]").arg(*related.stage) : QString()),
                          rich_text(related.note), theme);
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
  html += evidence_html(analysis, f, theme);
  if (explained) html += explanation_html(f.id, theme);
  for (const Fix& fix : f.fixes) {
    html += heading(QStringLiteral("Fix: ") + rich_text(fix.title), theme);
    const LineChange change = changed_lines(source, fix.edits);
    html += QStringLiteral("<pre style='margin:0; white-space:pre-wrap'>");
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
  text_->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  tools_ = new QWidget(this);
  auto* tools = new QHBoxLayout(tools_);
  tools->setContentsMargins(9, 5, 9, 0);
  tools->setSpacing(4);
  const auto tool = [&](const QString& name, const QString& title, const QString& tip) {
    auto* button = new QPushButton(title, tools_);
    button->setObjectName(name);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    tools->addWidget(button);
    return button;
  };
  replay_ = tool(QStringLiteral("replay_finding"), tr("Replay"), tr("Play the witness in the timeline (Shift+R)"));
  explain_ = tool(QStringLiteral("explain_finding"), tr("Explain"), tr("Show the whole rule here"));
  explain_->setCheckable(true);
  QPushButton* as_text = tool(QStringLiteral("copy_finding_text"), tr("Copy text"), tr("Copy this finding as text"));
  QPushButton* as_json = tool(QStringLiteral("copy_finding_json"), tr("Copy JSON"), tr("Copy this finding as JSON"));
  tools->addStretch(1);
  connect(replay_, &QPushButton::clicked, this, &FindingCard::replay);
  connect(explain_, &QPushButton::toggled, this, &FindingCard::set_explained);
  connect(as_text, &QPushButton::clicked, this, [this] { copy(false); });
  connect(as_json, &QPushButton::clicked, this, [this] { copy(true); });
  layout_ = new QVBoxLayout(this);
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->setSpacing(0);
  layout_->addWidget(tools_);
  layout_->addWidget(text_, 1);
  connect(text_, &QTextBrowser::anchorClicked, this, &FindingCard::follow);
  connect(text_, qOverload<const QUrl&>(&QTextBrowser::highlighted), this, [this](const QUrl& link) {
    const FocusState state = focus_of(link);
    if (state.empty()) context_.focus.end_hover();
    else context_.focus.hover(state);
  });
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
  const bool known = finding >= 0 && static_cast<size_t>(finding) < analysis->findings.size();
  tools_->setVisible(known);
  replay_->setEnabled(known && replayable(analysis->findings[static_cast<size_t>(finding)]));
  text_->setHtml(QStringLiteral("<div style='color:%1'>%2</div>")
                     .arg(context_.theme.css(Token::text), card_html(*analysis, finding, context_.theme, explained_)));
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

void FindingCard::replay() { ViewRequests::of(context_.focus).replay(context_.focus.state().finding); }

void FindingCard::copy(bool json) {
  const Analysis& analysis = context_.snapshots.analysis();
  const int finding = context_.focus.state().finding;
  if (finding < 0 || static_cast<size_t>(finding) >= analysis.findings.size()) return;
  const Finding& f = analysis.findings[static_cast<size_t>(finding)];
  QApplication::clipboard()->setText(to_qstring(json ? to_json(analysis, f) : to_text(analysis, f)));
}

void FindingCard::set_explained(bool on) {
  explained_ = on;
  explain_->setChecked(on);
  explain_->setText(on ? tr("Hide the rule") : tr("Explain"));
  shown_finding_ = -2;
  refresh();
  if (on) text_->scrollToAnchor(QStringLiteral("rule"));
}

FocusState FindingCard::focus_of(const QUrl& link) const {
  const QStringList parts = link.toString().split(QLatin1Char(':'));
  FocusState state;
  if (parts.size() == 3 && parts[0] == QLatin1String("span")) state = focus_on_span({parts[1].toUInt(), parts[2].toUInt()});
  if (parts.size() == 4 && parts[0] == QLatin1String("event")) {
    state = focus_on_event(context_.snapshots.shown(), parts[1].toUInt());
    if (state.empty()) state = focus_on_span({parts[2].toUInt(), parts[3].toUInt()});
  }
  if (state.empty()) return state;
  state.finding = context_.focus.state().finding;
  state.origin = Origin::findings;
  return state;
}

void FindingCard::follow(const QUrl& link) {
  if (FocusState state = focus_of(link); !state.empty()) context_.focus.set(std::move(state));
}

}  // namespace bakery::views
