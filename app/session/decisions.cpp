// SPDX-License-Identifier: Apache-2.0
#include "app/session/decisions.h"

#include <exception>

#include <nlohmann/json.hpp>

#include "app/session/kernel.h"
#include "profiler/store/store.h"

namespace bakery {
namespace {

constexpr const char* kAgent = "built-in agent";
constexpr const char* kPerson = "person";

template <class Write>
std::string with_store(const std::string& file, Write write) {
  try {
    std::string note;
    auto store = Store::open(Store::path_for(file), &note);
    if (!store) return note;
    write(*store);
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::shared_ptr<const Analysis> quick(const std::string& file, const std::string& text, AnalysisOptions options) {
  options.timeline = false;
  options.stop = {};
  return analyse(file, text, options);
}

// A text that can't be read has no canonical hash.
StoredCandidate stored(const Analysis& analysis, const char* author) {
  StoredCandidate candidate = candidate_of(analysis, author);
  if (candidate.hash.empty()) candidate.hash = content_hash(analysis.source.text());
  candidate.created = now_ms();
  return candidate;
}

}  // namespace

std::string record_decision(const DecisionRecord& record) {
  return with_store(record.file, [&](Store& store) {
    const auto before = quick(record.file, record.text_before, record.options);
    const auto after = record.text_after == record.text_before ? before : quick(record.file, record.text_after, record.options);
    const StoredCandidate was = stored(*before, kPerson);
    StoredCandidate now = stored(*after, kPerson);
    if (now.hash != was.hash) now.parent = was.hash;
    store.add(was);
    store.add(now);
    auto detail = nlohmann::ordered_json::parse(record.detail, nullptr, false);
    if (!detail.is_object()) detail = nlohmann::ordered_json::object();
    detail["before"] = {{"hash", was.hash}, {"errors", before->count(Severity::error)}, {"findings", before->findings.size()}};
    detail["after"] = {{"hash", now.hash}, {"errors", after->count(Severity::error)}, {"findings", after->findings.size()}};
    store.add(StoredDecision{.candidate = now.hash, .kind = record.kind, .who = kPerson, .reason = record.reason,
                             .detail = detail.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), .at = now_ms()});
  });
}

std::string record_proposal(const std::string& file, const std::string& text, const std::string& parent, const AnalysisOptions& options) {
  return with_store(file, [&](Store& store) {
    StoredCandidate candidate = stored(*quick(file, text, options), kAgent);
    candidate.parent = parent;
    store.add(candidate);
  });
}

}  // namespace bakery
