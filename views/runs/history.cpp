// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/runs/history.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <nlohmann/json.hpp>

namespace bakery::views {

namespace {

using Json = nlohmann::ordered_json;

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

// Names of all figures, in the order they are met.
std::vector<std::string> figure_names(const std::vector<const RunRow*>& rows) {
  std::vector<std::string> names;
  for (const RunRow* row : rows)
    for (const StoredFigure& figure : row->run.figures)
      if (std::find(names.begin(), names.end(), figure.name) == names.end()) names.push_back(figure.name);
  return names;
}

std::string text_of(const Json& json, const char* name) {
  const auto at = json.find(name);
  return at != json.end() && at->is_string() ? at->get<std::string>() : "";
}

RunRow row_of_receipt(const Json& json) {
  RunRow row;
  row.imported = true;
  StoredRun& run = row.run;
  run.kind = text_of(json, "kind");
  run.candidate = text_of(json, "schedule_hash");
  run.schedule = text_of(json, "case");
  run.contract_hash = text_of(json, "contract_hash");
  run.code_hash = text_of(json, "code_hash");
  run.device = text_of(json, "device");
  run.driver = text_of(json, "driver");
  row.file = text_of(json, "schedule");
  row.author = "receipt";
  if (json.contains("shape") && json["shape"].is_object())
    for (const auto& [name, value] : json["shape"].items()) run.shape += (run.shape.empty() ? "" : ", ") + name + "=" + value.dump();
  if (const std::string distribution = text_of(json, "distribution"); !distribution.empty()) run.shape += " (" + distribution + ")";
  if (json.contains("correct") && json["correct"].is_boolean()) run.status = json["correct"].get<bool>() ? "correct" : "mismatch";
  else run.status = run.kind;
  for (const auto& [name, value] : json.items())
    if (value.is_number() && name != "run" && name != "exit") run.figures.push_back({name, value.get<double>(), name.ends_with("_ms") ? "ms" : ""});
  run.detail = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return row;
}

}  // namespace

std::optional<double> RunRow::figure(std::string_view name) const {
  for (const StoredFigure& f : run.figures)
    if (f.name == name) return f.value;
  return std::nullopt;
}

History load_history(const std::string& store_path) {
  History history;
  history.path = store_path;
  std::error_code error;
  if (!std::filesystem::exists(store_path, error)) {
    history.note = "nothing is recorded yet in `" + store_path + "`";
    return history;
  }
  const auto store = Store::open(store_path, &history.note);
  if (!store) return history;
  try {
    history.candidates = store->candidates(kMostCandidates);
    std::map<std::string_view, const StoredCandidate*> by_hash;
    for (const StoredCandidate& candidate : history.candidates) by_hash[candidate.hash] = &candidate;
    for (StoredRun& run : store->history(kMostRuns)) {
      RunRow row;
      if (const auto at = by_hash.find(run.candidate); at != by_hash.end()) {
        row.target = at->second->target;
        row.author = at->second->author;
        row.parent = at->second->parent;
        row.file = at->second->file;
        row.has_text = true;
      }
      row.run = std::move(run);
      history.rows.push_back(std::move(row));
    }
    if (history.rows.size() == kMostRuns) history.note = "only the newest " + std::to_string(kMostRuns) + " runs are shown";
  } catch (const std::exception& problem) {
    history.note = "the store can't be read: " + std::string(problem.what());
  }
  return history;
}

std::vector<RunRow> read_receipts(std::string_view text, std::string& problem) {
  std::vector<RunRow> rows;
  size_t line = 0, bad = 0, first_bad = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view one = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    ++line;
    if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const Json json = Json::parse(one, nullptr, false);
    if (json.is_object() && json.contains("kind")) {
      rows.push_back(row_of_receipt(json));
    } else {
      if (bad++ == 0) first_bad = line;
    }
  }
  if (bad > 0) problem = std::to_string(bad) + (bad == 1 ? " line is no receipt" : " lines are no receipts") + ", the first is line " + std::to_string(first_bad);
  else if (rows.empty()) problem = "there is no receipt in it";
  return rows;
}

std::string to_csv(const std::vector<const RunRow*>& rows) {
  const std::vector<std::string> names = figure_names(rows);
  std::string out = "id,ended_ms,kind,schedule,candidate,parent,author,target,shape,status,device,driver,contract_hash,code_hash";
  for (const std::string& name : names) out += "," + quoted(name);
  out += "\n";
  for (const RunRow* row : rows) {
    const StoredRun& r = row->run;
    out += std::to_string(r.id) + "," + std::to_string(r.ended);
    for (const std::string* text : {&r.kind, &r.schedule, &r.candidate, &row->parent, &row->author, &row->target, &r.shape, &r.status, &r.device, &r.driver,
                                    &r.contract_hash, &r.code_hash})
      out += "," + quoted(*text);
    for (const std::string& name : names) {
      const auto value = row->figure(name);
      out += "," + (value ? number(*value) : std::string());
    }
    out += "\n";
  }
  return out;
}

std::string to_json(const std::vector<const RunRow*>& rows) {
  Json out = Json::array();
  for (const RunRow* row : rows) {
    const StoredRun& r = row->run;
    Json one = {{"id", r.id}, {"ended_ms", r.ended}, {"kind", r.kind}, {"schedule", r.schedule}, {"candidate", r.candidate}, {"parent", row->parent},
                {"author", row->author}, {"target", row->target}, {"shape", r.shape}, {"status", r.status}, {"device", r.device}, {"driver", r.driver},
                {"contract_hash", r.contract_hash}, {"code_hash", r.code_hash}};
    one["figures"] = Json::object();
    for (const StoredFigure& figure : r.figures) one["figures"][figure.name] = figure.value;
    one["findings"] = Json::array();
    for (const StoredFinding& finding : r.findings)
      one["findings"].push_back({{"id", finding.id}, {"severity", finding.severity}, {"line", finding.line}, {"message", finding.message}});
    out.push_back(std::move(one));
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace bakery::views
