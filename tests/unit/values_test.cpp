// SPDX-License-Identifier: Apache-2.0
// The values reading of the machine: element encodings, copies, tile arithmetic, whole grids.
#include "core_ir/machine/values.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <random>

#include "tests/unit/tiny_gemm.h"

namespace bakery {
namespace {

Schedule schedule_of(const std::string& text) {
  const SourceText source("test.cake", text);
  Built built = build(source, parse(source));
  for (const Finding& finding : built.findings)
    ADD_FAILURE() << finding.id << " line " << source.position(finding.span.begin).line << ": " << finding.message << " "
                  << finding.expected;
  EXPECT_TRUE(built.schedule.complete);
  return std::move(built.schedule);
}

void fill(GlobalTensor& tensor, uint32_t seed) {
  std::mt19937 random(seed);
  for (int64_t i = 0; i < tensor.elements(); ++i)
    tensor.set(tensor.offset(i), static_cast<float>(static_cast<int>(random() % 9)) - 4.0f);
}

// Small integers, so that sums are exact in any order.
struct Gemm {
  int64_t M, N, K;
  std::vector<GlobalTensor> tensors{GlobalTensor::zeros(DType::bf16, {M, K}), GlobalTensor::zeros(DType::bf16, {N, K}),
                                    GlobalTensor::zeros(DType::bf16, {M, N}), {}, {}, {}};
  GridRun run(const Schedule& schedule, GridOptions options = {}) {
    fill(tensors[0], 1);
    fill(tensors[1], 2);
    tensors[2].poison();
    return simulate_grid(schedule, {0, 0, 0, M, N, K}, tensors, options);
  }
  float expected(int64_t m, int64_t n) const {
    double sum = 0;
    for (int64_t k = 0; k < K; ++k) sum += tensors[0].get(m * K + k) * tensors[1].get(n * K + k);
    return round_to(DType::bf16, static_cast<float>(sum));
  }
  int64_t wrong() const {
    int64_t count = 0;
    for (int64_t i = 0; i < M * N; ++i) count += tensors[2].get(i) != expected(i / N, i % N);
    return count;
  }
};

TEST(Elements, EveryByteOfTheNarrowTypesSurvives) {
  for (const DType dtype : {DType::e4m3, DType::e5m2, DType::i8, DType::u8}) {
    for (int bits = 0; bits < 256; ++bits) {
      const auto byte = static_cast<uint8_t>(bits);
      const float value = decode(dtype, &byte);
      if (std::isnan(value) || std::isinf(value)) continue;
      uint8_t again = 0;
      encode(dtype, value, &again);
      EXPECT_EQ(again, byte) << info(dtype).name << " " << value;
    }
  }
  for (const DType dtype : {DType::f16, DType::bf16}) {
    for (int bits = 0; bits < 65536; ++bits) {
      const auto word = static_cast<uint16_t>(bits);
      uint8_t bytes[2];
      std::memcpy(bytes, &word, 2);
      const float value = decode(dtype, bytes);
      if (std::isnan(value)) continue;
      uint8_t again[2];
      encode(dtype, value, again);
      EXPECT_EQ(std::memcmp(again, bytes, 2), 0) << info(dtype).name << " " << bits;
    }
  }
}

TEST(Elements, RoundToNearestEvenAndSaturate) {
  const auto stored = [](DType dtype, float value) {
    uint8_t bytes[4];
    encode(dtype, value, bytes);
    return decode(dtype, bytes);
  };
  EXPECT_EQ(stored(DType::bf16, 257.0f), 256.0f);  // half way: to even
  EXPECT_EQ(stored(DType::bf16, 259.0f), 260.0f);
  EXPECT_EQ(stored(DType::f16, 2049.0f), 2048.0f);
  EXPECT_EQ(stored(DType::e4m3, 1000.0f), 448.0f);
  EXPECT_EQ(stored(DType::e5m2, -1e9f), -57344.0f);
  EXPECT_EQ(stored(DType::i8, 300.0f), 127.0f);
  EXPECT_EQ(stored(DType::i32, -2.5f), -2.0f);
  EXPECT_TRUE(std::isnan(stored(DType::bf16, NAN)));
}

TEST(Elements, PoisonIsNaN) {
  for (const DType dtype : {DType::bf16, DType::f16, DType::f32, DType::e4m3, DType::e5m2}) {
    GlobalTensor tensor = GlobalTensor::zeros(dtype, {2, 2});
    tensor.poison();
    EXPECT_TRUE(std::isnan(tensor.get(3))) << info(dtype).name;
  }
}

TEST(Elements, StridesAndGaps) {
  const GlobalTensor tensor = GlobalTensor::zeros(DType::f32, {3, 2}, {5, 1});
  EXPECT_EQ(tensor.storage(), 12);
  EXPECT_EQ(tensor.offset(5), 11);
  EXPECT_EQ(tensor.index(5), (std::vector<int64_t>{2, 1}));
}

TEST(Values, GemmWithTails) {
  const Schedule schedule = schedule_of(kTinyGemm);
  for (const auto& [M, N, K] : {std::tuple(64, 32, 16), {8, 8, 8}, {72, 40, 24}, {200, 104, 88}, {128, 96, 160}}) {
    Gemm gemm{M, N, K};
    const GridRun run = gemm.run(schedule);
    EXPECT_EQ(run.refused, "");
    EXPECT_FALSE(run.stuck);
    EXPECT_TRUE(run.problems.empty());
    EXPECT_EQ(run.grid, std::min<int64_t>(2, run.tiles));
    for (const GridObservation& seen : run.observations)
      ADD_FAILURE() << "observed " << static_cast<int>(seen.observation.kind) << " at " << M << "x" << N << "x" << K;
    EXPECT_EQ(gemm.wrong(), 0) << M << "x" << N << "x" << K;
  }
}

TEST(Values, KnowsWhoWroteEachElement) {
  const Schedule schedule = schedule_of(kTinyGemm);
  Gemm gemm{72, 40, 16};
  const GridRun run = gemm.run(schedule);
  ASSERT_EQ(run.writers.size(), 4u);
  const Writer& writer = run.writers[static_cast<size_t>(run.written[2][71 * 40 + 39])];
  EXPECT_EQ(writer.cta, 1);  // tile 3 of 2 CTAs
  EXPECT_EQ(schedule.roles[writer.role].name, "mma");
  EXPECT_EQ(schedule.ops[writer.op].code, OpCode::tma_store);
  ASSERT_EQ(writer.iteration.size(), 2u);
  EXPECT_EQ(writer.iteration[0].name, "m");
  EXPECT_EQ(writer.iteration[0].value, 1);
  EXPECT_EQ(writer.iteration[1].value, 1);
}

TEST(Values, InitTrueKeepsOnlyTheLastBlock) {
  const Schedule schedule = schedule_of(replaced(kTinyGemm, "init=(k == 0)", "init=True"));
  Gemm one{64, 32, 16}, several{64, 32, 48};
  one.run(schedule);
  EXPECT_EQ(one.wrong(), 0);
  several.run(schedule);
  EXPECT_GT(several.wrong(), 1000);
}

TEST(Values, MissingInitIsPoison) {
  const Schedule schedule = schedule_of(replaced(kTinyGemm, "init=(k == 0)", "init=(k == 1)"));
  Gemm gemm{64, 32, 16};
  gemm.run(schedule);
  EXPECT_TRUE(std::isnan(gemm.tensors[2].get(0)));
}

TEST(Values, OverlappingViewsSpoilOneAnother) {
  const Schedule schedule = schedule_of(replaced(kTinyGemm, "b_s = pool.view(offset=4096", "b_s = pool.view(offset=0"));
  Gemm gemm{64, 32, 16};
  gemm.run(schedule);
  EXPECT_GT(gemm.wrong(), 0);
}

TEST(Values, DeadlockIsReported) {
  const Schedule schedule = schedule_of(replaced(kTinyGemm, "lm.arrive(empty, stage=s)", "pass"));
  Gemm gemm{64, 32, 64};
  const GridRun run = gemm.run(schedule);
  EXPECT_TRUE(run.stuck);
  ASSERT_FALSE(run.observations.empty());
  EXPECT_EQ(run.written[2][0], -1);
}

TEST(Values, TileExpressions) {
  const Schedule schedule = schedule_of(R"(@cake.schedule(target="sm_90a")
def f(lm, A: LM.tma2d, B: LM.tma2d, C: LM.tma2d, scale: LM.i32):
    pool = lm.smem(4096)
    a_s = pool.view(offset=0, shape=(8, 16), dtype=lm.bf16)
    b_s = pool.view(offset=1024, shape=(8, 16), dtype=lm.bf16)
    c_s = pool.view(offset=2048, shape=(8, 8), dtype=lm.f32)
    w = lm.role(warps=range(0, 4))
    full = lm.barrier(count=1, prod=[w], cons=[w], init_count=1)
    with w:
        acc = lm.frag(shape=(8, 8), dtype=lm.f32)
        a_s.tma_load(A, coords=(0, 0), barrier=full)
        b_s.tma_load(B, coords=(0, 0), barrier=full)
        lm.wait(full)
        lm.mma(acc, a_s, b_s, init=True)
        lm.mma_wait(pending=0)
        p = lm.max(lm.exp2(acc * 0.5) - 1, -acc / 4) + scale
        acc = p + lm.min(acc, 3.0)
        c_s.store(acc)
        lm.fence_proxy()
        lm.sync()
        c_s.tma_store(C, coords=(0, 0))
)");
  std::vector<GlobalTensor> tensors{GlobalTensor::zeros(DType::bf16, {8, 16}), GlobalTensor::zeros(DType::bf16, {8, 16}),
                                    GlobalTensor::zeros(DType::f32, {8, 8}), {}};
  fill(tensors[0], 3);
  fill(tensors[1], 4);
  const GridRun run = simulate_grid(schedule, {0, 0, 0, 5}, tensors);
  EXPECT_EQ(run.refused, "");
  EXPECT_EQ(run.grid, 1);
  for (int64_t m = 0; m < 8; ++m) {
    for (int64_t n = 0; n < 8; ++n) {
      float x = 0;
      for (int64_t k = 0; k < 16; ++k) x += tensors[0].get(m * 16 + k) * tensors[1].get(n * 16 + k);
      const float p = std::max(std::exp2(x * 0.5f) - 1, -x / 4) + 5;
      EXPECT_EQ(tensors[2].get(m * 8 + n), p + std::min(x, 3.0f));
    }
  }
}

TEST(Values, HigherRanksStridesAndBoxesBesideTheTensor) {
  const Schedule schedule = schedule_of(R"(@cake.schedule(target="sm_90a")
def f(lm, A: LM.tma3d, C: LM.tma3d, x: LM.i32, y: LM.i32, z: LM.i32):
    pool = lm.smem(1024)
    s = pool.view(offset=0, shape=(4, 8), dtype=lm.f32)
    w = lm.role(warps=[0])
    full = lm.barrier(count=1, prod=[w], cons=[w], init_count=1)
    with w:
        s.tma_load(A, coords=(x, y, z), barrier=full)
        lm.wait(full)
        s.tma_store(C, coords=(x, y, z))
)");
  const auto copy = [&](int64_t x, int64_t y, int64_t z) {
    std::vector<GlobalTensor> tensors{GlobalTensor::zeros(DType::f32, {2, 6, 10}, {100, 12, 1}),
                                      GlobalTensor::zeros(DType::f32, {2, 6, 10}), {}, {}, {}};
    for (int64_t i = 0; i < 120; ++i) tensors[0].set(tensors[0].offset(i), static_cast<float>(i + 1));
    const GridRun run = simulate_grid(schedule, {0, 0, x, y, z}, tensors);
    EXPECT_EQ(run.refused, "");
    for (int64_t i = 0; i < 120; ++i) {
      const std::vector<int64_t> at = tensors[1].index(i);
      const bool inside = at[0] == z && at[1] >= y && at[1] < y + 4 && at[2] >= x && at[2] < x + 8;
      EXPECT_EQ(tensors[1].get(i), inside ? static_cast<float>(i + 1) : 0.0f);
      EXPECT_EQ(run.written[1][static_cast<size_t>(i)], inside ? 0 : -1);
    }
  };
  copy(0, 0, 0);
  copy(4, 3, 1);
  copy(-5, -2, 1);
  copy(0, 0, 2);
  copy(INT64_MAX, INT64_MIN, 0);
}

TEST(Values, OutOfBoundsReadsAreZero) {
  const Schedule schedule = schedule_of(R"(@cake.schedule(target="sm_90a")
def f(lm, A: LM.tma2d, C: LM.tma2d):
    pool = lm.smem(1024)
    s = pool.view(offset=0, shape=(4, 8), dtype=lm.f32)
    w = lm.role(warps=[0])
    full = lm.barrier(count=1, prod=[w], cons=[w], init_count=1)
    with w:
        s.tma_load(A, coords=(-1, 2), barrier=full)
        lm.wait(full)
        s.tma_store(C, coords=(0, 0))
)");
  std::vector<GlobalTensor> tensors{GlobalTensor::zeros(DType::f32, {3, 4}), GlobalTensor::zeros(DType::f32, {4, 8})};
  for (int64_t i = 0; i < 12; ++i) tensors[0].set(i, static_cast<float>(i + 1));
  tensors[1].poison();
  EXPECT_EQ(simulate_grid(schedule, {0, 0}, tensors).refused, "");
  for (int64_t r = 0; r < 4; ++r)
    for (int64_t c = 0; c < 8; ++c)
      EXPECT_EQ(tensors[1].get(r * 8 + c), r == 0 && c >= 1 && c <= 4 ? static_cast<float>(8 + c) : 0.0f);
}

TEST(Values, RefusesWhatWouldRunForHours) {
  const Schedule schedule = schedule_of(kTinyGemm);
  Gemm gemm{640, 640, 640};
  GridOptions options;
  options.work_limit = 1e6;
  EXPECT_NE(gemm.run(schedule, options).refused, "");
  options = {};
  options.step_limit = 100;
  EXPECT_NE(gemm.run(schedule, options).refused, "");
  std::vector<GlobalTensor> none;
  EXPECT_NE(simulate_grid(schedule, {0, 0, 0, 8, 8, 8}, none).refused, "");
}

TEST(Values, Stops) {
  const Schedule schedule = schedule_of(kTinyGemm);
  std::stop_source source;
  source.request_stop();
  GridOptions options;
  options.stop = source.get_token();
  Gemm gemm{640, 640, 640};
  EXPECT_TRUE(gemm.run(schedule, options).stopped);
}

TEST(Values, IsFast) {
  const Schedule schedule = schedule_of(kTinyGemm);
  Gemm gemm{200, 520, 328};
  const auto begin = std::chrono::steady_clock::now();
  gemm.run(schedule);
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  std::printf("200 x 520 x 328 in %.0f ms\n", ms);
  EXPECT_EQ(gemm.wrong(), 0);
  EXPECT_LT(ms, std::string(BAKERY_SANITIZE).empty() ? 3000 : 60000);
}

}  // namespace
}  // namespace bakery
