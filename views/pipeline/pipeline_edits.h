// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of the diagram that can be changed, and what the change is in the text.
#pragma once

#include <string>
#include <vector>

#include "views/pipeline/pipeline_scene.h"

namespace bakery::views {

struct EditField {
  enum class Kind : uint8_t { count, warps };
  Kind kind = Kind::count;
  std::string name;            // "stages of `a_s`"
  std::string value;           // as written
  Span span;                   // of the literal that is replaced
  std::string note;            // "`S`, line 6: also 4 other places", empty: nothing to say
  std::string refused;         // why it can't be changed here; empty: it can
  int64_t least = 1, most = 1024;
  std::vector<int64_t> choices;  // of a tunable; empty: any
};

// What can be changed about a node or an edge; empty: nothing.
std::vector<EditField> fields_of(const PipelineScene& scene, const Analysis& analysis, PipePlace place);

struct FieldChange {
  std::vector<TextEdit> edits;  // none: the value is the old one
  std::string refused;
};
FieldChange change_field(const Analysis& analysis, const EditField& field, const std::string& value);

}  // namespace bakery::views
