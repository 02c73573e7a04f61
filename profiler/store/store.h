// SPDX-License-Identifier: Apache-2.0
// The project's record: candidates, runs with their findings and figures, decisions. SQLite in WAL
// mode; each event is one short transaction, so a killed program leaves whole rows or none.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bakery {

struct StoredCandidate {
  std::string hash;        // of the canonical text
  std::string schedule;    // its name
  std::string file;
  std::string target;
  std::string text;
  std::string parent;      // hash, empty: none
  std::string author;      // "person", "built-in agent", …
  int64_t created = 0;     // ms since the epoch
};

struct StoredFinding {
  std::string id, severity, message, json;
  int line = 0;
};

struct StoredFigure {
  std::string name;        // "span_ms", "ratio", "registers" …
  double value = 0;
  std::string unit;
};

struct StoredRun {
  int64_t id = 0;
  std::string kind;        // "check", "simulate", "compile", "run", "bench"
  std::string candidate;   // hash
  std::string schedule;    // the candidate's name, filled by history()
  std::string contract_hash, code_hash, device, driver, shape;
  std::string status;      // "accepted", "correct", "mismatch", "hang", "crash", "time-out", "missing", …
  int64_t started = 0, ended = 0;  // ms since the epoch
  std::string detail;      // JSON
  std::vector<StoredFinding> findings;
  std::vector<StoredFigure> figures;
};

struct StoredDecision {
  int64_t id = 0;
  std::string candidate, kind, who, reason;  // kind: "accept", "reject", "undo"
  std::string detail;      // JSON
  int64_t at = 0;
};

class Store {
 public:
  // Opens or makes the database; a damaged one is moved aside first. `note` says so, or why there is no
  // store (then the result is empty and work goes on without one).
  static std::optional<Store> open(const std::string& path, std::string* note = nullptr);
  // `.bakery/store.db` beside the file; under $BAKERY_HOME if that is set or the folder can't be written.
  static std::string path_for(const std::string& file);
  // The same, for reading: makes no folder.
  static std::string look_for(const std::string& file);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // Each is one transaction. They throw std::runtime_error with a sentence if the disk is full or locked.
  void add(const StoredCandidate& candidate);
  int64_t add(const StoredRun& run);
  int64_t add(const StoredDecision& decision);

  std::vector<StoredRun> history(size_t limit, const std::string& schedule = {}) const;  // newest first
  std::optional<StoredRun> run(int64_t id) const;
  std::optional<StoredCandidate> candidate(const std::string& hash) const;
  std::vector<StoredCandidate> candidates(size_t limit) const;  // newest first
  std::vector<StoredDecision> decisions(size_t limit) const;    // newest first
  const std::string& path() const;

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

int64_t now_ms();

}  // namespace bakery
