// SPDX-License-Identifier: Apache-2.0
// Recursive descent over the tokens. After a problem the parser stands at the end of its
// line: every construct that was open finishes with what it has, and reading goes on below.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "core_ir/lexer.h"
#include "core_ir/syntax.h"

namespace bakery {
namespace {

// Binding strength of binary operators; `not` and the unary signs stand between.
enum Strength { kOr = 2, kAnd, kNot, kCompare, kShift, kSum, kProduct, kSign, kPower };

struct BinaryOperator {
  std::string_view text;
  Operator op;
  int strength;
};

constexpr BinaryOperator kBinaryOperators[] = {
    {"or", Operator::logical_or, kOr},
    {"and", Operator::logical_and, kAnd},
    {"==", Operator::eq, kCompare},
    {"!=", Operator::ne, kCompare},
    {"<", Operator::lt, kCompare},
    {"<=", Operator::le, kCompare},
    {">", Operator::gt, kCompare},
    {">=", Operator::ge, kCompare},
    {"<<", Operator::shift_left, kShift},
    {">>", Operator::shift_right, kShift},
    {"+", Operator::add, kSum},
    {"-", Operator::sub, kSum},
    {"*", Operator::mul, kProduct},
    {"/", Operator::div, kProduct},
    {"//", Operator::floor_div, kProduct},
    {"%", Operator::mod, kProduct},
};

// Left-leaning chains (`a + b + …`, `a.b.c…`) nest the tree without brackets.
constexpr uint32_t kMaxHeight = 500;

class Parser {
 public:
  explicit Parser(const SourceText& source)
      : text_(source.text()), stream_(tokenize(source)), tokens_(stream_.tokens) {}

  Tree run() {
    std::vector<NodeId> statements;
    read_statements(statements);
    const NodeId root = add(NodeKind::module, 0, statements);
    tree_.nodes[root].span.end = static_cast<uint32_t>(text_.size());
    tree_.root = root;
    tree_.comments = std::move(stream_.comments);
    auto& problems = tree_.problems;
    problems.insert(problems.end(), std::make_move_iterator(stream_.problems.begin()),
                    std::make_move_iterator(stream_.problems.end()));
    std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
      return a.span.begin < b.span.begin;
    });
    if (problems.size() > Tree::kMaxProblems) problems.resize(Tree::kMaxProblems);
    return std::move(tree_);
  }

 private:
  // --- tokens -----------------------------------------------------------------------------

  const Token& here() const { return tokens_[pos_]; }
  const Token& ahead(size_t count) const {
    return tokens_[std::min(pos_ + count, tokens_.size() - 1)];
  }
  std::string_view slice(Span span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }
  std::string_view text() const { return slice(here().span); }
  bool at(TokenKind kind) const { return here().kind == kind; }
  static bool is_fixed(TokenKind kind) {
    return kind == TokenKind::symbol || kind == TokenKind::keyword;
  }
  bool at(std::string_view fixed) const { return is_fixed(here().kind) && text() == fixed; }
  bool at_line_end() const {
    return at(TokenKind::newline) || at(TokenKind::end) || at(TokenKind::indent) ||
           at(TokenKind::dedent);
  }
  bool full() const { return tree_.problems.size() >= Tree::kMaxProblems; }

  void advance() {
    if (at_line_end()) return;
    last_ = here().span;
    ++pos_;
  }
  bool eat(std::string_view fixed) {
    if (!at(fixed)) return false;
    advance();
    return true;
  }
  void to_line_end() {
    while (!at_line_end()) advance();
  }

  // --- problems ---------------------------------------------------------------------------

  void report(Span span, std::string message, std::string note = {}) {
    if (!full()) tree_.problems.push_back({span, std::move(message), std::move(note)});
  }

  // Reports unless the cause is already reported, and gives the rest of the line up.
  void fail(Span span, std::string message, std::string note = {}) {
    if (failed_) return;
    const bool known = at(TokenKind::bad) || (brackets_ > 0 && at_line_end());
    if (!known) report(span, std::move(message), std::move(note));
    give_up();
  }
  void give_up() {
    failed_ = true;
    to_line_end();
  }

