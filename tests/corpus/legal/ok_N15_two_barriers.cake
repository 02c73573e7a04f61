# general
# One buffer that two roles read, released on two barriers of count 1.
@cake.schedule(target="sm_90a")
def readers(lm, X: LM.tma2d, Y: LM.tma2d, n: LM.i32):
    pool = lm.smem(8192)
    x_s = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, swizzle=128)
    load = lm.role(warps=[0])
    left = lm.role(warps=[1])
    right = lm.role(warps=[2])
    full = lm.barrier(count=1, prod=[load], cons=[left, right], init_count=1)
    empty_l = lm.barrier(count=1, prod=[left], cons=[load], init_count=1, free=True)
    empty_r = lm.barrier(count=1, prod=[right], cons=[load], init_count=1, free=True)

    with load:
        for i in lm.range(0, n):
            lm.wait(empty_l)
            lm.wait(empty_r)
            x_s.tma_load(X, coords=(0, i * 64), barrier=full)

    with left:
        for i in lm.range(0, n):
            lm.wait(full)
            x_s.tma_store(Y, coords=(0, i * 64))
            lm.store_wait(pending=0)
            lm.arrive(empty_l)

    with right:
        for i in lm.range(0, n):
            lm.wait(full)
            x_s.tma_store(Y, coords=(64, i * 64))
            lm.store_wait(pending=0)
            lm.arrive(empty_r)
