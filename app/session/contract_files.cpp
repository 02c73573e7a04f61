// SPDX-License-Identifier: Apache-2.0
#include "app/session/contract_files.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "app/session/contract.h"
#include "app/session/files.h"

namespace bakery {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 200;  // of one folder
constexpr int kMostFolders = 12;    // above the schedule

void add_folder(const fs::path& folder, std::vector<fs::path>& files) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end; !error && at != end && found.size() < kMostFiles; at.increment(error))
    if (at->path().extension() == ".toml" && at->is_regular_file(error) && at->file_size(error) <= kMaxContractBytes) found.push_back(at->path());
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error) && !error;
}

int64_t largest_shape(const Contract& contract) {
  double largest = 0;
  for (const ShapeRow& row : contract.shapes) {
    double product = 1;
    for (const int64_t value : row.values) product *= static_cast<double>(std::max<int64_t>(1, value));
    largest = std::max(largest, product);
  }
  return static_cast<int64_t>(std::min(largest, 9e18));
}

}  // namespace

std::vector<ContractFile> find_contracts(const std::string& schedule_path, const std::vector<std::string>& more) {
  std::error_code error;
  std::vector<fs::path> files;
  if (!schedule_path.empty()) {
    fs::path folder = fs::weakly_canonical(schedule_path, error).parent_path();
    add_folder(folder, files);
    for (int i = 0; i < kMostFolders && !folder.empty(); ++i, folder = folder.parent_path()) {
      add_folder(folder / "contracts", files);
      add_folder(folder / "resources" / "contracts", files);
      if (folder == folder.root_path()) break;
    }
  }
  const size_t found = files.size();
  for (const std::string& path : more) files.emplace_back(path);

  std::vector<ContractFile> contracts;
  std::set<std::string> seen;
  for (size_t i = 0; i < files.size(); ++i) {
    if (!seen.insert(fs::weakly_canonical(files[i], error).string()).second) continue;
    const FileText text = read_text_file(files[i].string());
    const bool named = i >= found;
    if (text.error && !named) continue;
    ContractFile file{.path = files[i].string(), .name = files[i].stem().string()};
    if (text.error) {
      file.problem = text.error->message;
    } else {
      const ContractResult read = parse_contract(file.path, text.text);
      // A suite or a project file is no contract with faults.
      if (!read.contract && !named && text.text.find("oracle") == std::string::npos) continue;
      if (read.contract) {
        file.fits = same_file(read.contract->schedule_path(), schedule_path);
        file.largest = largest_shape(*read.contract);
      }
      else file.problem = to_text(file.path, read.errors.front());
    }
    contracts.push_back(std::move(file));
  }
  std::stable_sort(contracts.begin(), contracts.end(), [](const ContractFile& a, const ContractFile& b) {
    return std::tuple(!a.fits, !a.problem.empty(), a.largest) < std::tuple(!b.fits, !b.problem.empty(), b.largest);
  });
  return contracts;
}

}  // namespace bakery
