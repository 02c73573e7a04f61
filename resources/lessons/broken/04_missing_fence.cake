# C is stale in places, more often on a busy device.
@cake.schedule(target="sm_90a")
def gemm_bf16(lm, A: LM.tma2d, B: LM.tma2d, C: LM.tma2d, M: LM.i32, N: LM.i32, K: LM.i32):
    BM, BN, BK = 128, 256, 64
    S = lm.tunable("stages", 4, choices=[3, 4])
    lm.assume(M >= 8, M % 8 == 0, N >= 8, N % 8 == 0, K >= 8, K % 8 == 0)

    # Shared memory: a ring of S operand tiles, and two 64-column slices of the output.
    pool = lm.smem(S * 49152 + 32768)
    a_s = pool.view(offset=0, shape=(BM, BK), dtype=lm.bf16, stage=S, swizzle=128)
    b_s = pool.view(offset=S * 16384, shape=(BN, BK), dtype=lm.bf16, stage=S, swizzle=128)
    c_s = pool.view(offset=S * 49152, shape=(BM, 64), dtype=lm.bf16, stage=2, swizzle=128)

    load = lm.role(warps=[0], regs=40)
    mma = lm.role(warps=range(4, 12), regs=232)

    # `full` says that a slot's bytes have arrived, `empty` that both warpgroups are done with it.
    pipe = lm.pipeline(stages=S)
    full = lm.barrier(count=S, prod=[load], cons=[mma], init_count=1, pipeline=pipe)
    empty = lm.barrier(count=S, prod=[mma], cons=[load], init_count=2, pipeline=pipe, free=True)

    tiles = lm.tiles(lm.cdiv(M, BM), lm.cdiv(N, BN), order="grouped", group=4)

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
                # One MMA stays in flight; the one before is done, so its slot is free.
                lm.mma_wait(pending=1)
                lm.arrive(empty, stage=pipe.previous(), when=(k > 0))
            lm.mma_wait(pending=0)
            lm.arrive(empty, stage=pipe.current())

            # Epilogue: 64 columns at a time through two slices, so that a store overlaps the next write.
            for j in range(BN // 64):
                lm.store_wait(pending=1)
                lm.sync()
                c_s.store(lm.cast(acc[:, j * 64 : (j + 1) * 64], lm.bf16), stage=j % 2)
                lm.sync()
                c_s.tma_store(C, coords=(n * BN + j * 64, m * BM), stage=j % 2)
