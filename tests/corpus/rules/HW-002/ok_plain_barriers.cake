# Barriers and roles exist on every target.
# target: sm_89
@cake.schedule()
def rendezvous(lm):
    left = lm.role(warps=[0])
    right = lm.role(warps=[1])
    to_right = lm.barrier(count=1, prod=[left], cons=[right], init_count=1)
    to_left = lm.barrier(count=1, prod=[right], cons=[left], init_count=1)

    with left:
        lm.arrive(to_right)
        lm.wait(to_left)

    with right:
        lm.wait(to_right)
        lm.arrive(to_left)
