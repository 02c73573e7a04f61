// SPDX-License-Identifier: Apache-2.0
// `bakery` as a person or a script meets it: exit codes, JSON, and what it makes of bad input.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "tests/unit/process.h"
#include "tests/unit/tiny_gemm.h"

namespace bakery {
namespace {

using Json = nlohmann::json;

const std::string kGemm = BAKERY_SOURCE_DIR "/resources/schedules/gemm_bf16_sm90a.cake";
const std::string kSmall = BAKERY_SOURCE_DIR "/resources/contracts/gemm_bf16_small.toml";
constexpr bool kSanitized = sizeof(BAKERY_SANITIZE) > 1;

Finished bakery_with(std::vector<std::string> words) {
  words.insert(words.begin(), BAKERY_BIN_DIR "/bakery");
  Finished done = run_program(words);
  EXPECT_EQ(done.signal, 0) << "ended by a signal: " << done.error;
  return done;
}

Json json_of(const Finished& done) {
  const Json json = Json::parse(done.output, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << done.output.substr(0, 500);
  return json;
}

bool has_finding(const Json& json, const std::string& id) {
  for (const Json& finding : json["findings"])
    if (finding["id"] == id) return true;
  return false;
}

bool covers(const Json& json, const std::string& id) {
  for (const Json& one : json["coverage"])
    if (one["id"] == id) return true;
  return false;
}

// Every reading of a bad input ends soon, with one of the codes, and JSON that is JSON.
struct Bad {
  Json check;
  int code = -1;
  std::string text;  // of `check`, both streams
};
Bad bad_input(const std::string& path) {
  const auto answer_of = [&](std::vector<std::string> words) {
    const Finished done = bakery_with(words);
    EXPECT_LT(done.seconds, kSanitized ? 60 : 10) << words[0];
    EXPECT_GE(done.code, 0) << words[0];
    EXPECT_LE(done.code, 2) << words[0] << ": " << done.error.substr(0, 500);
    return done;
  };
  for (const char* command : {"fmt", "timeline", "fix"}) json_of(answer_of({command, path, "--json"}));
  Bad bad;
  const Finished text = answer_of({"check", path}), json = answer_of({"check", path, "--json"});
  EXPECT_EQ(text.code, json.code);
  bad.code = text.code;
  bad.text = text.output + text.error;
  bad.check = json_of(json);
  return bad;
}

// Rejected, with at least one finding that has a place.
void expect_located(const Bad& bad, const std::string& id = "") {
  EXPECT_EQ(bad.code, 1) << bad.text.substr(0, 500);
  ASSERT_TRUE(bad.check.contains("findings"));
  ASSERT_FALSE(bad.check["findings"].empty());
  EXPECT_GE(bad.check["findings"][0]["line"], 1);
  EXPECT_GE(bad.check["findings"][0]["column"], 1);
  EXPECT_EQ(bad.check["verdict"], "rejected");
  EXPECT_TRUE(id.empty() || has_finding(bad.check, id)) << id << " is not among\n" << bad.text.substr(0, 1000);
}

void expect_file_error(const Bad& bad, const std::string& part) {
  EXPECT_EQ(bad.code, 2);
  ASSERT_TRUE(bad.check.contains("error")) << bad.text;
  EXPECT_EQ(bad.check["error"]["kind"], "file");
  EXPECT_NE(bad.check["error"]["message"].get<std::string>().find(part), std::string::npos) << bad.check;
  EXPECT_NE(bad.text.find(part), std::string::npos);
}

class BadInput : public ::testing::Test {
 protected:
  Bad of(const std::string& text) { return bad_input(folder_.file("bad.cake", text)); }
  Bad of_tiny(const std::string& from, const std::string& to) { return of(replaced(kTinyGemm, from, to)); }
  TemporaryFolder folder_;
};

const std::string kHead = "@cake.schedule(target=\"sm_90a\")\ndef f(lm, K: LM.i32):\n";

// ---- use -----------------------------------------------------------------------------------

TEST(Cli, AcceptsTheGemmAndRejectsItForAnotherTarget) {
  EXPECT_EQ(bakery_with({"check", kGemm}).code, 0);
  EXPECT_EQ(json_of(bakery_with({"check", kGemm, "--json"}))["verdict"], "accepted");
  EXPECT_EQ(bakery_with({"check", kGemm, "--contract", kSmall, "--tunable", "stages=3"}).code, 0);
  const Finished other = bakery_with({"check", kGemm, "--target", "sm_100a", "--json"});
  EXPECT_EQ(other.code, 1);
  EXPECT_TRUE(has_finding(json_of(other), "HW-001"));
  const Finished unknown = bakery_with({"check", "--json", "--target", "sm_42", kGemm});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_TRUE(has_finding(json_of(unknown), "HW-001"));
}

TEST(Cli, AScheduleWithoutATargetNeedsOne) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.cake", replaced(kTinyGemm, "target=\"sm_90a\"", ""));
  const Finished none = bakery_with({"check", file, "--json"});
  EXPECT_EQ(none.code, 2);
  const std::string message = json_of(none)["error"]["message"];
  for (const char* name : {"sm_80", "sm_90a", "sm_100a"}) EXPECT_NE(message.find(name), std::string::npos) << message;
  EXPECT_EQ(bakery_with({"check", file, "--target", "sm_90a"}).code, 0);
}

