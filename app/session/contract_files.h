// SPDX-License-Identifier: Apache-2.0
// The contracts that a schedule may be run against.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bakery {

struct ContractFile {
  std::string path;
  std::string name;      // the file's, without its ending
  bool fits = false;     // it names this schedule
  int64_t largest = 0;   // product of the scalars of its largest shape
  std::string problem;   // why it can't be read; empty: it can
};

// Those beside the schedule, in `contracts` and `resources/contracts` of its folder and of the folders
// above, and `more`. Those that name the schedule come first, the
// smallest shapes before larger ones, so that the first one runs anywhere. Other TOML files are left out.
std::vector<ContractFile> find_contracts(const std::string& schedule_path, const std::vector<std::string>& more = {});

}  // namespace bakery
