// SPDX-License-Identifier: Apache-2.0
// The canonical text depends only on the tree and on where its comments are attached, never
// on the layout of the source; so printing what was printed changes nothing.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <utility>

#include "core_ir/syntax.h"

namespace bakery {
namespace {

constexpr size_t kLineLimit = 100;
constexpr uint32_t kIndent = 4;

// How strongly an expression holds together; a weaker one inside a stronger needs parentheses.
enum Strength {
  kBareTuple,
  kConditional,
  kOr,
  kAnd,
  kNot,
  kCompare,
  kShift,
  kSum,
  kProduct,
  kSign,
  kPower,
  kPostfix,
  kAtom,
};

// `init=(k == 0)` keeps its parentheses: `init=k == 0` reads badly.
constexpr Strength kKeywordValue = kShift;

struct Spelling {
  const char* text;
  Strength strength;
};

Spelling spelling(Operator op) {
  switch (op) {
    case Operator::none:
      return {"?", kAtom};
    case Operator::add:
      return {"+", kSum};
    case Operator::sub:
      return {"-", kSum};
    case Operator::mul:
      return {"*", kProduct};
    case Operator::div:
      return {"/", kProduct};
    case Operator::floor_div:
      return {"//", kProduct};
    case Operator::mod:
      return {"%", kProduct};
    case Operator::power:
      return {"**", kPower};
    case Operator::shift_left:
      return {"<<", kShift};
    case Operator::shift_right:
      return {">>", kShift};
    case Operator::eq:
      return {"==", kCompare};
    case Operator::ne:
      return {"!=", kCompare};
    case Operator::lt:
      return {"<", kCompare};
    case Operator::le:
      return {"<=", kCompare};
    case Operator::gt:
      return {">", kCompare};
    case Operator::ge:
      return {">=", kCompare};
    case Operator::logical_and:
      return {"and", kAnd};
    case Operator::logical_or:
      return {"or", kOr};
    case Operator::logical_not:
      return {"not ", kNot};
    case Operator::negate:
      return {"-", kSign};
    case Operator::plus:
      return {"+", kSign};
  }
  return {"?", kAtom};
}

Strength stronger(Strength strength) { return static_cast<Strength>(strength + 1); }

void append_escaped(std::string& out, char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (c == '\n')
    out += "\\n";
  else if (c == '\t')
    out += "\\t";
  else if (c == '\r')
    out += "\\r";
  else if (c == '\\')
    out += "\\\\";
  else if (byte < 0x20 || byte == 0x7F) {
    const char* digits = "0123456789abcdef";
    out += "\\x";
    out += digits[byte >> 4];
    out += digits[byte & 15];
  } else
    out += c;
}

class Printer {
 public:
  Printer(const SourceText& source, const Tree& tree, bool keep_comments)
      : source_(source),
        tree_(tree),
        comment_count_(keep_comments ? tree.comments.size() : 0),
        keep_blank_lines_(keep_comments) {}

  std::string run() {
    if (tree_.root == kNoNode) return {};
    const uint32_t end = std::numeric_limits<uint32_t>::max();
    statements(tree_.root, 0, end);
    comments_before(end, 0);
    return std::move(out_);
  }

 private:
  const Node& node(NodeId id) const { return tree_[id]; }
  NodeId child(NodeId id, uint32_t index) const { return tree_.child(id, index); }
  std::vector<NodeId> children(NodeId id, uint32_t first = 0) const {
    const auto begin = tree_.children.begin() + node(id).first_child;
    return {begin + first, begin + node(id).child_count};
  }
  bool is_missing(NodeId id) const {
    return node(id).kind == NodeKind::none && node(id).span.begin == node(id).span.end;
  }

  // --- comments ---------------------------------------------------------------------------

