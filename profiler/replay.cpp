// SPDX-License-Identifier: Apache-2.0
#include "profiler/replay.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "profiler/messages.h"

namespace bakery {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

// ---- recording ------------------------------------------------------------------------

std::string SessionRecorder::open(const std::string& path) {
  file_.open(path, std::ios::binary | std::ios::trunc);
  if (!file_) return "can't write the session `" + path + "`";
  file_ << dump({{"session", 1}, {"build", build_id()}}) << std::endl;
  return {};
}

void SessionRecorder::request(const Message& message) {
  if (!file_.is_open()) return;
  Json request = Json::parse(message.json, nullptr, false);
  if (!message.bytes.empty()) request["bytes"] = message.bytes.size();  // the content is not kept
  entry_ = "{\"on\":" + dump(envelope(message).type) + ",\"request\":" + dump(request) + ",\"steps\":[";
  first_ = true;
}

void SessionRecorder::answer(const Message& message) {
  if (!file_.is_open()) return;
  entry_ += std::string(first_ ? "" : ",") + "{\"send\":" + message.json;
  if (!message.bytes.empty()) entry_ += ",\"bytes\":\"" + base64(message.bytes) + "\"";
  entry_ += "}";
  first_ = false;
}

void SessionRecorder::end_request() {
  if (!file_.is_open()) return;
  file_ << entry_ << "]}" << std::endl;
  entry_.clear();
}

// ---- replaying ------------------------------------------------------------------------

struct ReplaySession::Data {
  Json head;
  std::map<std::string, std::vector<Json>> entries;
  std::map<std::string, size_t> used;
};

ReplaySession::ReplaySession() : data_(std::make_unique<Data>()) {}
ReplaySession::~ReplaySession() = default;

std::string ReplaySession::load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "can't read the session `" + path + "`";
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty()) continue;
    const auto wrong = [&](const char* what) { return "`" + path + "`, line " + std::to_string(number) + ": " + what; };
    Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) return wrong("no JSON object");
    if (data_->head.is_null()) {
      if (json.value("session", 0) != 1) return wrong("no session of version 1");
      data_->head = std::move(json);
      continue;
    }
    if (!json.contains("on") || !json["on"].is_string() || !json.contains("steps") || !json["steps"].is_array())
      return wrong("an entry needs \"on\" and \"steps\"");
    data_->entries[json["on"].get<std::string>()].push_back(std::move(json));
  }
  if (data_->head.is_null()) return "the session `" + path + "` is empty";
  return {};
}

std::string ReplaySession::before_hello() const { return data_->head.value("before_hello", std::string()); }

Message ReplaySession::hello() const {
  Json json = Json::parse(encode(Hello{kProtocolVersion, build_id(), BAKERY_VERSION}).json);
  if (data_->head.contains("hello")) json.update(data_->head["hello"]);
  return {dump(json), {}};
}

void ReplaySession::answer(const Message& request, const std::function<void(std::string_view)>& write) {
  const Envelope head = envelope(request);
  const std::vector<Json>& entries = data_->entries[head.type];
  const size_t number = data_->used[head.type]++;
  if (number >= entries.size()) {
    const WorkerError error{WorkerErrorKind::replay, "the session has " + std::to_string(entries.size()) + " answers to `" + head.type +
                                                         "`, and this is request " + std::to_string(number + 1)};
    write(frame(with_id(encode(error), head.id)));
    return;
  }
  for (const Json& step : entries[number]["steps"]) {
    if (step.contains("send")) {
      Message message{dump(step["send"]), {}};
      if (step.contains("bytes")) message.bytes = from_base64(step["bytes"].get<std::string>());
      write(frame(with_id(message, head.id)));
    } else if (step.contains("write")) {
      write(step["write"].get<std::string>());
    } else if (step.contains("sleep")) {
      std::this_thread::sleep_for(std::chrono::duration<double>(step["sleep"].get<double>()));
    } else if (step.contains("crash")) {
      const int number_of_signal = step["crash"].get<int>();
      signal(number_of_signal, SIG_DFL);
      raise(number_of_signal);
    } else if (step.contains("exit")) {
      _exit(step["exit"].get<int>());
    }
  }
}

}  // namespace bakery
