# mlc-ai/TIRx-kernels@257bac5: warps of one warpgroup ask for different registers.
@cake.schedule(target="sm_90a")
def divergent(lm):
    load = lm.role(warps=[0], regs=24)
    left = lm.role(warps=range(4, 8), regs=232)
    # expect: HW-004 "share warpgroup 0 but ask for different registers"
    right = lm.role(warps=[1, 2], regs=72)
    ready = lm.barrier(count=1, prod=[load], cons=[left, right], init_count=1)

    with load:
        lm.arrive(ready)

    with left:
        lm.wait(ready)

    with right:
        lm.wait(ready)