  bool comment_before(uint32_t offset) const {
    return next_ < comment_count_ && tree_.comments[next_].span.begin < offset;
  }
  std::string comment_text() {
    std::string_view text = source_.slice(tree_.comments[next_++].span);
    return std::string(text.substr(0, text.find_last_not_of(" \t\r\f\v") + 1));
  }
  bool has_comments(NodeId id) const {
    const auto begin = tree_.comments.begin() + static_cast<std::ptrdiff_t>(next_);
    const auto end =
        tree_.comments.begin() + static_cast<std::ptrdiff_t>(std::max(comment_count_, next_));
    const auto found =
        std::lower_bound(begin, end, node(id).span.begin,
                         [](const Comment& c, uint32_t at) { return c.span.begin < at; });
    return found != end && found->span.begin < node(id).span.end;
  }

  // Can a comment at this place stay there when the expression is printed?
  bool holds(NodeId id, uint32_t offset) const {
    const Node& expression = node(id);
    if (!expression.span.contains(offset)) return false;
    switch (expression.kind) {
      case NodeKind::list:
      case NodeKind::tuple:
        return true;
      case NodeKind::call:
        return offset >= node(child(id, 0)).span.end || holds(child(id, 0), offset);
      case NodeKind::attribute:
      case NodeKind::subscript:
        return holds(child(id, 0), offset);
      case NodeKind::keyword:
      case NodeKind::unary:
      case NodeKind::binary:
      case NodeKind::conditional: {
        for (const NodeId part : children(id))
          if (node(part).span.contains(offset)) return holds(part, offset);
        return false;
      }
      default:
        return false;
    }
  }
  // All comments in front of `end` can stay in the expression.
  bool holds_all(NodeId id, uint32_t end) const {
    for (size_t i = next_; i < comment_count_ && tree_.comments[i].span.begin < end; ++i)
      if (!holds(id, tree_.comments[i].span.begin)) return false;
    return true;
  }

  void new_line(uint32_t indent) {
    out_ += '\n';
    out_.append(indent, ' ');
  }

  // --- lines ------------------------------------------------------------------------------

  size_t column() const {
    const size_t line = out_.rfind('\n');
    return line == std::string::npos ? out_.size() : out_.size() - line - 1;
  }

  bool blank_line_above(uint32_t offset) const {
    const uint32_t line = source_.position(offset).line;
    return line > 1 &&
           source_.line(line - 1).find_first_not_of(" \t\r\f\v") == std::string_view::npos;
  }

  // Starts the line of something that stood at `offset`.
  void start_line(uint32_t offset, uint32_t indent) {
    if (keep_blank_lines_ && !block_start_ && blank_line_above(offset)) out_ += '\n';
    block_start_ = false;
    out_.append(indent, ' ');
  }

  void comments_before(uint32_t offset, uint32_t indent) {
    while (comment_before(offset)) {
      start_line(tree_.comments[next_].span.begin, indent);
      out_ += comment_text() + '\n';
    }
  }

  // Comments that can't stay in a header or statement are put above it.
  void hoist_comments(uint32_t end, uint32_t indent) {
    while (comment_before(end)) {
      out_ += comment_text();
      new_line(indent);
    }
  }

  // Ends a line whose source ends at `end`, with the comment behind it and before `limit`.
  void end_line(uint32_t end, uint32_t limit = std::numeric_limits<uint32_t>::max()) {
    if (comment_before(limit) && !tree_.comments[next_].own_line) {
      const Span comment = tree_.comments[next_].span;
      const bool same_line =
          comment.begin >= end &&
          source_.slice({end, comment.begin}).find('\n') == std::string_view::npos;
      if (same_line) out_ += "  " + comment_text();
    }
    out_ += '\n';
  }

  // --- statements -------------------------------------------------------------------------

  // `limit`: where the source goes on behind these statements.
  void statements(NodeId parent, uint32_t indent, uint32_t limit) {
    const uint32_t count = node(parent).child_count;
    for (uint32_t i = 0; i < count; ++i) {
      const NodeId id = child(parent, i);
      const uint32_t next = i + 1 < count ? node(child(parent, i + 1)).span.begin : limit;
      comments_before(node(id).span.begin, indent);
      start_line(node(id).span.begin, indent);
      statement(id, indent, next);
    }
  }

