# tile-ai/tilelang#2410: the arrival count omits some of the warps that read the slot.
# The schedule slot is filled by a TMA load and read by TMA stores here.
@cake.schedule(target="sm_100a")
def scheduler(lm, X: LM.tma2d, Y: LM.tma2d, n: LM.i32):
    pool = lm.smem(8192)
    slot = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, swizzle=128)
    sched = lm.role(warps=[0])
    epi = lm.role(warps=[1])
    store = lm.role(warps=[2, 3, 5])
    clc_full = lm.barrier(count=1, prod=[sched], cons=[epi, store], init_count=1)
    clc_empty = lm.barrier(count=1, prod=[epi, store], cons=[sched], init_count=2, free=True)

    with sched:
        for i in lm.range(0, n):
            lm.wait(clc_empty)
            # expect: DATA-003 "while this may still run: `epi` reads `slot` (`tma_store`)"
            slot.tma_load(X, coords=(0, i * 64), barrier=clc_full)

    with epi:
        for i in lm.range(0, n):
            lm.wait(clc_full)
            slot.tma_store(Y, coords=(0, i * 64))
            lm.store_wait(pending=0)
            # expect: SCHED-004 "`epi` arrives on `clc_empty`"
            lm.arrive(clc_empty)

    with store:
        for i in lm.range(0, n):
            lm.wait(clc_full)
            slot.tma_store(Y, coords=(64, i * 64))
            lm.store_wait(pending=0)
            lm.arrive(clc_empty)
