# The exponential has no effect on C.
@cake.schedule(target="sm_90a")
def gemm(lm, A: LM.tma2d, B: LM.tma2d, C: LM.tma2d, K: LM.i32):
    lm.assume(K >= 1)
    pool = lm.smem(40960)
    a_s = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, stage=2, swizzle=128)
    b_s = pool.view(offset=16384, shape=(64, 64), dtype=lm.bf16, stage=2, swizzle=128)
    c_s = pool.view(offset=32768, shape=(64, 64), dtype=lm.bf16, swizzle=128)
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
        acc = lm.frag(shape=(64, 64), dtype=lm.f32)
        for k in lm.range(0, lm.cdiv(K, 64)):
            s = pipe.next()
            lm.wait(full, stage=s)
            lm.mma(acc, a_s[s], b_s[s], init=(k == 0))
            lm.mma_wait(pending=0)
            lm.arrive(empty, stage=s)
        p = lm.exp2(acc)
        c_s.store(lm.cast(acc, lm.bf16))
        lm.fence_proxy()
        lm.sync()
        c_s.tma_store(C, coords=(0, 0))