  void block(NodeId id, uint32_t indent, uint32_t limit) {
    block_start_ = true;
    statements(id, indent, limit);
    block_start_ = false;
    if (node(id).child_count == 0) return;
    // A comment below the last statement belongs to the block if it is indented like it.
    const uint32_t column = source_.position(node(child(id, 0)).span.begin).column;
    while (comment_before(limit)) {
      const uint32_t begin = tree_.comments[next_].span.begin;
      if (source_.position(begin).column < column) break;
      comments_before(begin + 1, indent);
    }
  }

  void statement(NodeId id, uint32_t indent, uint32_t limit) {
    const Node& it = node(id);
    switch (it.kind) {
      case NodeKind::pass:
        hoist_comments(it.span.end, indent);
        out_ += "pass";
        return end_line(it.span.end);
      case NodeKind::assign: {
        if (!holds_all(child(id, 1), it.span.end)) hoist_comments(it.span.end, indent);
        flat(out_, child(id, 0), kBareTuple);
        out_ += " = ";
        expression(child(id, 1), kBareTuple, indent, 0);
        return end_line(it.span.end);
      }
      case NodeKind::expression: {
        if (!holds_all(child(id, 0), it.span.end)) hoist_comments(it.span.end, indent);
        expression(child(id, 0), kBareTuple, indent, 0);
        return end_line(it.span.end);
      }
      case NodeKind::with:
        header("with ", child(id, 0), child(id, 1), indent);
        return block(child(id, 1), indent + kIndent, limit);
      case NodeKind::for_loop: {
        std::string prefix = "for ";
        flat(prefix, child(id, 0), kBareTuple);
        header(prefix + " in ", child(id, 1), child(id, 2), indent);
        return block(child(id, 2), indent + kIndent, limit);
      }
      case NodeKind::if_else:
        return if_else(id, "if ", indent, limit);
      case NodeKind::function:
        return function(id, indent, limit);
      default:
        hoist_comments(it.span.end, indent);
        out_ += source_.slice(it.span);
        return end_line(it.span.end);
    }
  }

  void header(const std::string& prefix, NodeId value, NodeId body, uint32_t indent) {
    const Span colon = node(body).name_span;
    if (!holds_all(value, colon.begin)) hoist_comments(colon.begin, indent);
    out_ += prefix;
    expression(value, kConditional, indent, 1);
    out_ += ':';
    end_line(colon.end, first_in(body));
  }

  // Where the first statement of a block begins.
  uint32_t first_in(NodeId body) const {
    const bool empty = node(body).child_count == 0;
    return empty ? std::numeric_limits<uint32_t>::max() : node(child(body, 0)).span.begin;
  }

  void if_else(NodeId id, const std::string& word, uint32_t indent, uint32_t limit) {
    const bool has_else = node(id).child_count > 2;
    const uint32_t next = has_else ? node(child(id, 2)).name_span.begin : limit;
    header(word, child(id, 0), child(id, 1), indent);
    block(child(id, 1), indent + kIndent, next);
    if (!has_else) return;
    comments_before(next, indent);
    out_.append(indent, ' ');
    const NodeId other = child(id, 2);
    if (is_elif(other)) return if_else(child(other, 0), "elif ", indent, limit);
    out_ += "else:";
    end_line(node(other).name_span.end, first_in(other));
    block(other, indent + kIndent, limit);
  }

  bool is_elif(NodeId block) const {
    if (node(block).child_count != 1) return false;
    const Node& only = node(child(block, 0));
    return only.kind == NodeKind::if_else && source_.slice(only.span).substr(0, 4) == "elif";
  }