TEST(Cli, WrongUse) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {}, {"chekc", kGemm}, {"check"}, {"check", kGemm, "--bogus"}, {"check", kGemm, kGemm}, {"check", kGemm, "--target"},
           {"check", kGemm, "--event-limit", "x"}, {"check", kGemm, "--tunable", "depth=3"}, {"simulate", kGemm}, {"explain", "SAFE-9999"},
           {"fmt", kGemm, "--write", "--check"}}) {
    std::vector<std::string> with_json = words;
    with_json.emplace_back("--json");
    const Finished text = bakery_with(words), json = bakery_with(with_json);
    EXPECT_EQ(text.code, 2);
    EXPECT_EQ(text.output, "");
    EXPECT_TRUE(text.error.starts_with("bakery: ")) << text.error;
    EXPECT_EQ(json.code, 2);
    EXPECT_EQ(json_of(json)["error"]["kind"], "usage");
  }
  EXPECT_NE(bakery_with({"chekc"}).error.find("did you mean `check`?"), std::string::npos);
}

TEST(Cli, Help) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"--help"}, {"help"}, {"help", "check"}, {"check", "-h"}}) {
    const Finished done = bakery_with(words);
    EXPECT_EQ(done.code, 0);
    EXPECT_TRUE(done.output.starts_with("usage: bakery")) << done.output;
  }
  EXPECT_EQ(bakery_with({"--version"}).output, bakery_with({"version"}).output);
}

TEST(Cli, Explain) {
  const Json all = json_of(bakery_with({"explain", "--json"}));
  EXPECT_GE(all["rules"].size(), 15u);
  EXPECT_EQ(json_of(bakery_with({"explain", "safe-001", "--json"}))["id"], "SAFE-001");
  EXPECT_NE(bakery_with({"explain", "SAFE-01"}).error.find("SAFE-001"), std::string::npos);
}

TEST(Cli, Lists) {
  EXPECT_GE(json_of(bakery_with({"targets", "--json"}))["targets"].size(), 5u);
  EXPECT_GE(json_of(bakery_with({"operations", "--json"}))["operations"].size(), 10u);
}

