# GEMM: C = A x B^T in bf16, one warp loads, one warpgroup multiplies
@cake.schedule(target="sm_90a")
def gemm(lm, A: LM.tma2d, B: LM.tma2d, C: LM.tma2d, M: LM.i32, N: LM.i32, K: LM.i32):
    BM, BN, BK = 64, 128, 64
    S = lm.tunable("stages", 4, choices=[2, 3, 4])
    lm.assume(M >= 8, M % 8 == 0, N >= 8, N % 8 == 0, K >= 8, K % 8 == 0)

    pool = lm.smem(S * 24576 + 16384)
    a_s = pool.view(offset=0, shape=(BM, BK), dtype=lm.bf16, stage=S, swizzle=128)
    b_s = pool.view(offset=S * 8192, shape=(BN, BK), dtype=lm.bf16, stage=S, swizzle=128)
    c_s = pool.view(offset=S * 24576, shape=(BM, 64), dtype=lm.bf16, stage=2, swizzle=128)

    load = lm.role(warps=[0], regs=40)
    mma = lm.role(warps=range(4, 8), regs=232)

    # `full` says that a slot's bytes have arrived, `empty` that the MMAs are done with it.
    pipe = lm.pipeline(stages=S)
    full = lm.barrier(count=S, prod=[load], cons=[mma], init_count=1, pipeline=pipe)
    empty = lm.barrier(count=S, prod=[mma], cons=[load], init_count=1, pipeline=pipe, free=True)

    tiles = lm.tiles(lm.cdiv(M, BM), lm.cdiv(N, BN))

    with load:
        for m, n in tiles:
            for k in lm.range(0, lm.cdiv(K, BK)):
                s = pipe.next()
                lm.wait(empty, stage=s)
                a_s.tma_load(A, coords=(k * BK, m * BM), stage=s, barrier=full)
                b_s.tma_load(B, coords=(k * BK, n * BN), stage=s, barrier=full)

    with mma:
        acc = lm.frag(shape=(BM, BN), dtype=lm.f32)
        for m, n in tiles:
            for k in lm.range(0, lm.cdiv(K, BK)):
                s = pipe.next()
                lm.wait(full, stage=s)
                lm.mma(acc, a_s[s], b_s[s], init=(k == 0))
                lm.mma_wait(pending=0)
                lm.arrive(empty, stage=s)

            # The output goes through two slices of 64 columns, so that a store overlaps the next write.
            for j in range(BN // 64):
                lm.store_wait(pending=1)
                lm.sync()
                c_s.store(lm.cast(acc[:, j * 64 : (j + 1) * 64], lm.bf16), stage=j % 2)
                lm.fence_proxy()
                lm.sync()
                c_s.tma_store(C, coords=(n * BN + j * 64, m * BM), stage=j % 2)
