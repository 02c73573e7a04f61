// SPDX-License-Identifier: Apache-2.0
// The logs in tests/fixtures/compiler are NVRTC's own.
#include "lowering/compiler_log.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace bakery {
namespace {

std::string fixture(const std::string& name) {
  std::ifstream file(std::string(BAKERY_SOURCE_DIR) + "/tests/fixtures/compiler/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

CompilerLog read(const std::string& name, const std::string& ptx = "") {
  return read_compiler_log(fixture(name + ".log"), ptx.empty() ? "" : fixture(ptx), "sched/gemm.cake");
}

using Level = CompilerMessage::Level;

TEST(CompilerLog, FrontEndMessagesStandAtTheScheduleLine) {
  const CompilerLog log = read("front_end_error");
  ASSERT_EQ(log.messages.size(), 2u);
  EXPECT_EQ(log.messages[0].level, Level::error);
  EXPECT_EQ(log.messages[0].file, "sched/gemm.cake");
  EXPECT_EQ(log.messages[0].line, 12u);
  EXPECT_EQ(log.messages[0].text, "identifier \"undefined_name\" is undefined");
  EXPECT_EQ(log.messages[1].level, Level::warning);
  EXPECT_EQ(log.messages[1].code, "177-D");
  EXPECT_EQ(log.errors(), 1);
}

TEST(CompilerLog, AssemblerErrorsFollowInlinedCallsToTheScheduleLine) {
  const CompilerLog log = read("ptxas_error", "ptxas_error.ptx");
  ASSERT_EQ(log.messages.size(), 3u);
  EXPECT_EQ(log.messages[0].text, "Unknown modifier '.wat'");
  EXPECT_EQ(log.messages[0].ptx_line, 32u);
  EXPECT_EQ(log.messages[0].file, "sched/gemm.cake");
  EXPECT_EQ(log.messages[0].line, 105u);
  EXPECT_EQ(log.messages[2].text, "Ptx assembly aborted due to errors");
  EXPECT_EQ(log.messages[2].line, 0u);
  EXPECT_EQ(log.errors(), 3);
}

TEST(CompilerLog, WithoutPtxTheLineIsUnknown) {
  const CompilerLog log = read("ptxas_error");
  EXPECT_EQ(log.messages[0].line, 0u);
  EXPECT_EQ(log.messages[0].ptx_line, 32u);
}

TEST(CompilerLog, Resources) {
  const CompilerLog log = read("spills");
  const FunctionResources* kernel = log.function("k");
  ASSERT_NE(kernel, nullptr);
  EXPECT_TRUE(kernel->entry);
  EXPECT_EQ(kernel->registers, 32);
  EXPECT_EQ(kernel->barriers, 1);
  EXPECT_EQ(kernel->stack_bytes, 480);
  EXPECT_EQ(kernel->spill_stores, 896);
  EXPECT_EQ(kernel->spill_loads, 976);
  ASSERT_EQ(log.messages.size(), 2u);
  EXPECT_EQ(log.messages[1].level, Level::warning);
  EXPECT_EQ(log.messages[1].function, "k");
}

TEST(CompilerLog, NvccReportIsReadToo) {
  const CompilerLog log = read_compiler_log(
      "ptxas info    : Compiling entry function 'gemm' for 'sm_90a'\n"
      "ptxas info    : Function properties for gemm\n"
      "    0 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 10 barriers, 1024 bytes smem, 912 bytes cmem[0]\n",
      "", "gemm.cake");
  const FunctionResources* kernel = log.function("gemm");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->registers, 168);
  EXPECT_EQ(kernel->barriers, 10);
  EXPECT_EQ(kernel->spill_stores, 16);
  EXPECT_EQ(kernel->static_shared, 1024);
}

TEST(CompilerLog, IgnoredRegisterBudget) {
  const CompilerLog log = read("setmaxnreg_ignored");
  ASSERT_EQ(log.messages.size(), 1u);
  EXPECT_EQ(log.messages[0].code, "C7508");
  ASSERT_NE(find_remark("C7508"), nullptr);
}

TEST(CompilerLog, InjectedWaitsAndFencesHaveLines) {
  const CompilerLog log = read("wgmma_serialised", "wgmma_serialised.ptx");
  ASSERT_EQ(log.messages.size(), 13u);
  for (const CompilerMessage& message : log.messages) {
    EXPECT_EQ(message.function, "k");
    EXPECT_NE(find_remark(message.code), nullptr) << message.code;
    if (message.code == "C7511") continue;
    EXPECT_EQ(message.file, "sched/gemm.cake");
    EXPECT_GE(message.line, 30u);
    EXPECT_LE(message.line, 40u);
  }
  EXPECT_EQ(log.messages.back().code, "C7511");
  // "arrive is injected in around line 64" is where the mma was inlined.
  EXPECT_EQ(log.messages[0].ptx_line, 64u);
  EXPECT_EQ(log.messages[0].line, 34u);
}

TEST(CompilerLog, NestedCallsOfHelpers) {
  const std::string ptx =
      "\t.loc\t1 50 3\n"
      "\t.loc\t2 9 5, function_name $a, inlined_at 1 50 3\n"
      "\t.loc\t2 4 7, function_name $b, inlined_at 2 9 5\n"
      "\tnop;\n"
      "\t.file\t1 \"/src/gemm.cake\"\n"
      "\t.file\t2 \"/src/gemm.cu\"\n";
  EXPECT_EQ(source_of_ptx_line(ptx, 4, "gemm.cake").line, 50u);
  EXPECT_EQ(source_of_ptx_line(ptx, 4, "other.cake").file, "/src/gemm.cake");  // the outermost
  EXPECT_EQ(source_of_ptx_line(ptx, 1, "gemm.cake").line, 50u);
  EXPECT_EQ(source_of_ptx_line(ptx, 1000, "gemm.cake").line, 50u);
  EXPECT_EQ(source_of_ptx_line("", 4, "gemm.cake").line, 0u);
}

TEST(CompilerLog, CleanAndNoise) {
  EXPECT_TRUE(read("clean").messages.empty());
  for (const char* text : {"", "\n\n", "ptxas", "ptxas info", "ptxas info :", "(): error: x", "a(1: error", "ptxas info    : (C75", "x(9): ", ", line ; "})
    EXPECT_LE(read_compiler_log(text, ".loc\n.loc 1\n.file 1 \"\n", "s").messages.size(), 1u) << text;
}

}  // namespace
}  // namespace bakery
