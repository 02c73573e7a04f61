#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the peer of a GEMM on the GPU this runs on: one JSON line.

Usage: peers.py gemm_bf16 M N K

`span_ms` is the kernel activity of one call as CUPTI records it (latest end minus earliest start of
its kernels, through PyTorch's profiler), L2 flushed by a 256 MiB fill before every sample and left
out of the span, 10 warm-ups, 40 samples, median. Inputs are random normal. Compare only inside one
run, with the arms alternating. Needs PyTorch with CUDA.
"""
import json
import statistics
import sys

import torch

FLUSH_KERNEL = "FillFunctor<unsigned char>"


def spans_ms(call, flush, samples):
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(samples):
            flush.fill_(1)
            call()
        torch.cuda.synchronize()
    events = sorted(
        (e.start_ns(), e.start_ns() + e.duration_ns(), e.name())
        for e in profile.profiler.kineto_results.events()
        if e.device_type() == torch.profiler.DeviceType.CUDA
    )
    spans, current = [], None
    for begin, end, name in events:
        if FLUSH_KERNEL in name:
            if current:
                spans.append(current[1] - current[0])
            current = None
        elif not name.startswith("Memset") or current is not None:
            current = (begin, end) if current is None else (current[0], max(current[1], end))
    if current:
        spans.append(current[1] - current[0])
    if len(spans) != samples:
        raise RuntimeError(f"{len(spans)} spans for {samples} samples")
    return [s / 1e6 for s in spans]


def gemm_bf16(m, n, k, warmups=10, samples=40):
    torch.manual_seed(0)
    a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(n, k, device="cuda", dtype=torch.bfloat16)
    flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    for _ in range(warmups):
        a @ b.T
    torch.cuda.synchronize()
    times = spans_ms(lambda: a @ b.T, flush, samples)
    return {
        "case": "gemm_bf16",
        "shape": {"M": m, "N": n, "K": k},
        "peer": "cublas",
        "span_ms": statistics.median(times),
        "samples": samples,
        "device": torch.cuda.get_device_name(0),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
    }


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[1] != "gemm_bf16":
        sys.exit(__doc__)
    print(json.dumps(gemm_bf16(*map(int, sys.argv[2:]))))
