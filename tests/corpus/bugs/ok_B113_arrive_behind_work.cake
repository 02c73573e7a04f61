# tile-ai/tilelang#2567, mended.
@cake.schedule(target="sm_90a")
def backward(lm, Q: LM.tma2d, S: LM.tma2d, n: LM.i32):
    pool = lm.smem(8192)
    q_s = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, swizzle=128)
    load = lm.role(warps=[0])
    mma = lm.role(warps=[4])
    q_free = lm.barrier(count=1, prod=[mma], cons=[load], init_count=1)
    q_full = lm.barrier(count=1, prod=[load], cons=[mma], init_count=1)

    with load:
        for i in lm.range(0, n):
            lm.wait(q_free)
            q_s.tma_load(Q, coords=(0, i * 64), barrier=q_full)

    with mma:
        for i in lm.range(0, n):
            lm.arrive(q_free)
            lm.wait(q_full)
            q_s.tma_store(S, coords=(0, i * 64))
            lm.store_wait(pending=0)
