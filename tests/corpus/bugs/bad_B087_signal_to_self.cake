# Dao-AILab/quack@6a645d5: a warpgroup of a ping-pong signals itself and not its partner.
# With mbarriers in place of the named barriers.
@cake.schedule(target="sm_90a")
def ping_pong(lm, n: LM.i32):
    wg0 = lm.role(warps=range(0, 4))
    wg1 = lm.role(warps=range(4, 8))
    turn0 = lm.barrier(count=1, prod=[wg1], cons=[wg0], init_count=1, free=True)
    # expect: SCHED-002 "`wg0` is declared as a producer of `turn1` but never arrives on it"
    turn1 = lm.barrier(count=1, prod=[wg0], cons=[wg1], init_count=1)

    with wg0:
        for t in lm.range(0, n):
            lm.wait(turn0)
            # expect: SCHED-001 "`wg0` arrives on `turn0`"
            lm.arrive(turn0)

    with wg1:
        for t in lm.range(0, n):
            lm.wait(turn1)
            lm.arrive(turn0)
