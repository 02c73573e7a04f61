// SPDX-License-Identifier: Apache-2.0
// The repository's files, for tests that read them as text.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace bakery::architecture {

inline std::filesystem::path root() { return BAKERY_SOURCE_DIR; }

inline std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

inline std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// Every file of the tree, relative to the root, sorted; not the build nor hidden folders
// (but .ci).
inline std::vector<std::string> files() {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  for (auto it = fs::recursive_directory_iterator(root()); it != fs::recursive_directory_iterator();
       ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory()) {
      const bool hidden = name.starts_with(".") && name != ".ci";
      if (hidden || (it.depth() == 0 && name.starts_with("build")) || name == "__pycache__")
        it.disable_recursion_pending();
    } else if (it->is_regular_file()) {
      out.push_back(fs::relative(it->path(), root()).generic_string());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

inline bool is_cpp(const std::string& file) {
  return file.ends_with(".cpp") || file.ends_with(".h") || file.ends_with(".def");
}

inline bool is_in(const std::string& file, const std::string& folder) {
  return file.starts_with(folder + "/");
}

}  // namespace bakery::architecture
