// SPDX-License-Identifier: Apache-2.0
// The parser and the canonical printer.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "core_ir/finding.h"
#include "core_ir/lexer.h"
#include "core_ir/source.h"
#include "core_ir/syntax.h"

namespace bakery {
namespace {

constexpr uint32_t kSeed = 20240611;

const char* const kFragment = R"(@cake.schedule()
def fmha_fwd(lm, Q: LM.tma3d, O: LM.tma2d, seqlen_q: LM.i32):
    # declare resources: named resources, not raw addresses
    pool     = lm.smem(98304)
    smem_q   = pool.view(offset=0, shape=(128,128), dtype=lm.bf16, stage=3)
    tmem_acc = lm.tmem(cols=0, width=128, shape=(128,128), dtype=lm.f32)

    # declare roles: warp groups with assigned work
    load = lm.role(warps=[0])
    mma  = lm.role(warps=[1])
    pipe = lm.pipeline(stages=3)
    q_full = lm.barrier(count=3, prod=[load], cons=[mma],
                        init_count=1, pipeline=pipe)

    with load:
        for stage in lm.range(0, 3):
            smem_q.tma_load(Q, coords=(0,0,stage), stage=stage, barrier=q_full)

    with mma:
        for stage in lm.range(0, 3):
            lm.wait(q_full, stage=stage)
            lm.fence_proxy()
            lm.mma(tmem_acc, smem_q[stage], smem_q[stage], init=(stage == 0))
)";

const char* const kGemm = R"(@cake.schedule(target="sm_90a")
def gemm(lm, A: LM.tma2d, B: LM.tma2d, C: LM.tma2d, M: LM.i32, N: LM.i32, K: LM.i32):
    BM, BN, BK = 128, 256, 64
    S = lm.tunable("stages", 4, choices=[3, 4])

    pool  = lm.smem(S * 49152 + 32768)
    a_s   = pool.view(offset=0,         shape=(BM, BK), dtype=lm.bf16, stage=S, swizzle=128)
    b_s   = pool.view(offset=S * 16384, shape=(BN, BK), dtype=lm.bf16, stage=S, swizzle=128)
    c_s   = pool.view(offset=S * 49152, shape=(BM, 64), dtype=lm.bf16, stage=2, swizzle=128)

    load  = lm.role(warps=[0], regs=40)
    mma   = lm.role(warps=range(4, 12), regs=232)        # two warpgroups, 64 rows each
    pipe  = lm.pipeline(stages=S)
    full  = lm.barrier(count=S, prod=[load], cons=[mma], init_count=1, pipeline=pipe)
    empty = lm.barrier(count=S, prod=[mma], cons=[load], init_count=2, pipeline=pipe, free=True)
    lm.assume(M % 8 == 0, N % 8 == 0, K >= 8, K % 8 == 0)
    tiles = lm.tiles(lm.cdiv(M, BM), lm.cdiv(N, BN), order="grouped", group=8)   # persistent

    with load:
        for m, n in tiles:
            for k in lm.range(0, lm.cdiv(K, BK)):
                s = pipe.next()                          # this role's running use, mod stages
                lm.wait(empty, stage=s)
                a_s.tma_load(A, coords=(k * BK, m * BM), stage=s, barrier=full)
                b_s.tma_load(B, coords=(k * BK, n * BN), stage=s, barrier=full)

    with mma:
        acc = lm.frag(shape=(BM, BN), dtype=lm.f32)
        for m, n in tiles:
            for k in lm.range(0, lm.cdiv(K, BK)):
                s = pipe.next()
                lm.wait(full, stage=s)
                lm.mma(acc, a_s[s], b_s[s], init=(k == 0))
                lm.mma_wait(pending=1)                   # the previous slot's reads are done
                lm.arrive(empty, stage=pipe.previous(), when=(k > 0))
            ...                                          # drain, release, convert, store
)";

SourceText text_of(std::string text) { return SourceText("test.cake", std::move(text)); }

const char* kind_name(NodeKind kind) {
  static const char* const names[] = {"error", "name",      "int",   "float",  "string", "bool",
                                      "none",  "attr",      "call",  "kw",     "sub",    "slice",
                                      "tuple", "list",      "unary", "binary", "cond",   "module",
                                      "def",   "decorator", "param", "assign", "expr",   "with",
                                      "for",   "if",        "pass",  "block"};
  return names[static_cast<int>(kind)];
}

const char* operator_name(Operator op) {
  static const char* const names[] = {"none", "+",  "-",   "*",  "/",   "//",  "%",
                                      "**",   "<<", ">>",  "==", "!=",  "<",   "<=",
                                      ">",    ">=", "and", "or", "not", "neg", "pos"};
  return names[static_cast<int>(op)];
}

