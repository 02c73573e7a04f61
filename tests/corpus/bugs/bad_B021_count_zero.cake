# NVIDIA/cutlass CHANGELOG (example 77): a consumer group that is empty in one configuration gives an arrival count of 0.
@cake.schedule(target="sm_90a")
def rendezvous(lm):
    use_right = False
    left = lm.role(warps=[0])
    right = lm.role(warps=[1])
    to_right = lm.barrier(count=1, prod=[left], cons=[right], init_count=1)
    # expect: LANG-004 "`init_count` is out of range"
    to_left = lm.barrier(count=1, prod=[right], cons=[left], init_count=1 if use_right else 0)

    with left:
        lm.arrive(to_right)
        lm.wait(to_left)

    with right:
        lm.wait(to_right)
        lm.arrive(to_left)