  void function(NodeId id, uint32_t indent, uint32_t limit) {
    std::vector<NodeId> parameters = children(id);
    const NodeId body = parameters.back();
    parameters.pop_back();
    size_t decorators = 0;
    for (; decorators < parameters.size(); ++decorators) {
      const NodeId it = parameters[decorators];
      if (node(it).kind != NodeKind::decorator) break;
      const uint32_t end = node(it).span.end;
      if (!holds_all(child(it, 0), end)) hoist_comments(end, indent);
      out_ += '@';
      expression(child(it, 0), kConditional, indent, 0);
      end_line(end);
      out_.append(indent, ' ');
    }
    parameters.erase(parameters.begin(),
                     parameters.begin() + static_cast<std::ptrdiff_t>(decorators));

    hoist_comments(node(id).name_span.end, indent);
    out_ += "def " + node(id).text;
    std::string line;
    for (const NodeId it : parameters) {
      if (!line.empty()) line += ", ";
      flat(line, it, kConditional);
    }
    const Span colon = node(body).name_span;
    if (!comment_before(colon.begin) && column() + line.size() + 3 <= kLineLimit) {
      out_ += "(" + line + ")";
    } else {
      group('(', parameters, ')', colon.begin, indent);
    }
    out_ += ':';
    end_line(colon.end, first_in(body));
    block(body, indent + kIndent, limit);
  }

  // --- expressions ------------------------------------------------------------------------

  Strength strength(NodeId id) const {
    const Node& it = node(id);
    switch (it.kind) {
      case NodeKind::conditional:
        return kConditional;
      case NodeKind::unary:
      case NodeKind::binary:
        return spelling(it.op).strength;
      case NodeKind::integer:
        return it.value < 0 ? kSign : kAtom;
      case NodeKind::floating:
        return it.number < 0 ? kSign : kAtom;
      case NodeKind::attribute:
      case NodeKind::call:
      case NodeKind::subscript:
        return kPostfix;
      default:
        return kAtom;
    }
  }

  // What the left and the right operand must be at least.
  static std::pair<Strength, Strength> operand_strengths(Operator op) {
    const Strength own = spelling(op).strength;
    if (op == Operator::power) return {kPostfix, kSign};
    if (own == kCompare) return {kShift, kShift};
    return {own, stronger(own)};
  }

  // An object in front of `.`: `1 .x` needs parentheses.
  Strength object_strength(NodeId object) const {
    return node(object).kind == NodeKind::integer ? stronger(kAtom) : kPostfix;
  }

  // On one line, in parentheses if it is weaker than `least`.
  void flat(std::string& out, NodeId id, Strength least) const {
    const Node& it = node(id);
    const bool parentheses = it.kind != NodeKind::tuple && strength(id) < least;
    if (parentheses) out += '(';
    switch (it.kind) {
      case NodeKind::name:
        out += it.text;
        break;
      case NodeKind::integer:
        append_integer(out, it);
        break;
      case NodeKind::floating:
        append_floating(out, it.number);
        break;
      case NodeKind::string:
        append_string(out, it);
        break;
      case NodeKind::boolean:
        out += it.value ? "True" : "False";
        break;
      case NodeKind::none:
        out += "None";
        break;
      case NodeKind::attribute:
        flat(out, child(id, 0), object_strength(child(id, 0)));
        out += '.' + it.text;
        break;
      case NodeKind::call: {
        flat(out, child(id, 0), kPostfix);
        const std::vector<NodeId> arguments = children(id, 1);
        out += '(';
        flat_items(out, arguments);
        out += ')';
        break;
      }
      case NodeKind::keyword:
        out += it.text + '=';
        flat(out, child(id, 0), kKeywordValue);
        break;
      case NodeKind::subscript:
        flat(out, child(id, 0), kPostfix);
        out += '[';
        flat_index(out, child(id, 1));
        out += ']';
        break;
      case NodeKind::slice:
        flat_slice(out, id);
        break;
      case NodeKind::tuple:
        flat_tuple(out, id, least != kBareTuple);
        break;
      case NodeKind::list:
        out += '[';
        flat_items(out, children(id));
        out += ']';
        break;
      case NodeKind::unary:
        out += spelling(it.op).text;
        flat(out, child(id, 0), spelling(it.op).strength);
        break;
      case NodeKind::binary: {
        const auto [left, right] = operand_strengths(it.op);
        flat(out, child(id, 0), left);
        out += std::string(" ") + spelling(it.op).text + ' ';
        flat(out, child(id, 1), right);
        break;
      }
      case NodeKind::conditional:
        flat(out, child(id, 0), kOr);
        out += " if ";
        flat(out, child(id, 1), kOr);
        out += " else ";
        flat(out, child(id, 2), kConditional);
        break;
      case NodeKind::parameter:
        out += it.text;
        if (!is_missing(child(id, 0))) {
          out += ": ";
          flat(out, child(id, 0), kConditional);
        }
        if (!is_missing(child(id, 1))) {
          out += is_missing(child(id, 0)) ? "=" : " = ";
          flat(out, child(id, 1), kKeywordValue);
        }
        break;
      default:
        out += source_.slice(it.span);
        break;
    }
    if (parentheses) out += ')';
  }

