# NVIDIA/cutlass#2007
# Budgets of 24, 232 and 232 after a launch with 168 each: 488 of 504.
@cake.schedule(target="sm_90a")
def three(lm):
    load = lm.role(warps=[0], regs=24)
    left = lm.role(warps=range(4, 8), regs=232)
    right = lm.role(warps=range(8, 12), regs=232)
    ready = lm.barrier(count=1, prod=[load], cons=[left, right], init_count=1)

    with load:
        lm.arrive(ready)

    with left:
        lm.wait(ready)

    with right:
        lm.wait(ready)
