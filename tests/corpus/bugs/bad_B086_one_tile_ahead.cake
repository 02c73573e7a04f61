# flashinfer-ai/flashinfer#4732: arrivals that do not block run one tile ahead on the same barrier.
# With an mbarrier in place of the named barrier.
@cake.schedule(target="sm_120a")
def ahead(lm, n: LM.i32):
    math = lm.role(warps=range(0, 8))
    io = lm.role(warps=range(8, 12))
    done = lm.barrier(count=1, prod=[math], cons=[io], init_count=2)
    ready = lm.barrier(count=2, prod=[io], cons=[math], init_count=1, free=True)

    with math:
        for t in lm.range(0, n):
            lm.wait(ready, stage=t % 2)
            # expect: SCHED-004 "`math` arrives on `done` at t=1 without being ordered after completion 1"
            lm.arrive(done)

    with io:
        for t in lm.range(0, n):
            lm.wait(done)
            lm.arrive(ready, stage=t % 2)