// The structure without spans; two trees are the same if their dumps are.
void dump(const Tree& tree, NodeId id, std::string& out) {
  const Node& node = tree[id];
  if (node.kind == NodeKind::none && node.span.begin == node.span.end) {
    out += "_";
    return;
  }
  out += "(";
  out += node.op != Operator::none ? operator_name(node.op) : kind_name(node.kind);
  if (node.kind == NodeKind::integer || node.kind == NodeKind::boolean)
    out += " " + std::to_string(node.value);
  if (node.kind == NodeKind::floating) {
    char digits[40];
    std::snprintf(digits, sizeof digits, " %.17g", node.number);
    out += digits;
  }
  if (node.kind == NodeKind::string)
    out += " '" + node.text + "'";
  else if (!node.text.empty())
    out += " " + node.text;
  for (uint32_t i = 0; i < node.child_count; ++i) {
    out += " ";
    dump(tree, tree.child(id, i), out);
  }
  out += ")";
}

std::string dump(const Tree& tree) {
  std::string out;
  dump(tree, tree.root, out);
  return out;
}

// Dump of the only statement of a text without problems.
std::string dump_statement(const std::string& text) {
  const SourceText source = text_of(text);
  const Tree tree = parse(source);
  for (const Problem& problem : tree.problems) ADD_FAILURE() << text << ": " << problem.message;
  if (tree[tree.root].child_count != 1) return "not one statement";
  std::string out;
  dump(tree, tree.child(tree.root, 0), out);
  return out;
}

std::string formatted(const std::string& text) {
  const SourceText source = text_of(text);
  const Tree tree = parse(source);
  for (const Problem& problem : tree.problems) ADD_FAILURE() << text << ": " << problem.message;
  return print(source, tree);
}

std::vector<std::string> comments_of(const SourceText& source, const Tree& tree) {
  std::vector<std::string> out;
  for (const Comment& comment : tree.comments) {
    std::string_view text = source.slice(comment.span);
    out.emplace_back(text.substr(0, text.find_last_not_of(" \t\r\f\v") + 1));
  }
  return out;
}

// Every tree: spans inside the text, children inside their parent, at most kMaxProblems.
void expect_sound(const SourceText& source, const Tree& tree) {
  ASSERT_NE(tree.root, kNoNode);
  ASSERT_EQ(tree[tree.root].kind, NodeKind::module);
  ASSERT_LE(tree.problems.size(), Tree::kMaxProblems);
  const size_t size = source.text().size();
  uint32_t before = 0;
  for (const Problem& problem : tree.problems) {
    ASSERT_LE(problem.span.begin, problem.span.end);
    ASSERT_LE(problem.span.end, size);
    ASSERT_GE(problem.span.begin, before);
    ASSERT_FALSE(problem.message.empty());
    ASSERT_EQ(find_invalid_utf8(problem.message), std::string_view::npos);
    before = problem.span.begin;
  }
  for (NodeId id = 0; id < tree.nodes.size(); ++id) {
    const Node& node = tree[id];
    ASSERT_LE(node.span.begin, node.span.end);
    ASSERT_LE(node.span.end, size);
    for (uint32_t i = 0; i < node.child_count; ++i) {
      const Node& child = tree[tree.child(id, i)];
      ASSERT_GE(child.span.begin, node.span.begin);
      ASSERT_LE(child.span.end, node.span.end);
    }
  }
}

// What printing promises for a text without problems.
void expect_print_properties(const std::string& text) {
  const SourceText source = text_of(text);
  const Tree tree = parse(source);
  ASSERT_TRUE(tree.problems.empty()) << text << "\n" << tree.problems[0].message;
  const SourceText once = text_of(print(source, tree));
  const Tree again = parse(once);
  ASSERT_TRUE(again.problems.empty()) << text << "\n---\n"
                                      << once.text() << again.problems[0].message;
  EXPECT_EQ(dump(again), dump(tree)) << text << "\n---\n" << once.text();
  EXPECT_EQ(print(once, again), once.text()) << text;
  EXPECT_EQ(comments_of(once, again), comments_of(source, tree)) << text << "\n---\n"
                                                                 << once.text();
  const std::string bare = print_without_comments(source, tree);
  EXPECT_EQ(print_without_comments(once, again), bare) << text;
  const SourceText bare_source = text_of(bare);
  const Tree bare_tree = parse(bare_source);
  EXPECT_EQ(dump(bare_tree), dump(tree)) << bare;
  EXPECT_TRUE(bare_tree.comments.empty());
  EXPECT_EQ(print(bare_source, bare_tree), bare);
}

