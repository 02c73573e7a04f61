# facebookexperimental/triton#1853, mended.
@cake.schedule(target="sm_90a")
def attention(lm, Q: LM.tma2d, K: LM.tma2d, O: LM.tma2d, T: LM.i32):
    lm.assume(T >= 1)
    pool = lm.smem(16384)
    v_s = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, swizzle=128, alias="v and dv")
    dv_s = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, swizzle=128, alias="v and dv")
    k_s = pool.view(offset=8192, shape=(64, 64), dtype=lm.bf16, swizzle=128)
    load = lm.role(warps=[0])
    mma = lm.role(warps=range(4, 8))
    full = lm.barrier(count=1, prod=[load], cons=[mma], init_count=1)
    q_empty = lm.barrier(count=1, prod=[mma], cons=[load], init_count=1, free=True)
    guard = lm.barrier(count=1, prod=[mma], cons=[load], init_count=1, free=True)
    tiles = lm.tiles(T)

    with load:
        for t in tiles:
            lm.wait(q_empty)
            lm.wait(guard)
            v_s.tma_load(Q, coords=(0, t * 64), barrier=full)
            k_s.tma_load(K, coords=(0, 0), barrier=full)

    with mma:
        acc = lm.frag(shape=(64, 64), dtype=lm.f32)
        for t in tiles:
            lm.wait(full)
            lm.mma(acc, v_s, k_s, init=True)
            lm.mma_wait(pending=0)
            lm.sync()
            lm.arrive(q_empty)
            dv_s.store(lm.cast(acc, lm.bf16))
            lm.fence_proxy()
            lm.sync()
            dv_s.tma_store(O, coords=(0, t * 64))
            lm.store_wait(pending=0)
            lm.sync()
            lm.arrive(guard)
