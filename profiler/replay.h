// SPDX-License-Identifier: Apache-2.0
// Sessions as files: what a worker was asked and answered, one JSON object a line.
//
//   {"session": 1, "build": "0.1.0"}                       the head; "hello": {…} replaces fields of the
//                                                          hello, "before_hello": "text" is written first
//   {"on": "run", "request": {…}, "steps": [               the n-th entry for `run` answers the n-th run
//     {"send": {"type": "progress", …}},
//     {"send": {"type": "answer", …}, "bytes": "base64"}]}
//
// Steps that no recording has, for tests by hand: {"write": "raw text"}, {"sleep": seconds},
// {"crash": signal}, {"exit": code}.
#pragma once

#include <fstream>
#include <functional>
#include <memory>
#include <string>

#include "profiler/protocol.h"

namespace bakery {

class SessionRecorder {
 public:
  // Empty, or why the file can't be written.
  std::string open(const std::string& path);
  void request(const Message& message);
  void answer(const Message& message);  // progress too
  void end_request();                   // the entry is written, complete

 private:
  std::ofstream file_;
  std::string entry_;
  bool first_ = true;
};

class ReplaySession {
 public:
  ReplaySession();
  ~ReplaySession();
  // Empty, or what is wrong with the file.
  std::string load(const std::string& path);

  // What is written first, and the hello.
  std::string before_hello() const;
  Message hello() const;
  // Performs the steps for this request: `write` gets raw text, framed messages included.
  void answer(const Message& request, const std::function<void(std::string_view)>& write);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace bakery
