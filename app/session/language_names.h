// SPDX-License-Identifier: Apache-2.0
// Which name means which binding, by the language's scopes; for app/session/language.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core_ir/source.h"
#include "core_ir/syntax.h"

namespace bakery {

struct NameBinding {
  std::string name;
  Span span;
  size_t scope = 0;
  NodeId value = kNoNode;   // the bound expression: of a loop its iterable, of a parameter its type
  NodeKind from = NodeKind::assign;  // assign, for_loop, parameter, function
};

struct NamePlace {
  Span span;
  size_t binding = 0;
};

struct NameScope {
  size_t parent = 0;
  NodeId node = kNoNode;    // function, with, for_loop; kNoNode: the module
};

struct NameTable {
  std::vector<NameScope> scopes;     // 0: the module
  std::vector<NameBinding> bindings;
  std::vector<NamePlace> places;     // bindings' own spans too, in source order

  const NamePlace* place_at(uint32_t offset) const;  // touched at its end, too
  // Bindings that a statement at `offset` sees, innermost scope first.
  std::vector<const NameBinding*> visible(const SourceText& source, const Tree& tree, uint32_t offset) const;
  const NameBinding* find(const SourceText& source, const Tree& tree, uint32_t offset, std::string_view name) const;
};

NameTable find_names(const Tree& tree);

}  // namespace bakery
