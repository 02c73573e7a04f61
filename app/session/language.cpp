// SPDX-License-Identifier: Apache-2.0
#include "app/session/language.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <type_traits>

#include <fmt/format.h>

#include "app/session/kernel.h"
#include "app/session/language_names.h"
#include "core_ir/lexer.h"
#include "core_ir/operations.h"
#include "core_ir/parameter_types.h"

namespace bakery {

const char* to_string(NameKind kind) {
  switch (kind) {
    case NameKind::operation: return "operation";
    case NameKind::declaration: return "declaration";
    case NameKind::argument: return "argument";
    case NameKind::type: return "type";
    case NameKind::target: return "target";
    case NameKind::keyword: return "keyword";
    case NameKind::module: return "module";
    case NameKind::role: return "role";
    case NameKind::barrier: return "barrier";
    case NameKind::view: return "view";
    case NameKind::pool: return "pool";
    case NameKind::tensor_memory: return "tensor memory";
    case NameKind::fragment: return "register tile";
    case NameKind::pipeline: return "pipeline";
    case NameKind::tiles: return "tiles";
    case NameKind::tunable: return "tunable";
    case NameKind::parameter: return "parameter";
    case NameKind::function: return "function";
    case NameKind::loop: return "loop variable";
    case NameKind::local: return "name";
  }
  return "";
}

namespace {

// ---- what a name stands for ------------------------------------------------------------

template <class Items>
std::string listed(const Items& items, std::string_view between) {
  return fmt::format("{}", fmt::join(items, between));
}

std::string warps_text(const std::vector<int>& warps) {
  std::vector<std::string> runs;
  for (size_t i = 0; i < warps.size();) {
    size_t last = i;
    while (last + 1 < warps.size() && warps[last + 1] == warps[last] + 1) ++last;
    runs.push_back(last == i ? std::to_string(warps[i]) : fmt::format("{}–{}", warps[i], warps[last]));
    i = last + 1;
  }
  return fmt::format("{} {}", warps.size() == 1 ? "warp" : "warps", listed(runs, ", "));
}

// One parsed and built text. Never fails: broken text has fewer names and resources.
struct Text {
  SourceText source;
  Tree tree;
  Schedule schedule;
  NameTable names;

  explicit Text(const std::string& text) : source("", text), tree(parse(source)), schedule(build(source, tree).schedule), names(find_names(tree)) {}
  explicit Text(const Analysis& analysis)
      : source(analysis.source), tree(analysis.tree), schedule(analysis.schedule), names(find_names(tree)) {}

