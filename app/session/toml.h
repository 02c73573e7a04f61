// SPDX-License-Identifier: Apache-2.0
// toml++ with the settings that all of ours share (its inline functions must not differ between files).
// Included by .cpp files only: it takes seconds to compile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/contract.h"
#include "app/session/files.h"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
// toml++ 3.3 asserts on some broken text, such as `["M",}`, that it goes on to report as an error.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

namespace bakery {

// The file's table; nullopt: `errors` says why, located in it.
inline std::optional<toml::table> read_toml(const std::string& path, std::vector<ContractError>& errors) {
  const FileText file = read_text_file(path);
  if (file.error) {
    errors.push_back({0, 0, file.error->message});
    return std::nullopt;
  }
  if (auto obstacle = toml_obstacle(file.text)) {
    errors.push_back(std::move(*obstacle));
    return std::nullopt;
  }
  toml::parse_result parsed = toml::parse(file.text, path);
  if (!parsed) {
    errors.push_back({parsed.error().source().begin.line, parsed.error().source().begin.column, std::string(parsed.error().description())});
    return std::nullopt;
  }
  return std::move(parsed).table();
}

}  // namespace bakery
