// SPDX-License-Identifier: GPL-3.0-or-later
// What the store holds, as values: rows of runs, the candidates they belong to, and their texts in other
// forms.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/kernel.h"

namespace bakery::views {

struct RunRow {
  StoredRun run;
  std::string target, author, parent, file;  // of its candidate
  bool imported = false;                     // from a receipt file, not in the store

  std::optional<double> figure(std::string_view name) const;
  // Whose text is in the store.
  bool has_text = false;
};

struct History {
  std::string path;                          // of the store
  std::vector<RunRow> rows;                  // newest first
  std::vector<StoredCandidate> candidates;   // newest first
  std::string note;                          // why there is nothing, or less
};

inline constexpr size_t kMostRuns = 5000;
inline constexpr size_t kMostCandidates = 2000;

// Never throws; makes no store where there is none.
History load_history(const std::string& store_path);

// One row a line of a receipt file; `problem` says what could not be read.
std::vector<RunRow> read_receipts(std::string_view text, std::string& problem);

std::string to_csv(const std::vector<const RunRow*>& rows);
std::string to_json(const std::vector<const RunRow*>& rows);

}  // namespace bakery::views