  std::string slice(NodeId node) const { return std::string(source.slice(tree[node].span)); }
  uint32_t line(Span span) const { return source.position(span.begin).line; }
};

// The item of that name declared nearest to the binding; names may repeat from role to role. A
// tunable's name is for search, not for the text.
template <class Items>
Index item_of(const Items& items, const NameBinding& binding) {
  constexpr bool named = !std::is_same_v<Items, std::vector<Tunable>>;
  Index best = kNone;
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < items.size(); ++i) {
    const int64_t distance = std::abs(static_cast<int64_t>(items[i].span.begin) - static_cast<int64_t>(binding.span.begin));
    if ((!named || items[i].name == binding.name) && distance < least) best = static_cast<Index>(i), least = distance;
  }
  return best;
}

// What the right-hand side calls: "barrier" of `lm.barrier(...)`, "view" of `pool.view(...)`.
std::string called(const Text& text, const NameBinding& binding) {
  if (binding.value == kNoNode || text.tree[binding.value].kind != NodeKind::call) return {};
  const NodeId callee = text.tree.child(binding.value, 0);
  return text.tree[callee].kind == NodeKind::attribute ? text.tree[callee].text : std::string();
}

NameKind kind_of(const Text& text, const NameBinding& binding) {
  if (binding.from == NodeKind::function) return NameKind::function;
  if (binding.from == NodeKind::for_loop) return NameKind::loop;
  if (binding.from == NodeKind::parameter)
    return binding.value == kNoNode || text.tree[binding.value].kind == NodeKind::none ? NameKind::module : NameKind::parameter;
  static const std::map<std::string, NameKind> kinds = {
      {"role", NameKind::role}, {"barrier", NameKind::barrier}, {"view", NameKind::view}, {"smem", NameKind::pool},
      {"tmem", NameKind::tensor_memory}, {"frag", NameKind::fragment}, {"pipeline", NameKind::pipeline},
      {"tiles", NameKind::tiles}, {"tunable", NameKind::tunable}};
  if (const auto found = kinds.find(called(text, binding)); found != kinds.end()) return found->second;
  return item_of(text.schedule.fragments, binding) != kNone ? NameKind::fragment : NameKind::local;
}

std::string shape_text(const std::vector<int64_t>& shape, DType dtype) {
  return fmt::format("{} {}", info(dtype).name, listed(shape, " x "));
}

std::string stages_text(int64_t stages) { return fmt::format("{} {}", stages, stages == 1 ? "stage" : "stages"); }

// A few words for lists: "4 stages, init 1".
std::string brief(const Text& text, const NameBinding& binding) {
  const Schedule& s = text.schedule;
  const auto in = [&](const auto& items, auto write) {
    const Index i = item_of(items, binding);
    return i == kNone ? std::string() : write(items[i]);
  };
  switch (kind_of(text, binding)) {
    case NameKind::role:
      return in(s.roles, [](const Role& r) { return warps_text(r.warps) + (r.regs ? fmt::format(", {} registers", r.regs) : ""); });
    case NameKind::barrier:
      return in(s.barriers, [](const Barrier& b) {
        return fmt::format("{}, init {}{}", stages_text(b.count), b.init_count, b.free ? ", starts free" : "");
      });
    case NameKind::view:
      return in(s.views, [](const View& v) {
        return shape_text(v.shape, v.dtype) + (v.staged ? ", " + stages_text(v.stages) : "");
      });
    case NameKind::pool: return in(s.pools, [](const Pool& p) { return fmt::format("{} B", p.bytes); });
    case NameKind::tensor_memory: return in(s.tmems, [](const Tmem& t) { return shape_text(t.shape, t.dtype); });
    case NameKind::fragment: return in(s.fragments, [](const Fragment& f) { return shape_text(f.shape, f.dtype); });
    case NameKind::pipeline: return in(s.pipelines, [](const Pipeline& p) { return stages_text(p.stages); });
    case NameKind::tunable:
      return in(s.tunables, [](const Tunable& t) {
        return fmt::format("{}{}", t.value, t.choices.empty() ? "" : fmt::format(" of {}", listed(t.choices, ", ")));
      });
    case NameKind::parameter: return text.slice(binding.value);
    case NameKind::loop: return "in " + text.slice(binding.value);
    case NameKind::local: {
      std::string value = binding.value == kNoNode ? std::string() : text.slice(binding.value);
      if (value.size() > 40 || value.find('\n') != std::string::npos) return {};
      return "= " + value;
    }
    default: return {};
  }
}

// ---- operands of a call ----------------------------------------------------------------

struct Callable {
  std::string summary, example;
  std::span<const Operand> operands;
  const Operation* operation = nullptr;
};

// What stands before the dot of a method of the builder's tables: `pool.view`, `pipe.next`.
const char* table_prefix(NameKind kind) {
  switch (kind) {
    case NameKind::module: return "lm.";
    case NameKind::pool: return "pool.";
    case NameKind::pipeline: return "pipe.";
    default: return nullptr;
  }
}

std::optional<Receiver> receiver_of(NameKind kind) {
  switch (kind) {
    case NameKind::module: return Receiver::module;
    case NameKind::view: return Receiver::view;
    case NameKind::pipeline: return Receiver::pipeline;
    case NameKind::tensor_memory: return Receiver::tmem;
    default: return std::nullopt;
  }
}

std::optional<Callable> callable(const Text& text, NameKind object, std::string_view name) {
  if (const char* prefix = table_prefix(object))
    if (const Declaration* d = find_declaration(prefix + std::string(name))) return Callable{d->summary, d->example, d->operands};
  const auto receiver = receiver_of(object);
  if (!receiver) return std::nullopt;
  const Operation* chosen = nullptr;
  const Target* target = find_target(text.schedule.declared_target);
  for (const Operation& op : operations()) {
    if (op.receiver != *receiver || name != op.spelling || op.code == OpCode::compute) continue;
    if (!chosen || (target && contains(op.targets, target->id))) chosen = &op;
  }
  if (!chosen) return std::nullopt;
  return Callable{chosen->summary, chosen->example, chosen->operands, chosen};
}

// The kind of what stands before a dot.
std::optional<NameKind> object_kind(const Text& text, uint32_t offset, std::string_view object) {
  if (const NameBinding* binding = text.names.find(text.source, text.tree, offset, object)) return kind_of(text, *binding);
  if (object == "lm") return NameKind::module;
  return std::nullopt;
}

std::optional<Callable> callable(const Text& text, uint32_t offset, const std::string& callee) {
  if (callee == "cake.schedule") {
    const Declaration* d = find_declaration(callee);
    return Callable{d->summary, d->example, d->operands};
  }
  const size_t dot = callee.find('.');
  if (dot == std::string::npos) return std::nullopt;
  const auto kind = object_kind(text, offset, callee.substr(0, dot));
  return kind ? callable(text, *kind, callee.substr(dot + 1)) : std::nullopt;
}

// ---- where the caret is ----------------------------------------------------------------

struct OpenBracket {
  std::string callee;              // of a call, else empty
  Span callee_span;
  std::vector<std::string> given;  // keywords so far
  std::string keyword;             // of the argument in the making
  int position = 0;                // arguments before it
  bool fresh = true;               // nothing of the argument is there yet
};

struct CaretPlace {
  bool comment = false;
  bool quoted = false;
  Span word;                       // typed so far
  std::string object;              // "x" of `x.`
  bool member = false;             // behind a dot
  bool decorator = false;          // behind `@`
  bool statement = false;          // the word begins its statement
  bool type = false;               // behind `name:` of a parameter
  std::vector<OpenBracket> brackets;