TEST(Parser, Structure) {
  const struct {
    const char* text;
    const char* structure;
  } cases[] = {
      {"x = 1", "(assign (name x) (int 1))"},
      {"a, b = b, 2", "(assign (tuple (name a) (name b)) (tuple (name b) (int 2)))"},
      {"x += y * 2", "(assign (name x) (+ (name x) (* (name y) (int 2))))"},
      {"x **= 2", "(assign (name x) (** (name x) (int 2)))"},
      {"0xFF", "(expr (int 255))"},
      {"0b1_01", "(expr (int 5))"},
      {"1_000", "(expr (int 1000))"},
      {"9223372036854775807", "(expr (int 9223372036854775807))"},
      {"1.5e-3", "(expr (float 0.0015))"},
      {".5", "(expr (float 0.5))"},
      {"'a\\'b' \"c\\x41\"", "(expr (string 'a'bcA'))"},
      {"\"\"\"a\nb\"\"\"", "(expr (string 'a\nb'))"},
      {"a + b * c - d", "(expr (- (+ (name a) (* (name b) (name c))) (name d)))"},
      {"a % 8 == 0", "(expr (== (% (name a) (int 8)) (int 0)))"},
      {"-2 ** -2", "(expr (neg (** (int 2) (neg (int 2)))))"},
      {"2 ** 3 ** 4", "(expr (** (int 2) (** (int 3) (int 4))))"},
      {"not a == b and c or d", "(expr (or (and (not (== (name a) (name b))) (name c)) (name d)))"},
      {"1 << 2 + 3", "(expr (<< (int 1) (+ (int 2) (int 3))))"},
      {"a if b else c if d else e",
       "(expr (cond (name a) (name b) (cond (name c) (name d) (name e))))"},
      {"a.b(c, d=1)[2]", "(expr (sub (call (attr b (name a)) (name c) (kw d (int 1))) (int 2)))"},
      {"a[1:2, ::3, b]",
       "(expr (sub (name a) (tuple (slice (int 1) (int 2) _) (slice _ _ (int 3)) (name b))))"},
      {"a[:]", "(expr (sub (name a) (slice _ _ _)))"},
      {"a[None:1]", "(expr (sub (name a) (slice (none) (int 1) _)))"},
      {"()", "(expr (tuple))"},
      {"(a)", "(expr (name a))"},
      {"(a,)", "(expr (tuple (name a)))"},
      {"[a, True,]", "(expr (list (name a) (bool 1)))"},
      {"with load: pass", "(with (name load) (block (pass)))"},
      {"with lm.when(a):\n  x\n  y",
       "(with (call (attr when (name lm)) (name a)) (block (expr (name x)) (expr (name y))))"},
      {"for a, b in t: f(a)",
       "(for (tuple (name a) (name b)) (name t) (block (expr (call (name f) (name a)))))"},
      {"if a:\n x\nelif b:\n y\nelse:\n z",
       "(if (name a) (block (expr (name x))) (block (if (name b) (block (expr (name y))) (block "
       "(expr (name z))))))"},
      {"@d\n@e.f(1)\ndef g(a, b: T, c=1, d: T = 2):\n pass",
       "(def g (decorator (name d)) (decorator (call (attr f (name e)) (int 1))) (param a _ _) "
       "(param b "
       "(name T) _) (param c _ (int 1)) (param d (name T) (int 2)) (block (pass)))"},
      {"x = 1 + \\\n  2", "(assign (name x) (+ (int 1) (int 2)))"},
      {"f(\n\n  # note\n a,\nb)", "(expr (call (name f) (name a) (name b)))"},
  };
  for (const auto& it : cases) {
    EXPECT_EQ(dump_statement(it.text), it.structure) << it.text;
  }
}

TEST(Parser, Spans) {
  const SourceText source =
      text_of("x = (f)(a, (b, c)) + 1  # end\nwith load:\n    y\n    z = 2\n\n");
  const Tree tree = parse(source);
  const NodeId assign = tree.child(tree.root, 0);
  EXPECT_EQ(source.slice(tree[assign].span), "x = (f)(a, (b, c)) + 1");
  const NodeId call = tree.child(tree.child(assign, 1), 0);
  EXPECT_EQ(source.slice(tree[call].span), "(f)(a, (b, c))");
  EXPECT_EQ(source.slice(tree[tree.child(call, 2)].span), "(b, c)");
  const NodeId with = tree.child(tree.root, 1);
  EXPECT_EQ(source.slice(tree[with].span), "with load:\n    y\n    z = 2");
  EXPECT_EQ(source.slice(tree[tree.child(with, 1)].span), "y\n    z = 2");
  EXPECT_EQ(source.slice(tree[tree.child(with, 1)].name_span), ":");
  ASSERT_EQ(tree.comments.size(), 1u);
  EXPECT_EQ(source.slice(tree.comments[0].span), "# end");
  EXPECT_FALSE(tree.comments[0].own_line);
}

