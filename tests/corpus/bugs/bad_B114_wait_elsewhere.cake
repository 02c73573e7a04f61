# facebookexperimental/triton partition-scheduler-bugs (12): the wait for a bulk store stands in a role that did not issue it.
@cake.schedule(target="sm_90a")
def reduction(lm, X: LM.tma2d, Y: LM.tma2d, n: LM.i32):
    pool = lm.smem(8192)
    dq = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, swizzle=128)
    red = lm.role(warps=[0])
    epi = lm.role(warps=[1])
    filled = lm.barrier(count=1, prod=[red], cons=[red], init_count=1)
    issued = lm.barrier(count=1, prod=[red], cons=[epi], init_count=1)
    dq_free = lm.barrier(count=1, prod=[epi], cons=[red], init_count=1, free=True)

    with red:
        for i in lm.range(0, n):
            lm.wait(dq_free)
            # expect: DATA-003 "`red` writes `dq` (`tma_load`) at i=1 while this may still run: `red` reads `dq` (`tma_store`) of i=0"
            dq.tma_load(X, coords=(0, i * 64), barrier=filled)
            lm.wait(filled)
            dq.tma_store(Y, coords=(0, i * 64))
            lm.arrive(issued)

    with epi:
        for i in lm.range(0, n):
            lm.wait(issued)
            lm.store_wait(pending=0)
            lm.arrive(dq_free)