  const OpenBracket* call() const {
    for (auto b = brackets.rbegin(); b != brackets.rend(); ++b)
      if (!b->callee.empty()) return &*b;
    return nullptr;
  }
};

bool is_name_byte(char c) {
  const auto u = static_cast<unsigned char>(c);
  return std::isalnum(u) || c == '_' || u >= 0x80;
}

// Whether the end of the line is in a comment or in quotes; `quote` is where those begin.
void scan_line_end(std::string_view before, CaretPlace& place, uint32_t& quote) {
  const size_t line = before.rfind('\n') + 1;  // npos + 1 is 0
  char open = 0;
  for (size_t i = line; i < before.size(); ++i) {
    const char c = before[i];
    if (open) {
      if (c == '\\') ++i;
      else if (c == open) open = 0;
    } else if (c == '"' || c == '\'') {
      open = c;
      quote = static_cast<uint32_t>(i);
    } else if (c == '#') {
      place.comment = true;
      return;
    }
  }
  place.quoted = open != 0;
}

CaretPlace place_of(std::string_view text, uint32_t offset) {
  CaretPlace place;
  const std::string_view before = text.substr(0, offset);
  uint32_t quote = 0;
  scan_line_end(before, place, quote);
  if (place.comment) return place;
  uint32_t begin = place.quoted ? quote + 1 : offset;
  while (!place.quoted && begin > 0 && is_name_byte(before[begin - 1])) --begin;
  place.word = {begin, offset};

  const SourceText head("", std::string(before.substr(0, place.quoted ? quote : begin)));
  const TokenStream stream = tokenize(head);
  std::vector<Token> line;  // of the statement at the end
  bool ended = false;
  for (const Token& token : stream.tokens) {
    if (token.kind == TokenKind::newline) ended = true;
    if (token.kind == TokenKind::newline || token.kind == TokenKind::indent || token.kind == TokenKind::dedent || token.kind == TokenKind::end) continue;
    if (ended) {
      line.clear();
      place.brackets.clear();
      ended = false;
    }
    line.push_back(token);
    const std::string_view word = head.slice(token.span);
    if (word == "(" || word == "[" || word == "{") {
      OpenBracket bracket;
      if (!place.brackets.empty()) place.brackets.back().fresh = false;
      size_t first = line.size() - 1;  // of the callee: name (. name)*
      while (word == "(" && first > 0 && (line[first - 1].kind == TokenKind::name || head.slice(line[first - 1].span) == ".")) --first;
      const bool call = first + 1 < line.size() && line[first].kind == TokenKind::name &&
                        !(first > 0 && head.slice(line[first - 1].span) == "def");
      if (call) {
        bracket.callee_span = {line[first].span.begin, line[line.size() - 2].span.end};
        bracket.callee = std::string(head.slice(bracket.callee_span));
      }
      place.brackets.push_back(std::move(bracket));
    } else if (word == ")" || word == "]" || word == "}") {
      if (!place.brackets.empty()) place.brackets.pop_back();
      if (!place.brackets.empty()) place.brackets.back().fresh = false;
    } else if (!place.brackets.empty()) {
      OpenBracket& inner = place.brackets.back();
      if (word == ",") {
        inner.keyword.clear();
        inner.fresh = true;
        ++inner.position;
      } else if (word == "=" && line.size() > 1 && line[line.size() - 2].kind == TokenKind::name) {
        inner.keyword = std::string(head.slice(line[line.size() - 2].span));
        inner.given.push_back(inner.keyword);
      } else {
        inner.fresh = false;
      }
    }
  }
  if (ended && place.brackets.empty() && (line.empty() || head.text().find('\n', line.back().span.end) != std::string::npos)) line.clear();
  place.statement = line.empty();
  if (line.empty()) return place;
  const std::string_view last = head.slice(line.back().span);
  const bool touches = line.back().span.end == begin || last == ".";
  if (last == "." && touches && line.size() > 1) {
    place.member = true;
    if (line[line.size() - 2].kind == TokenKind::name) place.object = std::string(head.slice(line[line.size() - 2].span));
  }
  place.decorator = last == "@" && line.size() == 1;
  place.type = last == ":" && !place.brackets.empty() && head.slice(line.front().span) == "def";
  return place;
}

// ---- completion ------------------------------------------------------------------------

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// 0: no match; else the better the higher.
int match(std::string_view label, std::string_view typed) {
  if (typed.empty()) return 1;
  if (label.starts_with(typed)) return 4;
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  if (label.size() >= typed.size() && std::equal(typed.begin(), typed.end(), label.begin(), same)) return 3;
  size_t at = 0;
  for (const char c : label)
    if (at < typed.size() && same(c, typed[at])) ++at;
  return at == typed.size() && typed.size() > 1 && same(label.front(), typed.front()) ? 2 : 0;
}

class Completer {
 public:
  Completer(const std::string& text, uint32_t offset)
      : bytes_(text), offset_(std::min<uint32_t>(offset, static_cast<uint32_t>(text.size()))), text_(text), place_(place_of(text, offset_)) {}

  Suggestions run() {
    if (place_.comment) return {};
    const OpenBracket* call = place_.call();
    if (place_.quoted) {
      if (call) quoted(*call);
    } else if (place_.member) {
      members();
    } else if (place_.decorator) {
      add({"cake", "cake", NameKind::module, "", "the language's decorator: `@cake.schedule(target=…)`"});
    } else if (place_.type) {
      for (const ParameterType& type : parameter_types()) add_type(type, "LM.");
    } else {
      const bool own = call && call == &place_.brackets.back();
      if (own && call->fresh && call->keyword.empty()) arguments(*call);
      values(call);
      if (place_.statement) keywords();
    }
    return finish();
  }

 private:
  void add(Suggestion suggestion, int rank = 0) {
    const int score = match(suggestion.label, typed());
    if (!score) return;
    for (const auto& [other, at] : ranked_)
      if (other.label == suggestion.label) return;
    ranked_.push_back({std::move(suggestion), rank * 10 + score});
  }

  std::string_view typed() const { return std::string_view(bytes_).substr(place_.word.begin, place_.word.end - place_.word.begin); }

