// SPDX-License-Identifier: Apache-2.0
// Every source file names its licence: GPL-3.0-or-later where QScintilla is linked, else
// Apache-2.0.
#include <gtest/gtest.h>

#include "tests/architecture/tree.h"

namespace bakery::architecture {
namespace {

const std::vector<std::string> kGpl = {"views", "app/workbench", "agent_panel/panel",
                                       "tests/views"};

bool is_source(const std::string& file) {
  if (is_cpp(file) || file == "bake" || file == ".ci/run") return true;
  if (file.ends_with("CMakeLists.txt")) return true;
  for (const char* ending : {".cmake", ".sh", ".py", ".sql", ".qss", ".cu", ".cuh"})
    if (file.ends_with(ending)) return true;
  return false;
}

std::string licence_of(const std::string& file) {
  for (const std::string& folder : kGpl)
    if (is_in(file, folder)) return "GPL-3.0-or-later";
  return "Apache-2.0";
}

TEST(Spdx, EverySourceFileNamesItsLicence) {
  size_t count = 0;
  for (const std::string& file : files()) {
    if (!is_source(file)) continue;
    ++count;
    const std::string wanted = "SPDX-License-Identifier: " + licence_of(file);
    const std::vector<std::string> text = lines(read(root() / file));
    bool found = false;
    for (size_t i = 0; i < text.size() && i < 3; ++i)  // a `#!` line may come first
      found = found || text[i].ends_with(wanted) || text[i].ends_with(wanted + " */");
    EXPECT_TRUE(found) << file << ": its first lines do not say `" << wanted << "`";
  }
  EXPECT_GT(count, 10u);
}

TEST(Spdx, LicenceTextsAreThere) {
  for (const char* name : {"Apache-2.0", "GPL-3.0-or-later"}) {
    const std::string text = read(root() / "LICENSES" / (std::string(name) + ".txt"));
    EXPECT_GT(text.size(), 10000u) << name;
  }
}

}  // namespace
}  // namespace bakery::architecture
