// SPDX-License-Identifier: Apache-2.0
#include "app/session/docs.h"

#include <algorithm>

#include "app/session/simulation.h"
#include "core_ir/operations.h"

namespace bakery {
namespace {

constexpr const char* kHeader = "<!-- Made from the tables by `bakery docs`; do not edit. -->\n\n";

std::string code(std::string_view text) { return "`" + std::string(text) + "`"; }

std::string block(std::string_view text) { return "```python\n" + std::string(text) + "\n```\n\n"; }

std::string spelled(const CommandParameter& parameter) {
  const std::string value = placeholder(parameter.kind);
  if (parameter.positional) return value;
  std::string out = parameter.short_name != 0 ? std::string("-") + parameter.short_name + ", " : "";
  return out + "--" + parameter.name + (value.empty() ? "" : " " + value);
}

std::string doc_of(const CommandParameter& parameter) {
  std::string out = parameter.doc;
  if (parameter.fallback[0] != 0) out += " (default " + std::string(parameter.fallback) + ")";
  if (parameter.repeated) out += "; may be repeated";
  return out;
}

std::string rules_page() {
  std::string out = std::string(kHeader) + "# Rules\n\n" + std::to_string(all_rules().size()) +
                    " rules. `bakery explain RULE-ID` prints the same.\n\n| rule | severity | what it finds |\n|---|---|---|\n";
  for (const Rule* rule : all_rules()) {
    std::string anchor = rule->id;
    for (char& c : anchor)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    out += "| [" + std::string(rule->id) + "](#" + anchor + ") | " + to_string(rule->severity) + " | " + rule->title + " |\n";
  }
  for (const Rule* rule : all_rules()) {
    out += "\n## " + std::string(rule->id) + "\n\n**" + rule->title + "**: " + rule->contract + ". Gate: " + to_string(rule->gate) +
           ", severity: " + to_string(rule->severity) + ", version " + std::to_string(rule->version) + ".\n\n" + rule->rationale +
           "\n\nBreaks it:\n\n" + block(rule->example) + "Remedy: " + rule->remedy + "\n\nCites: " + rule->cites + ".\n";
  }
  return out;
}

void operands(std::string& out, std::span<const Operand> list) {
  if (list.empty()) return;
  out += "| operand | | what |\n|---|---|---|\n";
  for (const Operand& operand : list)
    out += "| " + code(operand.name + std::string(operand.keyword ? "=" : "")) + " | " + (operand.required ? "" : "optional") + " | " +
           operand.doc + " |\n";
  out += "\n";
}

std::string operations_page() {
  std::string out = std::string(kHeader) + "# Operations of CAKE IR\n\nDeclarations and control come last.\n\n";
  for (const Operation& op : operations()) {
    std::string names;
    for (const Target& target : targets())
      if (contains(op.targets, target.id)) names += (names.empty() ? "" : ", ") + std::string(target.name);
    const std::string receiver = op.receiver == Receiver::module ? "lm." : op.receiver == Receiver::view ? "view." : op.receiver == Receiver::pipeline ? "pipe." : "tmem.";
    // The assignment of a register tile has no name that is called.
    const std::string title = op.code == OpCode::compute ? op.spelling : receiver + op.spelling;
    out += "## " + title + "\n\n" + op.summary + ".\n\n" + block(op.example);
    operands(out, op.operands);
    out += "Targets: " + (names.empty() ? "none" : names) + ".";
    if (op.hardware[0] != 0) out += " Hardware: " + std::string(op.hardware) + ".";
    if (op.engine[0] != 0) out += " Engine: " + std::string(op.engine) + ".";
    out += "\n\n";
  }
  out += "# Declarations and control\n\n";
  for (const Declaration& declaration : declarations()) {
    out += "## " + std::string(declaration.spelling) + "\n\n" + declaration.summary + ".\n\n" + block(declaration.example);
    operands(out, declaration.operands);
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

std::string commands_page() {
  std::string out = std::string(kHeader) +
                    "# Commands\n\nExit codes: 0 no rejection; 1 a rejecting finding; 2 wrong use, or a file that can't be read, written or\n"
                    "is not UTF-8; 3 a device or toolchain is missing; 4 a fault of Bakery; 130 stopped by Ctrl-C.\n";
  for (const Command& command : commands()) {
    out += "\n## bakery " + std::string(command.id) + "\n\n" + command.doc + "\n\n```sh\n" + usage_line(command) + "\n```\n\n";
    out += "| parameter | what | effect |\n|---|---|---|\n";
    for (const CommandParameter& parameter : command.parameters)
      out += "| " + code(spelled(parameter)) + " | " + doc_of(parameter) + " | " +
             to_string(std::max(parameter.effect, command.effect)) + " |\n";
    out += "\nExample: " + code(command.example) + ".";
    if (command.undo[0] != 0) out += " To undo: " + std::string(command.undo) + ".";
    out += "\n";
  }
  return out;
}

// Two columns, the second one aligned and wrapped.
void row(std::string& out, const std::string& left, const std::string& right) {
  constexpr size_t kColumn = 26, kWidth = 92;
  out += "  " + left;
  size_t column = left.size() + 2;
  if (column + 2 > kColumn) {
    out += "\n";
    column = 0;
  }
  out += std::string(kColumn - column, ' ');
  size_t begin = 0;
  while (right.size() - begin > kWidth - kColumn) {
    size_t end = right.rfind(' ', begin + kWidth - kColumn);
    if (end == std::string::npos || end <= begin) end = begin + kWidth - kColumn;
    out += right.substr(begin, end - begin) + "\n" + std::string(kColumn, ' ');
    begin = right[end] == ' ' ? end + 1 : end;
  }
  out += right.substr(begin) + "\n";
}

}  // namespace

std::vector<DocPage> doc_pages() {
  return {{"commands.md", commands_page()}, {"operations.md", operations_page()}, {"rules.md", rules_page()}};
}

std::vector<const Rule*> all_rules() {
  std::vector<const Rule*> all(rules().begin(), rules().end());
  all.insert(all.end(), numerical_rules().begin(), numerical_rules().end());
  return all;
}

std::string usage_line(const Command& command) {
  std::string out = "bakery " + std::string(command.id);
  for (const CommandParameter& parameter : command.parameters) {
    std::string one = placeholder(parameter.kind);
    if (!parameter.positional) {
      one = (parameter.short_name != 0 ? std::string("-") + parameter.short_name : "--" + std::string(parameter.name)) +
            (one.empty() ? "" : " " + one);
    }
    out += parameter.required ? " " + one : " [" + one + "]";
    if (parameter.repeated) out += "…";
  }
  return out;
}

std::string usage(const Command& command) {
  std::string out = "usage: " + usage_line(command) + "\n\n" + command.doc + "\n\n";
  for (const CommandParameter& parameter : command.parameters) row(out, spelled(parameter), doc_of(parameter));
  row(out, "-h, --help", "prints this");
  return out + "\nexample: " + command.example + "\n";
}

std::string usage() {
  std::string out = "usage: bakery COMMAND …\n\nChecks, explains, repairs and runs GPU kernel schedules (`.cake`).\n\n";
  for (const Command& command : commands()) row(out, command.id, command.title);
  return out +
         "\n`bakery COMMAND --help` shows a command's parameters. Exit codes: 0 no rejection, 1 rejected,\n"
         "2 wrong use or unreadable file, 3 a device or toolchain is missing, 4 a fault of ours.\n";
}

}  // namespace bakery
