# `view.tma_store`: from a ring slot or a plain view, into two and three dimensions, under a condition.
@cake.schedule(target="sm_90a")
def copy(lm, X: LM.tma2d, Y: LM.tma2d, Z: LM.tma3d, n: LM.i32):
    pool = lm.smem(24576)
    x_s = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, stage=2, swizzle=128)
    one = pool.view(offset=16384, shape=(64, 64), dtype=lm.bf16, swizzle=128)
    load = lm.role(warps=[0])
    store = lm.role(warps=[1])
    pipe = lm.pipeline(stages=2)
    full = lm.barrier(count=2, prod=[load], cons=[store], init_count=1, pipeline=pipe)
    empty = lm.barrier(count=2, prod=[store], cons=[load], init_count=1, pipeline=pipe, free=True)

    first = lm.barrier(count=1, prod=[load], cons=[store], init_count=1)

    with load:
        one.tma_load(X, coords=(0, 0), barrier=first)
        for i in lm.range(0, n):
            s = pipe.next()
            lm.wait(empty, stage=s)
            x_s.tma_load(X, coords=(0, i * 64), stage=s, barrier=full)

    with store:
        lm.wait(first)
        one.tma_store(Y, coords=(64, 0))
        for i in lm.range(0, n):
            s = pipe.next()
            lm.wait(full, stage=s)
            x_s.tma_store(Y, coords=(0, i * 64), stage=s)
            x_s.tma_store(Z, coords=(0, 0, i), stage=s, when=(i % 2 == 0))
            lm.store_wait(pending=0)
            lm.arrive(empty, stage=s)
