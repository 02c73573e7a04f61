// SPDX-License-Identifier: Apache-2.0
// The operations table: one record an operation. Parser, type checks, rules, completion, docs
// and emitters read it; nothing else knows an operation's operands, effects or targets.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core_ir/targets.h"

namespace bakery {

// Where data lives.
enum class Space : uint8_t { none, global, shared, tensor, fragment };

// Through which proxy an access goes, and so what must order it.
enum class Proxy : uint8_t { none, generic, async };

// How an access is known to be complete.
enum class Completion : uint8_t {
  immediate,      // when the operation returns
  barrier_bytes,  // when its bytes have arrived on the operation's barrier
  mma_group,      // when an `mma_wait` covers it (wgmma) or a commit has arrived (tcgen05)
  store_group,    // when a `store_wait` of the issuing thread covers it
};

// Who executes an operation of a role.
enum class Executor : uint8_t { every_warp, once_an_agent, once_a_role };

enum class BarrierAction : uint8_t { none, wait, arrive, fill, commit };

enum class OperandKind : uint8_t {
  tensor_map, view, view_stage, region, barrier, stage, coords, scalar, condition, constant, tile, accumulator, dtype,
  names, text,
};

struct Operand {
  const char* name;
  OperandKind kind;
  bool required;
  bool keyword;            // canonical form is `name=value`
  const char* doc;
};

// Memory effect: the named operand is read or written through a proxy.
struct Effect {
  const char* operand;     // operand name, or "self" for the method's object
  bool write;
  Proxy proxy;
  Completion completion;
};

enum class OpCode : uint8_t {
#define OPERATION(name) name,
#include "core_ir/operations.def"
#undef OPERATION
  count_,
};

enum class Receiver : uint8_t { module, view, pipeline, tmem };  // lm.x(), view.x(), pipe.x()

struct Operation {
  OpCode code;
  Receiver receiver;
  const char* spelling;    // the name after the dot
  const char* summary;     // one line
  const char* example;     // canonical spelling
  std::span<const Operand> operands;  // in canonical order
  std::span<const Effect> effects;
  BarrierAction barrier;
  Executor executor;
  TargetSet targets;
  bool fence;              // orders generic writes before async accesses
  bool role_barrier;       // all warps of the role meet
  Completion waits_for;    // mma_group / store_group for the group waits
  int logical_steps;       // how long the issuing warp is busy, in logical steps
  int engine_steps;        // from the engine's start to its end, in logical steps
  int engine_interval;     // until the engine can start the next one
  const char* engine;      // lane of the engine: "TMA load", "tensor core", "TMA store"; empty: none
  const char* hardware;    // the instruction behind it, for docs and hover
};

std::span<const Operation> operations();
const Operation& operation(OpCode code);
const Operation* find_operation(Receiver receiver, std::string_view spelling);

// Declarations and control, for completion and messages: `lm.smem`, `pool.view`, `lm.range` …
struct Declaration {
  const char* spelling;    // "lm.barrier"
  const char* summary;
  const char* example;
  std::span<const Operand> operands;
};
std::span<const Declaration> declarations();
const Declaration* find_declaration(std::string_view spelling);

}  // namespace bakery
