// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/runs/result_card.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <utility>

#include "views/common/qt_text.h"
#include "views/common/rich_text.h"

namespace bakery::views {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("ResultCard", text); }

QString number(double value, int digits = 6) {
  if (std::isnan(value)) return QStringLiteral("NaN");
  return QString::number(value, 'g', digits);
}

struct Writer {
  const Theme& theme;
  ResultPage page;

  QString& html() { return page.html; }
  QString colored(Token token, const QString& text) const { return QStringLiteral("<span style='color:%1'>%2</span>").arg(theme.css(token), text); }
  QString muted(const QString& text) const { return colored(Token::muted, text); }
  QString link(ResultPlace place, const QString& text) {
    page.places.push_back(std::move(place));
    return QStringLiteral("<a href='place:%1' style='color:%2'>%3</a>").arg(page.places.size() - 1).arg(theme.css(Token::accent), text);
  }
  void heading(const QString& text) { html() += QStringLiteral("<p style='margin:8px 0 2px 0'><b>%1</b></p>").arg(text); }
  void paragraph(const QString& text) { html() += QStringLiteral("<p style='margin:2px 0'>%1</p>").arg(text); }
  void begin_table(const QStringList& columns) {
    html() += QStringLiteral("<table cellspacing='0' cellpadding='3'><tr>");
    for (const QString& column : columns) html() += QStringLiteral("<td style='padding-right:10px;white-space:nowrap'>%1</td>").arg(muted(column));
    html() += QStringLiteral("</tr>");
  }
  void row(const QStringList& cells) {
    html() += QStringLiteral("<tr>");
    for (const QString& cell : cells) html() += QStringLiteral("<td style='padding-right:10px;white-space:nowrap'>%1</td>").arg(cell);
    html() += QStringLiteral("</tr>");
  }
  void end_table() { html() += QStringLiteral("</table>"); }
};

QString plural(qint64 n, const char* one, const char* many) { return QStringLiteral("%L1 %2").arg(n).arg(tr(n == 1 ? one : many)); }

uint32_t line_of(const Analysis& analysis, Span span) { return analysis.source.position(span.begin).line; }

ResultPlace place_of(const Finding& finding) {
  ResultPlace place{finding.span, finding.role, finding.resource, finding.stage.value_or(-1), -1, ""};
  if (finding.completion) place.completion = *finding.completion;
  return place;
}

// ---- parts of the page -------------------------------------------------------------------

void headline(Writer& w, const RunResult& r) {
  const QString where = r.simulated ? tr("on the reference machine")
                        : r.run.checked.empty() || r.run.checked.front().run.run.device.name.empty()
                            ? tr("on the device")
                            : tr("on %1").arg(to_qstring(r.run.checked.front().run.run.device.text()));
  Token token = Token::error;
  QString mark = QStringLiteral("✖"), text;
  // The values are known, whatever became of the times.
  const bool only_untimed = (r.state == RunState::missing || r.state == RunState::failed) && !r.run.checked.empty() &&
                            std::all_of(r.run.checked.begin(), r.run.checked.end(), [](const ShapeRun& shape) { return shape.run.correct(); });
  switch (r.state) {
    case RunState::correct: token = Token::ok, mark = QStringLiteral("✔"), text = tr("Correct %1").arg(where); break;
    case RunState::wrong: {
      const bool hung = std::any_of(r.findings.begin(), r.findings.end(), [](const Finding& f) { return f.id == "NUM-003"; });
      const bool aborted = std::any_of(r.findings.begin(), r.findings.end(), [](const Finding& f) { return f.id == "NUM-004"; });
      text = (hung ? tr("Hung %1") : aborted ? tr("Aborted %1") : tr("Wrong values %1")).arg(where);
      break;
    }
    case RunState::refused: text = tr("Not run: refused"); break;
    case RunState::missing: token = Token::review, mark = QStringLiteral("◌"), text = tr("Not run: something is missing"); break;
    case RunState::failed: text = r.simulated ? tr("The reference machine failed") : tr("The run failed"); break;
    case RunState::cancelled: token = Token::review, mark = QStringLiteral("■"), text = tr("Cancelled"); break;
  }
  if (only_untimed) token = Token::review, mark = QStringLiteral("◌"), text = tr("Correct %1, but not timed").arg(where);
  w.html() += QStringLiteral("<p style='margin:2px 0;font-size:large'><b>%1</b></p>").arg(w.colored(token, mark + QLatin1Char(' ') + text));
}