  Suggestions finish() {
    std::stable_sort(ranked_.begin(), ranked_.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    Suggestions result;
    result.replace = place_.word;
    result.member = place_.member || place_.quoted || place_.decorator;
    for (auto& [suggestion, rank] : ranked_) result.items.push_back(std::move(suggestion));
    return result;
  }

  // "wait(", or "wait" where a bracket follows already.
  std::string call_text(std::string_view name, bool operands) const {
    const bool bracket = offset_ < bytes_.size() && bytes_[offset_] == '(';
    return std::string(name) + (bracket ? "" : operands ? "(" : "()");
  }

  static std::string operand_list(std::span<const Operand> operands) {
    std::string list;
    for (const Operand& operand : operands)
      list += fmt::format("{}{}{}", list.empty() ? "" : ", ", operand.name, operand.keyword ? "=" : "");
    return list;
  }

  void add_type(const ParameterType& type, const std::string& prefix) {
    add({prefix + type.name, prefix + type.name, NameKind::type, "", type.summary});
  }

  void members() {
    if (place_.object == "LM") {
      for (const ParameterType& type : parameter_types()) add_type(type, "");
      return;
    }
    if (place_.object == "cake") return add_declarations("cake.");
    const auto kind = object_kind(text_, offset_, place_.object);
    if (!kind) return;
    if (const auto receiver = receiver_of(*kind)) add_operations(*receiver);
    if (const char* prefix = table_prefix(*kind)) add_declarations(prefix);
    if (*kind == NameKind::module) add_dtypes("");
  }

  void add_operations(Receiver receiver) {
    const Target* target = find_target(text_.schedule.declared_target);
    for (const Operation& op : operations()) {
      if (op.receiver != receiver || op.code == OpCode::compute) continue;
      const bool here = !target || contains(op.targets, target->id);
      std::string doc = fmt::format("{}\n{}", op.summary, op.example);
      if (!here) doc += fmt::format("\nnot on {}", target->name);
      add({op.spelling, call_text(op.spelling, !op.operands.empty()), NameKind::operation, operand_list(op.operands), std::move(doc)}, here ? 2 : 0);
    }
  }

  void add_declarations(std::string_view prefix) {
    for (const Declaration& d : declarations()) {
      const std::string_view spelling = d.spelling;
      if (!spelling.starts_with(prefix)) continue;
      const std::string_view name = spelling.substr(prefix.size());
      const bool empty = d.operands.empty() && std::string_view(d.example).find("()") != std::string_view::npos;
      add({std::string(name), call_text(name, !empty), NameKind::declaration, operand_list(d.operands), fmt::format("{}\n{}", d.summary, d.example)}, 1);
    }
  }

  void add_dtypes(const std::string& prefix) {
    for (int i = 0; i <= static_cast<int>(DType::boolean); ++i) {
      const DTypeInfo& type = info(static_cast<DType>(i));
      add({prefix + type.name, prefix + type.name, NameKind::type, fmt::format("{} B", type.bytes), "element type"}, prefix.empty() ? 0 : 3);
    }
  }

  void quoted(const OpenBracket& call) {
    const auto what = callable(text_, offset_, call.callee);
    if (call.callee == "cake.schedule" && call.keyword == "target") {
      for (const Target& target : targets())
        add({target.name, target.name, NameKind::target, target.gpus,
             fmt::format("{} B of shared memory a CTA, tensor path {}", target.shared_bytes, target.tensor_path)});
    } else if (what && call.keyword == "alias") {
      std::set<std::string> groups;
      for (const View& view : text_.schedule.views)
        if (!view.alias.empty()) groups.insert(view.alias);
      for (const std::string& group : groups) add({group, group, NameKind::local, "alias group", ""});
    }
  }

  void arguments(const OpenBracket& call) {
    const auto what = callable(text_, offset_, call.callee);
    if (!what) return;
    int at = 0;
    for (const Operand& operand : what->operands) {
      const bool given = std::find(call.given.begin(), call.given.end(), operand.name) != call.given.end();
      const bool passed = at++ < call.position && !operand.keyword;
      if (given || passed || !operand.keyword) continue;
      add({std::string(operand.name) + "=", std::string(operand.name) + "=", NameKind::argument, operand.required ? "needed" : "may be left out", operand.doc},
          operand.required ? 5 : 4);
    }
  }

  const Operand* operand_here(const OpenBracket& call) const {
    const auto what = callable(text_, offset_, call.callee);
    if (!what) return nullptr;
    for (size_t i = 0; i < what->operands.size(); ++i) {
      const Operand& operand = what->operands[i];
      if (call.keyword.empty() ? static_cast<int>(i) == call.position : call.keyword == operand.name) return &operand;
    }
    return nullptr;
  }

  // How well a name of this kind fits the operand; 0: not at all.
  static int fit(const Operand* operand, NameKind kind) {
    if (!operand) return 1;
    const auto one_of = [&](std::initializer_list<NameKind> kinds) {
      return std::find(kinds.begin(), kinds.end(), kind) != kinds.end() ? 3 : 0;
    };
    switch (operand->kind) {
      case OperandKind::barrier: return one_of({NameKind::barrier});
      case OperandKind::tensor_map: return one_of({NameKind::parameter});
      case OperandKind::view: case OperandKind::view_stage: return one_of({NameKind::view, NameKind::tensor_memory});
      case OperandKind::accumulator: return one_of({NameKind::fragment, NameKind::tensor_memory});
      case OperandKind::names:
        return one_of({std::string_view(operand->name) == "pipeline" ? NameKind::pipeline : NameKind::role});
      case OperandKind::stage: return std::max(one_of({NameKind::local, NameKind::loop}), one_of({NameKind::pipeline}) - 1);
      case OperandKind::tile: return std::max(one_of({NameKind::fragment}), one_of({NameKind::view, NameKind::module, NameKind::local}) - 1);
      case OperandKind::dtype: case OperandKind::text: return one_of({NameKind::module}) - 2;
      default: return one_of({NameKind::local, NameKind::loop, NameKind::tunable, NameKind::parameter, NameKind::module});
    }
  }

  void values(const OpenBracket* call) {
    const Operand* operand = call ? operand_here(*call) : nullptr;
    if (operand && operand->kind == OperandKind::dtype) add_dtypes("lm.");
    if (operand && operand->kind == OperandKind::stage) {
      for (const NameBinding* binding : text_.names.visible(text_.source, text_.tree, offset_)) {
        if (kind_of(text_, *binding) != NameKind::pipeline) continue;
        for (const Declaration& d : declarations()) {
          const std::string_view spelling = d.spelling;
          if (!spelling.starts_with("pipe.")) continue;
          const std::string use = binding->name + std::string(spelling.substr(4)) + "()";
          add({use, use, NameKind::declaration, "", d.summary}, 2);
        }
      }
    }
    for (const NameBinding* binding : text_.names.visible(text_.source, text_.tree, offset_)) {
      const NameKind kind = kind_of(text_, *binding);
      const int rank = kind == NameKind::function && operand ? 0 : fit(operand, kind);
      if (rank <= 0) continue;
      std::string doc = fmt::format("{}, line {}", to_string(kind), text_.line(binding->span));
      const bool slot = operand && operand->kind == OperandKind::stage && find_declaration("pipe." + called(text_, *binding));
      add({binding->name, binding->name, kind, brief(text_, *binding), std::move(doc)}, rank + slot);
    }
  }

  void keywords() {
    for (const std::string_view word : usable_keywords()) add({std::string(word), std::string(word), NameKind::keyword, "", ""}, 0);
  }

  const std::string& bytes_;
  uint32_t offset_;
  Text text_;
  CaretPlace place_;
  std::vector<std::pair<Suggestion, int>> ranked_;
};

}  // namespace

Suggestions complete(const std::string& text, uint32_t offset) { return Completer(text, offset).run(); }

std::optional<CallHint> call_at(const std::string& text, uint32_t offset) {
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(text.size()));
  const CaretPlace place = place_of(text, offset);
  const OpenBracket* call = place.comment ? nullptr : place.call();
  if (!call) return std::nullopt;
  const Text parsed(text);
  const auto what = callable(parsed, offset, call->callee);
  if (!what) return std::nullopt;
  CallHint hint{call->callee_span, call->callee, {}, -1, what->summary};
  for (size_t i = 0; i < what->operands.size(); ++i) {
    const Operand& operand = what->operands[i];
    const std::string shown = std::string(operand.name) + (operand.keyword ? "=" : "");
    hint.operands.push_back(operand.required ? shown : "[" + shown + "]");
    if (call->keyword.empty() ? static_cast<int>(i) == call->position && !operand.keyword : call->keyword == operand.name) {
      hint.active = static_cast<int>(i);
      hint.doc = operand.doc;
    }
  }
  return hint;
}

