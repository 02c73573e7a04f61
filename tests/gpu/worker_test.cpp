// SPDX-License-Identifier: Apache-2.0
// The worker on a real device of compute capability 9.0, with the kernels of kernels.h. Elsewhere every
// test but the compilation is skipped and says why.
#include "profiler/worker.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <iostream>

#include "profiler/client.h"
#include "profiler/faults.h"
#include "tests/gpu/kernels.h"

namespace bakery {
namespace {

using Clock = std::chrono::steady_clock;

WorkerCommand own_worker() { return {{std::filesystem::read_symlink("/proc/self/exe").string(), "worker"}}; }

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

CompileAnswer compile_kernel(int broken) {
  WorkerClient compiler(own_worker());
  const std::string text = "#define BAKERY_BREAK " + std::to_string(broken) + "\n" + gpu::kTmaGemm;
  const auto compiled = compiler.compile({text, "tma_gemm.cu", "sm_90a", {"-std=c++17", "-lineinfo", "--ptxas-options=-v"}});
  EXPECT_TRUE(compiled.status.ok()) << compiled.status.message;
  EXPECT_TRUE(compiled.value.ok) << compiled.value.log;
  return compiled.value;
}

RunRequest request(const std::vector<uint8_t>& cubin, int64_t M, int64_t N, int64_t K, InputDistribution distribution) {
  RunRequest out;
  out.cubin = cubin;
  LaunchManifest& manifest = out.manifest;
  manifest.target = "sm_90a";
  manifest.kernel = "tma_gemm";
  manifest.threads = 256;
  manifest.shared_bytes = 3 * 8192;
  manifest.bounded_waits = true;
  for (const char* name : {"A", "B", "C"}) manifest.maps.push_back({name, std::string(name) + "_s", 2, DType::bf16, {64, 64}, 0});
  using Kind = KernelParameter::Kind;
  manifest.params = {{Kind::tensor_map, "a_map", 0}, {Kind::tensor_map, "b_map", 1}, {Kind::tensor_map, "c_map", 2}, {Kind::scalar, "M"},
                     {Kind::scalar, "N"}, {Kind::scalar, "K"}, {Kind::faults, "faults"}};
  manifest.roles = {{"load", {0}}, {"all", {0, 1, 2, 3, 4, 5, 6, 7}}};
  manifest.barriers = {{"full", 1, 1, 1, 0}};
  out.scalars = {{"M", M}, {"N", N}, {"K", K}};
  out.tensors = {{"A", DType::bf16, {M, K}, {K, 1}, distribution, 3}, {"B", DType::bf16, {N, K}, {K + 8, 1}, distribution, 3}, {"C", DType::bf16, {M, N}, {N + 8, 1}}};
  out.tensors[2].output = true;
  out.tensors[2].tile = {64, 64};
  out.tiles = (M + 63) / 64 * ((N + 63) / 64);
  out.oracle = "gemm_bf16";
  out.rtol = 1.0 / 256;
  out.atol = 1e-2;
  out.timeout_s = 10;
  return out;
}

TEST(Kernel, Compiles) {
  WorkerClient client(own_worker());
  const auto probe = client.probe();
  ASSERT_TRUE(probe.status.ok()) << probe.status.message;
  if (!probe.value.nvrtc.found) GTEST_SKIP() << probe.value.nvrtc.error;
  for (int broken = 0; broken <= 4; ++broken) EXPECT_NE(compile_kernel(broken).log.find(" 0 bytes spill stores"), std::string::npos);
}

class Device : public testing::Test {
 protected:
  void SetUp() override {
    const auto probe = client_.probe();
    ASSERT_TRUE(probe.status.ok()) << probe.status.message;
    probe_ = probe.value;
    if (!probe_.nvrtc.found) GTEST_SKIP() << probe_.nvrtc.error;
    if (!probe_.driver.found) GTEST_SKIP() << probe_.driver.error;
    for (const CudaDevice& device : probe_.devices) fits_ = fits_ || (device.major == 9 && device.minor == 0);
    if (!fits_) GTEST_SKIP() << "no device of compute capability 9.0";
  }

  // A call that must be answered.
  RunAnswer run(const RunRequest& request) {
    const auto reply = client_.run(request);
    EXPECT_TRUE(reply.status.ok()) << reply.status.message << "\n" << reply.status.stderr_tail;
    return reply.value;
  }
  void expect_correct(const RunAnswer& answer) {
    EXPECT_EQ(answer.verdict, RunVerdict::correct) << to_string(answer.verdict) << " " << answer.failure.message;
    for (const OutputCheck& check : answer.outputs) {
      EXPECT_EQ(check.outside_bytes, 0);
      for (const Mismatch& m : check.first) ADD_FAILURE() << m.index[0] << ", " << m.index[1] << ": expected " << m.expected << ", got " << m.got;
    }
  }

