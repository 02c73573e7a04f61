# For n of 2 one half arrives and nobody waits.
@cake.schedule(target="sm_90a")
def join(lm, n: LM.i32):
    left = lm.role(warps=[0])
    right = lm.role(warps=[1])
    last = lm.role(warps=[2])
    done = lm.barrier(count=1, prod=[left, right], cons=[last], init_count=2)

    with left:
        # expect: SCHED-007 "1 of 2 arrivals"
        lm.arrive(done, when=(n > 1))

    with right:
        lm.arrive(done, when=(n > 2))

    with last:
        lm.wait(done, when=(n > 2))
