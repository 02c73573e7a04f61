// SPDX-License-Identifier: Apache-2.0
// Reading and writing the files that a person names. Errors are sentences for that person.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bakery {

struct FileError {
  std::string file;
  std::string message;   // "`a.cake` is not UTF-8: byte 0xff at offset 12"
  uint32_t line = 0;     // 1-based, in bytes; 0: the file as a whole
  uint32_t column = 0;
};

// "a.cake:3:4: message"; without the place where there is none.
std::string to_text(const FileError& error);

inline constexpr size_t kMaxFileBytes = size_t{64} << 20;

// Exactly one of the two is meant: `text` if there is no `error`.
struct FileText {
  std::string text;
  std::optional<FileError> error;
};

// A text file of at most kMaxFileBytes of UTF-8. Pipes and devices are read to their end.
FileText read_text_file(const std::string& path);

// Replaces the file's content at once: the new content is written beside it and renamed over it, so
// that a reader, a full disk or a crash never meets half a file. Keeps permissions and follows
// links. What is no regular file (a pipe, /dev/stdout) is written in place.
std::optional<FileError> write_file(const std::string& path, std::string_view content);

}  // namespace bakery
