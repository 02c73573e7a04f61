// SPDX-License-Identifier: GPL-3.0-or-later
// Who hands what to whom, as a plain value: what is drawn, before anything is laid out or painted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "views/common/focus.h"

namespace bakery::views {

enum class PipeNodeKind : uint8_t { role, engine, buffer, tensor };

struct PipeNode {
  PipeNodeKind kind = PipeNodeKind::role;
  Space space = Space::none;   // of a buffer: shared or tensor memory
  Index index = kNone;         // role, view, tmem or parameter
  std::string name;
  std::string facts;           // "warps 4–11 · 232 registers"
  Span span;
  std::vector<Index> ops;      // that run on the engine, or use the parameter
  int finding = -1;            // the worst one about it, into Analysis::findings
};

enum class PipeEdgeKind : uint8_t {
  data,      // bytes go there
  issue,     // a role starts an engine's work
  forward,   // a barrier says: here is data
  backward,  // a barrier says: the slot is free again
};

struct PipeEdge {
  PipeEdgeKind kind = PipeEdgeKind::data;
  int from = -1, to = -1;      // nodes
  std::string name;            // of the barrier; of a register tile that an engine fills
  std::string facts;           // of a barrier: "4 stages · 1 of 1 arrival · 48 KiB"
  std::string completer;       // the engine that completes it, empty: the role itself
  Index barrier = kNone;
  std::vector<Index> ops;      // that arrive and wait, or move the bytes
  bool arrives = true;         // false: declared, but no operation of the role arrives
  int finding = -1;
};

struct PipelineScene {
  std::vector<PipeNode> nodes;
  std::vector<PipeEdge> edges;
  std::string left_out;        // "300 edges are left out", empty: none
};

inline constexpr size_t kMaxPipeNodes = 150, kMaxPipeEdges = 300;

PipelineScene make_pipeline_scene(const Analysis& analysis);
// Roles and barriers only.
PipelineScene only_hand_offs(const PipelineScene& scene);

struct PipePlace {
  bool edge = false;
  int index = -1;              // -1: nothing
  bool operator==(const PipePlace&) const = default;
};

FocusState focus_on_place(const PipelineScene& scene, const Snapshot& snapshot, PipePlace place);
// Where the declaration, or the first operation, stands; nullopt: nowhere.
std::optional<Span> source_of(const PipelineScene& scene, const Analysis& analysis, PipePlace place);

struct PipeLighting {
  std::vector<uint8_t> nodes, edges;
};
PipeLighting light(const PipelineScene& scene, const Snapshot& snapshot, const FocusState& focus);

// One line a node, one a hand-off or flow; `*` if it is lit, `!` with the id of a finding.
std::string to_text(const PipelineScene& scene, const Analysis& analysis, const PipeLighting& lighting = {});

const char* to_string(PipeNodeKind kind);
const char* to_string(PipeEdgeKind kind);

}  // namespace bakery::views
