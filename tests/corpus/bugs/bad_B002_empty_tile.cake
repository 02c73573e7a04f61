# Dao-AILab/flash-attention#2258: on an empty tile the correction role arrives where nobody waits.
@cake.schedule(target="sm_90a")
def tiles(lm, T: LM.i32, n: LM.i32):
    softmax = lm.role(warps=range(0, 4))
    correction = lm.role(warps=range(4, 8))
    mma = lm.role(warps=[8])
    p_full = lm.barrier(count=1, prod=[softmax, correction], cons=[mma], init_count=1)
    p_empty = lm.barrier(count=1, prod=[mma], cons=[softmax], init_count=1, free=True)
    stat_full = lm.barrier(count=1, prod=[softmax], cons=[correction], init_count=1)
    stat_empty = lm.barrier(count=1, prod=[correction], cons=[softmax], init_count=1, free=True)
    all = lm.tiles(T)

    with softmax:
        for t in all:
            lm.wait(stat_empty)
            lm.arrive(stat_full)
            for i in lm.range(0, n):
                lm.wait(p_empty)
                lm.arrive(p_full)

    with correction:
        for t in all:
            lm.wait(stat_full)
            lm.arrive(stat_empty)
            # expect: SCHED-004 "`correction` arrives on `p_full` at t=1 without being ordered after completion 1"
            lm.arrive(p_full, when=(n == 0))

    with mma:
        for t in all:
            for i in lm.range(0, n):
                lm.wait(p_full)
                lm.arrive(p_empty)
