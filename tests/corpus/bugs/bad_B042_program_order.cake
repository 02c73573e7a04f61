# facebookexperimental/triton#1831: the wait before a reuse was dropped because writer and reader are one role; but the reader is asynchronous.
@cake.schedule(target="sm_90a")
def gemm(lm, A: LM.tma2d, B: LM.tma2d, C: LM.tma2d, K: LM.i32):
    lm.assume(K >= 1)
    pool = lm.smem(81920)
    a_s = pool.view(offset=0, shape=(128, 64), dtype=lm.bf16, stage=2, swizzle=128)
    b_s = pool.view(offset=32768, shape=(128, 64), dtype=lm.bf16, stage=2, swizzle=128)
    c_s = pool.view(offset=65536, shape=(128, 64), dtype=lm.bf16, swizzle=128)
    load = lm.role(warps=[0])
    mma = lm.role(warps=range(4, 8))
    pipe = lm.pipeline(stages=2)
    full = lm.barrier(count=2, prod=[load], cons=[mma], init_count=1, pipeline=pipe)
    empty = lm.barrier(count=2, prod=[mma], cons=[load], init_count=1, pipeline=pipe, free=True)

    with load:
        for k in lm.range(0, lm.cdiv(K, 64)):
            s = pipe.next()
            lm.wait(empty, stage=s)
            a_s.tma_load(A, coords=(k * 64, 0), stage=s, barrier=full)
            b_s.tma_load(B, coords=(k * 64, 0), stage=s, barrier=full)

    with mma:
        acc = lm.frag(shape=(128, 128), dtype=lm.f32)
        d = lm.frag(shape=(128, 128), dtype=lm.f32)
        for k in lm.range(0, lm.cdiv(K, 64)):
            s = pipe.next()
            lm.wait(full, stage=s)
            lm.mma(acc, a_s[s], b_s[s], init=(k == 0))
            lm.mma_wait(pending=0)
            lm.arrive(empty, stage=s)
        for i in lm.range(0, K):
            c_s.store(lm.cast(acc[:, 0:64], lm.bf16))
            lm.fence_proxy()
            lm.sync()
            lm.mma(d, c_s, c_s, init=True)
            lm.sync()
        # expect: DATA-003 "`mma` writes `c_s` (`store`) while this may still run: `mma` reads `c_s` (`mma`) of i=0"
        c_s.store(lm.cast(acc[:, 0:64], lm.bf16))
        lm.fence_proxy()
        lm.sync()
        c_s.tma_store(C, coords=(0, 0))
