// SPDX-License-Identifier: Apache-2.0
// What the operation emitters write with.
#pragma once

#include <map>
#include <set>
#include <string>

#include "lowering/emit/writer.h"
#include "lowering/plan.h"

namespace bakery::lowering {

class Emitter {
 public:
  explicit Emitter(const Plan& p) : plan(p), schedule(p.schedule) {}

  const Plan& plan;
  const Schedule& schedule;
  Writer out;
  Index role = kNone;

  // Names a helper of the prelude; it and what it needs are written once.
  void use(const char* helper) { helpers_.insert(helper); }
  const std::set<std::string>& helpers() const { return helpers_; }
  // A helper made for this schedule, after those of the prelude.
  void define(const std::string& name, const std::string& text) { defined_.emplace(name, text); }
  const std::map<std::string, std::string>& defined() const { return defined_; }

  // One line from an operation; the first one cites the schedule.
  void line(Index op, const std::string& text);
  // Wraps `text` in `if (leader)` unless the role runs on one lane.
  void leader_line(Index op, const std::string& text);

  std::string expr(ExprId id, int outer = 0);
  // Byte address in shared memory: of a barrier stage, of a view stage.
  std::string barrier(Index barrier, ExprId stage);
  std::string view(Index view, ExprId stage);
  std::string stage_text(ExprId stage) { return stage == kNone ? "0" : expr(stage); }
  bool one_lane() const { return plan.roles[role].one_lane; }
  int agents() const { return schedule.roles[role].agents(); }
  std::string constant(const std::string& name, const char* suffix) const;
  // One element of a register tile, by register index text; element type as in `dtype`.
  std::string element(Index tile, const std::string& index);
  uint32_t source_line(Span span) const { return plan.checked.line(span); }

 private:
  std::set<std::string> helpers_;
  std::map<std::string, std::string> defined_;
  Index cited_ = kNone;
};

// One emitter an operation; a missing specialisation is a compile error that names it.
template <OpCode code>
struct OpEmitter;

#define OPERATION(name)                      \
  template <>                                \
  struct OpEmitter<OpCode::name> {           \
    static void emit(Emitter& e, Index op);  \
  };
#include "lowering/emit/emitters.def"
#undef OPERATION

// Registers of a fragment in one thread.
int64_t fragment_registers(const Schedule& schedule, const Fragment& fragment);

std::string helper_text(const std::string& name, const Plan& plan);
std::vector<std::string> helper_order(const std::set<std::string>& used);

}  // namespace bakery::lowering