  // Reports a word or symbol of Python that the language does without.
  bool fail_if_outside() {
    if (!is_fixed(here().kind)) return false;
    const std::string_view instead = instead_of(text());
    if (instead.empty()) return false;
    fail(here().span, quoted(text()) + " is not part of CAKE IR; " + std::string(instead));
    return true;
  }

  void fail_expected(std::string_view what) {
    if (at_line_end())
      return fail(last_, "expected " + std::string(what) + " after " + quoted(slice(last_)));
    if (fail_if_outside()) return;
    fail(here().span, "expected " + std::string(what) + " before " + quoted(text()));
  }

  // --- tree -------------------------------------------------------------------------------

  NodeId add(NodeKind kind, uint32_t begin, const std::vector<NodeId>& children = {}) {
    Node node;
    node.kind = kind;
    node.span = {begin, std::max(begin, last_.end)};
    node.first_child = static_cast<uint32_t>(tree_.children.size());
    node.child_count = static_cast<uint32_t>(children.size());
    uint32_t height = 0;
    for (const NodeId child : children) height = std::max(height, heights_[child] + 1);
    tree_.children.insert(tree_.children.end(), children.begin(), children.end());
    tree_.nodes.push_back(std::move(node));
    heights_.push_back(height);
    return static_cast<NodeId>(tree_.nodes.size() - 1);
  }
  NodeId add(NodeKind kind, uint32_t begin, Operator op, const std::vector<NodeId>& children) {
    const NodeId id = add(kind, begin, children);
    tree_.nodes[id].op = op;
    return id;
  }
  NodeId add_missing() {
    const NodeId id = add(NodeKind::none, last_.end);
    tree_.nodes[id].span = {last_.end, last_.end};
    return id;
  }
  NodeKind kind(NodeId id) const { return tree_.nodes[id].kind; }

  // Gives a chain up before it nests the tree too deeply.
  bool too_high(NodeId id) {
    if (heights_[id] < kMaxHeight) return false;
    fail(here().span, "this expression is too long; name its parts");
    return true;
  }

  // One level of nesting; `ok` is false beyond the limit.
  struct Nesting {
    explicit Nesting(Parser& parser) : parser(parser), ok(++parser.nesting_ <= kMaxNesting) {
      if (!ok) parser.fail(parser.here().span, "nested more than 100 levels deep");
    }
    ~Nesting() { --parser.nesting_; }
    Parser& parser;
    bool ok;
  };

  NodeId fail_as_error(std::string_view what) {
    const uint32_t begin = at_line_end() ? last_.end : here().span.begin;
    fail_expected(what);
    return add(NodeKind::error, begin);
  }

  // --- expressions ------------------------------------------------------------------------

  NodeId expression() {
    const uint32_t begin = here().span.begin;
    const Nesting level(*this);
    if (!level.ok) return add(NodeKind::error, begin);
    const NodeId value = binary(kOr);
    if (!at("if")) return value;
    advance();
    const NodeId condition = binary(kOr);
    if (!eat("else")) fail_expected("`else`");
    const NodeId other = expression();
    return add(NodeKind::conditional, begin, {value, condition, other});
  }

  const BinaryOperator* binary_operator() const {
    if (!is_fixed(here().kind)) return nullptr;
    constexpr std::string_view kStarts = "oa=!<>+-*/%";
    if (kStarts.find(text_[here().span.begin]) == std::string_view::npos) return nullptr;
    for (const BinaryOperator& candidate : kBinaryOperators)
      if (text() == candidate.text) return &candidate;
    return nullptr;
  }

