# `left` signals `right`, and waits for each answer before it signals again.
@cake.schedule(target="sm_90a")
def signal(lm, n: LM.i32):
    left = lm.role(warps=[0])
    right = lm.role(warps=[1])
    go = lm.barrier(count=1, prod=[left], cons=[right], init_count=1)
    answer = lm.barrier(count=1, prod=[right], cons=[left], init_count=1)

    with left:
        for i in lm.range(0, n):
            lm.arrive(go)
            lm.wait(answer)

    with right:
        for i in lm.range(0, n):
            lm.wait(go)
            lm.arrive(answer)
