# `lm.wait`: a barrier of one stage, a ring, a stage that is an expression, a condition, a barrier that starts free.
@cake.schedule(target="sm_90a")
def waits(lm, n: LM.i32):
    left = lm.role(warps=[0])
    right = lm.role(warps=range(4, 8))
    one = lm.barrier(count=1, prod=[left], cons=[right], init_count=1)
    pipe = lm.pipeline(stages=2)
    go = lm.barrier(count=2, prod=[left], cons=[right], init_count=1, pipeline=pipe)
    back = lm.barrier(count=2, prod=[right], cons=[left], init_count=1, pipeline=pipe, free=True)
    some = lm.barrier(count=1, prod=[left], cons=[right], init_count=1)

    with left:
        lm.arrive(one)
        lm.arrive(some, when=(n > 3))
        for i in lm.range(0, n):
            s = pipe.next()
            lm.wait(back, stage=s)
            lm.arrive(go, stage=s)

    with right:
        lm.wait(one)
        lm.wait(some, when=(n > 3))
        for i in lm.range(0, n):
            lm.wait(go, stage=i % 2)
            lm.arrive(back, stage=i % 2)