  void flat_items(std::string& out, const std::vector<NodeId>& items) const {
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += ", ";
      flat(out, items[i], kConditional);
    }
  }

  void flat_tuple(std::string& out, NodeId id, bool parentheses) const {
    const uint32_t count = node(id).child_count;
    parentheses |= count < 2;
    if (parentheses) out += '(';
    flat_items(out, children(id));
    if (count == 1) out += ',';
    if (parentheses) out += ')';
  }

  void flat_index(std::string& out, NodeId id) const {
    if (node(id).kind != NodeKind::tuple || node(id).child_count == 0)
      return flat(out, id, kConditional);
    flat_items(out, children(id));
    if (node(id).child_count == 1) out += ',';
  }

  void flat_slice(std::string& out, NodeId id) const {
    for (uint32_t i = 0; i < 3; ++i) {
      const NodeId part = child(id, i);
      if (i == 1 || (i == 2 && !is_missing(part))) out += ':';
      if (!is_missing(part)) flat(out, part, kConditional);
    }
  }

  // Masks keep their base.
  void append_integer(std::string& out, const Node& it) const {
    const std::string_view spelled = source_.slice(it.span).substr(0, 2);
    const int base = it.value < 0                         ? 10
                     : spelled == "0x" || spelled == "0X" ? 16
                     : spelled == "0b" || spelled == "0B" ? 2
                                                          : 10;
    char digits[72];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), it.value, base).ptr;
    if (base != 10) out += base == 16 ? "0x" : "0b";
    out.append(digits, end);
  }

  static void append_floating(std::string& out, double number) {
    char digits[64];
    std::string text(digits, std::to_chars(std::begin(digits), std::end(digits), number).ptr);
    const size_t exponent = text.find('e');
    if (exponent != std::string::npos && text[exponent + 2] == '0') text.erase(exponent + 2, 1);
    if (exponent != std::string::npos && text[exponent + 1] == '+') text.erase(exponent + 1, 1);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    out += text;
  }

  // A text over several lines that was written in triple quotes stays so.
  void append_string(std::string& out, const Node& it) const {
    const std::string_view spelled = source_.slice(it.span).substr(0, 3);
    const bool triple =
        (spelled == "\"\"\"" || spelled == "'''") && it.text.find('\n') != std::string::npos;
    out += triple ? "\"\"\"" : "\"";
    for (size_t i = 0; i < it.text.size(); ++i) {
      const char c = it.text[i];
      if (triple && c == '\n') {
        out += c;
      } else if (c == '"') {
        const bool plain = triple && i + 1 < it.text.size() && it.text[i + 1] != '"';
        out += plain ? "\"" : "\\\"";
      } else {
        append_escaped(out, c);
      }
    }
    out += triple ? "\"\"\"" : "\"";
  }

  // At the current column; breaks its brackets if it is too long or holds comments.
  // `behind`: columns that follow on its last line.
  void expression(NodeId id, Strength least, uint32_t indent, size_t behind) {
    const Node& it = node(id);
    if (!has_comments(id)) {
      std::string line;
      flat(line, id, least);
      const bool several_lines = line.find('\n') != std::string::npos;
      if (several_lines || !breakable(it.kind) || column() + line.size() + behind <= kLineLimit) {
        out_ += line;
        return;
      }
    }
    const bool parentheses = it.kind != NodeKind::tuple && strength(id) < least;
    if (parentheses) out_ += '(';
    switch (it.kind) {
      case NodeKind::call:
        expression(child(id, 0), kPostfix, indent, 1);
        group('(', children(id, 1), ')', it.span.end, indent);
        break;
      case NodeKind::list:
        group('[', children(id), ']', it.span.end, indent);
        break;
      case NodeKind::tuple:
        group('(', children(id), ')', it.span.end, indent);
        break;
      case NodeKind::keyword:
        out_ += it.text + '=';
        expression(child(id, 0), kKeywordValue, indent, behind);
        break;
      case NodeKind::attribute:
        expression(child(id, 0), object_strength(child(id, 0)), indent, it.text.size() + 1);
        out_ += '.' + it.text;
        break;
      case NodeKind::subscript: {
        std::string index;
        flat_index(index, child(id, 1));
        expression(child(id, 0), kPostfix, indent, index.size() + 2 + behind);
        out_ += '[' + index + ']';
        break;
      }
      case NodeKind::unary:
        out_ += spelling(it.op).text;
        expression(child(id, 0), spelling(it.op).strength, indent, behind);
        break;
      case NodeKind::binary: {
        const auto [left, right] = operand_strengths(it.op);
        expression(child(id, 0), left, indent, 2);
        out_ += std::string(" ") + spelling(it.op).text + ' ';
        expression(child(id, 1), right, indent, behind);
        break;
      }
      case NodeKind::conditional:
        expression(child(id, 0), kOr, indent, 3);
        out_ += " if ";
        expression(child(id, 1), kOr, indent, 5);
        out_ += " else ";
        expression(child(id, 2), kConditional, indent, behind);
        break;
      default:
        flat(out_, id, least);
        break;
    }
    if (parentheses) out_ += ')';
  }

  static bool breakable(NodeKind kind) {
    return kind == NodeKind::call || kind == NodeKind::list || kind == NodeKind::tuple ||
           kind == NodeKind::keyword || kind == NodeKind::attribute ||
           kind == NodeKind::subscript || kind == NodeKind::unary || kind == NodeKind::binary ||
           kind == NodeKind::conditional;
  }

  // One item a line. Takes every comment up to `end`.
  void group(char open, const std::vector<NodeId>& items, char close, uint32_t end,
             uint32_t indent) {
    out_ += open;
    if (items.empty() && !comment_before(end)) {
      out_ += close;
      return;
    }
    const uint32_t inner = indent + kIndent;
    for (size_t i = 0; i < items.size(); ++i) {
      const Span span = node(items[i]).span;
      const uint32_t next = i + 1 < items.size() ? node(items[i + 1]).span.begin : end;
      new_line(inner);
      hoist_comments(span.begin, inner);
      if (!holds_all(items[i], span.end)) hoist_comments(span.end, inner);
      expression(items[i], kConditional, inner, 1);
      out_ += ',';
      if (comment_before(next) && !tree_.comments[next_].own_line) out_ += "  " + comment_text();
    }
    while (comment_before(end)) {
      new_line(inner);
      out_ += comment_text();
    }
    new_line(indent);
    out_ += close;
  }

  const SourceText& source_;
  const Tree& tree_;
  const size_t comment_count_;
  const bool keep_blank_lines_;
  size_t next_ = 0;          // the first comment that is not printed yet
  bool block_start_ = true;  // nothing printed yet in this block
  std::string out_;
};

}  // namespace

std::string print(const SourceText& source, const Tree& tree) {
  return Printer(source, tree, true).run();
}

std::string print_without_comments(const SourceText& source, const Tree& tree) {
  return Printer(source, tree, false).run();
}

}  // namespace bakery
