// SPDX-License-Identifier: Apache-2.0
// `bakery` needs only what every Linux with a C++ runtime has.
#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "tests/architecture/tree.h"

namespace bakery::architecture {
namespace {

// "libc.so.6" of "\tlibc.so.6 => /lib/... (0x...)"; "/lib64/ld-linux-x86-64.so.2" as well.
std::string library_of(const std::string& line) {
  const std::vector<std::string> parts = words(line);
  if (parts.empty()) return {};
  const std::string name = parts[0].substr(parts[0].rfind('/') + 1);
  return name.substr(0, name.find(".so"));
}

TEST(Portable, BakeryLinksOnlyTheRuntime) {
  const std::filesystem::path program = std::filesystem::path(BAKERY_BIN_DIR) / "bakery";
  ASSERT_TRUE(std::filesystem::exists(program)) << program;
  if (std::string(BAKERY_SANITIZE) != "") GTEST_SKIP() << "sanitizers bring their own libraries";
  std::string output;
  FILE* pipe = popen(("ldd '" + program.string() + "' 2>&1").c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.append(buffer, n);
  ASSERT_EQ(pclose(pipe), 0) << output;

  const std::set<std::string> allowed = {"libc",   "libm",       "libstdc++",
                                         "libgcc_s", "linux-vdso", "ld-linux-x86-64",
                                         "ld-linux-aarch64"};
  size_t count = 0;
  for (const std::string& line : lines(output)) {
    const std::string library = library_of(line);
    if (library.empty()) continue;
    ++count;
    EXPECT_TRUE(allowed.count(library)) << "`bakery` needs " << line;
  }
  EXPECT_GE(count, 3u) << output;
}

TEST(Portable, NamesAreReadFromLddLines) {
  EXPECT_EQ(library_of("\tlinux-vdso.so.1 (0x00007ffd)"), "linux-vdso");
  EXPECT_EQ(library_of("\tlibstdc++.so.6 => /lib/x86_64-linux-gnu/libstdc++.so.6 (0x7f)"),
            "libstdc++");
  EXPECT_EQ(library_of("\t/lib64/ld-linux-x86-64.so.2 (0x7f)"), "ld-linux-x86-64");
}

// The `core` preset, when `./bake test` has configured it: no trace of Qt in its build.
TEST(Portable, CoreBuildHasNoQt) {
  const std::filesystem::path build = root() / "build" / "core";
  if (!std::filesystem::exists(build / "build.ninja"))
    GTEST_SKIP() << "the core preset is not configured; `./bake test` does it";
  EXPECT_EQ(read(build / "build.ninja").find("Qt6"), std::string::npos);
  EXPECT_EQ(read(build / "CMakeCache.txt").find("Qt6_DIR"), std::string::npos);
}

}  // namespace
}  // namespace bakery::architecture
