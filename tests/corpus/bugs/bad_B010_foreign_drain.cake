# flashinfer-ai/flashinfer#3581: a role drains a pipeline that it does not own.
@cake.schedule(target="sm_100a")
def output(lm, Y: LM.tma2d, X: LM.tma2d, n: LM.i32):
    pool = lm.smem(16384)
    o_s = pool.view(offset=0, shape=(64, 64), dtype=lm.bf16, stage=2, swizzle=128)
    cg0 = lm.role(warps=[0])
    cg1 = lm.role(warps=[1])
    epi = lm.role(warps=[2])
    o_pipe = lm.pipeline(stages=2)
    o_full = lm.barrier(count=2, prod=[cg1], cons=[epi], init_count=1, pipeline=o_pipe)
    o_empty = lm.barrier(count=2, prod=[epi], cons=[cg1], init_count=1, pipeline=o_pipe, free=True)
    begin = lm.barrier(count=1, prod=[cg0], cons=[cg1], init_count=1)

    with cg0:
        lm.arrive(begin)
        # expect: SCHED-001 "`cg0` waits on `o_empty`"
        lm.wait(o_empty, stage=0)

    with cg1:
        lm.wait(begin)
        for i in lm.range(0, n):
            s = o_pipe.next()
            lm.wait(o_empty, stage=s)
            o_s.tma_load(X, coords=(0, i * 64), stage=s, barrier=o_full)

    with epi:
        for i in lm.range(0, n):
            s = o_pipe.next()
            lm.wait(o_full, stage=s)
            o_s.tma_store(Y, coords=(0, i * 64), stage=s)
            lm.store_wait(pending=0)
            lm.arrive(o_empty, stage=s)