void identity(Writer& w, const RunResult& r, const std::string& now_hash) {
  QStringList parts;
  if (r.analysis) parts << QStringLiteral("<b>%1</b> <code>%2</code>").arg(to_qstring(r.analysis->schedule.name).toHtmlEscaped(), to_qstring(r.analysis->hash.substr(0, 8)));
  parts << tr("contract %1").arg(QFileInfo(to_qstring(r.contract_path)).completeBaseName().toHtmlEscaped());
  parts << QString::number(static_cast<double>(r.ended - r.started) / 1000, 'f', 1) + QStringLiteral(" s");
  w.paragraph(w.muted(parts.join(QStringLiteral(" · "))));
  if (r.analysis && !now_hash.empty() && now_hash != r.analysis->hash)
    w.paragraph(w.colored(Token::review, tr("This is of an earlier text: the schedule has changed since, it is now")) +
                QStringLiteral(" <code>%1</code>").arg(to_qstring(now_hash.substr(0, 8))));
  if (r.options.unchecked && !r.simulated)
    w.paragraph(w.colored(Token::review, tr("Run although the schedule is rejected; nothing of it is timed.")));
  if (!r.note.empty()) w.paragraph(w.colored(Token::review, rich_text(r.note)));
}

void message(Writer& w, const RunResult& r) {
  if (!r.message.isEmpty()) w.paragraph(rich_text(to_utf8(r.message)));
  if (!r.run.status.error.call.empty()) w.paragraph(w.muted(to_qstring(r.run.status.error.call).toHtmlEscaped()));
  if (!r.remedy.isEmpty()) w.paragraph(tr("<b>What mends it:</b> %1").arg(rich_text(to_utf8(r.remedy))));
  if (r.state == RunState::missing) {
    bool first = true;
    for (const DoctorLine& line : r.machine) {
      if (line.ok || line.remedy == to_utf8(r.remedy)) continue;
      if (std::exchange(first, false)) w.paragraph(tr("Missing here, too:"));
      w.paragraph(QStringLiteral("<b>%1</b>: %2 → %3").arg(QLatin1String(line.name), rich_text(line.what), rich_text(line.remedy)));
    }
    w.paragraph(w.muted(tr("Simulate (Ctrl+F5) runs the same contract on the reference machine; <code>bakery doctor</code> says all that this machine has.")));
  }
  const std::string& words = r.run.status.stderr_tail;
  if (r.state == RunState::failed && !words.empty())
    w.html() += QStringLiteral("<pre style='color:%1'>%2</pre>").arg(w.theme.css(Token::muted), to_qstring(words.substr(words.size() > 2000 ? words.size() - 2000 : 0)).toHtmlEscaped());
}

QString verdict_cell(const Writer& w, const KernelRun& run) {
  if (!run.status.ok()) return w.colored(Token::error, to_qstring(to_string(run.status.outcome)));
  return w.colored(run.run.verdict == RunVerdict::correct ? Token::ok : Token::error, QString::fromLatin1(to_string(run.run.verdict)).replace(QLatin1Char('_'), QLatin1Char(' ')));
}

