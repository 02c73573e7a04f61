# All warps of a warpgroup execute one setmaxnreg.
@cake.schedule(target="sm_90a")
def three(lm):
    load = lm.role(warps=[0, 1], regs=24)
    left = lm.role(warps=range(4, 8), regs=232)
    # expect: HW-004 "share warpgroup 0"
    right = lm.role(warps=[2, 3], regs=40)
    ready = lm.barrier(count=1, prod=[load], cons=[left, right], init_count=2)

    with load:
        lm.arrive(ready)

    with left:
        lm.wait(ready)

    with right:
        lm.wait(ready)
