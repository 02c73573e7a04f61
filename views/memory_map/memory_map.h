// SPDX-License-Identifier: GPL-3.0-or-later
// Where a CTA's memory lies, as a plain value: what is drawn, before anything is painted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "views/common/focus.h"

namespace bakery::views {

enum class RowKind : uint8_t {
  total,     // all of shared memory against the target's limit
  pool,      // heading of a pool
  view,
  free,      // bytes of the pool that no view names
  compiler,  // barriers behind the pools; not to scale
  columns,   // heading of tensor memory
  tmem,
};

enum class CellKind : uint8_t { used, shared, free, barrier, beyond };

struct MemoryCell {
  CellKind kind = CellKind::used;
  int64_t begin = 0, end = 0;  // bytes from the shared-memory base, or columns
  int stage = -1;              // -1: not staged
  std::string name;            // of a barrier cell
};

struct MemoryRow {
  RowKind kind = RowKind::view;
  Index resource = kNone;      // view, pool or tmem
  std::string name;
  std::string facts;           // "0x10000 · 4 x 32 KiB"
  std::vector<MemoryCell> cells;
  std::vector<std::pair<int64_t, int64_t>> overlaps;  // as DATA-001 found them, ascending
  bool wrong = false;          // an error finding is about it
};

struct MemoryMap {
  std::vector<MemoryRow> rows;
  int64_t used = 0;            // pools and the compiler's area
  int64_t limit = 0;           // of the target; 0: no target
  int64_t end = 0;             // of the byte axis of pools
  int64_t columns = 0;         // of the tensor-memory axis; 0: none
};

MemoryMap make_memory_map(const Analysis& analysis);

// Largest power of two that divides the offset, at most 1024 (0 is aligned to all).
int64_t alignment_of(int64_t offset);
// "16 KiB", "48 B": whole KiB where they are whole.
std::string byte_text(int64_t bytes);
std::string hex_text(int64_t value);

// Roles that fill and that read a view or a tensor-memory range, in order of declaration.
struct Users {
  std::vector<std::string> fill, read;
};
Users users_of(const Schedule& schedule, Space space, Index resource);

// What the focus lights: rows, and cells by row.
struct MemoryLighting {
  std::vector<uint8_t> rows;
  std::vector<std::vector<uint8_t>> cells;
  bool any() const;
};
MemoryLighting light(const MemoryMap& map, const Snapshot& snapshot, const FocusState& focus);

// One line a row; a cell is its range, its stage, `*` if it is lit and `!` if it overlaps.
std::string to_text(const MemoryMap& map, const MemoryLighting& lighting = {});

}  // namespace bakery::views
