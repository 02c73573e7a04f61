# NVIDIA/cutlass#2172: the epilogue-load warp waits for a start signal on a CTA that has no tile.
@cake.schedule(target="sm_90a")
def start(lm, T: LM.i32, G: LM.i32):
    lm.assume(T >= 1, G >= 1)
    main_load = lm.role(warps=[0])
    epi_load = lm.role(warps=[1])
    order = lm.barrier(count=1, prod=[main_load], cons=[epi_load], init_count=1)
    tiles = lm.tiles(T, grid=G)

    with main_load:
        for t in tiles:
            lm.arrive(order, when=(t < G))

    with epi_load:
        # expect: SCHED-003 "`epi_load` waits for completion 1 of `order`, but `main_load` never completes it"
        lm.wait(order)