// ---- hover -----------------------------------------------------------------------------

namespace {

std::string targets_text(TargetSet set) {
  if (set == kAllTargets) return "all";
  std::vector<std::string> names;
  for (const Target& target : targets())
    if (contains(set, target.id)) names.emplace_back(target.name);
  return listed(names, ", ");
}

std::string executor_text(Executor executor) {
  switch (executor) {
    case Executor::every_warp: return "every warp of the role";
    case Executor::once_an_agent: return "once an agent of the role";
    case Executor::once_a_role: return "once a role";
  }
  return "";
}

std::string effect_text(const Effect& effect) {
  std::string text = fmt::format("{} {}", effect.write ? "writes" : "reads", std::string_view(effect.operand) == "self" ? "the view" : effect.operand);
  if (effect.proxy == Proxy::async) text += " through the async proxy";
  switch (effect.completion) {
    case Completion::immediate: break;
    case Completion::barrier_bytes: text += ", done when its bytes have arrived on the barrier"; break;
    case Completion::mma_group: text += ", done when an `mma_wait` or a commit covers it"; break;
    case Completion::store_group: text += ", done when a `store_wait` covers it"; break;
  }
  return text;
}

class Describer {
 public:
  explicit Describer(const Analysis& analysis) : analysis_(analysis), text_(analysis), s_(analysis.schedule) {}

  std::optional<Hover> at(uint32_t offset) {
    if (const NamePlace* place = text_.names.place_at(offset); place && place->span.contains(offset))
      return of_binding(text_.names.bindings[place->binding], place->span);
    for (const Node& node : text_.tree.nodes) {
      if (node.kind == NodeKind::attribute && node.name_span.contains(offset)) return of_attribute(node, offset);
      if (node.kind == NodeKind::keyword && node.name_span.contains(offset)) return of_keyword(node);
      if (node.kind == NodeKind::string && node.span.contains(offset))
        if (const Target* target = find_target(node.text)) return of_target(*target, node.span);
    }
    return std::nullopt;
  }

 private:
  void fact(std::string name, std::string value) {
    if (!value.empty()) hover_.facts.emplace_back(std::move(name), std::move(value));
  }

  std::string lines(const std::vector<uint32_t>& all) const {
    std::vector<uint32_t> sorted(all);
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    const bool more = sorted.size() > 8;
    if (more) sorted.resize(8);
    return fmt::format("{} {}{}", sorted.size() == 1 ? "line" : "lines", listed(sorted, ", "), more ? " …" : "");
  }