  NodeId binary(int weakest) {
    const uint32_t begin = here().span.begin;
    NodeId left = at("not") ? logical_not(weakest) : unary();
    bool compared = false;
    while (const BinaryOperator* found = binary_operator()) {
      if (found->strength < weakest) break;
      if (found->strength == kCompare && std::exchange(compared, true)) {
        fail(here().span, "chained comparisons are not part of CAKE IR; join two with `and`");
        break;
      }
      if (found->strength < kCompare) compared = false;
      if (too_high(left)) break;
      advance();
      const NodeId right = binary(found->strength + 1);
      left = add(NodeKind::binary, begin, found->op, {left, right});
    }
    return left;
  }

  NodeId logical_not(int weakest) {
    const uint32_t begin = here().span.begin;
    const Nesting level(*this);
    if (!level.ok) return add(NodeKind::error, begin);
    if (weakest > kNot) {
      fail(here().span, "`not` needs parentheses here");
      return add(NodeKind::error, begin);
    }
    advance();
    const NodeId operand = binary(kNot);
    return add(NodeKind::unary, begin, Operator::logical_not, {operand});
  }

  NodeId unary() {
    const uint32_t begin = here().span.begin;
    if (at("-") || at("+")) {
      const Operator op = at("-") ? Operator::negate : Operator::plus;
      const Nesting level(*this);
      if (!level.ok) return add(NodeKind::error, begin);
      advance();
      const NodeId operand = unary();
      return add(NodeKind::unary, begin, op, {operand});
    }
    const NodeId base = postfix();
    if (!at("**")) return base;
    const Nesting level(*this);
    if (!level.ok) return base;
    advance();
    const NodeId exponent = unary();
    return add(NodeKind::binary, begin, Operator::power, {base, exponent});
  }

  NodeId postfix() {
    const uint32_t begin = here().span.begin;
    NodeId value = atom();
    while (!failed_ && (at(".") || at("(") || at("[")) && !too_high(value)) {
      if (at(".")) {
        value = attribute(value, begin);
      } else if (at("(")) {
        value = call(value, begin);
      } else {
        value = subscript(value, begin);
      }
    }
    return value;
  }

  NodeId attribute(NodeId object, uint32_t begin) {
    advance();
    Span name{last_.end, last_.end};
    if (at(TokenKind::name)) {
      name = here().span;
      advance();
    } else {
      fail_expected("a name");
    }
    const NodeId id = add(NodeKind::attribute, begin, {object});
    tree_.nodes[id].text = slice(name);
    tree_.nodes[id].name_span = name;
    return id;
  }

  void close(std::string_view bracket, std::string_view expected) {
    if (!eat(bracket)) {
      if (at(")") || at("]") || at("}")) give_up();  // the lexer reported the open bracket
      fail_expected(expected);
    }
    --brackets_;
  }

  bool fail_if_comprehension() {
    if (!at("for") && !at("async")) return false;
    fail(here().span, "comprehensions are not part of CAKE IR; write the items out");
    return true;
  }

  NodeId call(NodeId callee, uint32_t begin) {
    std::vector<NodeId> children{callee};
    bool named = false;
    advance();
    ++brackets_;
    while (!failed_ && !at(")")) {
      const Token& first = here();
      if (first.kind == TokenKind::name && is_symbol(ahead(1), "=")) {
        advance();
        advance();
        const NodeId value = expression();
        const NodeId id = add(NodeKind::keyword, first.span.begin, {value});
        tree_.nodes[id].text = slice(first.span);
        tree_.nodes[id].name_span = first.span;
        children.push_back(id);
        named = true;
      } else {
        children.push_back(expression());
        const Span span = tree_.nodes[children.back()].span;
        if (named && !failed_ && !at("for") && !at("="))
          report(span, "a positional argument can't follow a keyword argument");
      }
      if (fail_if_comprehension() || !eat(",")) break;
    }
    close(")", "`,` or `)`");
    return add(NodeKind::call, begin, children);
  }

  bool is_symbol(const Token& token, std::string_view symbol) const {
    return token.kind == TokenKind::symbol && slice(token.span) == symbol;
  }

