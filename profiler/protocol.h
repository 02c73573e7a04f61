// SPDX-License-Identifier: Apache-2.0
// The worker's protocol: a message is one line of JSON, an object with a "type"; with "bytes": n,
// n raw bytes follow the line. The first message of each side is its hello. Lines that are no
// message are noise (a login banner, a tool's report): they are kept, not obeyed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bakery {

inline constexpr int kProtocolVersion = 1;
inline constexpr size_t kMaxLine = size_t{64} << 20;
inline constexpr size_t kMaxBytes = size_t{1} << 30;
inline constexpr size_t kMaxNoise = size_t{4} << 20;  // more of it: the other side is no worker

// Differs between builds that may not understand one another: a hash of the sources that both sides
// share. The build writes it (build_id.cmake).
std::string build_id();

struct Message {
  std::string json;  // without "bytes" and the line's end
  std::vector<uint8_t> bytes;
};

std::string frame(const Message& message);

class MessageReader {
 public:
  enum class Status : uint8_t {
    need_more,
    message,
    broken,  // an absurd size or too much noise: nothing after it can be understood
  };

  void feed(std::string_view data);
  // Fills `out` if the answer is `message`.
  Status next(Message& out);

  bool mid_message() const;              // it ends inside a message
  const std::string& noise() const { return noise_; }  // its last 64 KiB
  size_t noise_bytes() const { return noise_bytes_; }
  const std::string& problem() const { return problem_; }  // of `broken`

 private:
  Status take_line(std::string_view line, Message& out);
  Status take_bytes(Message& out);
  void add_noise(std::string_view line);
  Status fail(std::string problem);

  std::string buffer_;
  size_t begin_ = 0;    // of what is unread
  size_t scanned_ = 0;  // no line end before it
  Message pending_;     // its bytes are awaited
  size_t awaited_ = 0;
  bool has_pending_ = false;
  std::string noise_;
  size_t noise_bytes_ = 0;
  std::string problem_;
};

// Blocking; for the worker's side. False: the other side is gone.
bool write_all(int fd, std::string_view data);
// Status::need_more: the input has ended.
MessageReader::Status read_message(int fd, MessageReader& reader, Message& out);

std::string base64(const std::vector<uint8_t>& bytes);
std::vector<uint8_t> from_base64(std::string_view text);

}  // namespace bakery