void checked_table(Writer& w, const RunResult& r) {
  if (r.run.checked.empty()) return;
  const std::string& reference = r.run.checked.front().run.run.reference;
  w.heading(tr("Checked against %1").arg(rich_text(reference.empty() ? "the oracle" : reference)));
  w.begin_table({tr("shape"), tr("inputs"), tr("verdict"), tr("elements"), tr("differ"), tr("unwritten"), tr("largest error"), tr("relative")});
  for (const ShapeRun& shape : r.run.checked) {
    int64_t elements = 0, mismatches = 0, unwritten = 0;
    double absolute = 0, relative = 0;
    for (const OutputCheck& check : shape.run.run.outputs) {
      elements += check.elements;
      mismatches += check.mismatches;
      unwritten += check.unwritten;
      absolute = std::max(absolute, check.max_abs);
      relative = std::max(relative, check.max_rel);
    }
    const bool ran = !shape.run.run.outputs.empty();
    const auto count = [&](int64_t n) { return ran ? QStringLiteral("%L1").arg(n) : QStringLiteral("–"); };
    w.row({to_qstring(shape.run.shape), shape.distribution.empty() ? tr("contract's") : to_qstring(shape.distribution), verdict_cell(w, shape.run), count(elements),
           count(mismatches), count(unwritten), ran ? number(absolute, 3) : QStringLiteral("–"), ran ? number(relative, 3) : QStringLiteral("–")});
  }
  w.end_table();
  w.paragraph(w.muted(tr("checked build: its waits give up, so it is never timed")));
}

void timed_table(Writer& w, const RunResult& r) {
  if (r.run.timed.empty()) return;
  w.heading(tr("Measured"));
  w.begin_table({tr("shape"), tr("inputs"), tr("median"), tr("spread"), tr("least … most"), tr("clock"), tr("samples"), tr("verdict")});
  QStringList notes;
  for (const ShapeRun& shape : r.run.timed) {
    const BenchAnswer& b = shape.run.bench;
    const bool ran = !b.span_ms.empty();
    const auto ms = [](double value) { return QString::number(value, 'f', 4); };
    w.row({to_qstring(shape.run.shape), shape.distribution.empty() ? tr("contract's") : to_qstring(shape.distribution),
           ran ? QStringLiteral("<b>%1 ms</b>").arg(ms(b.median_ms)) : QStringLiteral("–"), ran ? QStringLiteral("±%1 %").arg(b.spread * 100, 0, 'f', 1) : QString(),
           ran ? QStringLiteral("%1 … %2").arg(ms(b.min_ms), ms(b.max_ms)) : QString(), b.clock == "cupti" ? QStringLiteral("CUPTI") : b.clock == "events" ? tr("CUDA events") : to_qstring(b.clock),
           QString::number(b.span_ms.size()), verdict_cell(w, shape.run)});
    if (!b.note.empty() && !notes.contains(to_qstring(b.note))) notes << to_qstring(b.note);
    if (b.throttle != 0 && notes.filter(tr("throttled")).isEmpty()) notes << tr("the device throttled its clocks while it ran");
  }
  w.end_table();
  const int64_t flush = r.run.timed.front().run.bench.flush_bytes;
  w.paragraph(w.muted(tr("clean build: plain waits, no instruments%1; spread is the interquartile range over the median")
                          .arg(flush > 0 ? tr("; the L2 is flushed before each sample (%1 MiB)").arg(flush >> 20) : QString())));
  for (const QString& note : notes) w.paragraph(w.colored(Token::review, note.toHtmlEscaped()));
}

void simulated_table(Writer& w, const RunResult& r) {
  if (r.simulation.shapes.empty()) return;
  w.heading(tr("Checked against the oracle <code>%1</code>").arg(to_qstring(r.contract->oracle ? r.contract->oracle->name : "").toHtmlEscaped()));
  w.begin_table({tr("shape"), tr("verdict"), tr("elements"), tr("differ"), tr("unwritten"), tr("largest error"), tr("relative"), tr("CTAs"), tr("logical steps")});
  for (const ShapeResult& s : r.simulation.shapes)
    w.row({to_qstring(s.text), w.colored(s.correct ? Token::ok : Token::error, s.correct ? tr("correct") : s.stuck ? tr("deadlock") : tr("mismatch")),
           QStringLiteral("%L1").arg(s.checked), QStringLiteral("%L1").arg(s.mismatches), QStringLiteral("%L1").arg(s.unwritten), number(s.max_abs_error, 3), number(s.max_rel_error, 3),
           QString::number(s.ctas), QStringLiteral("%L1").arg(static_cast<qint64>(s.steps))});
  w.end_table();
  w.paragraph(w.muted(tr("values of the reference machine; its steps are logical, no times")));
  for (const ShapeResult& s : r.simulation.shapes)
    for (const std::string& seen : s.observations) w.paragraph(w.colored(Token::review, tr("machine, %1: ").arg(to_qstring(s.text))) + rich_text(seen));
}

