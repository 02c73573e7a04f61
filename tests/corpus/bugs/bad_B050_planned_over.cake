# facebookexperimental/triton partition-scheduler-bugs (21): the memory planner aliases a bias buffer onto a live operand, with no edge between the two.
@cake.schedule(target="sm_90a")
def biased(lm, A: LM.tma2d, B: LM.tma2d, D: LM.tma2d, T: LM.i32):
    lm.assume(T >= 1)
    pool = lm.smem(24576)
    a_s = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, swizzle=128, alias="plan")
    b_s = pool.view(offset=8192, shape=(64, 64), dtype=lm.bf16, swizzle=128)
    bias = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, swizzle=128, alias="plan")
    load = lm.role(warps=[0])
    epi = lm.role(warps=[1])
    mma = lm.role(warps=range(4, 8))
    full = lm.barrier(count=1, prod=[load], cons=[mma], init_count=1)
    empty = lm.barrier(count=1, prod=[mma], cons=[load], init_count=1, free=True)
    bias_full = lm.barrier(count=1, prod=[load], cons=[epi], init_count=1)
    bias_empty = lm.barrier(count=1, prod=[epi], cons=[load], init_count=1, free=True)
    tiles = lm.tiles(T)

    with load:
        for t in tiles:
            lm.wait(bias_empty)
            # expect: DATA-003 "`load` writes `bias` (`tma_load`) at t=1 while this may still run: `mma` reads `a_s` (`mma`) of t=0"
            bias.tma_load(D, coords=(0, t * 64), barrier=bias_full)
            lm.wait(empty)
            # expect: DATA-003 "`epi` reads `bias` (`tma_store`)"
            a_s.tma_load(A, coords=(0, t * 64), barrier=full)
            b_s.tma_load(B, coords=(0, 0), barrier=full)

    with epi:
        for t in tiles:
            lm.wait(bias_full)
            bias.tma_store(D, coords=(0, t * 64))
            lm.store_wait(pending=0)
            lm.arrive(bias_empty)

    with mma:
        acc = lm.frag(shape=(64, 64), dtype=lm.f32)
        for t in tiles:
            lm.wait(full)
            lm.mma(acc, a_s, b_s, init=True)
            lm.mma_wait(pending=0)
            lm.arrive(empty)
