# Dao-AILab/flash-attention#2258, mended.
@cake.schedule(target="sm_90a")
def tiles(lm, T: LM.i32, n: LM.i32):
    softmax = lm.role(warps=range(0, 4))
    correction = lm.role(warps=range(4, 8))
    mma = lm.role(warps=[8])
    p_full = lm.barrier(count=1, prod=[softmax], cons=[mma], init_count=1)
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

    with mma:
        for t in all:
            for i in lm.range(0, n):
                lm.wait(p_full)
                lm.arrive(p_empty)
