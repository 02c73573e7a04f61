# Dao-AILab/flash-attention#2594, mended.
@cake.schedule(target="sm_100a")
def copy(lm, X: LM.tma2d, Y: LM.tma2d, n: LM.i32):
    S = 51
    pool = lm.smem(19456 + S * 4096)
    x_s = pool.view(offset=19456, shape=(32, 64), dtype=lm.bf16, stage=S, swizzle=128)
    load = lm.role(warps=[0])
    store = lm.role(warps=[1])
    pipe = lm.pipeline(stages=S)
    full = lm.barrier(count=S, prod=[load], cons=[store], init_count=1, pipeline=pipe)
    empty = lm.barrier(count=S, prod=[store], cons=[load], init_count=1, pipeline=pipe, free=True)

    with load:
        for i in lm.range(0, n):
            s = pipe.next()
            lm.wait(empty, stage=s)
            x_s.tma_load(X, coords=(0, i * 64), stage=s, barrier=full)

    with store:
        for i in lm.range(0, n):
            s = pipe.next()
            lm.wait(full, stage=s)
            x_s.tma_store(Y, coords=(0, i * 64), stage=s)
            lm.store_wait(pending=0)
            lm.arrive(empty, stage=s)
