# NVIDIA/cudnn-frontend#892, mended.
@cake.schedule(target="sm_120a")
def ranges(lm, K: LM.tma2d, R: LM.i32, N: LM.i32):
    lm.assume(R >= 1, N >= 1)
    pool = lm.smem(8192)
    k_s = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, swizzle=128)
    prod = lm.role(warps=[0])
    cons = lm.role(warps=[1])
    full = lm.barrier(count=1, prod=[prod], cons=[cons], init_count=1)
    consumed = lm.barrier(count=1, prod=[cons], cons=[prod], init_count=1)

    with prod:
        for r in lm.range(0, R):
            for i in lm.range(0, N):
                lm.wait(consumed, when=(i > 0))
                k_s.tma_load(K, coords=(0, i * 64), barrier=full)
            lm.wait(consumed)

    with cons:
        for r in lm.range(0, R):
            for i in lm.range(0, N):
                lm.wait(full)
                k_s.tma_store(K, coords=(64, i * 64))
                lm.store_wait(pending=0)
                lm.arrive(consumed)