  // "`mma` lines 41, 47; `load` line 12" of the operations that `wanted` picks.
  template <class Wanted>
  std::string users(Wanted wanted) const {
    std::map<Index, std::vector<uint32_t>> by_role;
    for (const Op& op : s_.ops)
      if (wanted(op)) by_role[op.role].push_back(text_.line(op.span));
    std::vector<std::string> parts;
    for (const auto& [role, at] : by_role) parts.push_back(fmt::format("`{}` {}", role < s_.roles.size() ? s_.roles[role].name : "?", lines(at)));
    return listed(parts, "; ");
  }

  std::optional<Hover> of_binding(const NameBinding& binding, Span here) {
    const NameKind kind = kind_of(text_, binding);
    hover_.span = here;
    hover_.title = fmt::format("{} `{}`", to_string(kind), binding.name);
    const auto with = [&](const auto& items, auto describe) {
      if (const Index i = item_of(items, binding); i != kNone) describe(i);
    };
    switch (kind) {
      case NameKind::role: with(s_.roles, [&](Index i) { of_role(s_.roles[i], i); }); break;
      case NameKind::barrier: with(s_.barriers, [&](Index i) { of_barrier(s_.barriers[i], i); }); break;
      case NameKind::view: with(s_.views, [&](Index i) { of_view(s_.views[i], i); }); break;
      case NameKind::pool: with(s_.pools, [&](Index i) { of_pool(s_.pools[i], i); }); break;
      case NameKind::pipeline: with(s_.pipelines, [&](Index i) { of_pipeline(s_.pipelines[i], i); }); break;
      case NameKind::tensor_memory:
        with(s_.tmems, [&](Index i) {
          fact("columns", fmt::format("{} … {}", s_.tmems[i].cols, s_.tmems[i].cols + s_.tmems[i].width - 1));
          fact("holds", shape_text(s_.tmems[i].shape, s_.tmems[i].dtype));
        });
        break;
      case NameKind::fragment: with(s_.fragments, [&](Index i) { of_fragment(s_.fragments[i]); }); break;
      case NameKind::tunable:
        with(s_.tunables, [&](Index i) {
          fact("value", std::to_string(s_.tunables[i].value));
          fact("choices", s_.tunables[i].choices.empty() ? "none given" : listed(s_.tunables[i].choices, ", "));
        });
        break;
      case NameKind::parameter: of_parameter(binding); break;
      case NameKind::module: hover_.doc = "the operations and declarations of the language"; break;
      case NameKind::loop: of_loop(binding); break;
      default: fact("is", brief(text_, binding));
    }
    if (binding.span != here) fact("declared", fmt::format("line {}", text_.line(binding.span)));
    return hover_;
  }

  void of_role(const Role& role, Index) {
    fact("warps", fmt::format("{} ({} threads)", warps_text(role.warps), role.warps.size() * 32));
    fact("registers", role.regs ? fmt::format("{} a thread, {} in all", role.regs, role.regs * 32 * static_cast<int64_t>(role.warps.size())) : "as compiled: no `regs=`");
    fact("agents", fmt::format("{} {}", role.agents(), role.whole_warpgroups() ? (role.agents() == 1 ? "warpgroup" : "warpgroups") : (role.agents() == 1 ? "warp" : "warps")));
    std::vector<std::string> arrives, waits;
    for (size_t b = 0; b < s_.barriers.size(); ++b) {
      const auto uses = [&](bool wait) {
        return std::any_of(s_.ops.begin(), s_.ops.end(), [&](const Op& op) {
          return op.barrier == b && op.role < s_.roles.size() && &s_.roles[op.role] == &role && (operation(op.code).barrier == BarrierAction::wait) == wait;
        });
      };
      if (uses(false)) arrives.push_back("`" + s_.barriers[b].name + "`");
      if (uses(true)) waits.push_back("`" + s_.barriers[b].name + "`");
    }
    fact("arrives on", listed(arrives, ", "));
    fact("waits on", listed(waits, ", "));
    if (role.body_span.end > 0) fact("body", fmt::format("line {}", text_.line(role.body_span)));
  }

  void of_barrier(const Barrier& barrier, Index index) {
    fact("stages", std::to_string(barrier.count));
    fact("arrivals", fmt::format("{} a completion", barrier.init_count));
    fact("arrives", users([&](const Op& op) { return op.barrier == index && operation(op.code).barrier != BarrierAction::wait; }));
    fact("waits", users([&](const Op& op) { return op.barrier == index && operation(op.code).barrier == BarrierAction::wait; }));
    fact("bytes", bytes_awaited(barrier));
    if (barrier.pipeline < s_.pipelines.size()) fact("pipeline", fmt::format("`{}`", s_.pipelines[barrier.pipeline].name));
    fact("phase bit", fmt::format("derived: a wait on a stage awaits parity {} first, then it flips with each wait{}", barrier.free ? 1 : 0,
                                  barrier.free ? "; stages start free" : ""));
    fact("address", barrier_address(barrier));
  }

  // What the copies of one completion bring, where the shown run has one.
  std::string bytes_awaited(const Barrier& barrier) const {
    const Timeline& t = analysis_.timeline;
    for (const Lane& lane : t.lanes) {
      if (lane.kind != LaneKind::barrier || lane.resource != barrier.name || lane.bar_count == 0) continue;
      const Bar& bar = t.bars[lane.first_bar];
      int64_t bytes = 0;
      for (uint32_t m = lane.first_mark; m < lane.first_mark + lane.mark_count; ++m)
        if (t.marks[m].time <= bar.end) bytes += t.marks[m].bytes;
      if (bytes > 0) return fmt::format("{} a completion (of `{}` in the shown run)", bytes, lane.name);
    }
    return {};
  }

