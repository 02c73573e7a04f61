# flashinfer-ai/flashinfer#4732, mended (with mbarriers in place of named barriers)
# Two stages by the parity of the tile; the answer to the tile before last paces the arrivals.
@cake.schedule(target="sm_120a")
def ahead(lm, n: LM.i32):
    math = lm.role(warps=range(0, 8))
    io = lm.role(warps=range(8, 12))
    done = lm.barrier(count=2, prod=[math], cons=[io], init_count=2)
    ready = lm.barrier(count=2, prod=[io], cons=[math], init_count=1, free=True)

    with math:
        for t in lm.range(0, n):
            lm.wait(ready, stage=t % 2)
            lm.arrive(done, stage=t % 2)

    with io:
        for t in lm.range(0, n):
            lm.wait(done, stage=t % 2)
            lm.arrive(ready, stage=t % 2)
