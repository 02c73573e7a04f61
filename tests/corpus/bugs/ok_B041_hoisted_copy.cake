# tile-ai/tilelang#2668, mended.
@cake.schedule(target="sm_90a")
def hoisted(lm, A: LM.tma2d, B: LM.tma2d, n: LM.i32):
    lm.assume(n >= 1)
    pool = lm.smem(16384)
    x_s = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, swizzle=128)
    b_s = pool.view(offset=8192, shape=(64, 64), dtype=lm.bf16, swizzle=128)
    all = lm.role(warps=range(4, 8))
    full = lm.barrier(count=1, prod=[all], cons=[all], init_count=1)

    with all:
        acc = lm.frag(shape=(64, 64), dtype=lm.f32)
        x_s.tma_load(A, coords=(0, 0), barrier=full)
        b_s.tma_load(B, coords=(0, 0), barrier=full)
        for k in lm.range(0, n):
            lm.wait(full)
            lm.mma(acc, x_s, b_s, init=(k == 0))
            lm.mma_wait(pending=0)
            lm.sync()
            x_s.tma_load(A, coords=(0, k * 64 + 64), barrier=full, when=(k + 1 < n))