// "abs", "rel" and "ulp" of one mismatch.
QStringList errors_of(DType dtype, double expected, double got) {
  const double off = std::abs(got - expected), units = ulps(dtype, expected, got);
  return {number(off, 3), expected != 0 ? number(off / std::abs(expected), 3) : QStringLiteral("–"), units < 0 ? QStringLiteral("–") : number(units, 3)};
}

QString index_text(const std::string& tensor, const std::vector<int64_t>& index) {
  QStringList parts;
  for (const int64_t i : index) parts << QString::number(i);
  return QStringLiteral("%1[%2]").arg(to_qstring(tensor), parts.join(QStringLiteral(", ")));
}

DType dtype_of(const Contract& contract, const std::string& tensor) {
  const TensorSpec* spec = contract.tensor(tensor);
  return spec ? spec->dtype : DType::f32;
}

const QStringList& mismatch_columns() {
  static const QStringList columns = {tr("element"), tr("tile"), tr("CTA"), tr("role"), tr("line"), tr("expected"), tr("got"), tr("abs"), tr("rel"), tr("ulp")};
  return columns;
}

void device_mismatches(Writer& w, const RunResult& r) {
  for (const ShapeRun& shape : r.run.checked)
    for (const OutputCheck& check : shape.run.run.outputs) {
      if (check.first.empty()) continue;
      const auto& findings = shape.run.findings;
      const auto of = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.resource == check.name; });
      w.heading(tr("First mismatches of <code>%1</code> with %2").arg(to_qstring(check.name), to_qstring(shape.run.shape)));
      w.begin_table(mismatch_columns());
      for (const Mismatch& m : check.first) {
        QStringList tile;
        for (const int64_t t : m.tile) tile << QString::number(t);
        const int64_t cta = cta_of_tile(*r.analysis, *r.contract, shape.row, m.tile, shape.run.run.launch.grid);
        const ResultPlace place = of == findings.end() ? ResultPlace{} : place_of(*of);
        const QString role = to_qstring(place.role.empty() ? "?" : place.role);
        const QString line = of == findings.end() ? QString() : QString::number(line_of(*r.analysis, place.span));
        QStringList cells = {w.link(place, index_text(check.name, m.index)), tile.isEmpty() ? QStringLiteral("–") : QStringLiteral("(%1)").arg(tile.join(QStringLiteral(", "))),
                             cta < 0 ? QStringLiteral("–") : QString::number(cta), role, line, number(m.expected), m.unwritten ? w.colored(Token::error, tr("never written")) : number(m.got)};
        cells += m.unwritten ? QStringList{QStringLiteral("–"), QStringLiteral("–"), QStringLiteral("–")} : errors_of(dtype_of(*r.contract, check.name), m.expected, m.got);
        w.row(cells);
      }
      w.end_table();
    }
}

void simulated_mismatches(Writer& w, const RunResult& r) {
  for (const ShapeResult& shape : r.simulation.shapes) {
    if (shape.first.empty()) continue;
    w.heading(tr("First mismatches with %1").arg(to_qstring(shape.text)));
    w.begin_table(mismatch_columns());
    for (const ValueMismatch& m : shape.first) {
      QStringList tile;
      for (const LoopValue& value : m.tile) tile << QStringLiteral("%1=%2").arg(to_qstring(value.name)).arg(value.value);
      ResultPlace place{{}, m.role, m.tensor, -1, -1, ""};
      // What was never written has no writer: the operation that stores the tensor.
      const Schedule& schedule = r.analysis->schedule;
      for (Index i = 0; i < static_cast<Index>(schedule.ops.size()); ++i) {
        const Op& op = schedule.ops[i];
        const bool stores = op.param != kNone && op.a.space == Space::shared && schedule.params[op.param].name == m.tensor;
        if (m.op == kNone ? !stores : i != m.op) continue;
        place.span = op.span;
        if (place.role.empty()) place.role = schedule.roles[op.role].name;
        break;
      }
      QStringList cells = {w.link(place, index_text(m.tensor, m.index)), tile.isEmpty() ? QStringLiteral("–") : tile.join(QStringLiteral(" ")),
                           m.cta < 0 ? QStringLiteral("–") : QString::number(m.cta), to_qstring(place.role.empty() ? "–" : place.role), QString::number(line_of(*r.analysis, place.span)),
                           number(m.expected), m.written ? number(m.got) : w.colored(Token::error, tr("never written"))};
      cells += m.written ? errors_of(dtype_of(*r.contract, m.tensor), m.expected, m.got) : QStringList{QStringLiteral("–"), QStringLiteral("–"), QStringLiteral("–")};
      w.row(cells);
    }
    w.end_table();
  }
}

