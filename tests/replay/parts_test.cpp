// SPDX-License-Identifier: Apache-2.0
// The worker's parts that need no device.
#include <gtest/gtest.h>

#include <atomic>

#include "app/session/contract.h"
#include "profiler/compare.h"
#include "profiler/cupti.h"
#include "profiler/device.h"
#include "profiler/device_probe.h"
#include "profiler/faults.h"
#include "profiler/inputs.h"
#include "profiler/launch.h"
#include "profiler/tensor_map.h"
#include "profiler/workload.h"

namespace bakery {
namespace {

template <class F>
std::string failure(const F& call) {
  try {
    call();
  } catch (const cuda::Failure& failure) {
    return failure.what();
  }
  return "none";
}

// ---- inputs ----------------------------------------------------------------------------

// The worker fills tensors with what `bakery simulate` fills them with.
TEST(Inputs, AreThoseOfTheContract) {
  const ContractResult read = read_contract(std::string(BAKERY_SOURCE_DIR) + "/resources/contracts/gemm_bf16_small.toml");
  ASSERT_TRUE(read.contract);
  Contract contract = *read.contract;
  for (TensorSpec& spec : contract.tensors) {
    if (spec.output) continue;
    for (int i = 0; i < 4; ++i) {
      spec.distribution = static_cast<Distribution>(i);
      const ShapeRow& row = contract.shapes.front();
      const GlobalTensor want = make_tensor(contract, spec, row);
      GlobalTensor got = GlobalTensor::zeros(want.dtype, want.shape, want.strides);
      fill_input(got, spec.name, static_cast<InputDistribution>(i), spec.seed);
      EXPECT_EQ(got.bytes, want.bytes) << spec.name << " " << to_string(static_cast<InputDistribution>(i));
    }
  }
}

TEST(Inputs, PartsCoverEverythingOnce) {
  for (const int64_t count : {0, 1, 7, 1000}) {
    std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
    in_parallel(count, 3, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
    });
    for (const auto& times : seen) EXPECT_EQ(times, 1);
  }
  EXPECT_THROW(in_parallel(1000, 1, [](int64_t, int64_t) { throw std::runtime_error("x"); }), std::runtime_error);
}

// ---- comparing -------------------------------------------------------------------------

struct Output {
  RunTensor spec{"C", DType::bf16, {300, 500}, {512, 1}, InputDistribution::normal, 0, true, {128, 64}};
  GlobalTensor got = GlobalTensor::zeros(spec.dtype, spec.shape, spec.strides);
  Expected expected;

