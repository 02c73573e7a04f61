// SPDX-License-Identifier: Apache-2.0
// A small, complete, persistent GEMM for tests: 64 x 32 tiles, 16 deep, two ring slots.
#pragma once

#include <string>

namespace bakery {

inline const std::string kTinyGemm = R"(@cake.schedule(target="sm_90a")
def tiny(lm, A: LM.tma2d, B: LM.tma2d, C: LM.tma2d, M: LM.i32, N: LM.i32, K: LM.i32):
    pool = lm.smem(10240)
    a_s = pool.view(offset=0, shape=(64, 16), dtype=lm.bf16, stage=2)
    b_s = pool.view(offset=4096, shape=(32, 16), dtype=lm.bf16, stage=2)
    c_s = pool.view(offset=6144, shape=(64, 32), dtype=lm.bf16)
    load = lm.role(warps=[4])
    mma = lm.role(warps=range(0, 4))
    pipe = lm.pipeline(stages=2)
    full = lm.barrier(count=2, prod=[load], cons=[mma], init_count=1, pipeline=pipe)
    empty = lm.barrier(count=2, prod=[mma], cons=[load], init_count=1, pipeline=pipe, free=True)
    lm.assume(M % 8 == 0, N % 8 == 0, K >= 8, K % 8 == 0)
    tiles = lm.tiles(lm.cdiv(M, 64), lm.cdiv(N, 32))

    with load:
        for m, n in tiles:
            for k in lm.range(0, lm.cdiv(K, 16)):
                s = pipe.next()
                lm.wait(empty, stage=s)
                a_s.tma_load(A, coords=(k * 16, m * 64), stage=s, barrier=full)
                b_s.tma_load(B, coords=(k * 16, n * 32), stage=s, barrier=full)

    with mma:
        acc = lm.frag(shape=(64, 32), dtype=lm.f32)
        for m, n in tiles:
            for k in lm.range(0, lm.cdiv(K, 16)):
                s = pipe.next()
                lm.wait(full, stage=s)
                lm.mma(acc, a_s[s], b_s[s], init=(k == 0))
                lm.mma_wait(pending=0)
                lm.arrive(empty, stage=s)
            lm.store_wait(pending=0)
            lm.sync()
            c_s.store(lm.cast(acc, lm.bf16))
            lm.fence_proxy()
            lm.sync()
            c_s.tma_store(C, coords=(n * 32, m * 64))
)";

// The text with the first `from` replaced by `to`.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  return at == std::string::npos ? std::string("no such text: ") + from : text.replace(at, from.size(), to);
}

}  // namespace bakery