void hang_report(Writer& w, const RunResult& r) {
  bool first = true;
  for (const Finding& f : r.findings) {
    if (f.id != "NUM-003" || !r.analysis) continue;
    if (first) {
      w.heading(tr("Who waits for what"));
      w.begin_table({tr("role"), tr("barrier"), tr("completion"), tr("iteration"), tr("line"), tr("foretold by")});
    }
    first = false;
    QStringList iteration;
    for (const auto& [name, value] : f.iteration) iteration << QStringLiteral("%1=%2").arg(to_qstring(name)).arg(value);
    QString barrier = to_qstring(f.resource);
    if (f.stage && *f.stage >= 0 && !f.resource.empty()) barrier += QStringLiteral("[%1]").arg(*f.stage);
    QString foretold = QStringLiteral("–");
    for (const Related& related : f.related)
      if (const size_t at = related.note.find(" foretold it"); at != std::string::npos) {
        const std::string id = related.note.substr(0, at);
        const bool other = related.note.find("other side") != std::string::npos;
        foretold = w.link({related.span, related.role, related.resource, related.stage.value_or(-1), -1, id}, to_qstring(id)) + (other ? tr(" (the other side)") : QString());
      }
    const QString role = f.role.empty() ? tr("no wait filed a record") : to_qstring(f.role);
    w.row({w.link(place_of(f), role), barrier.isEmpty() ? QStringLiteral("–") : barrier, f.completion ? QString::number(*f.completion) : QStringLiteral("–"),
           iteration.isEmpty() ? QStringLiteral("–") : iteration.join(QStringLiteral(" ")), QString::number(line_of(*r.analysis, f.span)), foretold});
  }
  if (!first) w.end_table();
}

void findings_list(Writer& w, const RunResult& r) {
  if (r.findings.empty() || !r.analysis) return;
  w.heading(r.state == RunState::refused ? tr("What refuses it") : tr("Findings"));
  constexpr size_t kMost = 20;
  for (size_t i = 0; i < r.findings.size() && i < kMost; ++i) {
    const Finding& f = r.findings[i];
    ResultPlace place = place_of(f);
    if (r.state == RunState::refused) place.finding = f.id;
    const Token token = f.severity == Severity::error ? Token::error : Token::review;
    w.paragraph(w.link(place, to_qstring(f.id)) + QLatin1Char(' ') + w.colored(token, tr("line %1").arg(line_of(*r.analysis, f.span))) + QStringLiteral(": ") + rich_text(f.message) +
                (f.expected.empty() ? QString() : QStringLiteral("<br>") + w.muted(rich_text(f.expected))));
  }
  if (r.findings.size() > kMost) w.paragraph(w.muted(tr("and %1 more").arg(r.findings.size() - kMost)));
}

