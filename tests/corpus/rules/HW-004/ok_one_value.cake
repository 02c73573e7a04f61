# Two roles of one warpgroup ask for one value.
@cake.schedule(target="sm_90a")
def three(lm):
    load = lm.role(warps=[0, 1], regs=24)
    left = lm.role(warps=range(4, 8), regs=232)
    right = lm.role(warps=[2, 3], regs=24)
    ready = lm.barrier(count=1, prod=[load], cons=[left, right], init_count=2)

    with load:
        lm.arrive(ready)

    with left:
        lm.wait(ready)

    with right:
        lm.wait(ready)
