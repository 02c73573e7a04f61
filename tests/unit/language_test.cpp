// SPDX-License-Identifier: Apache-2.0
// What an editor asks, on good text, on text that breaks at the caret, and everywhere else.
#include "app/session/language.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>

#include "core_ir/operations.h"

namespace bakery {
namespace {

std::string file(const std::string& path) {
  std::ifstream in(BAKERY_SOURCE_DIR "/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const std::string& gemm() {
  static const std::string text = file("resources/schedules/gemm_bf16_sm90a.cake");
  return text;
}

uint32_t at(const std::string& text, const std::string& what, size_t into = 0) {
  const size_t found = text.find(what);
  EXPECT_NE(found, std::string::npos) << what;
  return static_cast<uint32_t>(found + into);
}

// Completes at the `|` of `line`, which is put where the gemm waits for `full`.
Suggestions in_mma(const std::string& line) {
  std::string text = gemm();
  const size_t place = text.find("lm.wait(full, stage=s)");
  const size_t bar = line.find('|');
  std::string typed = line;
  typed.erase(bar, 1);
  text.replace(place, std::string("lm.wait(full, stage=s)").size(), typed);
  return complete(text, static_cast<uint32_t>(place + bar));
}

std::vector<std::string> labels(const Suggestions& s) {
  std::vector<std::string> all;
  for (const Suggestion& item : s.items) all.push_back(item.label);
  return all;
}

bool has(const Suggestions& s, const std::string& label) {
  const auto all = labels(s);
  return std::find(all.begin(), all.end(), label) != all.end();
}

std::string first(const Suggestions& s) { return s.items.empty() ? "" : s.items.front().label; }

std::string fact(const Hover& hover, const std::string& name) {
  std::string all;
  for (const auto& [key, value] : hover.facts)
    if (key == name) all += value + "|";
  return all;
}

std::shared_ptr<const Analysis> analysis(const std::string& text) { return analyse("t.cake", text); }

TEST(Completion, EveryOperationAndDeclarationOfTheTable) {
  const Suggestions module = in_mma("lm.|");
  EXPECT_TRUE(module.member);
  for (const Operation& op : operations())
    if (op.receiver == Receiver::module && op.code != OpCode::compute) { EXPECT_TRUE(has(module, op.spelling)) << op.spelling; }
  for (const Declaration& d : declarations()) {
    const std::string spelling = d.spelling;
    if (spelling.starts_with("lm.")) { EXPECT_TRUE(has(module, spelling.substr(3))) << spelling; }
  }
  EXPECT_TRUE(has(module, "bf16"));
  const Suggestions view = in_mma("a_s.|");
  EXPECT_EQ(labels(view), (std::vector<std::string>{"tma_load", "tma_store", "store"}));
  EXPECT_EQ(labels(in_mma("pipe.|")), (std::vector<std::string>{"next", "current", "previous"}));
  EXPECT_EQ(labels(in_mma("pool.|")), (std::vector<std::string>{"view"}));
}

TEST(Completion, NarrowsByWhatIsTyped) {
  const Suggestions wa = in_mma("lm.wa|");
  EXPECT_EQ(first(wa), "wait");
  EXPECT_EQ(wa.replace.end - wa.replace.begin, 2u);
  EXPECT_FALSE(has(wa, "arrive"));
  EXPECT_EQ(wa.items.front().insert, "wait(");
  EXPECT_EQ(in_mma("lm.wa|(full)").items.front().insert, "wait");
  EXPECT_EQ(in_mma("lm.syn|").items.front().insert, "sync()");
  EXPECT_TRUE(in_mma("lm.zzz|").items.empty());
}

TEST(Completion, OperandsByTheirKind) {
  EXPECT_EQ(labels(in_mma("lm.wait(|")), (std::vector<std::string>{"stage=", "when=", "full", "empty"}));
  const Suggestions barrier = in_mma("lm.wait(fu|");
  EXPECT_EQ(first(barrier), "full");
  EXPECT_EQ(barrier.items.front().detail, "4 stages, init 1");
  const Suggestions stage = in_mma("lm.wait(full, stage=|");
  EXPECT_EQ(first(stage), "s");
  EXPECT_TRUE(has(stage, "pipe.previous()"));
  EXPECT_FALSE(has(stage, "full"));
  const Suggestions rest = in_mma("lm.wait(full, stage=s, |");
  EXPECT_TRUE(has(rest, "when="));
  EXPECT_FALSE(has(rest, "stage="));
  EXPECT_EQ(first(in_mma("a_s.tma_load(|")), "coords=");
  EXPECT_TRUE(has(in_mma("a_s.tma_load(|"), "A"));
  EXPECT_FALSE(has(in_mma("a_s.tma_load(|"), "full"));
  EXPECT_TRUE(has(in_mma("x = pool.view(offset=0, shape=(1, 2), dtype=|"), "lm.bf16"));
  EXPECT_TRUE(has(in_mma("b = lm.barrier(count=2, prod=[|"), "load"));
  EXPECT_FALSE(has(in_mma("b = lm.barrier(count=2, prod=[|"), "full"));
}

TEST(Completion, NamesOfTheOwnScopeOnly) {
  const Suggestions here = in_mma("|");
  EXPECT_TRUE(has(here, "acc"));   // of the role
  EXPECT_TRUE(has(here, "k"));     // of the loop
  EXPECT_TRUE(has(here, "with"));
  EXPECT_TRUE(has(here, "lm"));
  EXPECT_FALSE(has(here, "while"));  // Python's, not this language's
  std::string text = gemm();
  const uint32_t load = at(text, "lm.wait(empty, stage=s)");
  EXPECT_FALSE(has(complete(text, load), "acc"));
  EXPECT_TRUE(has(complete(text, load), "s"));
}

TEST(Completion, QuotesTypesAndDecorators) {
  std::string text = gemm();
  const Suggestions target = complete(text, at(text, "target=\"", 8));
  EXPECT_TRUE(target.member);
  for (const Target& t : targets()) EXPECT_TRUE(has(target, t.name)) << t.name;
  EXPECT_EQ(complete(text, at(text, "target=\"", 10)).replace.begin, at(text, "target=\"", 8));
  EXPECT_EQ(labels(complete("@", 1)), (std::vector<std::string>{"cake"}));
  EXPECT_EQ(labels(complete("@cake.", 6)), (std::vector<std::string>{"schedule"}));
  EXPECT_EQ(first(complete("@cake.schedule(", 15)), "target=");
  const std::string type = "@cake.schedule(target=\"sm_90a\")\ndef f(lm, A: LM.";
  const Suggestions types = complete(type, static_cast<uint32_t>(type.size()));
  EXPECT_TRUE(has(types, "tma2d"));
  EXPECT_TRUE(has(types, "i32"));
  EXPECT_FALSE(has(types, "bf16"));
  EXPECT_TRUE(complete("# lm.", 5).items.empty());
}

// A letter typed in 5000 lines is answered before the next one.
TEST(Completion, LongTextsAreQuick) {
  std::string text = "@cake.schedule(target=\"sm_90a\")\ndef f(lm, N: LM.i32):\n    work = lm.role(warps=[0])\n";
  for (int i = 0; i < 2500; ++i) text += "    name_" + std::to_string(i) + " = " + std::to_string(i) + "\n";
  text += "    with work:\n";
  for (int i = 0; i < 2500; ++i) text += "        lm.sync()\n";
  text += "        name_24";
  const auto begin = std::chrono::steady_clock::now();
  const Suggestions found = complete(text, static_cast<uint32_t>(text.size()));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(first(found), "name_24");
  EXPECT_GE(found.items.size(), 111u);  // name_24, name_240 … 249, name_2400 … 2499, and those alike
  EXPECT_LT(took.count(), 1.0);
}

// A caret may stand anywhere in anything.
TEST(Completion, NeverFails) {
  const std::string text = gemm();
  for (size_t cut = 0; cut < text.size(); cut += 7) {
    const std::string head = text.substr(0, cut);
    complete(head, static_cast<uint32_t>(cut));
    call_at(head, static_cast<uint32_t>(cut));
    name_at(head, static_cast<uint32_t>(cut));
  }
  complete("", 0);
  complete("x", 99);
  complete(std::string(300, '('), 300);
}

TEST(CallHint, TellsTheOperandAtTheCaret) {
  const std::string text = gemm();
  auto hint = call_at(text, at(text, "lm.wait(full", 8));
  ASSERT_TRUE(hint);
  EXPECT_EQ(hint->name, "lm.wait");
  EXPECT_EQ(hint->operands, (std::vector<std::string>{"barrier", "[stage=]", "[when=]"}));
  EXPECT_EQ(hint->active, 0);
  hint = call_at(text, at(text, "lm.wait(full, stage=", 20));
  ASSERT_TRUE(hint);
  EXPECT_EQ(hint->active, 1);
  EXPECT_EQ(hint->doc, "its stage");
  hint = call_at(text, at(text, "coords=(k * BK, m", 15));  // inside of the tuple
  ASSERT_TRUE(hint);
  EXPECT_EQ(hint->name, "a_s.tma_load");
  EXPECT_EQ(hint->active, 1);
  EXPECT_FALSE(call_at(text, at(text, "with load:")));
}

TEST(Hover, BarrierFacts) {
  const auto a = analysis(gemm());
  const auto h = hover(*a, at(gemm(), "lm.wait(full", 9));
  ASSERT_TRUE(h);
  EXPECT_EQ(h->title, "barrier `full`");
  EXPECT_EQ(fact(*h, "stages"), "4|");
  EXPECT_EQ(fact(*h, "arrivals"), "1 a completion|");
  EXPECT_EQ(fact(*h, "arrives"), "`load` lines 30, 31|");
  EXPECT_EQ(fact(*h, "waits"), "`mma` line 38|");
  EXPECT_NE(fact(*h, "bytes").find("49152 a completion"), std::string::npos) << fact(*h, "bytes");
  EXPECT_NE(fact(*h, "phase bit").find("parity 0 first"), std::string::npos);
  EXPECT_NE(fact(*h, "address").find("byte 229376"), std::string::npos) << fact(*h, "address");
  const auto empty = hover(*a, at(gemm(), "lm.wait(empty", 9));
  ASSERT_TRUE(empty);
  EXPECT_NE(fact(*empty, "phase bit").find("parity 1 first"), std::string::npos);
  EXPECT_EQ(fact(*empty, "bytes"), "");
}

TEST(Hover, EveryKindOfThing) {
  const std::string& text = gemm();
  const auto a = analysis(text);
  const auto tell = [&](const std::string& what, size_t into = 0) {
    const auto h = hover(*a, at(text, what, into));
    EXPECT_TRUE(h) << what;
    return h.value_or(Hover{});
  };
  EXPECT_EQ(fact(tell("a_s.tma_load"), "bytes"), "16384 a stage x 4 = 65536|");
  EXPECT_EQ(fact(tell("a_s.tma_load"), "place"), "bytes 0 … 65535 of `pool`|");
  EXPECT_EQ(fact(tell("a_s.tma_load"), "read"), "`mma` line 39|");
  EXPECT_EQ(fact(tell("with mma", 5), "warps"), "warps 4–11 (256 threads)|");
  EXPECT_EQ(fact(tell("S * 49152"), "choices"), "3, 4|");
  EXPECT_NE(fact(tell("k * BK"), "values").find("0 … "), std::string::npos);
  EXPECT_NE(tell("lm.mma(", 3).doc.find("register accumulator"), std::string::npos);
  EXPECT_EQ(fact(tell("lm.mma(", 3), "targets"), "sm_90a|");
  EXPECT_EQ(tell("stage=s, barrier=full", 9).doc, "barrier that counts the bytes");
  EXPECT_EQ(tell("sm_90a").title, "target `sm_90a`");
  EXPECT_EQ(tell("LM.tma2d", 3).title, "type `LM.tma2d`");
  EXPECT_EQ(tell("lm.bf16", 3).title, "type `lm.bf16`");
  EXPECT_FALSE(hover(*a, at(text, "# Shared", 3)));
  EXPECT_FALSE(hover(*a, static_cast<uint32_t>(text.size())));
}

TEST(Hover, BrokenScheduleSaysWhatItCan) {
  const std::string text = file("tests/fixtures/gemm_missing_arrive.cake");
  const auto a = analysis(text);
  ASSERT_EQ(a->verdict, Verdict::rejected);
  const auto h = hover(*a, at(text, "lm.wait(empty", 9));
  ASSERT_TRUE(h);
  EXPECT_NE(fact(*h, "address").find("once the schedule is accepted"), std::string::npos);
}

TEST(Names, RolesHaveTheirOwn) {
  const std::string& text = gemm();
  const auto in_load = name_at(text, at(text, "lm.wait(empty, stage=s", 21));
  ASSERT_TRUE(in_load);
  EXPECT_EQ(in_load->name, "s");
  EXPECT_EQ(in_load->places.size(), 4u);
  EXPECT_EQ(in_load->definition.begin, at(text, "s = pipe.next()"));
  const auto in_role = name_at(text, at(text, "lm.wait(full, stage=s", 20));
  ASSERT_TRUE(in_role);
  EXPECT_GT(in_role->definition.begin, in_load->definition.begin);
  EXPECT_EQ(in_role->places.size(), 4u);
  const auto barrier = name_at(text, at(text, "lm.arrive(empty", 10));
  ASSERT_TRUE(barrier);
  EXPECT_EQ(barrier->definition.begin, at(text, "empty = lm.barrier"));
  EXPECT_EQ(barrier->places.size(), 4u);  // its own, one wait, two arrivals; none in comments
  EXPECT_FALSE(name_at(text, at(text, "wait(empty")));
}

TEST(Names, LoopsThatRunWhileBuildingLeaveTheirs) {
  const std::string text = "def f(lm):\n    for i in range(3):\n        x = i\n    y = x\n    x = 4\n";
  const auto use = name_at(text, at(text, "y = x", 4));
  ASSERT_TRUE(use);
  EXPECT_EQ(use->places.size(), 3u);
}

TEST(Rename, KeepsTheMeaning) {
  const std::string& text = gemm();
  const Renaming renamed = rename(text, at(text, "empty = lm.barrier"), "slots_free");
  ASSERT_EQ(renamed.error, "");
  const std::string after = apply_edits(text, renamed.edits);
  EXPECT_EQ(after.find("empty,"), std::string::npos);
  EXPECT_NE(after.find("`empty` that both"), std::string::npos);  // a comment is a person's
  EXPECT_EQ(analysis(after)->verdict, Verdict::accepted);
  const Renaming back = rename(after, at(after, "slots_free"), "empty");
  EXPECT_EQ(apply_edits(after, back.edits), text);
}

TEST(Rename, Refuses) {
  const std::string& text = gemm();
  const uint32_t empty = at(text, "empty = lm.barrier");
  EXPECT_NE(rename(text, empty, "full").error.find("`full` is taken, line"), std::string::npos);
  EXPECT_NE(rename(text, empty, "for").error.find("can't be a name"), std::string::npos);
  EXPECT_NE(rename(text, empty, "a b").error.find("can't be a name"), std::string::npos);
  EXPECT_NE(rename(text, empty, "").error, "");
  EXPECT_NE(rename(text, at(text, "# Shared"), "x").error.find("no name here"), std::string::npos);
  EXPECT_NE(rename("def f(lm):\n    a = (\n    b = 1\n", 15, "c").error.find("can't be read"), std::string::npos);
  EXPECT_NE(rename(text, empty, "range").error, "");  // another meaning of `range(…)`
}

}  // namespace
}  // namespace bakery