  WorkerClient client_{own_worker()};
  ProbeAnswer probe_;
  bool fits_ = false;
};

TEST_F(Device, Probe) {
  std::cout << to_json(probe_) << "\n";
  EXPECT_TRUE(probe_.cupti_usable) << probe_.cupti.error;
  EXPECT_TRUE(probe_.nvml.found) << probe_.nvml.error;
}

TEST_F(Device, EdgesAndDistributions) {
  const CompileAnswer compiled = compile_kernel(0);
  for (const auto distribution : {InputDistribution::normal, InputDistribution::uniform, InputDistribution::ones, InputDistribution::integers})
    for (const auto& [M, N, K] : {std::tuple{64, 64, 64}, {136, 264, 72}, {200, 72, 1000}, {1000, 1032, 264}}) {
      SCOPED_TRACE(std::to_string(M) + " x " + std::to_string(N) + " x " + std::to_string(K));
      RunRequest host = request(compiled.cubin, M, N, K, distribution);
      host.repeats = 2;
      expect_correct(run(host));
      host.reference = ReferenceKind::device;
      const RunAnswer device = run(host);
      expect_correct(device);
      EXPECT_NE(device.reference.find("f32 device reference"), std::string::npos) << device.reference;
    }
}

TEST_F(Device, LargeAndTimedByPhase) {
  const CompileAnswer compiled = compile_kernel(0);
  const RunRequest large = request(compiled.cubin, 4096, 4096, 4096, InputDistribution::normal);
  const RunAnswer first = run(large);
  expect_correct(first);
  const RunAnswer second = run(large);
  std::cout << "prepared in " << first.prepare_ms << " ms, again in " << second.prepare_ms << " ms; run and compared in " << first.run_ms << " ms\n";
  EXPECT_LT(second.prepare_ms, first.prepare_ms);
}

TEST_F(Device, WrongTilesAreNamed) {
  const RunAnswer answer = run(request(compile_kernel(4).cubin, 136, 264, 72, InputDistribution::normal));
  EXPECT_EQ(answer.verdict, RunVerdict::mismatch);
  ASSERT_FALSE(answer.outputs.empty());
  ASSERT_FALSE(answer.outputs[0].first.empty());
  EXPECT_EQ(answer.outputs[0].first[0].index[0], 64);
  EXPECT_EQ(answer.outputs[0].first[0].tile, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(answer.outputs[0].unwritten, 0);
  EXPECT_LE(answer.outputs[0].mismatches, 64 * 264);
}

TEST_F(Device, HangIsDecodedAndTheNextRunWorks) {
  const auto begin = Clock::now();
  const RunAnswer answer = run(request(compile_kernel(1).cubin, 136, 264, 200, InputDistribution::normal));
  EXPECT_LT(seconds_since(begin), 20);
  EXPECT_EQ(answer.verdict, RunVerdict::hang) << answer.failure.message;
  std::cout << "after the trap: " << answer.failure.message << "\n";
  ASSERT_FALSE(answer.hangs.empty());
  EXPECT_EQ(answer.hangs[0].cta, 1u);
  EXPECT_EQ(answer.hangs[0].completion, 1u);
  EXPECT_EQ(answer.hangs[0].line, 77u);
  EXPECT_EQ(answer.hangs.size(), 8u);
  for (const HangGroup& group : group_hangs(answer.hangs)) std::cout << to_text(group) << "\n";
  expect_correct(run(request(compile_kernel(0).cubin, 136, 264, 200, InputDistribution::normal)));
}

TEST_F(Device, IllegalAddressThenTheNextRunWorks) {
  const RunAnswer answer = run(request(compile_kernel(2).cubin, 64, 64, 64, InputDistribution::normal));
  EXPECT_EQ(answer.verdict, RunVerdict::failed) << answer.failure.message;
  EXPECT_EQ(answer.failure.code, 700) << answer.failure.message;
  expect_correct(run(request(compile_kernel(0).cubin, 64, 64, 64, InputDistribution::normal)));
}

TEST_F(Device, EndlessKernelIsEndedThenTheNextRunWorks) {
  RunRequest endless = request(compile_kernel(3).cubin, 64, 64, 64, InputDistribution::normal);
  endless.timeout_s = 1;
  const auto begin = Clock::now();
  const RunAnswer answer = run(endless);
  EXPECT_EQ(answer.verdict, RunVerdict::timed_out) << answer.failure.message;
  EXPECT_LT(seconds_since(begin), 20);
  expect_correct(run(request(compile_kernel(0).cubin, 64, 64, 64, InputDistribution::normal)));
}

TEST_F(Device, SpansOfCuptiAndEvents) {
  const CompileAnswer compiled = compile_kernel(0);
  for (const auto flush : {FlushKind::write, FlushKind::read, FlushKind::none}) {
    BenchRequest bench{request(compiled.cubin, 1024, 1024, 1024, InputDistribution::normal)};
    bench.flush = flush;
    const auto reply = client_.bench(bench);
    ASSERT_TRUE(reply.status.ok()) << reply.status.message;
    expect_correct(reply.value.run);
    EXPECT_EQ(reply.value.clock, "cupti");
    EXPECT_EQ(reply.value.span_ms.size(), 40u);
    std::cout << "flush " << static_cast<int>(flush) << ": median " << reply.value.median_ms << " ms, spread " << reply.value.spread << ", clocks";
    for (const int mhz : reply.value.sm_mhz) std::cout << " " << mhz;
    std::cout << "\n";
    EXPECT_LT(reply.value.spread, 0.2);
  }
}

}  // namespace
}  // namespace bakery

int main(int argc, char** argv) {
  if (argc >= 2 && std::string_view(argv[1]) == "worker") return bakery::worker_main(argc - 2, argv + 2);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
