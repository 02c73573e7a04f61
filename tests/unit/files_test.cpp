// SPDX-License-Identifier: Apache-2.0
#include "app/session/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/unit/process.h"

namespace bakery {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  return names;
}

TEST(Files, ReadsText) {
  const TemporaryFolder folder;
  const FileText text = read_text_file(folder.file("a.cake", std::string("caf\xC3\xA9\n\0x", 8)));
  ASSERT_FALSE(text.error);
  EXPECT_EQ(text.text, std::string("caf\xC3\xA9\n\0x", 8));
  EXPECT_FALSE(read_text_file(folder.file("empty.cake", "")).error);
}

TEST(Files, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto error = [](const std::string& path) {
    const FileText text = read_text_file(path);
    EXPECT_TRUE(text.error) << path;
    EXPECT_TRUE(text.text.empty());
    return text.error ? to_text(*text.error) : "";
  };
  EXPECT_EQ(error(folder / "none.cake"), "no file `" + (folder / "none.cake") + "`");
  EXPECT_EQ(error(folder.path().string()), "`" + folder.path().string() + "` is a directory, not a file");
  const std::string bad = folder.file("bad.cake", "# ok\nx = \xFF\n");
  EXPECT_EQ(error(bad), bad + ":2:5: `" + bad + "` is not UTF-8: byte 0xff at offset 9");
  EXPECT_NE(error(folder.file("cut.cake", "x\xE2\x82")).find("offset 1"), std::string::npos);
  EXPECT_NE(error(folder.file("surrogate.cake", "\xED\xA0\x80")).find("offset 0"), std::string::npos);
  const std::string large = folder.file("large.cake", "");
  fs::resize_file(large, kMaxFileBytes + 1);
  EXPECT_EQ(error(large), "`" + large + "` is larger than 64 MiB");
  EXPECT_EQ(error("/dev/zero"), "`/dev/zero` is larger than 64 MiB");
  if (::geteuid() != 0) {
    const std::string closed = folder.file("closed.cake", "x");
    ::chmod(closed.c_str(), 0);
    EXPECT_EQ(error(closed), "can't read `" + closed + "`: Permission denied");
  }
}

TEST(Files, WriteKeepsModeAndLinks) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.cake", "old");
  ::chmod(file.c_str(), 0640);
  fs::create_symlink("a.cake", folder / "link.cake");
  ASSERT_FALSE(write_file(folder / "link.cake", "new"));
  EXPECT_EQ(read_all(file), "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link.cake"));
  struct stat status {};
  ::stat(file.c_str(), &status);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
  EXPECT_EQ(names_in(folder.path()).size(), 2u);  // nothing temporary is left
}

TEST(Files, WriteMakesFiles) {
  const TemporaryFolder folder;
  ASSERT_FALSE(write_file(folder / "new.json", "{}"));
  EXPECT_EQ(read_all(folder / "new.json"), "{}");
  struct stat status {};
  ::stat((folder / "new.json").c_str(), &status);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(status.st_mode & 07777, 0666 & ~mask);
}

TEST(Files, WriteErrors) {
  const TemporaryFolder folder;
  const auto error = [](const std::string& path) {
    const auto failed = write_file(path, "text");
    EXPECT_TRUE(failed) << path;
    return failed ? failed->message : "";
  };
  EXPECT_EQ(error(folder.path().string()), "`" + folder.path().string() + "` is a directory, not a file");
  EXPECT_EQ(error(folder / "no/such/file"), "can't write `" + (folder / "no/such/file") + "`: No such file or directory");
  EXPECT_EQ(error("/dev/full"), "can't write `/dev/full`: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

// A limit on the size of files acts as a full disk does: the write ends early.
TEST(Files, AFullDiskLeavesTheOldFile) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.cake", "old");
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  rlimit small = old;
  small.rlim_cur = 4096;
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto failed = write_file(file, std::string(100000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &old);
  ASSERT_TRUE(failed);
  EXPECT_NE(failed->message.find("can't write `" + file + "`"), std::string::npos) << failed->message;
  EXPECT_EQ(read_all(file), "old");
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"a.cake"});
}

}  // namespace
}  // namespace bakery