  std::string barrier_address(const Barrier& barrier) const {
    if (analysis_.verdict != Verdict::accepted) return "derived behind the pools, once the schedule is accepted";
    const LoweredKernel kernel = make_kernel(analysis_);
    for (const BarrierInfo& derived : kernel.lowered.manifest.barriers)
      if (derived.name == barrier.name)
        return fmt::format("derived: byte {} of shared memory, 8 a stage; initialised with {} {}", derived.offset, derived.arrivals,
                           derived.arrivals == 1 ? "arrival" : "arrivals");
    return {};
  }

  void of_view(const View& view, Index index) {
    fact("holds", shape_text(view.shape, view.dtype));
    fact("bytes", view.staged ? fmt::format("{} a stage x {} = {}", view.stage_bytes(), view.stages, view.bytes()) : std::to_string(view.bytes()));
    fact("slots", view.staged ? std::to_string(view.stages) : "");
    if (view.pool < s_.pools.size()) fact("place", fmt::format("bytes {} … {} of `{}`", view.offset, view.offset + view.bytes() - 1, s_.pools[view.pool].name));
    fact("swizzle", view.swizzle ? (*view.swizzle ? fmt::format("{} B", *view.swizzle) : "none, as promised") : "derived from the row of " + std::to_string(view.row_bytes()) + " B");
    fact("alias", view.alias);
    const auto touches = [&](const Region& region) { return region.space == Space::shared && region.resource == index; };
    fact("written", users([&](const Op& op) { return op.code != OpCode::tma_store && touches(op.dst); }));
    fact("read", users([&](const Op& op) { return touches(op.a) || touches(op.b) || (op.code == OpCode::tma_store && touches(op.dst)); }));
  }

  void of_pool(const Pool& pool, Index index) {
    fact("bytes", std::to_string(pool.bytes));
    int64_t used = 0;
    std::vector<std::string> views;
    for (const View& view : s_.views)
      if (view.pool == index) views.push_back("`" + view.name + "`"), used = std::max(used, view.offset + view.bytes());
    fact("views", listed(views, ", "));
    fact("used up to", fmt::format("byte {}", used));
    if (analysis_.target) fact("limit", fmt::format("{} B a CTA on {}", analysis_.target->shared_bytes, analysis_.target->name));
  }

  void of_pipeline(const Pipeline& pipeline, Index index) {
    hover_.doc = "counts uses, for each role its own; the slot is the use modulo the stages";
    fact("stages", std::to_string(pipeline.stages));
    std::vector<std::string> guards;
    for (const Barrier& barrier : s_.barriers)
      if (barrier.pipeline == index) guards.push_back("`" + barrier.name + "`");
    fact("barriers", listed(guards, ", "));
  }

  void of_fragment(const Fragment& fragment) {
    fact("holds", shape_text(fragment.shape, fragment.dtype));
    if (fragment.role >= s_.roles.size() || fragment.shape.size() != 2) return;
    const Role& role = s_.roles[fragment.role];
    fact("role", "`" + role.name + "`");
    const int64_t bytes = fragment.shape[0] * fragment.shape[1] * info(fragment.dtype).bytes;
    const int64_t threads = static_cast<int64_t>(role.warps.size()) * 32;
    if (threads > 0) fact("registers", fmt::format("about {} a thread", (bytes / 4 + threads - 1) / threads));
  }

  void of_parameter(const NameBinding& binding) {
    const std::string type = text_.slice(binding.value);
    fact("type", type);
    const size_t dot = type.rfind('.');
    if (const ParameterType* known = find_parameter_type(dot == std::string::npos ? type : type.substr(dot + 1))) hover_.doc = known->summary;
    for (size_t i = 0; i < s_.params.size(); ++i) {
      if (s_.params[i].name != binding.name || s_.params[i].kind != ParamKind::scalar) continue;
      std::set<int64_t> values;
      for (const Sample& sample : analysis_.samples)
        if (i < sample.scalars.size()) values.insert(sample.scalars[i]);
      fact("checked with", some(values));
    }
  }

  static std::string some(const std::set<int64_t>& values) {
    std::vector<int64_t> first(values.begin(), values.end());
    const bool more = first.size() > 8;
    if (more) first.resize(8);
    return listed(first, ", ") + (more ? fmt::format(" … {}", *values.rbegin()) : "");
  }

  void of_loop(const NameBinding& binding) {
    fact("over", text_.slice(binding.value));
    const NodeId loop = text_.names.scopes[binding.scope].node;
    std::set<int64_t> values;
    const Timeline& t = analysis_.timeline;
    for (const TimelineEvent& event : t.events) {
      if (event.iteration >= t.iterations.size()) continue;
      if (loop != kNoNode && !text_.tree[loop].span.contains(event.span.begin)) continue;
      for (const LoopValue& value : t.iterations[event.iteration])
        if (value.name == binding.name) values.insert(value.value);
    }
    if (values.empty()) return;
    fact("values", fmt::format("{} … {} in the shown run{}", *values.begin(), *values.rbegin(), t.sample.empty() ? "" : " (" + t.sample + ")"));
  }

