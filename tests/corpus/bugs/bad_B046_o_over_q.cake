# facebookexperimental/triton#2561: the output tile aliases Q, and the next tile's load waits for Q's readers only.
@cake.schedule(target="sm_90a")
def attention(lm, Q: LM.tma2d, K: LM.tma2d, O: LM.tma2d, T: LM.i32):
    lm.assume(T >= 1)
    pool = lm.smem(16384)
    q_s = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, swizzle=128, alias="q and o")
    o_s = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, swizzle=128, alias="q and o")
    k_s = pool.view(offset=8192, shape=(64, 64), dtype=lm.bf16, swizzle=128)
    load = lm.role(warps=[0])
    mma = lm.role(warps=range(4, 8))
    full = lm.barrier(count=1, prod=[load], cons=[mma], init_count=1)
    q_empty = lm.barrier(count=1, prod=[mma], cons=[load], init_count=1, free=True)
    tiles = lm.tiles(T)

    with load:
        for t in tiles:
            lm.wait(q_empty)
            # expect: DATA-003 "`load` writes `q_s` (`tma_load`) at t=1 while this may still run: `mma` reads `o_s` (`tma_store`) of t=0"
            q_s.tma_load(Q, coords=(0, t * 64), barrier=full)
            k_s.tma_load(K, coords=(0, 0), barrier=full)

    with mma:
        acc = lm.frag(shape=(64, 64), dtype=lm.f32)
        for t in tiles:
            lm.wait(full)
            lm.mma(acc, q_s, k_s, init=True)
            lm.mma_wait(pending=0)
            lm.sync()
            lm.arrive(q_empty)
            o_s.store(lm.cast(acc, lm.bf16))
            lm.fence_proxy()
            lm.sync()
            o_s.tma_store(O, coords=(0, t * 64))
            lm.store_wait(pending=0)
            lm.sync()
