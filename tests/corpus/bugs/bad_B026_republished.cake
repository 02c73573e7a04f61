# mlc-ai/TIRx-kernels@f236ac1: a full barrier is published again before its waiters have seen the last phase.
# In one CTA: the copy itself is left out.
@cake.schedule(target="sm_90a")
def queries(lm, n: LM.i32):
    warp0 = lm.role(warps=[0])
    wg0 = lm.role(warps=range(4, 8))
    tq_full = lm.barrier(count=1, prod=[warp0], cons=[wg0], init_count=1)

    with warp0:
        for i in lm.range(0, n):
            lm.arrive(tq_full)

    with wg0:
        for i in lm.range(0, n):
            # expect: SCHED-005 "`tq_full` can complete 2 times before"
            lm.wait(tq_full)
