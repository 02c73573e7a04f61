# Ada has no setmaxnreg.
# target: sm_89
@cake.schedule()
def rendezvous(lm):
    # expect: HW-002 "register budget"
    left = lm.role(warps=range(0, 4), regs=40)
    right = lm.role(warps=range(4, 8))
    to_right = lm.barrier(count=1, prod=[left], cons=[right], init_count=1)
    to_left = lm.barrier(count=1, prod=[right], cons=[left], init_count=1)

    with left:
        lm.arrive(to_right)
        lm.wait(to_left)

    with right:
        lm.wait(to_right)
        lm.arrive(to_left)
