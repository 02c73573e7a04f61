// SPDX-License-Identifier: Apache-2.0
// The two renderers of an analysis: JSON for machines, text for people.
#include <nlohmann/json.hpp>

#include "app/session/analysis.h"
#include "app/session/wait_graph.h"

namespace bakery {
namespace {

using Json = nlohmann::ordered_json;

void put_span(Json& out, const SourceText& source, Span span) {
  const Position begin = source.position(span.begin), end = source.position(span.end);
  out["line"] = begin.line;
  out["column"] = begin.column;
  out["length"] = span.end > span.begin ? span.end - span.begin : 0;
  out["end_line"] = end.line;
  out["end_column"] = end.column;
}

Json stage_json(const std::optional<int>& stage) { return stage ? Json(*stage) : Json(nullptr); }

// Who waits for whom, of a finding that was seen in a stuck run.
std::vector<std::string> wait_lines(const Analysis& analysis, const Finding& finding) {
  const bool of_a_wait = finding.completion && !finding.witness.empty() && finding.witness.back().event_index != UINT32_MAX;
  if (!of_a_wait || !replayable(finding)) return {};
  return to_lines(analysis, replay_of(analysis, timeline_of(analysis, finding), finding.sample, finding).graph);
}

Json finding_json(const Analysis& analysis, const Finding& finding) {
  const SourceText& source = analysis.source;
  Json out;
  out["id"] = finding.id;
  out["gate"] = to_string(finding.gate);
  out["severity"] = to_string(finding.severity);
  out["confidence"] = to_string(finding.confidence);
  out["message"] = finding.message;
  out["contract"] = finding.contract;
  put_span(out, source, finding.span);
  out["role"] = finding.role;
  out["resource"] = finding.resource;
  out["stage"] = stage_json(finding.stage);
  out["completion"] = finding.completion ? Json(*finding.completion) : Json(nullptr);
  out["iteration"] = Json::object();
  for (const auto& [name, value] : finding.iteration) out["iteration"][name] = value;
  out["expected"] = finding.expected;
  out["declared"] = finding.declared;
  out["related"] = Json::array();
  for (const Related& related : finding.related) {
    Json one;
    put_span(one, source, related.span);
    one["role"] = related.role;
    one["resource"] = related.resource;
    one["stage"] = stage_json(related.stage);
    one["note"] = related.note;
    out["related"].push_back(std::move(one));
  }
  out["witness"] = Json::array();
  int number = 0;
  for (const WitnessStep& step : finding.witness) {
    Json one;
    one["step"] = ++number;
    one["role"] = step.role;
    one["line"] = source.position(step.span.begin).line;
    one["event"] = step.event;
    out["witness"].push_back(std::move(one));
  }
  out["because"] = wait_lines(analysis, finding);
  out["fixes"] = Json::array();
  for (const Fix& fix : finding.fixes) {
    Json one;
    one["title"] = fix.title;
    one["edits"] = Json::array();
    for (const TextEdit& edit : fix.edits) {
      Json change;
      put_span(change, source, edit.span);
      change.erase("length");
      change["text"] = edit.text;
      one["edits"].push_back(std::move(change));
    }
    out["fixes"].push_back(std::move(one));
  }
  out["version"] = finding.version;
  if (finding.sample >= 0 && finding.sample < static_cast<int>(analysis.samples.size()))
    out["sample"] = analysis.samples[finding.sample].text;
  return out;
}

// The line with a mark under the span; of a long line the part around it. Control characters would
// reach the reader's terminal, so they are replaced.
void excerpt(std::string& out, const SourceText& source, Span span) {
  constexpr size_t kBefore = 100, kAfter = 60;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  const Position at = source.position(span.begin);
  const std::string_view line = source.line(at.line);
  const size_t column = std::min<size_t>(at.column - 1, line.size());
  const bool is_long = line.size() > kBefore + kAfter;
  size_t begin = is_long && column > kBefore ? column - kBefore : 0;
  size_t end = is_long ? std::min(line.size(), std::max(column + kAfter, kBefore + kAfter)) : line.size();
  while (begin < column && continues(line[begin])) ++begin;
  while (end < line.size() && continues(line[end])) ++end;
  const size_t marked_end = std::min(end, std::max<size_t>(column + 1, column + (span.end - span.begin)));

  const std::string head = begin > 0 ? "..." : "";
  std::string shown = head, marks(head.size(), ' ');
  for (size_t i = begin; i < end; ++i) {
    const bool tab = line[i] == '\t', control = static_cast<unsigned char>(line[i]) < 0x20 || line[i] == 0x7F;
    if (control && !tab)
      shown += "\xEF\xBF\xBD";
    else
      shown += line[i];
    if (continues(line[i])) continue;
    if (i < column)
      marks += tab ? '\t' : ' ';
    else if (i < marked_end)
      marks += '^';
  }
  if (end < line.size()) shown += "...";
  if (column >= end) marks += '^';
  const std::string number = std::to_string(at.line);
  out += "  " + number + " | " + shown + "\n  " + std::string(number.size(), ' ') + " | " + marks + "\n";
}

}  // namespace

std::string to_json(const Analysis& analysis, const Finding& finding) {
  return finding_json(analysis, finding).dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string to_text(const Analysis& analysis, const Finding& finding) {
  const SourceText& source = analysis.source;
  const Position at = source.position(finding.span.begin);
  std::string out = source.name() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + to_string(finding.severity) + " " +
                    finding.id + ": " + finding.message + "\n";
  excerpt(out, source, finding.span);
  const std::string where = place(finding);
  if (!where.empty()) out += "  at: " + where + "\n";
  if (!finding.expected.empty()) out += "  expected: " + finding.expected + "\n";
  if (!finding.declared.empty()) out += "  declared: " + finding.declared + "\n";
  for (const Related& related : finding.related)
    out += "  note: line " + std::to_string(source.position(related.span.begin).line) + ": " + related.note + "\n";
  for (const std::string& line : wait_lines(analysis, finding)) out += "  because: " + line + "\n";
  for (const Fix& fix : finding.fixes) out += "  fix: " + fix.title + "\n";
  return out + "\n";
}

std::string to_json(const Analysis& analysis) {
  Json out;
  out["schedule"] = analysis.schedule.name;
  out["file"] = analysis.source.name();
  out["target"] = analysis.target ? Json(analysis.target->name) : Json(nullptr);
  out["hash"] = analysis.hash;
  out["verdict"] = to_string(analysis.verdict);
  out["findings"] = Json::array();
  for (const Finding& finding : analysis.findings) out["findings"].push_back(finding_json(analysis, finding));
  out["coverage"] = Json::array();
  for (const Coverage& coverage : analysis.coverage) {
    Json one;
    one["id"] = coverage.id;
    one["message"] = coverage.message;
    one["line"] = analysis.source.position(coverage.span.begin).line;
    out["coverage"].push_back(std::move(one));
  }
  out["assumptions"] = analysis.assumptions;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_text(const Analysis& analysis) {
  std::string out;
  for (const Finding& finding : analysis.findings) out += to_text(analysis, finding);
  for (const Coverage& coverage : analysis.coverage) out += coverage.id + ": " + coverage.message + "\n";
  if (!analysis.assumptions.empty()) {
    out += "assuming ";
    for (size_t i = 0; i < analysis.assumptions.size(); ++i) out += (i == 0 ? "" : "; ") + analysis.assumptions[i];
    out += "\n";
  }
  const auto counted = [&](Severity severity, const char* one, const char* many) {
    const size_t n = analysis.count(severity);
    return std::to_string(n) + " " + (n == 1 ? one : many);
  };
  out += (analysis.schedule.name.empty() ? analysis.source.name() : analysis.schedule.name) +
         (analysis.target ? std::string(" for ") + analysis.target->name : std::string()) + ": " + to_string(analysis.verdict) + " (" +
         counted(Severity::error, "error", "errors") + ", " + counted(Severity::review, "review", "reviews") + ", " +
         counted(Severity::hint, "hint", "hints") + ")\n";
  return out;
}

}  // namespace bakery
