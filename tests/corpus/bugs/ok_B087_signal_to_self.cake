# Dao-AILab/quack@6a645d5, mended.
@cake.schedule(target="sm_90a")
def ping_pong(lm, n: LM.i32):
    wg0 = lm.role(warps=range(0, 4))
    wg1 = lm.role(warps=range(4, 8))
    turn0 = lm.barrier(count=1, prod=[wg1], cons=[wg0], init_count=1, free=True)
    turn1 = lm.barrier(count=1, prod=[wg0], cons=[wg1], init_count=1)

    with wg0:
        for t in lm.range(0, n):
            lm.wait(turn0)
            lm.arrive(turn1)

    with wg1:
        for t in lm.range(0, n):
            lm.wait(turn1)
            lm.arrive(turn0)
