// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/fix.h"

namespace bakery::views {

bool apply_fix(Document& document, const Snapshots& snapshots, int finding, size_t fix) {
  const Analysis& analysis = snapshots.analysis();
  if (finding < 0 || static_cast<size_t>(finding) >= analysis.findings.size()) return false;
  const std::vector<Fix>& fixes = analysis.findings[finding].fixes;
  if (fix >= fixes.size() || document.text() != analysis.source.text()) return false;
  const Fix chosen = fixes[fix];  // applying asks for the next analysis
  document.apply(chosen.edits, chosen.title);
  return true;
}

}  // namespace bakery::views
