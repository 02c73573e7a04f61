# A row of 24 bytes.
@cake.schedule(target="sm_90a")
def copy(lm, X: LM.tma2d, Y: LM.tma2d, n: LM.i32):
    pool = lm.smem(131072)
    # expect: HW-005 "24 bytes"
    x_s = pool.view(offset=0, shape=(256, 12), dtype=lm.bf16)
    load = lm.role(warps=[0])
    store = lm.role(warps=[1])
    pipe = lm.pipeline(stages=1)
    full = lm.barrier(count=1, prod=[load], cons=[store], init_count=1, pipeline=pipe)
    empty = lm.barrier(count=1, prod=[store], cons=[load], init_count=1, pipeline=pipe, free=True)

    with load:
        for i in lm.range(0, n):
            s = pipe.next()
            lm.wait(empty)
            x_s.tma_load(X, coords=(0, i * 64), barrier=full)

    with store:
        for i in lm.range(0, n):
            s = pipe.next()
            lm.wait(full)
            x_s.tma_store(Y, coords=(0, i * 64))
            lm.store_wait(pending=0)
            lm.arrive(empty)
