# `lm.commit`: releases a ring slot, says that an accumulator is done, under a condition.
@cake.schedule(target="sm_100a")
def gemm(lm, A: LM.tma2d, B: LM.tma2d, K: LM.i32):
    lm.assume(K >= 1)
    pool = lm.smem(65536)
    a_s = pool.view(offset=0, shape=(128, 64), dtype=lm.bf16, stage=2, swizzle=128)
    b_s = pool.view(offset=32768, shape=(128, 64), dtype=lm.bf16, stage=2, swizzle=128)
    acc = lm.tmem(cols=0, width=128, shape=(128, 128), dtype=lm.f32)
    load = lm.role(warps=[0])
    mma = lm.role(warps=[1])
    epi = lm.role(warps=range(4, 8))
    pipe = lm.pipeline(stages=2)
    full = lm.barrier(count=2, prod=[load], cons=[mma], init_count=1, pipeline=pipe)
    empty = lm.barrier(count=2, prod=[mma], cons=[load], init_count=1, pipeline=pipe, free=True)
    done = lm.barrier(count=1, prod=[mma], cons=[epi], init_count=1)

    with load:
        for k in lm.range(0, lm.cdiv(K, 64)):
            s = pipe.next()
            lm.wait(empty, stage=s)
            a_s.tma_load(A, coords=(k * 64, 0), stage=s, barrier=full)
            b_s.tma_load(B, coords=(k * 64, 0), stage=s, barrier=full)

    with mma:
        for k in lm.range(0, lm.cdiv(K, 64)):
            s = pipe.next()
            lm.wait(full, stage=s)
            lm.mma(acc, a_s[s], b_s[s], init=(k == 0))
            lm.commit(empty, stage=s)
        lm.commit(done, when=(K >= 1))

    with epi:
        lm.wait(done)