  NodeId subscript(NodeId object, uint32_t begin) {
    advance();
    ++brackets_;
    const uint32_t index_begin = here().span.begin;
    NodeId index = index_item();
    if (at(",")) {
      std::vector<NodeId> items{index};
      while (!failed_ && eat(",") && !at("]")) items.push_back(index_item());
      index = add(NodeKind::tuple, index_begin, items);
    }
    close("]", "`,` or `]`");
    return add(NodeKind::subscript, begin, {object, index});
  }

  NodeId index_item() {
    const uint32_t begin = here().span.begin;
    const NodeId first = at(":") ? add_missing() : expression();
    if (!eat(":")) return first;
    const auto part = [&] { return at(":") || at("]") || at(",") ? add_missing() : expression(); };
    const NodeId last = part();
    const NodeId step = eat(":") ? part() : add_missing();
    return add(NodeKind::slice, begin, {first, last, step});
  }

  NodeId atom() {
    const uint32_t begin = here().span.begin;
    switch (here().kind) {
      case TokenKind::name: {
        const std::string_view word = text();
        advance();
        const NodeId id = add(NodeKind::name, begin);
        tree_.nodes[id].text = word;
        tree_.nodes[id].name_span = last_;
        return id;
      }
      case TokenKind::integer: {
        const std::optional<int64_t> value = integer_value(text());
        if (!value) report(here().span, quoted(text()) + " does not fit in 64 bits");
        advance();
        const NodeId id = add(NodeKind::integer, begin);
        tree_.nodes[id].value = value.value_or(0);
        return id;
      }
      case TokenKind::floating: {
        const std::optional<double> value = floating_value(text());
        if (!value) report(here().span, quoted(text()) + " is out of a float's range");
        advance();
        const NodeId id = add(NodeKind::floating, begin);
        tree_.nodes[id].number = value.value_or(0);
        return id;
      }
      case TokenKind::string:
        return string();
      case TokenKind::symbol:
        if (at("(")) return parentheses();
        if (at("[")) return list();
        if (at("{")) {
          fail(here().span, "dictionaries and sets are not part of CAKE IR; use a tuple or a list");
          return add(NodeKind::error, begin);
        }
        if (at("*") || at("**")) {
          fail(here().span, "star arguments are not part of CAKE IR; write the items out");
          return add(NodeKind::error, begin);
        }
        if (at("...")) {
          fail(here().span, "`...` stands for code that was left out; write it, or `pass`");
          return add(NodeKind::error, begin);
        }
        break;
      case TokenKind::keyword:
        if (at("True") || at("False") || at("None")) {
          const NodeKind kind = at("None") ? NodeKind::none : NodeKind::boolean;
          const bool value = at("True");
          advance();
          const NodeId id = add(kind, begin);
          tree_.nodes[id].value = value;
          return id;
        }
        break;
      default:
        break;
    }
    return fail_as_error("an expression");
  }

  NodeId string() {
    const uint32_t begin = here().span.begin;
    std::string value;
    for (; at(TokenKind::string); advance())
      value += string_value(text(), here().span.begin, tree_.problems);
    const NodeId id = add(NodeKind::string, begin);
    tree_.nodes[id].text = std::move(value);
    return id;
  }

  NodeId parentheses() {
    const uint32_t begin = here().span.begin;
    advance();
    ++brackets_;
    std::vector<NodeId> items;
    bool tuple = at(")");
    while (!failed_ && !at(")")) {
      items.push_back(expression());
      if (fail_if_comprehension() || !eat(",")) break;
      tuple = true;
    }
    close(")", tuple ? "`,` or `)`" : "`)`");
    return tuple || items.empty() ? add(NodeKind::tuple, begin, items) : items[0];
  }

  NodeId list() {
    const uint32_t begin = here().span.begin;
    advance();
    ++brackets_;
    std::vector<NodeId> items;
    while (!failed_ && !at("]")) {
      items.push_back(expression());
      if (fail_if_comprehension() || !eat(",")) break;
    }
    close("]", "`,` or `]`");
    return add(NodeKind::list, begin, items);
  }

