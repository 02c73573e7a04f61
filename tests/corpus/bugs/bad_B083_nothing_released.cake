# pytorch/helion#3620: two warpgroups raise their registers and no other one lowers its own.
@cake.schedule(target="sm_100a")
def backward(lm):
    reduce = lm.role(warps=range(0, 4))
    # expect: HW-004 "the warpgroups ask for 592 registers"
    compute0 = lm.role(warps=range(4, 8), regs=168)
    compute1 = lm.role(warps=range(8, 12), regs=168)
    others = lm.role(warps=range(12, 16))
    begin = lm.barrier(count=1, prod=[others], cons=[reduce, compute0, compute1], init_count=1)

    with others:
        lm.arrive(begin)

    with reduce:
        lm.wait(begin)

    with compute0:
        lm.wait(begin)

    with compute1:
        lm.wait(begin)