  Output() {
    got.poison();
    for (int64_t i = 0; i < got.elements(); ++i) {
      const double value = static_cast<double>(i % 100) - 50;
      expected.f64.push_back(value);
      got.set(got.offset(i), static_cast<float>(value));
    }
  }
  OutputCheck check(double rtol = 0.01, double atol = 0) const { return compare_output(spec, got, expected, rtol, atol, 3); }
};

TEST(Compare, EqualTensors) {
  const OutputCheck check = Output().check();
  EXPECT_TRUE(check.correct());
  EXPECT_EQ(check.elements, 150000);
  EXPECT_EQ(check.max_abs, 0);
  Output rounded;
  rounded.expected.f32.assign(rounded.expected.f64.begin(), rounded.expected.f64.end());
  rounded.expected.f64.clear();
  EXPECT_TRUE(rounded.check().correct());
}

TEST(Compare, MismatchesInOrderWithTheirTiles) {
  Output output;
  for (const int64_t element : {149999, 70003, 5, 70004}) output.got.set(output.got.offset(element), 1000);
  const OutputCheck check = output.check();
  EXPECT_EQ(check.mismatches, 4);
  EXPECT_EQ(check.unwritten, 0);
  ASSERT_EQ(check.first.size(), 3u);
  EXPECT_EQ(check.first[0].index, (std::vector<int64_t>{0, 5}));
  EXPECT_EQ(check.first[1].index, (std::vector<int64_t>{140, 3}));
  EXPECT_EQ(check.first[1].tile, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(check.first[2].index, (std::vector<int64_t>{140, 4}));
  EXPECT_EQ(check.first[0].got, 1000);
  EXPECT_EQ(check.first[0].expected, -45);
  EXPECT_EQ(check.max_abs, 1047);  // element 70003 is -47
}

TEST(Compare, UnwrittenElementsAndGaps) {
  Output output;
  const int64_t offset = output.got.offset(77);
  output.got.bytes[static_cast<size_t>(offset) * 2] = output.got.bytes[static_cast<size_t>(offset) * 2 + 1] = 0xFF;
  output.got.bytes[505 * 2] = 0;  // between rows
  const OutputCheck check = output.check();
  EXPECT_EQ(check.mismatches, 1);
  EXPECT_EQ(check.unwritten, 1);
  EXPECT_TRUE(check.first.at(0).unwritten);
  EXPECT_EQ(check.outside_bytes, 1);
  EXPECT_FALSE(check.correct());
}

TEST(Compare, ToleranceIsInclusive) {
  Output output;
  output.got.set(output.got.offset(0), -50.5f);
  EXPECT_EQ(output.check(0.01, 0).mismatches, 0);
  EXPECT_EQ(output.check(0.0099, 0).mismatches, 1);
  EXPECT_EQ(output.check(0, 0.5).mismatches, 0);
}

// ---- tensor maps -----------------------------------------------------------------------

TEST(TensorMaps, InnermostFirstAndBytes) {
  const TensorMapSpec spec{"A", "a_s", 2, DType::bf16, {64, 128}, 128};
  const RunTensor tensor{"A", DType::bf16, {4096, 8192}, {8192, 1}};
  const TensorMapNumbers numbers = tensor_map_numbers(spec, tensor);
  EXPECT_EQ(numbers.type, 9);
  EXPECT_EQ(numbers.rank, 2u);
  EXPECT_EQ(numbers.extents, (std::vector<uint64_t>{8192, 4096}));
  EXPECT_EQ(numbers.strides, (std::vector<uint64_t>{16384}));
  EXPECT_EQ(numbers.box, (std::vector<uint32_t>{64, 128}));
  EXPECT_EQ(numbers.swizzle, 3);
  EXPECT_EQ(numbers.text(), "innermost first: extents [8192 x 4096], strides [16384] bytes, box [64 x 128], swizzle 128");
}

TEST(TensorMaps, RulesAreNamed) {
  const TensorMapSpec good{"A", "a_s", 2, DType::bf16, {64, 128}, 128};
  const RunTensor tensor{"A", DType::bf16, {128, 72}, {72, 1}};
  const auto problem = [](TensorMapSpec spec, RunTensor tensor) { return failure([&] { tensor_map_numbers(spec, tensor); }); };
  EXPECT_EQ(problem(good, tensor), "none");
  RunTensor odd = tensor;
  odd.strides = {73, 1};
  EXPECT_NE(problem(good, odd).find("146 bytes, is no multiple of 16"), std::string::npos);
  odd.strides = {72, 2};
  EXPECT_NE(problem(good, odd).find("innermost stride is 2"), std::string::npos);
  TensorMapSpec wide = good;
  wide.box = {128, 128};
  EXPECT_NE(problem(wide, tensor).find("longer than the swizzle"), std::string::npos);
  wide.box = {64, 257};
  EXPECT_NE(problem(wide, tensor).find("not 1 to 256"), std::string::npos);
  wide = good;
  wide.dtype = DType::f32;
  EXPECT_NE(problem(wide, tensor).find("the tensor holds bf16, the map f32"), std::string::npos);
  wide = good;
  wide.rank = 3;
  EXPECT_NE(problem(wide, tensor), "none");
}

// ---- hangs -----------------------------------------------------------------------------

TEST(Faults, SlotsAreReadByCtaAndWarp) {
  LaunchManifest manifest;
  manifest.threads = 384;
  manifest.roles = {{"load"}, {"mma"}};
  manifest.barriers = {{"full", 4}, {"empty", 4}};
  std::vector<WaitFault> slots(3 * 12);
  slots[0] = {1, 0, 1, 2, 1, 41, 0, 3};
  slots[2 * 12 + 5] = {1, 1, 0, 0, 0, 55, 2, 1};
  slots[12 + 1] = {1, 77, 99, 0, 0, 0, 0, 0};  // torn
  const std::vector<HangRecord> hangs = read_faults(slots, manifest);
  ASSERT_EQ(hangs.size(), 3u);
  EXPECT_EQ(hangs[0].role_name, "load");
  EXPECT_EQ(hangs[0].barrier_name, "empty");
  EXPECT_EQ(hangs[0].completion, 3u);
  EXPECT_EQ(hangs[1].role, -1);
  EXPECT_EQ(hangs[2].cta, 2u);
  EXPECT_EQ(hangs[2].warp, 5u);
  EXPECT_EQ(hangs[2].line, 55u);
  const std::vector<HangGroup> groups = group_hangs(hangs);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(to_text(groups[0]), "an unknown role (line 0) waits for completion 0 of an unknown barrier (parity 0): 1 CTA, first CTA 1, warp 1");
}

// ---- requests --------------------------------------------------------------------------

TEST(Devices, ExactlyTheTarget) {
  int major = 0, minor = 0;
  EXPECT_TRUE(target_capability("sm_90a", major, minor));
  EXPECT_EQ(major * 100 + minor, 900);
  EXPECT_TRUE(target_capability("sm_103a", major, minor));
  EXPECT_EQ(major * 100 + minor, 1003);
  for (const char* bad : {"", "sm_", "90a", "sm_9", "sm_90ab", "sm_a"}) EXPECT_FALSE(target_capability(bad, major, minor)) << bad;

  const std::vector<CudaDevice> devices = {{0, "NVIDIA A100", "", 8, 0}, {1, "NVIDIA H200", "", 9, 0}, {2, "NVIDIA H200", "", 9, 0}};
  EXPECT_EQ(choose_device(devices, "sm_90a", -1).index, 1);
  EXPECT_EQ(choose_device(devices, "sm_90a", 2).index, 2);
  EXPECT_EQ(failure([&] { choose_device(devices, "sm_90a", 0); }),
            "`sm_90a` needs device 0 to be one of compute capability 9.0; found 0: NVIDIA A100 (8.0), 1: NVIDIA H200 (9.0), 2: NVIDIA H200 (9.0)");
  EXPECT_EQ(failure([&] { choose_device({}, "sm_100a", -1); }), "`sm_100a` needs a device of compute capability 10.0; found none");
}

TEST(Requests, ScalarsByName) {
  RunRequest request;
  request.scalars = {{"M", 4096}, {"alpha", 2}, {"big", int64_t{1} << 40}, {"less", -1}};
  const auto bits = [&](const char* name, DType dtype) { return scalar_bits(request, {KernelParameter::Kind::scalar, name, -1, 0, dtype}); };
  EXPECT_EQ(bits("M", DType::i32), 4096u);
  EXPECT_EQ(bits("less", DType::i32), 0xFFFFFFFFu);
  EXPECT_EQ(bits("alpha", DType::f32), 0x40000000u);
  EXPECT_NE(failure([&] { bits("big", DType::i32); }).find("more than 32 bits"), std::string::npos);
  EXPECT_EQ(failure([&] { bits("N", DType::i32); }), "the kernel's parameter `N` has no value");
}

TEST(Requests, TensorsMustFitTheOracle) {
  RunRequest request;
  request.oracle = "gemm_bf16";
  request.tensors = {{"A", DType::bf16, {4, 8}, {8, 1}}, {"B", DType::bf16, {6, 8}, {8, 1}}, {"C", DType::bf16, {4, 6}, {8, 1}}};
  request.tensors[2].output = true;
  const auto problem = [&] { return failure([&] { check_tensors(request); }); };
  EXPECT_EQ(problem(), "none");
  request.tensors[2].shape = {4, 7};
  EXPECT_EQ(problem(), "`C` has not the shape of the product");
  request.tensors[1].shape = {6, 9};
  EXPECT_EQ(problem(), "the rows of `A` and `B` differ in length");
  request.tensors[1].shape = {6, 0};
  EXPECT_EQ(problem(), "`B` has an extent of 0");
  request.tensors[1] = {"D", DType::bf16, {6, 8}, {8, 1}};
  EXPECT_EQ(problem(), "the oracle `gemm_bf16` takes `B`, and the request has no such tensor");
  request.tensors[1] = {"B", DType::bf16, {int64_t{1} << 40, 8}, {8, 1}};
  EXPECT_EQ(problem(), "`B` takes more than 8 GiB");
  request.oracle = "magic";
  request.tensors[1] = {"B", DType::bf16, {6, 8}, {8, 1}};
  EXPECT_EQ(problem(), "there is no oracle `magic`");
}

TEST(Spans, AreMatchedByName) {
  const std::vector<KernelSpan> spans = {{"gemm", 1000, 3000, 1}, {"flush", 3000, 9000, 2}, {"gemm", 9000, 10500, 3}};
  EXPECT_EQ(span_times(spans, "gemm", 2), (std::vector<double>{0.002, 0.0015}));
  EXPECT_EQ(failure([&] { span_times(spans, "gemm", 3); }), "CUPTI recorded 2 launches of `gemm`, not 3; 1 of `flush`");
  EXPECT_NE(failure([&] { span_times({{"gemm", 0, 0, 1}}, "gemm", 1); }).find("has no time"), std::string::npos);
}

TEST(Doctor, SaysWhatIsMissing) {
  ProbeAnswer nothing;
  nothing.driver.error = "there is no NVIDIA driver";
  const auto missing = missing_things(nothing, "sm_90a");
  ASSERT_EQ(missing.size(), 3u);
  EXPECT_EQ(missing[0].what, "driver");
  EXPECT_EQ(missing[1].what, "NVRTC");
  EXPECT_EQ(missing[2].what, "CUPTI");

  ProbeAnswer other;
  other.driver.found = other.nvrtc.found = other.cupti.found = other.cupti_usable = other.nvml.found = true;
  other.devices = {{0, "NVIDIA A100", "", 8, 0}};
  const auto wrong_device = missing_things(other, "sm_90a");
  ASSERT_EQ(wrong_device.size(), 1u);
  EXPECT_EQ(wrong_device[0].why, "`sm_90a` needs compute capability 9.0; found NVIDIA A100 (8.0)");
  other.devices[0].major = 9;
  EXPECT_TRUE(missing_things(other, "sm_90a").empty());
  EXPECT_FALSE(find_program("sh").empty());
  EXPECT_TRUE(find_program("no-such-program-at-all").empty());
}

}  // namespace
}  // namespace bakery