TEST(Cli, Fmt) {
  const TemporaryFolder folder;
  const std::string canonical = bakery_with({"fmt", kGemm}).output;
  const std::string file = folder.file("a.cake", replaced(canonical, "lm.smem(", "lm.smem( "));
  EXPECT_EQ(bakery_with({"fmt", file, "--check"}).code, 1);
  EXPECT_EQ(bakery_with({"fmt", file}).output, canonical);
  EXPECT_NE(read_all(file), canonical);
  EXPECT_EQ(bakery_with({"fmt", file, "--write"}).code, 0);
  EXPECT_EQ(read_all(file), canonical);
  EXPECT_EQ(bakery_with({"fmt", file, "--check"}).code, 0);

  const std::string broken = folder.file("b.cake", "x = (\n");
  const Finished refused = bakery_with({"fmt", broken, "--write"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.output.find("LANG-001"), std::string::npos) << refused.output;
  EXPECT_EQ(read_all(broken), "x = (\n");
}

TEST(Cli, Timeline) {
  const TemporaryFolder folder;
  const std::string out = folder / "trace.json";
  EXPECT_EQ(bakery_with({"timeline", kGemm, "-o", out}).code, 0);
  const Json trace = Json::parse(read_all(out));
  EXPECT_EQ(trace["otherData"]["time_unit"], "logical steps");
  EXPECT_GT(trace["traceEvents"].size(), 100u);
  EXPECT_EQ(json_of(bakery_with({"timeline", kGemm})), trace);

  const std::string text = replaced(kTinyGemm, "tiny", "small"), file = folder.file("a.cake", text);
  EXPECT_EQ(bakery_with({"timeline", file, "-o", folder.path().string() + "/./a.cake"}).code, 2);
  EXPECT_EQ(read_all(file), text);

  const Finished full = bakery_with({"timeline", kGemm, "-o", "/dev/full", "--json"});
  EXPECT_EQ(full.code, 2);
  EXPECT_NE(json_of(full)["error"]["message"].get<std::string>().find("No space left"), std::string::npos);
  EXPECT_EQ(bakery_with({"timeline", kGemm, "-o", folder.path().string()}).code, 2);
}

TEST(Cli, FixRepairsADeletedWait) {
  const TemporaryFolder folder;
  const std::string text = replaced(kTinyGemm, "                lm.wait(full, stage=s)\n", "");
  const std::string file = folder.file("a.cake", text);
  EXPECT_EQ(bakery_with({"check", file}).code, 1);
  EXPECT_EQ(bakery_with({"fix", file}).code, 0);
  EXPECT_EQ(read_all(file), text);
  EXPECT_TRUE(json_of(bakery_with({"fix", file, "--json"})).is_object());
  EXPECT_EQ(bakery_with({"fix", file, "--apply"}).code, 0);
  EXPECT_EQ(bakery_with({"check", file}).code, 0);
}

TEST(Cli, Simulate) {
  EXPECT_EQ(bakery_with({"simulate", kGemm, "--contract", kSmall}).code, 0);
  const TemporaryFolder folder;
  const std::string wrong = folder.file("a.cake", replaced(read_all(kGemm), "init=(k == 0)", "init=True"));
  const Finished done = bakery_with({"simulate", wrong, "--contract", kSmall, "--json"});
  EXPECT_EQ(done.code, 1);
  EXPECT_TRUE(json_of(done).is_object());
}

TEST(Cli, Contracts) {
  const TemporaryFolder folder;
  for (const char* command : {"check", "simulate"}) {
    const Finished missing = bakery_with({command, kGemm, "--contract", folder / "none.toml", "--json"});
    EXPECT_EQ(missing.code, 2);
    EXPECT_EQ(json_of(missing)["error"]["kind"], "file");
    const std::string broken = folder.file("broken.toml", "schedule = \"a.cake\"\nspeed = 9\n");
    const Finished wrong = bakery_with({command, kGemm, "--contract", broken, "--json"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_GE(json_of(wrong)["error"]["line"], 1);
    EXPECT_NE(wrong.error.find(broken + ":"), std::string::npos) << wrong.error;
  }
}

TEST(Cli, OutputThatCannotBeWritten) {
  EXPECT_EQ(run_program({"/bin/sh", "-c", "exec " BAKERY_BIN_DIR "/bakery targets >/dev/full"}).code, 2);
}

TEST(Cli, CtrlCEndsIt) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.cake", replaced(kTinyGemm, "lm.range(0, lm.cdiv(K, 16))", "lm.range(0, 1000000000)"));
  const Finished done = run_program({BAKERY_BIN_DIR "/bakery", "check", file, "--event-limit", "400000000"}, 0.3, 30);
  EXPECT_EQ(done.signal, 0);
  EXPECT_EQ(done.code, 130) << done.error;
  EXPECT_LT(done.seconds, 10);
}

// ---- bad input -----------------------------------------------------------------------------

TEST_F(BadInput, EmptyFile) { expect_located(of(""), "LANG-006"); }

TEST_F(BadInput, Noise) {
  const unsigned seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  const std::string alphabet = "()[]{}:=,.+-*/ \n\n\tabcdefwith lm@#\"'0123456789";
  std::string text(10'000'000, ' ');
  for (char& c : text) c = alphabet[random() % alphabet.size()];
  expect_located(of(text), "LANG-001");
  // Any valid bytes, control characters among them.
  for (char& c : text) c = static_cast<char>(random() % 128);
  expect_located(of(text), "LANG-001");
}

TEST_F(BadInput, OpenBrackets) {
  for (const char* bracket : {"(", "[", "{", "f(", "-", "not "}) {
    std::string text = "x = ";
    for (int i = 0; i < 200000; ++i) text += bracket;
    expect_located(of(text), "LANG-001");
    if (kSanitized) break;
  }
}

TEST_F(BadInput, DeepNesting) {
  std::string ifs = kHead, chain = kHead + "    x = lm", sum = kHead + "    x = K";
  for (int i = 0; i < 3000; ++i) ifs += std::string(4 * (i + 1), ' ') + "if True:\n";
  for (int i = 0; i < 100000; ++i) chain += ".a";
  for (int i = 0; i < 100000; ++i) sum += " + K";
  for (const std::string& text : {ifs, chain, sum}) expect_located(of(text), "LANG-001");
  // Grown by unrolling: an expression of 2^60 parts, and one that is a million levels deep.
  expect_located(of_tiny("                lm.wait(full, stage=s)", "                x = k\n                for q in range(60):\n                    x = x + x\n"
                         "                lm.wait(full, stage=s, when=(x > 3))"), "LANG-007");
  expect_located(of_tiny("                lm.wait(full, stage=s)", "                x = k\n                for q in range(100000):\n                    x = x + q\n"
                         "                lm.wait(full, stage=s, when=(x > 3))"), "LANG-007");
}

TEST_F(BadInput, TripCountOfAMilliard) {
  std::string text = kTinyGemm;
  for (size_t at; (at = text.find("lm.cdiv(K, 16)")) != std::string::npos;) text.replace(at, 14, "1000000000");
  const Bad cut = of(text);
  EXPECT_EQ(cut.code, 0) << cut.text;
  EXPECT_EQ(cut.check["verdict"], "incomplete");
  EXPECT_TRUE(covers(cut.check, "COVER-003")) << cut.check;
  const Bad empty = of_tiny("            lm.store_wait(pending=0)\n", "            for q in lm.range(0, 1000000000):\n                x = q\n            lm.store_wait(pending=0)\n");
  EXPECT_EQ(empty.code, 0) << empty.text;
  EXPECT_EQ(empty.check["verdict"], "incomplete");
}

TEST_F(BadInput, ZeroStages) {
  expect_located(of_tiny("stages=2", "stages=0"), "LANG-004");
  expect_located(of_tiny("stage=2", "stage=0"), "LANG-004");
  expect_located(of_tiny("count=2", "count=0"), "LANG-004");
  expect_located(of_tiny("stages=2", "stages=-1"), "LANG-004");
}

TEST_F(BadInput, UnknownOperation) {
  const Bad bad = of_tiny("lm.arrive(empty", "lm.arive(empty");
  expect_located(bad, "LANG-002");
  EXPECT_NE(bad.text.find("did you mean `arrive`?"), std::string::npos) << bad.text;
}

TEST_F(BadInput, UnknownTarget) { expect_located(of_tiny("sm_90a", "sm_91"), "HW-001"); }

TEST_F(BadInput, NotUtf8) {
  const Bad bad = of("# ok\nx = \xFF\n");
  expect_file_error(bad, "is not UTF-8: byte 0xff at offset 9");
  EXPECT_EQ(bad.check["error"]["line"], 2);
  EXPECT_EQ(bad.check["error"]["column"], 5);
}

TEST_F(BadInput, NulBytes) {
  const Bad bad = of(std::string("x = \0\0\x1B[31m\n", 12));
  expect_located(bad, "LANG-001");
  EXPECT_EQ(bad.text.find('\x1B'), std::string::npos) << "control characters reach the terminal";
  expect_located(of(std::string(1000000, '\0')));
}

TEST_F(BadInput, NoFile) {
  expect_file_error(bad_input(folder_ / "none.cake"), "no file `");
  expect_file_error(bad_input(folder_.path().string()), "is a directory");
  expect_file_error(bad_input(folder_ / "bad\xFFname.cake"), "no file `");
}

TEST_F(BadInput, AMillionOfEverything) {
  for (const char* line : {"r = lm.role(warps=[0])", "v = pool.view(offset=0, shape=(8, 8), dtype=lm.bf16)", "p = lm.smem(1024)",
                           "b = lm.barrier(count=2, prod=[load], cons=[load], init_count=1)", "x = 1"})
    expect_located(of(kHead + "    pool = lm.smem(1024)\n    load = lm.role(warps=[1])\n    for i in range(1000000):\n        " + line + "\n"),
                   "LANG-007");
  expect_located(of(kHead + "    for i in range(10000):\n        for j in range(10000):\n            for k in range(10000):\n                pass\n"));
}

TEST_F(BadInput, HugeNumbers) {
  expect_located(of_tiny("shape=(64, 16)", "shape=(9223372036854775807, 9223372036854775807)"));
  expect_located(of_tiny("shape=(64, 16)", "shape=(2147483647, 1)"));
  expect_located(of_tiny("10240", "9223372036854775807 * 9223372036854775807"));
  expect_located(of_tiny("10240", std::string(5000, '9')));
  expect_located(of_tiny("range(0, 4)", "range(0, 1000000000)"));
  expect_located(of_tiny("init_count=1", "init_count=1000000000000"));
  expect_located(of(kHead + "    x = 1 << 1000000000\n    y = 2 ** 100000000\n    z = 1 // 0\n"));
  EXPECT_LE(of_tiny("lm.cdiv(M, 64)", "lm.cdiv(M, 64) * 4000000000 * 4000000000").code, 1);
  EXPECT_LE(of_tiny("coords=(k * 16, m * 64)", "coords=(k * 9223372036854775807, m * 64 * 9223372036854775807)").code, 1);
  EXPECT_LE(of_tiny("lm.range(0, lm.cdiv(K, 16))", "lm.range(-9223372036854775807, 9223372036854775807)").code, 1);
}

TEST_F(BadInput, ManyChoices) {
  std::string text = kHead + "    t = lm.tunable(\"t\", 1, choices=[";
  for (int i = 0; i < 50000; ++i) text += std::to_string(i) + ", ";
  const Finished done = bakery_with({"check", folder_.file("a.cake", text + "])\n"), "--all-tunables", "--json"});
  EXPECT_LT(done.seconds, kSanitized ? 60 : 10);
  EXPECT_TRUE(covers(json_of(done), "COVER-001"));
}

}  // namespace
}  // namespace bakery
