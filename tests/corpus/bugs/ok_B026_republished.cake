# mlc-ai/TIRx-kernels@f236ac1, mended.
@cake.schedule(target="sm_90a")
def queries(lm, n: LM.i32):
    warp0 = lm.role(warps=[0])
    wg0 = lm.role(warps=range(4, 8))
    tq_full = lm.barrier(count=1, prod=[warp0], cons=[wg0], init_count=1)
    tq_consumed = lm.barrier(count=1, prod=[wg0], cons=[warp0], init_count=1, free=True)

    with warp0:
        for i in lm.range(0, n):
            lm.wait(tq_consumed)
            lm.arrive(tq_full)

    with wg0:
        for i in lm.range(0, n):
            lm.wait(tq_full)
            lm.arrive(tq_consumed)