void build_facts(Writer& w, const RunResult& r) {
  const CompiledKernel& c = r.run.clean_compiled.ok() ? r.run.clean_compiled : r.run.compiled;
  if (!c.ok()) return;
  QStringList parts = {tr("NVRTC %1").arg(to_qstring(c.answer.nvrtc_version)), tr("%1 registers a thread").arg(c.registers),
                       tr("%1 bytes of spills").arg(c.spill_stores + c.spill_loads)};
  if (c.occupancy.ctas_per_sm > 0)
    parts << tr("%1 an SM, limited by %2").arg(plural(c.occupancy.ctas_per_sm, "CTA", "CTAs"), QLatin1String(c.occupancy.limit));
  if (!r.run.checked.empty() && r.run.checked.front().run.run.launch.grid > 0) parts << tr("grid of %1").arg(r.run.checked.front().run.run.launch.grid);
  w.paragraph(w.muted(parts.join(QStringLiteral(" · "))));
}

}  // namespace

double ulps(DType dtype, double expected, double got) {
  int bits = -1, least = -126;
  switch (dtype) {
    case DType::bf16: bits = 7; break;
    case DType::f16: bits = 10, least = -14; break;
    case DType::f32: bits = 23; break;
    case DType::tf32: bits = 10; break;
    case DType::e4m3: bits = 3, least = -6; break;
    case DType::e5m2: bits = 2, least = -14; break;
    default: return -1;
  }
  if (!std::isfinite(expected) || !std::isfinite(got)) return -1;
  const int exponent = expected == 0 ? least : std::max(least, static_cast<int>(std::floor(std::log2(std::abs(expected)))));
  return std::abs(got - expected) / std::ldexp(1.0, exponent - bits);
}

ResultPage result_page(const RunResult* result, const std::string& now_hash, const Theme& theme) {
  Writer w{theme, {}};
  if (!result) {
    w.paragraph(w.muted(tr("Nothing has been run yet. <b>Run</b> (F5) runs the schedule against the chosen contract on this machine's GPU; "
                           "<b>Simulate</b> (Ctrl+F5) on the reference machine, which needs none.")));
    return std::move(w.page);
  }
  const RunResult& r = *result;
  headline(w, r);
  identity(w, r, now_hash);
  message(w, r);
  hang_report(w, r);
  device_mismatches(w, r);
  simulated_mismatches(w, r);
  timed_table(w, r);
  checked_table(w, r);
  simulated_table(w, r);
  build_facts(w, r);
  findings_list(w, r);
  return std::move(w.page);
}

QString progress_html(const RunProgress& progress, bool simulating, const Theme& theme) {
  const Writer w{theme, {}};
  QString html = QStringLiteral("<p style='margin:2px 0;font-size:large'><b>%1</b></p>").arg(simulating ? tr("Running on the reference machine") : tr("Running on the device"));
  html += QStringLiteral("<p>%1").arg(to_qstring(progress.text).toHtmlEscaped());
  if (progress.all > 0) html += w.muted(tr(" · %1 of %2").arg(progress.done).arg(progress.all));
  return html + QStringLiteral("</p><p>%1</p>").arg(w.muted(tr("Shift+F5 cancels.")));
}

FocusState focus_on_place(const ResultPlace& place, const RunResult& result, const Snapshot& shown) {
  const Analysis& now = *shown.analysis;
  const std::string_view before = result.analysis ? std::string_view(result.analysis->source.text()) : std::string_view();
  const std::string_view after = now.source.text();
  Span span = place.span;
  if (before != after) span = {shift_offset(before, after, span.begin), shift_offset(before, after, span.end)};
  span.end = std::min<uint32_t>(std::max(span.begin, span.end), static_cast<uint32_t>(after.size()));
  span.begin = std::min(span.begin, span.end);
  if (!place.finding.empty())
    for (size_t i = 0; i < now.findings.size(); ++i)
      if (now.findings[i].id == place.finding && now.findings[i].span == span) return focus_on_finding(shown, static_cast<int>(i));
  FocusState state = focus_on_span(span);
  const auto known = [](const auto& list, const std::string& name) {
    return std::any_of(list.begin(), list.end(), [&](const auto& item) { return item.name == name; });
  };
  if (known(now.schedule.roles, place.role)) state.role = place.role;
  if (known(now.schedule.barriers, place.resource)) {
    state.barrier = place.resource;
    state.stage = place.stage;
    state.completion = place.completion;
  }
  return state;
}

}  // namespace bakery::views
