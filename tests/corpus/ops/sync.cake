# `lm.sync`: the warps of one role meet, also in a loop and in a condition; two roles do so on their own.
@cake.schedule(target="sm_90a")
def meetings(lm, n: LM.i32):
    left = lm.role(warps=[0, 1])
    right = lm.role(warps=range(4, 12))

    with left:
        for i in lm.range(0, n):
            lm.sync()

    with right:
        lm.sync()
        with lm.when(n > 2):
            lm.sync()
