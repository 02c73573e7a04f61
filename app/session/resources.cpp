// SPDX-License-Identifier: Apache-2.0
#include "app/session/resources.h"

#include <cstdlib>
#include <filesystem>

namespace bakery {

std::string resources_folder() {
  namespace fs = std::filesystem;
  if (const char* named = std::getenv("BAKERY_RESOURCES"); named && *named) return named;
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) folder = fs::current_path(error);
  for (; !folder.empty(); folder = folder.parent_path()) {
    for (const char* name : {"resources", "share/bakery"})
      if (fs::is_directory(folder / name / "schedules", error)) return (folder / name).string();
    if (folder == folder.root_path()) break;
  }
  return {};
}

}  // namespace bakery
