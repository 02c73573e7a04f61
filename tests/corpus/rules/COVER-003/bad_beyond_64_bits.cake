# The tile count overflows for every n but 0.
@cake.schedule(target="sm_90a")
# expect: COVER-003 "no value of `n`"
def copy(lm, X: LM.tma2d, Y: LM.tma2d, n: LM.i32):
    pool = lm.smem(8192)
    x_s = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, swizzle=128)
    load = lm.role(warps=[0])
    full = lm.barrier(count=1, prod=[load], cons=[load], init_count=1)
    tiles = lm.tiles(n * 4611686018427387904 * 4)

    with load:
        for t in tiles:
            x_s.tma_load(X, coords=(0, t * 64), barrier=full)
            lm.wait(full)
            x_s.tma_store(Y, coords=(0, t * 64))
            lm.store_wait(pending=0)
