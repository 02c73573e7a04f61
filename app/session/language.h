// SPDX-License-Identifier: Apache-2.0
// What an editor asks about a text: what may stand here, what this is, where it is declared and used.
// All of it works on broken text. Offsets are bytes.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session/analysis.h"

namespace bakery {

enum class NameKind : uint8_t {
  operation, declaration, argument, type, target, keyword, module,
  role, barrier, view, pool, tensor_memory, fragment, pipeline, tiles, tunable, parameter, function, loop, local,
};
const char* to_string(NameKind kind);

struct Suggestion {
  std::string label;
  std::string insert;
  NameKind kind = NameKind::local;
  std::string detail;  // a few words beside the label: "4 stages, init 1"
  std::string doc;     // sentences
};

struct Suggestions {
  Span replace;                   // what was typed of the word, to be replaced
  std::vector<Suggestion> items;  // best first
  bool member = false;            // behind a dot, inside quotes: worth showing without a letter typed
};

Suggestions complete(const std::string& text, uint32_t offset);

// The call that the offset stands in.
struct CallHint {
  Span callee;
  std::string name;                   // "lm.wait"
  std::vector<std::string> operands;  // "barrier", "stage="; optional ones in brackets
  int active = -1;                    // into operands
  std::string doc;                    // of the active operand, else of the call
};
std::optional<CallHint> call_at(const std::string& text, uint32_t offset);

struct Hover {
  Span span;
  std::string title;                                       // "barrier `full`"
  std::string doc;
  std::vector<std::pair<std::string, std::string>> facts;  // "stages", "4"
};

std::optional<Hover> hover(const Analysis& analysis, uint32_t offset);

// The name under an offset: where it is bound, and everywhere it stands, in source order.
struct NameUse {
  std::string name;
  Span here;
  Span definition;
  std::vector<Span> places;
};
std::optional<NameUse> name_at(const std::string& text, uint32_t offset);

// Either edits that give every place of the name under the offset its new name, or why not.
struct Renaming {
  std::vector<TextEdit> edits;
  std::string error;
};
Renaming rename(const std::string& text, uint32_t offset, const std::string& name);

}  // namespace bakery