  // An expression, or several as a tuple without parentheses.
  NodeId expressions() {
    const uint32_t begin = here().span.begin;
    const NodeId first = expression();
    if (!at(",")) return first;
    std::vector<NodeId> items{first};
    while (!failed_ && eat(",") && !at_line_end() && !at("=") && !at(":"))
      items.push_back(expression());
    return add(NodeKind::tuple, begin, items);
  }

  // --- statements -------------------------------------------------------------------------

  // Statements up to the dedent that ends their block, which is not read.
  void read_statements(std::vector<NodeId>& out) {
    int extra = 0;  // indentations that belong to no block
    while (!at(TokenKind::end) && !full()) {
      if (at(TokenKind::indent)) {
        if (!failed_) report(here().span, "unexpected indentation");
        ++extra;
        advance_layout();
      } else if (at(TokenKind::dedent)) {
        if (extra == 0) return;
        --extra;
        advance_layout();
      } else {
        out.push_back(statement());
      }
    }
  }

  void advance_layout() {
    if (!at(TokenKind::end)) ++pos_;
  }

  NodeId statement() {
    failed_ = false;
    const uint32_t begin = here().span.begin;
    if (at("@") || at("def")) return function();
    if (at("with")) return with();
    if (at("for")) return for_loop();
    if (at("if")) return if_else();
    if (at("elif") || at("else")) {
      fail(here().span, quoted(text()) + " has no `if` above it");
      return skip_with_suite(begin);
    }
    if (at(TokenKind::keyword) && starts_outside_statement()) return outside_statement();
    const NodeId id = simple_statement();
    end_line();
    return id;
  }

  bool starts_outside_statement() const {
    return !at("not") && !at("True") && !at("False") && !at("None") && !at("pass") &&
           !at("lambda") && !at("await") && !at("and") && !at("or");
  }

  NodeId outside_statement() {
    const uint32_t begin = here().span.begin;
    const bool attempt = at("try");
    fail_expected("a statement");
    NodeId id = skip_with_suite(begin);
    while (attempt && (at("except") || at("finally") || at("else"))) {
      to_line_end();
      id = skip_with_suite(begin);
    }
    return id;
  }

  // Ends a line that is given up, together with the block below it.
  NodeId skip_with_suite(uint32_t begin) {
    to_line_end();
    advance_layout();
    if (at(TokenKind::indent)) {
      advance_layout();
      skip_block();
    }
    return add(NodeKind::error, begin);
  }

  // From inside a block to behind its dedent.
  void skip_block() {
    for (int depth = 1; depth > 0 && !at(TokenKind::end);) {
      depth += at(TokenKind::indent) - at(TokenKind::dedent);
      if (at_line_end()) {
        advance_layout();
      } else {
        advance();
      }
    }
  }

  void end_line() {
    if (!at_line_end()) {
      if (!fail_if_outside()) fail(here().span, "unexpected " + quoted(text()));
    }
    advance_layout();
  }

  NodeId simple_statement() {
    const uint32_t begin = here().span.begin;
    if (eat("pass")) return add(NodeKind::pass, begin);
    const NodeId value = expressions();
    if (at("=")) {
      check_target(value);
      advance();
      const NodeId assigned = expressions();
      if (at("="))
        fail(here().span, "chained assignment is not part of CAKE IR; write one assignment a line");
      return add(NodeKind::assign, begin, {value, assigned});
    }
    if (const std::optional<Operator> op = augmented_operator())
      return augmented(value, begin, *op);
    if (at(":") && (kind(value) == NodeKind::name || kind(value) == NodeKind::attribute) &&
        ahead(1).kind != TokenKind::newline)
      fail(here().span, "annotated assignment is not part of CAKE IR; write `name = value`");
    return add(NodeKind::expression, begin, {value});
  }

