// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "app/session/kernel.h"
#include "lowering/lower.h"
#include "tests/unit/gemm_source.h"

namespace bakery {
namespace {

std::shared_ptr<const Analysis> analysed(const std::string& text, const std::string& target = {}) {
  AnalysisOptions options;
  options.target = target;
  return analyse("schedule.cake", text, options);
}

LoweredKernel lowered(const std::string& text, const std::string& target = {}, const KernelOptions& options = {}) {
  return make_kernel(*analysed(text, target), options);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::stringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string fragment() { return testing::read_repo_file("resources/schedules/fmha_fwd.cake"); }

TEST(Lowering, TheSameInputGivesTheSameBytes) {
  const LoweredKernel a = lowered(testing::gemm()), b = lowered(testing::gemm());
  ASSERT_TRUE(a.lowered_ok);
  EXPECT_EQ(a.lowered.cuda, b.lowered.cuda);
  EXPECT_EQ(to_json(a.lowered.manifest), to_json(b.lowered.manifest));
  EXPECT_EQ(a.code_hash, b.code_hash);
}

TEST(Lowering, EveryOperationHasLinesAndEveryMappedLineASource) {
  const auto analysis = analysed(testing::gemm());
  const LoweredKernel kernel = make_kernel(*analysis);
  ASSERT_TRUE(kernel.lowered_ok);
  const std::vector<std::string> cuda = lines_of(kernel.lowered.cuda);
  for (const Op& op : analysis->schedule.ops) {
    const uint32_t line = analysis->source.position(op.span.begin).line;
    const std::vector<uint32_t> found = kernel.lowered.lines.cuda_lines(line);
    ASSERT_FALSE(found.empty()) << line;
    bool cites = false;
    for (uint32_t at : found) {
      ASSERT_LE(at, cuda.size());
      EXPECT_EQ(kernel.lowered.lines.schedule_line(at), line);
      cites |= cuda[at - 1].find("// " + std::to_string(line) + ": ") != std::string::npos;
    }
    EXPECT_TRUE(cites) << line;
  }
}

// What the compiler would call each line, by the `#line` directives, is what the map says.
TEST(Lowering, LineDirectivesAgreeWithTheMap) {
  const LoweredKernel kernel = lowered(testing::gemm());
  const std::vector<std::string> cuda = lines_of(kernel.lowered.cuda);
  const std::regex directive("#line ([0-9]+) \"(.*)\"");
  uint32_t next = 1;
  std::string file = "gemm_bf16.cu";
  for (size_t i = 0; i < cuda.size(); ++i) {
    std::smatch match;
    if (std::regex_match(cuda[i], match, directive)) {
      next = static_cast<uint32_t>(std::stoul(match[1]));
      file = match[2];
      continue;
    }
    const uint32_t mapped = kernel.lowered.lines.schedule_line(static_cast<uint32_t>(i + 1));
    if (mapped != 0) {
      EXPECT_EQ(file, "schedule.cake") << cuda[i];
      EXPECT_EQ(next, mapped) << cuda[i];
    } else if (file == "gemm_bf16.cu") {
      EXPECT_EQ(next, i + 1) << cuda[i];
    }
    ++next;
  }
}

TEST(Lowering, NoHelperIsUnused) {
  for (const std::string& text : {testing::gemm(), fragment()}) {
    const LoweredKernel kernel = lowered(text, text == testing::gemm() ? "" : "sm_100a");
    ASSERT_TRUE(kernel.lowered_ok);
    const std::regex definition("__forceinline__ [a-z0-9_]+ ([a-z0-9_]+)\\(");
    for (std::sregex_iterator it(kernel.lowered.cuda.begin(), kernel.lowered.cuda.end(), definition), end; it != end; ++it) {
      const std::string name = (*it)[1];
      size_t uses = 0;
      for (size_t at = kernel.lowered.cuda.find(name); at != std::string::npos; at = kernel.lowered.cuda.find(name, at + 1)) ++uses;
      EXPECT_GE(uses, 2u) << name;
    }
  }
}

TEST(Lowering, TheSchedulesNamesAreKept) {
  const std::string cuda = lowered(testing::gemm()).lowered.cuda;
  for (const char* name : {"A_S_OFFSET", "FULL_BARRIER", "EMPTY_BARRIER", "Role: load", "Role: mma", "full_phase", "pipe_slot", "float acc[128]"})
    EXPECT_NE(cuda.find(name), std::string::npos) << name;
  EXPECT_NE(cuda.find("__launch_bounds__(384, 1)"), std::string::npos);
}

TEST(Lowering, RefutationsAreWaivedOnRequestOnly) {
  const std::string broken = testing::replaced(testing::gemm(), "                lm.arrive(empty, stage=pipe.previous(), when=(k > 0))\n", "");
  EXPECT_FALSE(lowered(broken).lowered_ok);
  KernelOptions unchecked;
  unchecked.unchecked = true;
  const LoweredKernel kernel = lowered(broken, "", unchecked);
  ASSERT_TRUE(kernel.lowered_ok);
  EXPECT_FALSE(kernel.lowered.manifest.waived.empty());
  EXPECT_NE(kernel.lowered.cuda.find("// WAIVED SCHED-003"), std::string::npos);
  EXPECT_FALSE(lowered(fragment(), "sm_90a", unchecked).lowered_ok) << "HW- findings cannot be waived";
  EXPECT_FALSE(lowered(testing::replaced(testing::gemm(), "lm.wait(full", "lm.wiat(full"), "", unchecked).lowered_ok);
}

TEST(Lowering, WhatCannotBeLoweredIsRefusedWithItsPlace) {
  const std::string text =
      "@cake.schedule(target=\"sm_80\")\n"
      "def f(lm, n: LM.i32):\n"
      "    a = lm.role(warps=[0])\n"
      "    b = lm.role(warps=[1])\n"
      "    x = lm.barrier(count=1, prod=[a], cons=[b], init_count=1)\n"
      "    with a:\n"
      "        lm.arrive(x)\n"
      "    with b:\n"
      "        lm.wait(x)\n";
  const LoweredKernel kernel = lowered(text);
  EXPECT_FALSE(kernel.lowered_ok);
  ASSERT_FALSE(kernel.findings.empty());
  EXPECT_EQ(kernel.findings[0].id, "LOWER-001");
}

TEST(Lowering, PassesHaveNames) {
  const auto passes = lowering_passes();
  EXPECT_GE(passes.size(), 5u);
  std::set<std::string> names;
  for (const PassInfo& pass : passes) EXPECT_TRUE(names.insert(pass.name).second);
}

// NVRTC needs no driver; without the toolkit this test can't run.
TEST(Lowering, NvrtcTakesItWithoutSpillsOrRemarks) {
  struct Case {
    std::string text, target;
    bool bounded;
  };
  WorkerClient worker(WorkerCommand{{std::string(BAKERY_BIN_DIR) + "/bakery", "worker"}, 30});
  const auto probe = worker.probe();
  ASSERT_TRUE(probe.status.ok()) << probe.status.message;
  if (!probe.value.nvrtc.found) GTEST_SKIP() << "NVRTC is not installed: " << probe.value.nvrtc.error;
  const std::vector<Case> cases = {{testing::gemm(), "", false}, {testing::gemm(), "", true}, {fragment(), "sm_100a", false}, {fragment(), "sm_103a", false}};
  for (const Case& c : cases) {
    const auto analysis = analysed(c.text, c.target);
    KernelOptions options;
    options.bounded_waits = c.bounded;
    const LoweredKernel kernel = make_kernel(*analysis, options);
    ASSERT_TRUE(kernel.lowered_ok);
    const CompiledKernel compiled = compile_kernel(worker, *analysis, kernel);
    ASSERT_TRUE(compiled.status.ok()) << compiled.status.message;
    EXPECT_TRUE(compiled.answer.ok) << compiled.answer.log;
    EXPECT_EQ(compiled.spill_stores, 0);
    EXPECT_GT(compiled.registers, 0);
    for (const Finding& finding : compiled.findings) ADD_FAILURE() << finding.id << ": " << finding.message;
  }
}

// An error of the compiler comes back as a finding on the schedule line that made the code.
TEST(Lowering, CompilerErrorsLieOnScheduleLines) {
  WorkerClient worker(WorkerCommand{{std::string(BAKERY_BIN_DIR) + "/bakery", "worker"}, 30});
  const auto probe = worker.probe();
  ASSERT_TRUE(probe.status.ok());
  if (!probe.value.nvrtc.found) GTEST_SKIP() << "NVRTC is not installed: " << probe.value.nvrtc.error;
  const auto analysis = analysed(testing::gemm());
  LoweredKernel kernel = make_kernel(*analysis);
  kernel.lowered.cuda = testing::replaced(kernel.lowered.cuda, "wgmma_wait<1>();", "wgmma_wait<undeclared>();");
  const CompiledKernel compiled = compile_kernel(worker, *analysis, kernel);
  ASSERT_TRUE(compiled.status.ok());
  EXPECT_FALSE(compiled.answer.ok);
  ASSERT_FALSE(compiled.findings.empty());
  const std::string line(analysis->source.line(analysis->source.position(compiled.findings[0].span.begin).line));
  EXPECT_NE(line.find("lm.mma_wait(pending=1)"), std::string::npos) << line;
}

}  // namespace
}  // namespace bakery
