// SPDX-License-Identifier: Apache-2.0
// Kernels by hand, for testing the worker apart from lowering: C = A * B^T with TMA loads and stores and
// plain arithmetic, and ways to break it.
#pragma once

namespace bakery::gpu {

// BAKERY_BREAK: 0 right; 1 one load is never issued; 2 writes through a null pointer; 3 never ends;
// 4 the second row of tiles is computed with the first one's A.
inline constexpr const char* kTmaGemm = R"(
typedef unsigned u32;
typedef unsigned long long u64;
struct alignas(128) TensorMap { u64 words[16]; };
struct WaitFault { u32 claimed, role, barrier, stage, parity, line, cta, completion; };

__device__ __forceinline__ u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }
__device__ __forceinline__ u64 global_timer() { u64 t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); return t; }
__device__ __forceinline__ bool try_wait(u32 barrier, u32 parity) {
  u32 done;
  asm volatile("{ .reg .pred P; mbarrier.try_wait.parity.shared::cta.b64 P, [%1], %2; selp.u32 %0, 1, 0, P; }"
               : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
  return done != 0;
}
__device__ __noinline__ void give_up(WaitFault* faults, u32 parity, u32 completion) {
  WaitFault* fault = faults + blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (atomicCAS_system(&fault->claimed, 0u, 1u) == 0u) {
    fault->role = 1, fault->barrier = 0, fault->stage = 0, fault->parity = parity, fault->line = 77;
    fault->cta = blockIdx.x, fault->completion = completion;
    __threadfence_system();
  }
  for (int i = 0; i < 20; ++i) __nanosleep(500000);
  asm volatile("trap;");
}
__device__ __forceinline__ void wait(u32 barrier, u32 parity, WaitFault* faults, u32 completion) {
  if (try_wait(barrier, parity)) return;
  const u64 begin = global_timer();
  while (!try_wait(barrier, parity))
    if (global_timer() - begin > 200000000ull) give_up(faults, parity, completion);
}
__device__ __forceinline__ void load(void* to, const TensorMap* map, int x, int y, u32 barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
               :: "r"(shared_address(to)), "l"(map), "r"(x), "r"(y), "r"(barrier) : "memory");
}
__device__ __forceinline__ float value(const unsigned short* p) { return __int_as_float((int)*p << 16); }

extern "C" __global__ void __launch_bounds__(256, 1) tma_gemm(
    const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map, const __grid_constant__ TensorMap c_map,
    int M, int N, int K, WaitFault* faults) {
  extern __shared__ __align__(1024) unsigned char base[];
  unsigned short* a_s = (unsigned short*)base;
  unsigned short* b_s = a_s + 64 * 64;
  unsigned short* c_s = b_s + 64 * 64;
  __shared__ u64 full_object;
  const u32 full = shared_address(&full_object);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(full) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
#if BAKERY_BREAK == 2
  if (threadIdx.x == 33) *(volatile int*)0 = 1;
#endif
#if BAKERY_BREAK == 3
  while (*(volatile u32*)&full_object != 0x5a5a5a5au) __nanosleep(100);
#endif
  const int columns = (N + 63) / 64, tiles = columns * ((M + 63) / 64);
  u32 completion = 0;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int m = tile / columns * 64, n = tile % columns * 64;
    float sum[16] = {};
    for (int k = 0; k < K; k += 64, ++completion) {
      if (threadIdx.x == 0 && !(BAKERY_BREAK == 1 && k == 64 && blockIdx.x == 1)) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16384;" :: "r"(full) : "memory");
        load(a_s, &a_map, k, BAKERY_BREAK == 4 && m == 64 ? 0 : m, full);
        load(b_s, &b_map, k, n, full);
      }
      wait(full, completion & 1, faults, completion);
      for (int i = 0; i < 16; ++i) {
        const int row = (threadIdx.x + 256 * i) / 64, column = (threadIdx.x + 256 * i) % 64;
        for (int j = 0; j < 64; ++j) sum[i] += value(a_s + row * 64 + j) * value(b_s + column * 64 + j);
      }
      __syncthreads();
    }
    for (int i = 0; i < 16; ++i) {
      unsigned short bits;
      asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(sum[i]));
      c_s[threadIdx.x + 256 * i] = bits;
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
                   :: "l"(&c_map), "r"(n), "r"(m), "r"(shared_address(c_s)) : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
    __syncthreads();
  }
}
)";

}  // namespace bakery::gpu
