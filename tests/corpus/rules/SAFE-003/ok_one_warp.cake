# A role of one warp needs no `lm.sync`: its elected lane did wait.
@cake.schedule(target="sm_90a")
def copy(lm, X: LM.tma2d, Y: LM.tma2d, n: LM.i32):
    pool = lm.smem(8192)
    x_s = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, swizzle=128)
    mover = lm.role(warps=[0])
    full = lm.barrier(count=1, prod=[mover], cons=[mover], init_count=1)

    with mover:
        for i in lm.range(0, n):
            x_s.tma_load(X, coords=(0, i * 64), barrier=full)
            lm.wait(full)
            x_s.tma_store(Y, coords=(0, i * 64))
            lm.store_wait(pending=0)
