# pytorch/helion#3620, mended.
@cake.schedule(target="sm_100a")
def backward(lm):
    reduce = lm.role(warps=range(0, 4), regs=80)
    compute0 = lm.role(warps=range(4, 8), regs=168)
    compute1 = lm.role(warps=range(8, 12), regs=168)
    others = lm.role(warps=range(12, 16), regs=88)
    begin = lm.barrier(count=1, prod=[others], cons=[reduce, compute0, compute1], init_count=1)

    with others:
        lm.arrive(begin)

    with reduce:
        lm.wait(begin)

    with compute0:
        lm.wait(begin)

    with compute1:
        lm.wait(begin)
