# deepseek-ai/FlashMLA#57 (with an mbarrier in place of the named barrier)
# Two roles of one warpgroup each arrive on one barrier of count 2, and each waits for the other: the sum counts.
@cake.schedule(target="sm_90a")
def meet(lm, n: LM.i32):
    left = lm.role(warps=range(0, 4))
    right = lm.role(warps=range(4, 8))
    both = lm.barrier(count=1, prod=[left, right], cons=[left, right], init_count=2)

    with left:
        for i in lm.range(0, n):
            lm.arrive(both)
            lm.wait(both)

    with right:
        for i in lm.range(0, n):
            lm.arrive(both)
            lm.wait(both)
