# A copy through a ring of three slots, two of which `store` holds at a time.
@cake.schedule(target="sm_90a")
def copy(lm, X: LM.tma2d, Y: LM.tma2d, n: LM.i32):
    pool = lm.smem(24576)
    x_s = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, stage=3, swizzle=128)
    load = lm.role(warps=[0])
    store = lm.role(warps=[1])
    pipe = lm.pipeline(stages=3)
    full = lm.barrier(count=3, prod=[load], cons=[store], init_count=1, pipeline=pipe)
    empty = lm.barrier(count=3, prod=[store], cons=[load], init_count=1, pipeline=pipe, free=True)

    with load:
        for i in lm.range(0, 2 * n):
            s = pipe.next()
            lm.wait(empty, stage=s)
            x_s.tma_load(X, coords=(0, i * 64), stage=s, barrier=full)

    with store:
        for i in lm.range(0, n):
            s = pipe.next()
            lm.wait(full, stage=s)
            t = pipe.next()
            lm.wait(full, stage=t)
            x_s.tma_store(Y, coords=(0, i * 128), stage=s)
            x_s.tma_store(Y, coords=(0, i * 128 + 64), stage=t)
            lm.store_wait(pending=0)
            lm.arrive(empty, stage=s)
            lm.arrive(empty, stage=t)
