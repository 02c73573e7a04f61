// SPDX-License-Identifier: Apache-2.0
#include "app/session/suite.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/session/files.h"
#include "app/session/toml.h"
#include "profiler/child_process.h"

namespace bakery {
namespace {

namespace fs = std::filesystem;

std::string fixed(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

}  // namespace

SuiteResult read_suite(const std::string& path) {
  SuiteResult result;
  result.suite.file = path;
  const auto fail = [&](const toml::node* node, std::string message) {
    ContractError error;
    if (node) {
      error.line = node->source().begin.line;
      error.column = node->source().begin.column;
    }
    error.message = std::move(message);
    result.errors.push_back(std::move(error));
  };
  const std::optional<toml::table> parsed = read_toml(path, result.errors);
  if (!parsed) return result;
  const toml::table& table = *parsed;
  Suite& suite = result.suite;
  const fs::path folder = fs::path(path).parent_path();
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (name == "name" && node.is_string()) suite.name = **node.as_string();
    else if (name == "rounds" && node.is_integer() && **node.as_integer() >= 1 && **node.as_integer() <= 20) suite.rounds = static_cast<int>(**node.as_integer());
    else if (name == "contracts" && node.is_array()) {
      for (const auto& item : *node.as_array()) {
        if (item.is_string()) suite.contracts.push_back((folder / **item.as_string()).lexically_normal().string());
        else fail(&item, "a contract is a path");
      }
    } else if (name == "peer" && node.is_table()) {
      for (const auto& [peer_key, peer_node] : *node.as_table()) {
        if (peer_key.str() == "name" && peer_node.is_string()) suite.peer = **peer_node.as_string();
        else if (peer_key.str() == "command" && peer_node.is_array()) {
          for (const auto& item : *peer_node.as_array()) {
            if (item.is_string()) suite.peer_command.push_back(**item.as_string());
            else fail(&item, "a word of the command is a string");
          }
        } else fail(&peer_node, "`peer." + std::string(peer_key.str()) + "` is not known; `name` and `command` are");
      }
    } else {
      fail(&node, "`" + name + "` is not known here, or has the wrong type; `name`, `contracts`, `rounds` (1 to 20) and `[peer]` are");
    }
  }
  if (suite.contracts.empty() && result.errors.empty()) fail(nullptr, "a suite needs `contracts`");
  if (!suite.peer_command.empty() && suite.peer.empty()) fail(nullptr, "the peer needs a `name`");
  return result;
}

PeerAnswer ask_peer(const Suite& suite, const Contract& contract, const ShapeRow& row, double timeout_s) {
  PeerAnswer answer;
  std::vector<std::string> argv = {"env", "-C", fs::path(suite.file).parent_path().string()};
  if (argv[2].empty()) argv[2] = ".";
  for (std::string word : suite.peer_command) {
    for (size_t i = 0; i < contract.parameters.size(); ++i)
      if (word == "{" + contract.parameters[i] + "}") word = std::to_string(row.values[i]);
    argv.push_back(std::move(word));
  }
  ChildProcess child;
  if (const std::string why = child.start(argv); !why.empty()) {
    answer.error = why;
    return answer;
  }
  child.close_input();
  std::string output, errors;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
  bool open_output = true, open_errors = true;
  while ((open_output || open_errors) && std::chrono::steady_clock::now() < deadline) {
    pollfd fds[2] = {{open_output ? child.output() : -1, POLLIN, 0}, {open_errors ? child.errors() : -1, POLLIN, 0}};
    if (::poll(fds, 2, 200) <= 0) continue;
    char buffer[4096];
    for (int i = 0; i < 2; ++i) {
      if (!(fds[i].revents & (POLLIN | POLLHUP | POLLERR))) continue;
      const ssize_t n = ::read(fds[i].fd, buffer, sizeof buffer);
      std::string& into = i == 0 ? output : errors;
      if (n > 0 && into.size() < (size_t{1} << 20)) into.append(buffer, static_cast<size_t>(n));
      if (n == 0) (i == 0 ? open_output : open_errors) = false;
    }
  }
  bool killed = false;
  const int status = child.finish(1, killed);
  size_t begin = 0;
  while (begin < output.size()) {
    const size_t end = std::min(output.find('\n', begin), output.size());
    const auto line = nlohmann::json::parse(output.substr(begin, end - begin), nullptr, false);
    if (line.is_object() && line.contains("span_ms") && line["span_ms"].is_number()) answer.span_ms = line["span_ms"].get<double>();
    begin = end + 1;
  }
  if (answer.span_ms > 0) return answer;
  answer.error = killed ? "the peer did not end in time" : "the peer gave no `span_ms` (status " + std::to_string(status) + ", " + std::to_string(output.size()) + " bytes on stdout)";
  if (!errors.empty()) answer.error += ": " + errors.substr(errors.size() > 300 ? errors.size() - 300 : 0);
  return answer;
}

std::string to_table(const std::vector<SuiteRow>& rows, const std::string& peer) {
  std::vector<std::vector<std::string>> cells = {{"shape", "status", "span ms", "spread %", (peer.empty() ? std::string("peer") : peer) + " ms", "ratio"}};
  for (const SuiteRow& row : rows)
    cells.push_back({row.shape, row.status, row.span_ms > 0 ? fixed(row.span_ms, 4) : "-", row.span_ms > 0 ? fixed(row.spread * 100, 2) : "-",
                     row.peer_span_ms > 0 ? fixed(row.peer_span_ms, 4) : "-", row.ratio > 0 ? fixed(row.ratio, 3) : "-"});
  std::vector<size_t> widths(cells[0].size(), 0);
  for (const auto& line : cells)
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string out;
  for (const auto& line : cells) {
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string pad(widths[i] - line[i].size(), ' ');
      out += (i < 2 ? line[i] + pad : pad + line[i]) + (i + 1 < line.size() ? "  " : "\n");
    }
  }
  for (const SuiteRow& row : rows)
    if (!row.message.empty()) out += row.shape + ": " + row.message + "\n";
  return out;
}

}  // namespace bakery