  std::optional<Operator> augmented_operator() const {
    const std::string_view token = text();
    if (here().kind != TokenKind::symbol || token.size() < 2 || token.back() != '=')
      return std::nullopt;
    const std::string_view plain = token.substr(0, token.size() - 1);
    if (plain == "**") return Operator::power;
    for (const BinaryOperator& candidate : kBinaryOperators)
      if (candidate.strength > kCompare && candidate.text == plain) return candidate.op;
    return std::nullopt;
  }

  // `x += 1` is `x = x + 1`.
  NodeId augmented(NodeId target, uint32_t begin, Operator op) {
    if (kind(target) != NodeKind::name)
      fail(tree_.nodes[target].span, "only a name can be changed with " + quoted(text()));
    advance();
    const NodeId operand = expressions();
    const Node name = tree_.nodes[target];
    const NodeId again = add(NodeKind::name, begin);
    tree_.nodes[again].span = name.span;
    tree_.nodes[again].name_span = name.name_span;
    tree_.nodes[again].text = name.text;
    const NodeId value = add(NodeKind::binary, begin, op, {again, operand});
    return add(NodeKind::assign, begin, {target, value});
  }

  void check_target(NodeId target) {
    const NodeKind found = kind(target);
    if (found == NodeKind::tuple) {
      const Node& tuple = tree_.nodes[target];
      for (uint32_t i = 0; i < tuple.child_count && !failed_; ++i)
        check_target(tree_.child(target, i));
      return;
    }
    if (found == NodeKind::name || found == NodeKind::attribute || found == NodeKind::subscript ||
        found == NodeKind::error)
      return;
    fail(tree_.nodes[target].span, "only a name or a tuple of names can be assigned");
  }

  // `:` and the statements under a header. The block's name_span is the colon.
  NodeId block(std::string_view keyword) {
    const Span header = last_;
    Span colon{last_.end, last_.end};
    if (at(":")) {
      colon = here().span;
      advance();
    } else {
      fail_expected("`:`");
    }
    std::vector<NodeId> statements;
    if (!at_line_end()) {
      statements.push_back(inline_statement());
    } else {
      advance_layout();
      if (at(TokenKind::indent)) {
        advance_layout();
        nested_block(statements);
      } else if (!failed_) {
        const Span span = colon.end > colon.begin ? colon : header;
        report(span, quoted(keyword) + " needs an indented body; use `pass` for an empty one");
      }
    }
    const uint32_t begin = statements.empty() ? last_.end : tree_.nodes[statements[0]].span.begin;
    const NodeId id = add(NodeKind::block, begin, statements);
    tree_.nodes[id].name_span = colon;
    return id;
  }

  void nested_block(std::vector<NodeId>& statements) {
    const Nesting level(*this);
    if (level.ok) {
      failed_ = false;
      read_statements(statements);
      if (at(TokenKind::dedent)) advance_layout();
      return;
    }
    skip_block();
  }

  NodeId inline_statement() {
    const uint32_t begin = here().span.begin;
    if (at("def") || at("with") || at("for") || at("if") || at("@")) {
      fail(here().span, quoted(text()) + " can't follow `:`; write it on the next line");
      return skip_with_suite(begin);
    }
    const NodeId id = simple_statement();
    end_line();
    return id;
  }

  NodeId function() {
    const uint32_t begin = here().span.begin;
    std::vector<NodeId> children;
    while (at("@")) {
      const uint32_t decorator = here().span.begin;
      const Span sign = here().span;
      advance();
      const NodeId value = expression();
      children.push_back(add(NodeKind::decorator, decorator, {value}));
      if (!failed_ && !at_line_end()) fail(here().span, "unexpected " + quoted(text()));
      advance_layout();
      if (at("@") || at("def")) continue;
      if (!failed_ && !at("class")) report(sign, "a decorator must stand directly above a `def`");
      return add(NodeKind::error, begin);
    }
    failed_ = false;
    advance();
    Span name{last_.end, last_.end};
    if (at(TokenKind::name)) {
      name = here().span;
      advance();
    } else {
      fail_expected("a name");
    }
    parameters(children);
    children.push_back(block("def"));
    const NodeId id = add(NodeKind::function, begin, children);
    tree_.nodes[id].text = slice(name);
    tree_.nodes[id].name_span = name;
    return id;
  }

