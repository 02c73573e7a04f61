# `lm.arrive`: an agent is a warp or a warpgroup; stages by `next`, `current` and `previous`; a condition.
@cake.schedule(target="sm_90a")
def arrivals(lm, n: LM.i32):
    lm.assume(n >= 1)
    warps = lm.role(warps=[0, 1, 2])
    groups = lm.role(warps=range(4, 12))
    pipe = lm.pipeline(stages=3)
    go = lm.barrier(count=3, prod=[warps], cons=[groups], init_count=3, pipeline=pipe)
    back = lm.barrier(count=3, prod=[groups], cons=[warps], init_count=2, pipeline=pipe, free=True)

    with warps:
        for i in lm.range(0, n):
            s = pipe.next()
            lm.wait(back, stage=s)
            lm.arrive(go, stage=s)

    with groups:
        for i in lm.range(0, n):
            lm.wait(go, stage=pipe.next())
            lm.arrive(back, stage=pipe.previous(), when=(i > 0))
        lm.arrive(back, stage=pipe.current())
