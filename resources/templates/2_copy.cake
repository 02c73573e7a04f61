# Copy: tiles through a ring, one role loads, one stores
@cake.schedule(target="sm_90a")
def copy(lm, A: LM.tma2d, B: LM.tma2d, M: LM.i32, N: LM.i32):
    BM, BN = 64, 64
    S = lm.tunable("stages", 3, choices=[2, 3, 4])
    lm.assume(M >= 1, N >= 8, N % 8 == 0)

    pool = lm.smem(S * 8192)
    ring = pool.view(offset=0, shape=(BM, BN), dtype=lm.bf16, stage=S, swizzle=128)

    load = lm.role(warps=[0])
    store = lm.role(warps=[1])

    # `full` says that a slot's bytes have arrived, `empty` that its store has read them.
    pipe = lm.pipeline(stages=S)
    full = lm.barrier(count=S, prod=[load], cons=[store], init_count=1, pipeline=pipe)
    empty = lm.barrier(count=S, prod=[store], cons=[load], init_count=1, pipeline=pipe, free=True)

    tiles = lm.tiles(lm.cdiv(M, BM), lm.cdiv(N, BN))

    with load:
        for m, n in tiles:
            s = pipe.next()
            lm.wait(empty, stage=s)
            ring.tma_load(A, coords=(n * BN, m * BM), stage=s, barrier=full)

    with store:
        for m, n in tiles:
            s = pipe.next()
            lm.wait(full, stage=s)
            ring.tma_store(B, coords=(n * BN, m * BM), stage=s)
            lm.store_wait(pending=0)
            lm.arrive(empty, stage=s)