  std::optional<Hover> of_callable(const std::string& title, Span span, const Callable& what, uint32_t offset) {
    hover_.span = span;
    hover_.title = "`" + title + "`";
    hover_.doc = what.summary;
    if (!what.operation) {
      fact("example", what.example);
      return hover_;
    }
    const Operation& op = *what.operation;
    fact("executed", executor_text(op.executor));
    for (const Effect& effect : op.effects) fact("effect", effect_text(effect));
    if (op.fence) fact("effect", "orders generic writes before async accesses");
    fact("targets", targets_text(op.targets));
    fact("instruction", op.hardware);
    fact("logical cost", fmt::format("{} {}{}", op.logical_steps, op.logical_steps == 1 ? "step" : "steps",
                                     *op.engine ? fmt::format(", then {} of the {}", op.engine_steps, op.engine) : ""));
    size_t times = 0, blocked = 0;
    for (const TimelineEvent& event : analysis_.timeline.events)
      if (event.span.contains(offset)) ++times, blocked += event.blocked;
    if (times) fact("shown run", fmt::format("{} {}{}", times, times == 1 ? "time" : "times", blocked ? fmt::format(", {} never completed", blocked) : ""));
    return hover_;
  }

  std::optional<Hover> of_attribute(const Node& node, uint32_t offset) {
    const NodeId object = text_.tree.child(static_cast<NodeId>(&node - text_.tree.nodes.data()), 0);
    const std::string before = text_.tree[object].kind == NodeKind::name ? text_.tree[object].text : std::string();
    if (before == "LM") {
      const ParameterType* type = find_parameter_type(node.text);
      if (!type) return std::nullopt;
      return Hover{node.name_span, fmt::format("type `LM.{}`", type->name), type->summary, {}};
    }
    if (before == "cake") {
      const Declaration* d = find_declaration("cake." + node.text);
      return d ? of_callable(d->spelling, node.name_span, {d->summary, d->example, d->operands}, offset) : std::nullopt;
    }
    const auto kind = object_kind(text_, offset, before);
    if (!kind) return std::nullopt;
    if (const auto what = callable(text_, *kind, node.text)) return of_callable(before + "." + node.text, node.name_span, *what, offset);
    if (const auto dtype = *kind == NameKind::module ? find_dtype(node.text) : std::nullopt)
      return Hover{node.name_span, fmt::format("type `lm.{}`", node.text), "element type", {{"bytes", std::to_string(info(*dtype).bytes)}}};
    return std::nullopt;
  }

  std::optional<Hover> of_keyword(const Node& node) {
    const CaretPlace place = place_of(text_.source.text(), node.name_span.begin);
    const OpenBracket* call = place.call();
    const auto what = call ? callable(text_, node.span.begin, call->callee) : std::nullopt;
    if (!what) return std::nullopt;
    for (const Operand& operand : what->operands)
      if (node.text == operand.name)
        return Hover{node.name_span, fmt::format("`{}=` of `{}`", operand.name, call->callee), operand.doc, {{"", operand.required ? "needed" : "may be left out"}}};
    return std::nullopt;
  }

  std::optional<Hover> of_target(const Target& target, Span span) {
    hover_ = {span, fmt::format("target `{}`", target.name), target.gpus, {}};
    fact("shared memory", fmt::format("{} B a CTA", target.shared_bytes));
    fact("tensor path", target.tensor_path);
    fact("tensor memory", target.tmem_columns ? fmt::format("{} columns", target.tmem_columns) : "none");
    fact("register budgets", target.register_budgets ? "yes (setmaxnreg)" : "no");
    return hover_;
  }

  const Analysis& analysis_;
  Text text_;
  const Schedule& s_;
  Hover hover_;
};

}  // namespace

std::optional<Hover> hover(const Analysis& analysis, uint32_t offset) {
  if (offset >= analysis.source.text().size()) return std::nullopt;
  return Describer(analysis).at(offset);
}

// ---- names -----------------------------------------------------------------------------

namespace {

std::optional<NameUse> use_at(const Text& text, uint32_t offset) {
  const NamePlace* place = text.names.place_at(offset);
  if (!place) return std::nullopt;
  const NameBinding& binding = text.names.bindings[place->binding];
  NameUse use{binding.name, place->span, binding.span, {}};
  for (const NamePlace& other : text.names.places)
    if (other.binding == place->binding) use.places.push_back(other.span);
  return use;
}

bool is_identifier(std::string_view name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front()))) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

}  // namespace

std::optional<NameUse> name_at(const std::string& text, uint32_t offset) { return use_at(Text(text), offset); }

Renaming rename(const std::string& text, uint32_t offset, const std::string& name) {
  if (!is_identifier(name) || is_keyword(name)) return {{}, fmt::format("`{}` can't be a name", name)};
  const Text parsed(text);
  if (!parsed.tree.problems.empty())
    return {{}, fmt::format("line {} can't be read; mend it before renaming", parsed.line(parsed.tree.problems.front().span))};
  const auto use = use_at(parsed, offset);
  if (!use) return {{}, "there is no name here that the schedule binds"};
  if (use->name == name) return {};
  for (const NameBinding& binding : parsed.names.bindings)
    if (binding.name == name) return {{}, fmt::format("`{}` is taken, line {}", name, parsed.line(binding.span))};
  Renaming result;
  for (const Span place : use->places) result.edits.push_back({place, name});
  const SourceText before("", text), after("", apply_edits(text, result.edits));
  if (build(after, parse(after)).findings.size() > build(before, parsed.tree).findings.size())
    return {{}, fmt::format("`{}` would mean something else somewhere; nothing was renamed", name)};
  return result;
}

}  // namespace bakery
