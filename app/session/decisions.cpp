// SPDX-License-Identifier: Apache-2.0
#include "app/session/decisions.h"

#include <algorithm>
#include <exception>

#include <nlohmann/json.hpp>

#include "app/session/kernel.h"

namespace bakery {
namespace {

constexpr const char* kAgent = "built-in agent";
constexpr const char* kPerson = "person";
constexpr size_t kMeasured = 64;

StoredCandidate written_by(const char* author, StoredCandidate candidate, std::string parent) {
  candidate.author = author;
  candidate.parent = std::move(parent);
  candidate.created = now_ms();
  return candidate;
}

}  // namespace

template <class Write>
std::string DecisionRecorder::with_store(const std::string& file, Write write) {
  try {
    const std::string path = Store::path_for(file);
    std::string note;
    if (!store_ || store_->path() != path) store_ = Store::open(path, &note);
    if (!store_) return note;
    write(*store_);
    return {};
  } catch (const std::exception& error) {
    store_.reset();
    return error.what();
  }
}

DecisionRecorder::Measured DecisionRecorder::note(const std::string& file, const Analysis& analysis, const AnalysisOptions& options) {
  Measured measured{options.target, candidate_of(analysis, {}), analysis.count(Severity::error), analysis.findings.size()};
  measured.candidate.file = file;
  // A text that can't be read has no canonical hash.
  if (measured.candidate.hash.empty()) measured.candidate.hash = content_hash(analysis.source.text());
  measured_.push_back(measured);
  if (measured_.size() > kMeasured) measured_.pop_front();
  return measured;
}

DecisionRecorder::Measured DecisionRecorder::measure(const std::string& text, const DecisionRecord& record) {
  const auto same = [&](const Measured& m) { return m.candidate.text == text && m.candidate.file == record.file && m.target == record.options.target; };
  if (const auto found = std::find_if(measured_.rbegin(), measured_.rend(), same); found != measured_.rend()) return *found;
  if (record.known && record.known->source.text() == text) return note(record.file, *record.known, record.options);
  AnalysisOptions options = record.options;
  options.timeline = false;
  options.stop = {};
  return note(record.file, *analyse(record.file, text, options), options);
}

std::string DecisionRecorder::add(const DecisionRecord& record) {
  return with_store(record.file, [&](Store& store) {
    const Measured before = measure(record.text_before, record), after = measure(record.text_after, record);
    const std::string &was = before.candidate.hash, &now = after.candidate.hash;
    store.add(written_by(kPerson, before.candidate, {}));
    store.add(written_by(kPerson, after.candidate, now == was ? std::string() : was));
    auto detail = nlohmann::ordered_json::parse(record.detail, nullptr, false);
    if (!detail.is_object()) detail = nlohmann::ordered_json::object();
    detail["before"] = {{"hash", was}, {"errors", before.errors}, {"findings", before.findings}};
    detail["after"] = {{"hash", now}, {"errors", after.errors}, {"findings", after.findings}};
    store.add(StoredDecision{.candidate = now, .kind = record.kind, .who = kPerson, .reason = record.reason,
                             .detail = detail.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), .at = now_ms()});
  });
}

std::string DecisionRecorder::add_proposal(const std::string& file, const Analysis& proposal, const std::string& parent, const AnalysisOptions& options) {
  return with_store(file, [&](Store& store) { store.add(written_by(kAgent, note(file, proposal, options).candidate, parent)); });
}

}  // namespace bakery
