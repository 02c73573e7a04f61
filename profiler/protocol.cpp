// SPDX-License-Identifier: Apache-2.0
#include "profiler/protocol.h"

#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

namespace bakery {
namespace {

using Json = nlohmann::json;

constexpr size_t kKeptNoise = size_t{64} << 10;

}  // namespace

std::string frame(const Message& message) {
  if (message.bytes.empty()) return message.json + "\n";
  // The size goes in front, where a reader of a log sees it.
  std::string out = "{\"bytes\":" + std::to_string(message.bytes.size()) + "," + message.json.substr(1) + "\n";
  out.append(reinterpret_cast<const char*>(message.bytes.data()), message.bytes.size());
  return out;
}

void MessageReader::feed(std::string_view data) {
  if (begin_ > 0 && begin_ >= buffer_.size() / 2) {
    buffer_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
  }
  buffer_.append(data);
}

MessageReader::Status MessageReader::next(Message& out) {
  if (!problem_.empty()) return Status::broken;
  if (has_pending_) return take_bytes(out);
  while (true) {
    const size_t end = buffer_.find('\n', scanned_);
    if (end == std::string::npos) {
      scanned_ = buffer_.size();
      if (scanned_ - begin_ > kMaxLine) return fail("a line of more than " + std::to_string(kMaxLine >> 20) + " MiB");
      return Status::need_more;
    }
    const std::string_view line(buffer_.data() + begin_, end - begin_);
    const size_t next = end + 1;
    scanned_ = next;
    begin_ = next;
    const Status status = take_line(line, out);
    if (status == Status::need_more && has_pending_) return take_bytes(out);
    if (status != Status::need_more) return status;
  }
}

MessageReader::Status MessageReader::take_line(std::string_view line, Message& out) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  Json json;
  if (!line.empty() && line.front() == '{') json = Json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("type") || !json["type"].is_string()) {
    add_noise(line);
    if (noise_bytes_ > kMaxNoise) return fail("more than " + std::to_string(kMaxNoise >> 20) + " MiB that are no message");
    return Status::need_more;
  }
  out.json = line;
  out.bytes.clear();
  const auto bytes = json.find("bytes");
  if (bytes == json.end()) return Status::message;
  if (!bytes->is_number_unsigned() || bytes->get<uint64_t>() > kMaxBytes)
    return fail("a message of absurd size: \"bytes\": " + bytes->dump().substr(0, 40));
  awaited_ = bytes->get<size_t>();
  json.erase(bytes);
  out.json = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (awaited_ == 0) return Status::message;
  pending_.json = std::move(out.json);
  has_pending_ = true;
  return Status::need_more;
}

MessageReader::Status MessageReader::take_bytes(Message& out) {
  if (buffer_.size() - begin_ < awaited_) return Status::need_more;
  out.json = std::move(pending_.json);
  const char* data = buffer_.data() + begin_;
  out.bytes.assign(data, data + awaited_);
  begin_ += awaited_;
  scanned_ = begin_;
  has_pending_ = false;
  return Status::message;
}

bool MessageReader::mid_message() const {
  return has_pending_ || (begin_ < buffer_.size() && buffer_[begin_] == '{');
}

void MessageReader::add_noise(std::string_view line) {
  noise_bytes_ += line.size() + 1;
  noise_.append(line);
  noise_ += '\n';
  if (noise_.size() > kKeptNoise) noise_.erase(0, noise_.size() - kKeptNoise);
}

MessageReader::Status MessageReader::fail(std::string problem) {
  problem_ = std::move(problem);
  return Status::broken;
}

bool write_all(int fd, std::string_view data) {
  while (!data.empty()) {
    const ssize_t n = write(fd, data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

MessageReader::Status read_message(int fd, MessageReader& reader, Message& out) {
  char buffer[65536];
  while (true) {
    const MessageReader::Status status = reader.next(out);
    if (status != MessageReader::Status::need_more) return status;
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return MessageReader::Status::need_more;
    reader.feed({buffer, static_cast<size_t>(n)});
  }
}

namespace {
constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
}

std::string base64(const std::vector<uint8_t>& bytes) {
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    const size_t n = std::min<size_t>(3, bytes.size() - i);
    for (size_t j = 0; j < 3; ++j) group = group << 8 | (j < n ? bytes[i + j] : 0u);
    for (size_t j = 0; j < 4; ++j) out += j <= n ? kDigits[group >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

std::vector<uint8_t> from_base64(std::string_view text) {
  std::vector<uint8_t> out;
  uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    const size_t digit = std::string_view(kDigits, 64).find(c);
    if (digit == std::string_view::npos) continue;
    group = group << 6 | static_cast<uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out.push_back(static_cast<uint8_t>(group >> bits));
    group &= (1u << bits) - 1;
  }
  return out;
}

}  // namespace bakery
