// SPDX-License-Identifier: Apache-2.0
#include "app/session/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core_ir/source.h"

namespace bakery {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  bool close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

FileError failed(const std::string& path, const char* what, int code) {
  return {path, "can't " + std::string(what) + " `" + path + "`: " + std::strerror(code)};
}

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    content.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

FileError not_utf8(const std::string& path, const std::string& text, size_t offset) {
  const auto byte = static_cast<unsigned char>(text[offset]);
  const char* digits = "0123456789abcdef";
  FileError error{path, "`" + path + "` is not UTF-8: byte 0x" + digits[byte >> 4] + digits[byte & 15] + " at offset " +
                            std::to_string(offset)};
  error.line = 1;
  size_t line_begin = 0;
  for (size_t i = 0; i < offset; ++i)
    if (text[i] == '\n') {
      ++error.line;
      line_begin = i + 1;
    }
  error.column = static_cast<uint32_t>(offset - line_begin + 1);
  return error;
}

// The file behind links: renaming over a link would replace the link.
std::string behind_links(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (!real) return path;
  std::string result = real;
  std::free(real);
  return result;
}

}  // namespace

std::string to_text(const FileError& error) {
  if (error.line == 0) return error.message;
  return error.file + ":" + std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.message;
}

FileText read_text_file(const std::string& path) {
  FileText result;
  struct stat status {};
  if (path.find('\0') != std::string::npos || ::stat(path.c_str(), &status) != 0) {
    result.error = errno == ENOENT ? FileError{path, "no file `" + path + "`"} : failed(path, "read", errno);
    return result;
  }
  if (S_ISDIR(status.st_mode)) {
    result.error = FileError{path, "`" + path + "` is a directory, not a file"};
    return result;
  }
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) {
    result.error = failed(path, "read", errno);
    return result;
  }
  const auto too_large = [&] {
    result.text.clear();
    result.error = FileError{path, "`" + path + "` is larger than " + std::to_string(kMaxFileBytes >> 20) + " MiB"};
    return result;
  };
  if (S_ISREG(status.st_mode) && status.st_size > static_cast<off_t>(kMaxFileBytes)) return too_large();
  // In pieces, because the size of a pipe is not known and that of a file may change.
  std::string piece(size_t{1} << 20, '\0');
  while (true) {
    const ssize_t n = ::read(file.get(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      result.text.clear();
      result.error = failed(path, "read", errno);
      return result;
    }
    if (n == 0) break;
    result.text.append(piece, 0, static_cast<size_t>(n));
    if (result.text.size() > kMaxFileBytes) return too_large();
  }
  if (const size_t bad = find_invalid_utf8(result.text); bad != std::string_view::npos) {
    result.error = not_utf8(path, result.text, bad);
    result.text.clear();
  }
  return result;
}

std::optional<FileError> write_file(const std::string& path, std::string_view content) {
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) return FileError{path, "`" + path + "` is a directory, not a file"};
  if (exists && !S_ISREG(old.st_mode)) {
    Descriptor device(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!device.is_open() || !write_all(device.get(), content) || !device.close()) return failed(path, "write", errno);
    return std::nullopt;
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) return failed(path, "write", errno);

  const std::string target = behind_links(path);
  std::string temporary = target + ".XXXXXX";
  Descriptor file(::mkstemp(temporary.data()));
  if (!file.is_open()) return failed(path, "write", errno);
  const auto give_up = [&](int code) {
    ::unlink(temporary.c_str());
    return failed(path, "write", code);
  };
  mode_t mode = old.st_mode & 07777;
  if (!exists) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    mode = 0666 & ~mask;
  } else if (old.st_uid != ::geteuid() || old.st_gid != ::getegid()) {
    // Before the mode, because it clears bits. Where it isn't allowed, the file becomes ours.
    if (::fchown(file.get(), old.st_uid, old.st_gid) != 0) errno = 0;
  }
  if (!write_all(file.get(), content) || ::fchmod(file.get(), mode) != 0 || ::fsync(file.get()) != 0) return give_up(errno);
  if (!file.close()) return give_up(errno);
  if (::rename(temporary.c_str(), target.c_str()) != 0) return give_up(errno);
  return std::nullopt;
}

}  // namespace bakery
