# Empty: one role that does nothing yet
@cake.schedule(target="sm_90a")
def kernel(lm, N: LM.i32):
    lm.assume(N >= 1)

    work = lm.role(warps=[0])

    with work:
        pass