TEST(Parser, PublishedFragment) {
  const SourceText source = text_of(kFragment);
  const Tree tree = parse(source);
  EXPECT_TRUE(tree.problems.empty());
  expect_sound(source, tree);
  EXPECT_EQ(tree.comments.size(), 2u);
  ASSERT_EQ(tree[tree.root].child_count, 1u);
  const NodeId function = tree.child(tree.root, 0);
  EXPECT_EQ(tree[function].text, "fmha_fwd");
  EXPECT_EQ(tree[function].child_count, 6u);
  EXPECT_EQ(tree[tree.child(function, 5)].child_count, 9u);
  expect_print_properties(kFragment);
}

TEST(Parser, GemmExample) {
  const SourceText source = text_of(kGemm);
  const Tree tree = parse(source);
  ASSERT_EQ(tree.problems.size(), 1u);
  EXPECT_EQ(source.slice(tree.problems[0].span), "...");
  EXPECT_EQ(tree.problems[0].message,
            "`...` stands for code that was left out; write it, or `pass`");
  std::string complete = kGemm;
  complete.replace(complete.find("..."), 3, "pass");
  expect_print_properties(complete);
}

// `text` marks the expected range of the only problem with « and ».
TEST(Parser, Problems) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"«while» a:\n  x\ny", "`while` is not part of CAKE IR; use `for i in lm.range(lo, hi)`"},
      {"«import» a", "`import` is not part of CAKE IR; `cake`, `lm` and `LM` are always known"},
      {"«from» a import b",
       "`from` is not part of CAKE IR; `cake`, `lm` and `LM` are always known"},
      {"«class» A:\n  def f(x):\n    pass\ny",
       "`class` is not part of CAKE IR; use a `def`, which is inlined where it is called"},
      {"x = «lambda» a: a",
       "`lambda` is not part of CAKE IR; use a nested `def`, which is inlined where it is called"},
      {"«try»:\n  x\nexcept E:\n  y\nfinally:\n  z\nq",
       "`try` is not part of CAKE IR; a schedule has no exceptions"},
      {"def f(a):\n  «return» a",
       "`return` is not part of CAKE IR; a `def` is inlined where it is called and has no value"},
      {"for i in a:\n  «break»", "`break` is not part of CAKE IR; use `with lm.when(condition):`"},
      {"x = [a «for» a in b]", "comprehensions are not part of CAKE IR; write the items out"},
      {"f(a «for» a in b)", "comprehensions are not part of CAKE IR; write the items out"},
      {"x = «f»'{a}'", "f-strings are not part of CAKE IR; use a plain string"},
      {"x = «r»'a'", "string prefix `r` is not part of CAKE IR; use a plain string"},
      {"f((a «:=» 1))", "`:=` is not part of CAKE IR; write the assignment on its own line"},
      {"f(«*»a)", "star arguments are not part of CAKE IR; write the items out"},
      {"f(«**»a)", "star arguments are not part of CAKE IR; write the items out"},
      {"def f(«*»a):\n  pass", "star parameters are not part of CAKE IR; name each parameter"},
      {"def f(a) «->» b:\n  pass",
       "`->` is not part of CAKE IR; a `def` is inlined where it is called and has no value"},
      {"«@»a\nx = 1", "a decorator must stand directly above a `def`"},
      {"x «;» y", "`;` is not part of CAKE IR; write one statement a line"},
      {"x = a «&» b",
       "`&` is not part of CAKE IR; use `and` for conditions and `%` for remainders"},
      {"x = a «is» b", "`is` is not part of CAKE IR; use `==`"},
      {"x = a «in» b", "`in` is not part of CAKE IR; use comparisons with `==`"},
      {"x = «{»1: 2}", "dictionaries and sets are not part of CAKE IR; use a tuple or a list"},
      {"x«:» int = 3", "annotated assignment is not part of CAKE IR; write `name = value`"},
      {"x = y «=» 3", "chained assignment is not part of CAKE IR; write one assignment a line"},
      {"«f(x)» = 3", "only a name or a tuple of names can be assigned"},
      {"a, «1» = 3", "only a name or a tuple of names can be assigned"},
      {"«a.b» += 3", "only a name can be changed with `+=`"},
      {"x = a < b «<» c", "chained comparisons are not part of CAKE IR; join two with `and`"},
      {"x = a == «not» b", "`not` needs parentheses here"},
      {"x «=»", "expected an expression after `=`"},
      {"x = 1 «+»\ny = 2", "expected an expression after `+`"},
      {"f(a «b»)", "expected `,` or `)` before `b`"},
      {"f(a, «%»)", "expected an expression before `%`"},
      {"f(a=1, «b»)", "a positional argument can't follow a keyword argument"},
      {"x«.»", "expected a name after `.`"},
      {"foo «bar»", "unexpected `bar`"},
      {"x = a if «b»", "expected `else` after `b`"},
      {"x = f«(»a, b\ny = 2", "`(` is never closed"},
      {"x = f(a, «[»b, c)\ny = 2", "`[` is never closed"},
      {"x = f«(»a,\n      b=2\ny = g(1)\nz = (1)", "`(` is never closed"},
      {"def f(a):\n  g«(»a,\n  with b:\n    h(a)", "`(` is never closed"},
      {"f(a«]»", "`]` does not close `(`"},
      {"x = a«)»", "`)` closes nothing"},
      {"x = «'»abc", "this string is never closed"},
      {"f(«\"»abc)\ny = 2", "this string is never closed"},
      {"x = «\"\"\"»abc\ny", "this string is never closed"},
      {"x = \"a«\\q»\"", "unknown escape `\\q`"},
      {"x = «12ab»", "`12ab` is not a number"},
      {"x = «0x»", "`0x` is not a number"},
      {"x = «0x_»", "`0x_` is not a number"},
      {"x = «012»", "`012` is not a number"},
      {"x = «9223372036854775808»", "`9223372036854775808` does not fit in 64 bits"},
      {"x = «0x8000000000000000»", "`0x8000000000000000` does not fit in 64 bits"},
      {"x = «1e999»", "`1e999` is out of a float's range"},
      {"x = a «$» b", "unexpected character `$`"},
      {"x = «é»", "unexpected character `é`"},
      {"x = a «\\» b", "`\\` continues a line only at its end"},
      {"with load«:»\nx = 1", "`with` needs an indented body; use `pass` for an empty one"},
      {"with «load»\n    x = 1\ny = 2", "expected `:` after `load`"},
      {"x = 1\n«    »y = 2\nz = 3", "unexpected indentation"},
      {"if a:\n        x\n«    »y\nz", "this indentation matches no block above"},
      {"if a:\n«\t»x\n\ty", "tab in the indentation; use spaces"},
      {"«else»:\n  x\ny", "`else` has no `if` above it"},
      {"if a:\n  x\nelse «if» b:\n  y", "`else if` is written `elif`"},
      {"for i in a:\n  x\n«else»:\n  y",
       "`else` of a loop is not part of CAKE IR; write it below the loop"},
      {"with a«,» b:\n  x", "`with` takes one role or condition"},
      {"with a «as» b:\n  x", "`as` is not part of CAKE IR; name the value with `=`"},
      {"for «1» in a:\n  x", "only a name or a tuple of names can be assigned"},
      {"with a: «for» b in c:\n    x\ny", "`for` can't follow `:`; write it on the next line"},
      {"for i «of» a:\n  x", "expected `in` before `of`"},
      {"def «1»(a):\n  x", "expected a name before `1`"},
  };
  const std::string open = "«", close = "»";
  for (const auto& it : cases) {
    std::string text = it.text;
    const size_t begin = text.find(open);
    text.erase(begin, open.size());
    const size_t end = text.find(close);
    text.erase(end, close.size());
    const SourceText source = text_of(text);
    const Tree tree = parse(source);
    expect_sound(source, tree);
    EXPECT_EQ(tree.problems.size(), 1u)
        << it.text << (tree.problems.size() > 1 ? "\n" + tree.problems[1].message : "");
    if (tree.problems.empty()) continue;
    EXPECT_EQ(tree.problems[0].message, it.message) << it.text;
    EXPECT_EQ(tree.problems[0].span,
              (Span{static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}))
        << it.text;
  }
}