  void parameters(std::vector<NodeId>& out) {
    if (!eat("(")) return fail_expected("`(`");
    ++brackets_;
    while (!failed_ && !at(")")) {
      const Span name = here().span;
      if (at("*") || at("**") || at("/")) {
        fail(name, "star parameters are not part of CAKE IR; name each parameter");
        break;
      }
      if (!at(TokenKind::name)) {
        fail_expected("a parameter");
        break;
      }
      advance();
      const NodeId annotation = eat(":") ? expression() : add_missing();
      const NodeId value = eat("=") ? expression() : add_missing();
      const NodeId id = add(NodeKind::parameter, name.begin, {annotation, value});
      tree_.nodes[id].text = slice(name);
      tree_.nodes[id].name_span = name;
      out.push_back(id);
      if (!eat(",")) break;
    }
    close(")", "`,` or `)`");
  }

  NodeId with() {
    const uint32_t begin = here().span.begin;
    advance();
    const NodeId context = expression();
    if (at(",")) fail(here().span, "`with` takes one role or condition");
    const NodeId body = block("with");
    return add(NodeKind::with, begin, {context, body});
  }

  NodeId for_loop() {
    const uint32_t begin = here().span.begin;
    advance();
    const uint32_t target_begin = here().span.begin;
    NodeId target = postfix();
    if (at(",")) {
      std::vector<NodeId> items{target};
      while (!failed_ && eat(",") && !at("in")) items.push_back(postfix());
      target = add(NodeKind::tuple, target_begin, items);
    }
    if (!failed_) check_target(target);
    if (!eat("in")) fail_expected("`in`");
    const NodeId iterable = expressions();
    const NodeId body = block("for");
    const NodeId id = add(NodeKind::for_loop, begin, {target, iterable, body});
    if (at("else")) {
      failed_ = false;
      fail(here().span, "`else` of a loop is not part of CAKE IR; write it below the loop");
      skip_with_suite(begin);
    }
    return id;
  }

  // An `elif` is an `if_else` alone in the else block, and its span begins at `elif`.
  NodeId if_else() {
    struct Branch {
      uint32_t begin;
      std::vector<NodeId> children;
    };
    std::vector<Branch> branches;
    do {
      branches.push_back({here().span.begin, {}});
      failed_ = false;
      advance();
      branches.back().children.push_back(expression());
      branches.back().children.push_back(block("if"));
    } while (at("elif") && branches.size() < kMaxNesting);
    if (at("elif")) {
      failed_ = false;
      fail(here().span, "more than 100 branches in one `if`");
      do skip_with_suite(here().span.begin);
      while (at("elif"));
    }
    if (at("else")) {
      failed_ = false;
      advance();
      if (at("if")) fail(here().span, "`else if` is written `elif`");
      branches.back().children.push_back(block("else"));
    }
    while (true) {
      const NodeId id = add(NodeKind::if_else, branches.back().begin, branches.back().children);
      branches.pop_back();
      if (branches.empty()) return id;
      const uint32_t begin = tree_.nodes[id].span.begin;
      const NodeId other = add(NodeKind::block, begin, {id});
      tree_.nodes[other].name_span = {begin, begin};
      branches.back().children.push_back(other);
    }
  }

  std::string_view text_;
  TokenStream stream_;
  const std::vector<Token>& tokens_;
  size_t pos_ = 0;
  Span last_;            // of the last token read, layout aside
  bool failed_ = false;  // the rest of this line is given up
  int brackets_ = 0;
  int nesting_ = 0;
  Tree tree_;
  std::vector<uint32_t> heights_;  // of each node's subtree
};

}  // namespace

Tree parse(const SourceText& source) { return Parser(source).run(); }

}  // namespace bakery
