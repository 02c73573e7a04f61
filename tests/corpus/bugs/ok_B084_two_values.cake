# mlc-ai/TIRx-kernels@257bac5, mended.
@cake.schedule(target="sm_90a")
def divergent(lm):
    load = lm.role(warps=[0], regs=24)
    left = lm.role(warps=range(4, 8), regs=232)
    right = lm.role(warps=[1, 2], regs=24)
    ready = lm.barrier(count=1, prod=[load], cons=[left, right], init_count=1)

    with load:
        lm.arrive(ready)

    with left:
        lm.wait(ready)

    with right:
        lm.wait(ready)