TEST(Parser, KeepsWhatIsBelowAProblem) {
  const struct {
    const char* text;
    const char* structure;
  } cases[] = {
      {"x = (1,\ny = 2",
       "(module (assign (name x) (tuple (int 1) (error))) (assign (name y) (int 2)))"},
      {"with a\n    x\ny", "(module (with (name a) (block (expr (name x)))) (expr (name y)))"},
      {"x = \ny", "(module (assign (name x) (error)) (expr (name y)))"},
      {"pool.\ny", "(module (expr (attr (name pool))) (expr (name y)))"},
      {"f(a, b=\ny", "(module (expr (call (name f) (name a) (kw b (error)))) (expr (name y)))"},
      {"while a:\n  if b:\n    c\n  d\ny", "(module (error) (expr (name y)))"},
      {"with a:\n  x = $\n  y",
       "(module (with (name a) (block (assign (name x) (error)) (expr (name y)))))"},
  };
  for (const auto& it : cases) {
    const Tree tree = parse(text_of(it.text));
    EXPECT_FALSE(tree.problems.empty()) << it.text;
    EXPECT_EQ(dump(tree), it.structure) << it.text;
  }
}

std::string repeat(const std::string& text, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

double parse_seconds(const SourceText& source, Tree& tree) {
  const auto start = std::chrono::steady_clock::now();
  tree = parse(source);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(BadInput, DeepNestingIsOneProblem) {
  std::string blocks;
  for (size_t i = 0; i < 1500; ++i) blocks += std::string(i, ' ') + "if a:\n";
  blocks += std::string(1500, ' ') + "pass\nx = 1\n";
  std::string chain = "if a:\n  x\n" + repeat("elif a:\n  x\n", 2000);
  const std::string texts[] = {repeat("(", 200000),
                               repeat("[", 200000),
                               repeat("f(", 200000),
                               repeat("(", 200000) + repeat(")", 200000),
                               "x = " + repeat("-", 200000) + "1",
                               repeat("not ", 100000) + "a",
                               repeat("2 ** ", 100000) + "2",
                               repeat("a if b else ", 100000) + "c",
                               "a" + repeat("(b)", 100000),
                               "a" + repeat(" + a", 100000),
                               "a" + repeat(".b", 100000),
                               "a" + repeat(" and a", 100000),
                               repeat("a[", 100000),
                               blocks,
                               chain};
  for (const std::string& text : texts) {
    const SourceText source = text_of(text);
    Tree tree;
    EXPECT_LT(parse_seconds(source, tree), 1.0) << text.substr(0, 20);
    expect_sound(source, tree);
    EXPECT_EQ(tree.problems.size(), 1u) << text.substr(0, 20);
    print(source, tree);
  }
}

TEST(BadInput, HundredLevelsAreFine) {
  EXPECT_TRUE(parse(text_of(repeat("(", 99) + "1" + repeat(")", 99))).problems.empty());
  EXPECT_EQ(parse(text_of(repeat("(", 100) + "1" + repeat(")", 100))).problems.size(), 1u);
}

TEST(BadInput, Noise) {
  std::mt19937 random(kSeed);
  std::string noise(10'000'000, '\0');
  for (char& c : noise) c = static_cast<char>(random() & 0xFF);
  std::string printable(10'000'000, '\0');
  for (char& c : printable) c = static_cast<char>(32 + random() % 95);
  for (const std::string& text :
       {noise, printable, std::string(1'000'000, '('), std::string(10'000'000, '\0'),
        std::string(1'000'000, ')'), std::string(10'000'000, '\n')}) {
    const SourceText source = text_of(text);
    Tree tree;
    EXPECT_LT(parse_seconds(source, tree), 2.0) << "seed " << kSeed;
    expect_sound(source, tree);
  }
}

TEST(BadInput, OddButFine) {
  for (const std::string text : {"", "\n", "\n\n  \n", "# only a comment", "\xEF\xBB\xBFx = 1\n",
                                 "\xEF\xBB\xBF", "x = 1\r\nwith a:\r\n    y\r\n    z # c\r\n",
                                 "x = 'é' # é", "pass\\\n", "x = \"\"\"a\r\nb\"\"\"\r\n"}) {
    const SourceText source = text_of(text);
    const Tree tree = parse(source);
    EXPECT_TRUE(tree.problems.empty()) << text << tree.problems[0].message;
    expect_sound(source, tree);
    expect_print_properties(text);
  }
  expect_print_properties("x = f(" + repeat("a, ", 300'000) + "b)\n");
  expect_print_properties("x = " + repeat("a", 1'000'000) + "\n");
}

TEST(BadInput, Bytes) {
  const SourceText nul = text_of(std::string("x = 1\0 2", 8));
  const Tree tree = parse(nul);
  ASSERT_EQ(tree.problems.size(), 1u);
  EXPECT_EQ(tree.problems[0].message, "unexpected byte 0x00");
  EXPECT_EQ(tree.problems[0].span, (Span{5, 6}));
  const Tree invalid = parse(text_of("x = '\xFF'\ny = \xC0\xC1\n"));
  ASSERT_EQ(invalid.problems.size(), 1u);
  EXPECT_EQ(invalid.problems[0].message, "byte 0xff is not UTF-8");
}

TEST(Printer, Canonical) {
  const struct {
    const char* text;
    const char* printed;
  } cases[] = {
      {"x   =  1", "x = 1\n"},
      {"a,b=(b,a)", "a, b = b, a\n"},
      {"x = 1,", "x = (1,)\n"},
      {"x=((a+b))*c", "x = (a + b) * c\n"},
      {"x=(a*b)+c-(d-e)-(f)", "x = a * b + c - (d - e) - f\n"},
      {"f(init=k==0, a=(b+1), c=((d,e)))", "f(init=(k == 0), a=b + 1, c=(d, e))\n"},
      {"x=(-a)**b + (-a**b)", "x = (-a) ** b + -a ** b\n"},
      {"x=(a**b)**c**d", "x = (a ** b) ** c ** d\n"},
      {"x=(a<b)==(c<d)", "x = (a < b) == (c < d)\n"},
      {"x = not(a and b) or (not c)", "x = not (a and b) or not c\n"},
      {"x = (a if b else c) if d else (e if f else g)",
       "x = (a if b else c) if d else e if f else g\n"},
      {"a[(1,2)],b[1:2,::3],c[1,],d[()]", "a[1, 2], b[1:2, ::3], c[1,], d[()]\n"},
      {"x = 'it\\'s \"q\"'", "x = \"it's \\\"q\\\"\"\n"},
      {"x = 1_000 + 0XfF + 0b11 + 1. + 1e-6 + 1E20",
       "x = 1000 + 0xff + 0b11 + 1.0 + 1e-6 + 1e20\n"},
      {"x = (1).y", "x = (1).y\n"},
      {"x += a+b", "x = x + (a + b)\n"},
      {"with a: x # c", "with a:\n    x  # c\n"},
      {"def f( a,b : T=1,c = 2 ) :\n  pass", "def f(a, b: T = 1, c=2):\n    pass\n"},
      {"if a:\n  x\n\n\n\n  y\nelif b: z\nelse:\n  if c:\n     w",
       "if a:\n    x\n\n    y\nelif b:\n    z\nelse:\n    if c:\n        w\n"},
      {"\n\n# a\n\n\n\nx\n# b\n\n\n", "# a\n\nx\n# b\n"},
      {"with a:\n\n  # 1\n  x\n  # 2\n# 3\ny", "with a:\n    # 1\n    x\n    # 2\n# 3\ny\n"},
      {"with a:   # 1\n  x   # 2", "with a:  # 1\n    x  # 2\n"},
      {"f(a, # 1\n  # 2\n  b) # 3", "f(\n    a,  # 1\n    # 2\n    b,\n)  # 3\n"},
      {"f( # 1\n)", "f(\n    # 1\n)\n"},
      {"x = (a + # 1\n b)", "# 1\nx = a + b\n"},
      {"f(a, (b + # 1\n c), d)", "f(\n    a,\n    # 1\n    b + c,\n    d,\n)\n"},
      {"def f(a, # 1\n  b): # 2\n  pass", "def f(\n    a,  # 1\n    b,\n):  # 2\n    pass\n"},
      {"'''a\n\"b\"'''", "\"\"\"a\n\"b\\\"\"\"\"\n"},
      {"q_full = lm.barrier(count=3, prod=[load_role_name], cons=[mma_role_name], init_count=1, "
       "pipeline=pipeline_name)",
       "q_full = lm.barrier(\n    count=3,\n    prod=[load_role_name],\n    "
       "cons=[mma_role_name],\n    init_count=1,\n"
       "    pipeline=pipeline_name,\n)\n"},
  };
  for (const auto& it : cases) {
    EXPECT_EQ(formatted(it.text), it.printed) << it.text;
    expect_print_properties(it.text);
  }
}

TEST(Printer, WithoutComments) {
  const SourceText source = text_of("# a\nx = f(1, # b\n 2)\n\nwith c: # d\n  y\n  # e\n");
  EXPECT_EQ(print_without_comments(source, parse(source)), "x = f(1, 2)\nwith c:\n    y\n");
}

// Random statements with comments wherever Python allows one.
class Soup {
 public:
  explicit Soup(uint32_t seed) : random_(seed) {}

  std::string tokens() {
    static const char* const words[] = {
        "a",   "b",    "lm",       "1",     "2.5",    "'s'",   "\"\"\"t\n\"\"\"",
        "(",   ")",    "[",        "]",     "{",      "}",     ",",
        ":",   ".",    "=",        "==",    "<",      "+",     "-",
        "*",   "**",   "//",       "%",     "<<",     "not",   "and",
        "or",  "if",   "else",     "elif",  "for",    "in",    "with",
        "def", "pass", "@",        "while", "lambda", "True",  "None",
        "...", "\n",   "\n    ",   "\n  ",  "\n\t",   "# c\n", "\\\n",
        "$",   "\"",   "+=",       ":=",    "\r\n",   "try",   "class",
        "->",  ";",    "\xC3\xA9", "\xFF"};
    std::string out;
    const size_t count = 1 + below(60);
    for (size_t i = 0; i < count; ++i) {
      out += words[below(std::size(words))];
      if (below(4) != 0) out += ' ';
    }
    return out;
  }

  std::string statements(int indent, int depth) {
    std::string out;
    const size_t count = 1 + below(3);
    for (size_t i = 0; i < count; ++i) {
      out += own_line_noise(indent) + std::string(indent, ' ');
      const size_t kind = depth > 2 ? below(3) : below(7);
      const int inner = indent + 1 + static_cast<int>(below(5));
      if (kind == 0)
        out += "x = " + expression(0) + ", " + expression(0) + tail();
      else if (kind == 1)
        out += expression(0) + tail();
      else if (kind == 2)
        out += "y += " + expression(0) + tail();
      else if (kind == 3)
        out += "with " + expression(0) + ":" + tail() + statements(inner, depth + 1);
      else if (kind == 4)
        out += "for i, j in " + expression(0) + ": pass" + tail();
      else if (kind == 5) {
        out += "if " + expression(0) + ":" + tail() + statements(inner, depth + 1);
        if (below(2))
          out += own_line_noise(indent) + std::string(indent, ' ') + "elif " + expression(0) + ":" +
                 tail() + statements(inner, depth + 1);
        if (below(2))
          out += own_line_noise(indent) + std::string(indent, ' ') + "else:" + tail() +
                 statements(inner, depth + 1);
      } else {
        out += "@" + expression(1) + tail() + std::string(indent, ' ') + "def f(a," + gap() +
               "b: " + expression(1) + "=" + expression(1) + gap() + "):" + tail() +
               statements(inner, depth + 1);
      }
      out += own_line_noise(below(8));
    }
    return out;
  }

 private:
  size_t below(size_t limit) { return random_() % limit; }
  std::string comment() { return "# " + std::to_string(++comments_); }
  std::string tail() { return (below(3) == 0 ? "  " + comment() : std::string()) + "\n"; }
  std::string own_line_noise(size_t indent) {
    std::string out;
    while (below(3) == 0)
      out += below(2) ? "\n" : std::string(below(2) ? indent : below(9), ' ') + comment() + "\n";
    return out;
  }
  // White space inside brackets.
  std::string gap() {
    if (below(12) == 0) return " " + comment() + "\n" + (below(2) ? "  " + comment() + "\n" : "");
    return below(3) ? " " : "";
  }

  std::string expression(int depth) {
    const size_t kind = depth > 3 ? below(4) : below(16);
    const auto inner = [&] { return expression(depth + 1); };
    const auto group = [&] { return "(" + gap() + inner() + gap() + ")"; };
    static const char* const operators[] = {"+", "-", "*", "/", "//", "%", "**", "<<", ">>"};
    switch (kind) {
      case 0:
        return "a";
      case 1:
        return std::to_string(below(1000));
      case 2:
        return "some_longer_name";
      case 3:
        return below(2) ? "1.5" : "'s\"'";
      case 4:
        return group() + " " + operators[below(9)] + " " + inner();
      case 5:
        return group() + (below(2) ? " == " : " and ") + group();
      case 6:
        return "-" + group();
      case 7:
        return "(not " + inner() + ")";
      case 8:
        return group() + " if " + group() + " else " + group();
      case 9:
        return "(" + gap() + inner() + gap() + "," + gap() + inner() + gap() + ")";
      case 10:
        return "[" + gap() + inner() + gap() + "," + gap() + inner() + gap() + "]";
      case 11:
        return group() + ".attribute";
      case 12:
        return group() + "[" + gap() + inner() + ":" + gap() + inner() + ", " + inner() + "]";
      default:
        return "lm.call(" + gap() + inner() + gap() + "," + gap() + "key" + gap() + "=" + gap() +
               inner() + gap() + (below(2) ? "," : "") + gap() + ")";
    }
  }

  std::mt19937 random_;
  int comments_ = 0;
};

TEST(Printer, PropertiesOfRandomSchedules) {
  std::printf("seed %u\n", kSeed);
  size_t clean = 0;
  for (uint32_t i = 0; i < 500 && !HasFailure(); ++i) {
    const std::string text = Soup(kSeed + i).statements(0, 0);
    if (!parse(text_of(text)).problems.empty()) continue;  // chained comparisons
    ++clean;
    SCOPED_TRACE("seed " + std::to_string(kSeed + i));
    expect_print_properties(text);
  }
  EXPECT_GT(clean, 250u);
}

TEST(Parser, SurvivesTokenSoup) {
  std::printf("seed %u\n", kSeed);
  for (uint32_t i = 0; i < 2000 && !HasFatalFailure(); ++i) {
    const std::string text = Soup(kSeed + i).tokens();
    SCOPED_TRACE("seed " + std::to_string(kSeed + i));
    const SourceText source = text_of(text);
    const Tree tree = parse(source);
    expect_sound(source, tree);
    print(source, tree);
    print_without_comments(source, tree);
    if (tree.problems.empty()) expect_print_properties(text);
  }
}

TEST(Finding, AppliesEdits) {
  EXPECT_EQ(apply_edits("abcdef", {{{4, 5}, "E"}, {{0, 1}, ""}, {{2, 2}, "--"}}), "b--cdEf");
  EXPECT_EQ(apply_edits("abc", {{{3, 3}, "d"}, {{9, 12}, "e"}}), "abcde");
  EXPECT_EQ(apply_edits("", {}), "");
}

TEST(Finding, Names) {
  EXPECT_STREQ(to_string(Gate::numerical), "numerical");
  EXPECT_STREQ(to_string(Gate::coverage), "coverage");
  EXPECT_STREQ(to_string(Severity::review), "review");
  EXPECT_STREQ(to_string(Confidence::refuted), "refuted");
}

}  // namespace
}  // namespace bakery
