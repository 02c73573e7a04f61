# deepseek-ai/DeepEP#657: a store wait of stages - 1 leaves the store of the very slot in flight that is refilled.
@cake.schedule(target="sm_90a")
def copy_loop(lm, X: LM.tma2d, Y: LM.tma2d, n: LM.i32):
    pool = lm.smem(16384)
    buf = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, stage=2, swizzle=128)
    w = lm.role(warps=[0])
    full = lm.barrier(count=2, prod=[w], cons=[w], init_count=1)

    with w:
        buf.tma_load(X, coords=(0, 0), stage=0, barrier=full, when=(n > 0))
        buf.tma_load(X, coords=(0, 64), stage=1, barrier=full, when=(n > 1))
        for i in lm.range(0, n):
            lm.wait(full, stage=i % 2)
            buf.tma_store(Y, coords=(0, i * 64), stage=i % 2)
            lm.store_wait(pending=1)
            # expect: DATA-003 "while this may still run: `w` reads `buf[0]` (`tma_store`)"
            buf.tma_load(X, coords=(0, i * 64 + 128), stage=i % 2, barrier=full, when=(i + 2 < n))
