// SPDX-License-Identifier: Apache-2.0
// Checks every schedule of tests/corpus against the comments in it (see expectations.h).
//   corpus_test [PART-OF-PATH ...]    only files whose path holds one of the parts
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "app/session/analysis.h"
#include "tests/runner/expectations.h"

namespace fs = std::filesystem;
using bakery::corpus::Level;
using bakery::corpus::Observed;

namespace {

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Level level_of(bakery::Severity severity) {
  switch (severity) {
    case bakery::Severity::error: return Level::error;
    case bakery::Severity::review: return Level::review;
    case bakery::Severity::hint: return Level::hint;
  }
  return Level::error;
}

std::vector<std::string> check(const fs::path& path, const std::string& name) {
  const std::string text = read_file(path);
  const bakery::corpus::Expectations expected = bakery::corpus::read_expectations(text);
  bakery::AnalysisOptions options;
  options.target = expected.target;
  const auto analysis = bakery::analyse(name, text, options);
  if (analysis == nullptr) return {"1: no analysis came back"};
  std::vector<Observed> observed;
  for (const bakery::Finding& finding : analysis->findings)
    observed.push_back({finding.id, level_of(finding.severity),
                        analysis->source.position(finding.span.begin).line, finding.message});
  for (const bakery::Coverage& note : analysis->coverage)
    observed.push_back({note.id, Level::coverage,
                        analysis->source.position(note.span.begin).line, note.message});
  std::vector<std::string> complaints =
      bakery::corpus::compare(path.filename().string(), expected, observed);
  // A near miss of a hint must be free of that hint, although hints are compared nowhere else.
  const std::string rule = path.parent_path().filename().string();
  if (path.filename().string().starts_with("ok_"))
    for (const Observed& one : observed)
      if (one.id == rule && (one.level == Level::hint || one.level == Level::coverage))
        complaints.push_back(std::to_string(one.line) + ": unexpected " + one.id + ": " + one.message);
  return complaints;
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path root = BAKERY_SOURCE_DIR;
  const fs::path corpus = root / "tests" / "corpus";
  std::vector<fs::path> files;
  if (fs::exists(corpus))
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(corpus))
      if (entry.is_regular_file() && entry.path().extension() == ".cake")
        files.push_back(entry.path());
  std::sort(files.begin(), files.end());

  size_t checked = 0;
  size_t failed = 0;
  double slowest_ms = 0;
  std::string slowest;
  for (const fs::path& file : files) {
    const std::string name = fs::relative(file, root).generic_string();
    if (argc > 1 && std::none_of(argv + 1, argv + argc, [&](const char* part) {
          return name.find(part) != std::string::npos;
        }))
      continue;
    ++checked;
    std::cout << std::flush;
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::string> complaints;
    try {
      complaints = check(file, name);
    } catch (const std::exception& error) {
      complaints = {std::string("1: an exception came out of `analyse`: ") + error.what()};
    }
    const double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count();
    if (ms > slowest_ms) {
      slowest_ms = ms;
      slowest = name;
    }
    if (complaints.empty()) continue;
    ++failed;
    for (const std::string& complaint : complaints) std::cout << name << ":" << complaint << "\n";
  }
  std::cout << checked << " schedules checked, " << failed << " not as they say";
  if (checked > 0) std::cout << "; slowest " << slowest << ", " << slowest_ms << " ms";
  std::cout << "\n";
  if (checked == 0) {
    std::cout << "no schedule under tests/corpus matches\n";
    return 1;
  }
  return failed == 0 ? 0 : 1;
}
