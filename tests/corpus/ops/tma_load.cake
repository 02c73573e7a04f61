# `view.tma_load`: tensors of one to five dimensions, a box with fewer dimensions than its tensor, a ring slot or none,
# one fill of several copies, a condition.
@cake.schedule(target="sm_90a")
def loads(lm, A: LM.tma1d, B: LM.tma2d, C: LM.tma3d, D: LM.tma4d, E: LM.tma5d, Y: LM.tma2d, n: LM.i32):
    pool = lm.smem(32768)
    row = pool.view(offset=0, shape=(64,), dtype=lm.bf16)
    box = pool.view(offset=1024, shape=(8, 64), dtype=lm.bf16, swizzle=128)
    cube = pool.view(offset=2048, shape=(2, 8, 64), dtype=lm.bf16, swizzle=128)
    ring = pool.view(offset=4096, shape=(8, 64), dtype=lm.bf16, stage=2, swizzle=128)
    load = lm.role(warps=[0])
    store = lm.role(warps=[1])
    pipe = lm.pipeline(stages=2)
    once = lm.barrier(count=1, prod=[load], cons=[store], init_count=1)
    full = lm.barrier(count=2, prod=[load], cons=[store], init_count=1, pipeline=pipe)
    empty = lm.barrier(count=2, prod=[store], cons=[load], init_count=1, pipeline=pipe, free=True)

    with load:
        row.tma_load(A, coords=(0,), barrier=once)
        box.tma_load(D, coords=(0, 8, 1, 2), barrier=once)
        cube.tma_load(E, coords=(64, 0, 0, 0, 3), barrier=once)
        for i in lm.range(0, n):
            s = pipe.next()
            lm.wait(empty, stage=s)
            ring.tma_load(B, coords=(0, i * 8), stage=s, barrier=full, when=(i % 2 == 0))
            ring.tma_load(C, coords=(0, i * 8, 1), stage=s, barrier=full, when=(i % 2 == 1))

    with store:
        lm.wait(once)
        box.tma_store(Y, coords=(0, 0))
        for i in lm.range(0, n):
            s = pipe.next()
            lm.wait(full, stage=s)
            ring.tma_store(Y, coords=(0, i * 8), stage=s)
            lm.store_wait(pending=0)
            lm.arrive(empty, stage=s)
