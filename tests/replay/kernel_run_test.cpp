// SPDX-License-Identifier: Apache-2.0
// Runs and benchmarks on a device that is not there: see fake_driver.h.
#include "profiler/kernel_run.h"

#include <gtest/gtest.h>

#include "profiler/nvrtc.h"
#include "tests/replay/fake_driver.h"

namespace bakery {
namespace {

float element(const fake::Map& map, uint64_t row, uint64_t column) {
  return decode(DType::bf16, map.address + row * map.stride + column * 2);
}

fake::Map map_of(const fake::Launched& launched, int argument) {
  fake::Map map;
  std::memcpy(&map, launched.arguments[argument], sizeof map);
  return map;
}

// C = A * B^T by way of the tensor maps; `rows` of C are written.
void gemm(const fake::Launched& launched, uint64_t rows = UINT64_MAX) {
  const fake::Map a = map_of(launched, 0), b = map_of(launched, 1), c = map_of(launched, 2);
  const int K = *static_cast<const int*>(launched.arguments[3]);
  for (uint64_t m = 0; m < std::min(rows, c.extents[1]); ++m)
    for (uint64_t n = 0; n < c.extents[0]; ++n) {
      float sum = 0;
      for (int k = 0; k < K; ++k) sum += element(a, m, static_cast<uint64_t>(k)) * element(b, n, static_cast<uint64_t>(k));
      encode(DType::bf16, sum, c.address + m * c.stride + n * 2);
    }
}

// The signature of the device reference, on the host.
void reference_gemm(const fake::Launched& launched) {
  const auto number = [&](int i) { return *static_cast<const int64_t*>(launched.arguments[i]); };
  const auto* a = *static_cast<const uint8_t* const*>(launched.arguments[0]);
  const auto* b = *static_cast<const uint8_t* const*>(launched.arguments[3]);
  auto* c = *static_cast<float* const*>(launched.arguments[6]);
  const int M = *static_cast<const int*>(launched.arguments[7]), N = *static_cast<const int*>(launched.arguments[8]),
            K = *static_cast<const int*>(launched.arguments[9]);
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      float sum = 0;
      for (int k = 0; k < K; ++k)
        sum += decode(DType::bf16, a + (m * number(1) + k * number(2)) * 2) * decode(DType::bf16, b + (n * number(4) + k * number(5)) * 2);
      c[m * N + n] = sum;
    }
}

RunRequest request(int64_t M = 130, int64_t N = 72, int64_t K = 88) {
  RunRequest out;
  out.cubin = {1};
  LaunchManifest& manifest = out.manifest;
  manifest.target = "sm_90a";
  manifest.kernel = "gemm";
  manifest.threads = 384;
  manifest.shared_bytes = 200000;
  manifest.bounded_waits = true;
  manifest.maps = {{"A", "a_s", 2, DType::bf16, {64, 128}, 128}, {"B", "b_s", 2, DType::bf16, {64, 64}, 128}, {"C", "c_s", 2, DType::bf16, {64, 64}, 128}};
  using Kind = KernelParameter::Kind;
  manifest.params = {{Kind::tensor_map, "a", 0}, {Kind::tensor_map, "b", 1}, {Kind::tensor_map, "c", 2}, {Kind::scalar, "K", -1, 2}, {Kind::faults, "faults"}};
  manifest.roles = {{"load", {0}}, {"mma", {4, 5, 6, 7}}};
  manifest.barriers = {{"full", 4}, {"empty", 4}};
  out.scalars = {{"K", K}};
  out.tensors = {{"A", DType::bf16, {M, K}, {K, 1}, InputDistribution::normal, 1},
                 {"B", DType::bf16, {N, K}, {K + 8, 1}, InputDistribution::uniform, 1},
                 {"C", DType::bf16, {M, N}, {N + 8, 1}}};
  out.tensors[2].output = true;
  out.tensors[2].tile = {128, 64};
  out.tiles = 4;
  out.oracle = "gemm_bf16";
  out.rtol = 1.0 / 256;
  out.atol = 1e-3;
  out.timeout_s = 0.2;
  return out;
}

class KernelRun : public testing::Test {
 protected:
  void SetUp() override {
    fake::state = {};
    fake::state.kernels["gemm"] = [](const fake::Launched& launched) { gemm(launched); };
    fake::state.kernels["bakery_reference_gemm"] = reference_gemm;
    cuda::use_driver(fake::driver());
  }
  static RunAnswer run(const RunRequest& request) { return run_kernel(request, [](const Progress&) {}); }
  static WorkerError refusal(const std::function<void()>& call) {
    try {
      call();
    } catch (const cuda::Failure& failure) {
      return failure.error();
    }
    return {};
  }
};

TEST_F(KernelRun, Correct) {
  RunRequest twice = request();
  twice.repeats = 2;
  const RunAnswer answer = run(twice);
  EXPECT_EQ(answer.verdict, RunVerdict::correct);
  EXPECT_EQ(answer.launches, 2);
  EXPECT_EQ(answer.reference, "the f64 oracle `gemm_bf16`");
  EXPECT_EQ(answer.launch.grid, 4);
  EXPECT_EQ(answer.launch.registers, 168);
  ASSERT_EQ(answer.outputs.size(), 1u);
  EXPECT_EQ(answer.outputs[0].elements, 130 * 72);
  EXPECT_GT(answer.outputs[0].max_rel, 0);
  EXPECT_FALSE(answer.ended);
}

TEST_F(KernelRun, GridIsWhatIsResident) {
  RunRequest many = request();
  many.tiles = 1000;
  fake::state.ctas_per_sm = 2;
  EXPECT_EQ(run(many).launch.grid, 8);
  many.tiles = 0;
  EXPECT_EQ(run(many).launch.grid, 1);
}

TEST_F(KernelRun, WorkloadIsKeptBetweenRuns) {
  run(request(128, 64, 64));
  const int64_t before = fake::state.allocations;
  EXPECT_EQ(run(request(128, 64, 64)).verdict, RunVerdict::correct);
  EXPECT_EQ(fake::state.allocations, before);
  EXPECT_EQ(run(request(128, 64, 72)).verdict, RunVerdict::correct);
  EXPECT_EQ(fake::state.allocations, before + 3);
}

TEST_F(KernelRun, UnwrittenRowsAreFound) {
  fake::state.kernels["gemm"] = [](const fake::Launched& launched) { gemm(launched, 129); };
  const RunAnswer answer = run(request());
  EXPECT_EQ(answer.verdict, RunVerdict::mismatch);
  EXPECT_EQ(answer.outputs[0].mismatches, 72);
  EXPECT_EQ(answer.outputs[0].unwritten, 72);
  EXPECT_EQ(answer.outputs[0].first[0].index, (std::vector<int64_t>{129, 0}));
  EXPECT_EQ(answer.outputs[0].first[0].tile, (std::vector<int64_t>{1, 0}));
}

TEST_F(KernelRun, WritesOutsideAreFound) {
  fake::state.kernels["gemm"] = [](const fake::Launched& launched) {
    gemm(launched);
    const fake::Map c = map_of(launched, 2);
    c.address[-1] = 0;                   // before the tensor
    c.address[c.extents[0] * 2] = 0;     // between its rows
    c.address[c.stride * 129 + 144] = 0; // behind its last element
  };
  const RunAnswer answer = run(request());
  EXPECT_EQ(answer.verdict, RunVerdict::mismatch);
  EXPECT_EQ(answer.outputs[0].mismatches, 0);
  EXPECT_EQ(answer.outputs[0].outside_bytes, 3);
}

TEST_F(KernelRun, HangIsReadFromTheSlotsAndNothingIsFreed) {
  fake::state.kernels["gemm"] = [](const fake::Launched& launched) {
    auto* slots = *static_cast<WaitFault* const*>(launched.arguments[4]);
    slots[0] = {1, 0, 1, 2, 0, 41, 0, 3};
    slots[12 * 3 + 4] = {1, 1, 0, 1, 0, 55, 3, 7};
  };
  fake::state.after_launch = 719;
  const RunAnswer answer = run(request());
  EXPECT_EQ(answer.verdict, RunVerdict::hang);
  EXPECT_TRUE(answer.ended);
  EXPECT_EQ(answer.failure.code, 719);
  ASSERT_EQ(answer.hangs.size(), 2u);
  EXPECT_EQ(answer.hangs[1].cta, 3u);
  EXPECT_EQ(answer.hangs[1].role_name, "mma");
  EXPECT_EQ(fake::state.frees_after_failure, 0);
}

TEST_F(KernelRun, FailureAndTimeOut) {
  fake::state.after_launch = 700;
  const RunAnswer failed = run(request());
  EXPECT_EQ(failed.verdict, RunVerdict::failed);
  EXPECT_EQ(failed.failure.code_name, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(failed.failure.call, "cuStreamQuery");
  SetUp();
  fake::state.after_launch = cuda::kNotReady;
  const RunAnswer late = run(request());
  EXPECT_EQ(late.verdict, RunVerdict::timed_out);
  EXPECT_TRUE(late.ended);
  EXPECT_EQ(fake::state.frees_after_failure, 0);
}

TEST_F(KernelRun, RefusalsSayWhy) {
  fake::state.devices = {{0, "NVIDIA A100", "", 8, 0, 108}};
  EXPECT_EQ(refusal([] { run(request()); }).kind, WorkerErrorKind::device);
  SetUp();
  RunRequest other = request();
  other.manifest.kernel = "another";
  EXPECT_EQ(refusal([&] { run(other); }).call, "cuModuleGetFunction");
  other = request();
  other.manifest.shared_bytes = 300000;
  EXPECT_NE(refusal([&] { run(other); }).message.find("300000 bytes of dynamic shared memory"), std::string::npos);
  other = request();
  other.manifest.threads = 2048;
  EXPECT_EQ(refusal([&] { run(other); }).kind, WorkerErrorKind::request);
  fake::state.ctas_per_sm = 0;
  EXPECT_NE(refusal([] { run(request()); }).message.find("no CTA fits on an SM"), std::string::npos);
}

TEST_F(KernelRun, DeviceReferenceIsTestedAndUsed) {
  if (const LibraryProbe nvrtc = probe_nvrtc(); !nvrtc.found) GTEST_SKIP() << "there is no NVRTC: " << nvrtc.error;
  RunRequest device = request();
  device.reference = ReferenceKind::device;
  const RunAnswer answer = run(device);
  EXPECT_EQ(answer.verdict, RunVerdict::correct);
  EXPECT_NE(answer.reference.find("f32 device reference (within"), std::string::npos) << answer.reference;
  fake::state.kernels["bakery_reference_gemm"] = [](const fake::Launched& launched) {
    reference_gemm(launched);
    (*static_cast<float* const*>(launched.arguments[6]))[5] += 0.01f;
  };
  device.tensors[0].seed = 9;  // another workload
  EXPECT_NE(refusal([&] { run(device); }).message.find("the device reference is wrong: element 5"), std::string::npos);
}

TEST_F(KernelRun, BenchWithEventsOnlyIfAsked) {
  BenchRequest bench{request()};
  bench.samples = 5;
  bench.warmups = 2;
  bench.flush_bytes = 1 << 20;
  const auto time = [&] { return bench_kernel(bench, [](const Progress&) {}); };
  const WorkerError error = refusal([&] { time(); });
  EXPECT_NE(error.message.find("events was not asked for"), std::string::npos) << error.message;
  bench.allow_events = true;
  const BenchAnswer answer = time();
  EXPECT_EQ(answer.clock, "events");
  EXPECT_FALSE(answer.note.empty());
  EXPECT_EQ(answer.span_ms, std::vector<double>(5, 0.25));
  EXPECT_EQ(answer.run.verdict, RunVerdict::correct);
  EXPECT_EQ(answer.run.launches, 7);
  EXPECT_EQ(answer.flush_bytes, 1 << 20);

  bench.run.manifest.waived = {"SCHED-003: deleted arrive"};
  EXPECT_EQ(refusal([&] { time(); }).kind, WorkerErrorKind::request);
  bench.run.manifest.waived.clear();
  fake::state.after_launch = 719;
  const BenchAnswer failed = time();
  EXPECT_EQ(failed.run.verdict, RunVerdict::failed);
  EXPECT_TRUE(failed.run.ended);
}

}  // namespace
}  // namespace bakery
