#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time the peers on the GPU this runs on, one JSON line a row.

Protocol: `span_ms` is the kernel activity of one call as CUPTI records it
(latest end minus earliest start of its kernels, through PyTorch's profiler),
L2 flushed by a 256 MiB fill before every sample and left out of the span,
10 warm-ups, 40 samples, median. `event_ms` is the same call between CUDA
events, for orientation: it adds launch gaps. Inputs are random normal, never
zeros. Compare only inside one run, with the arms alternating.

Needs PyTorch with CUDA. Rows that use Flash-KMeans or FlashLib appear
only when their sources are importable: PEERS names the folder that holds
flash_kmeans/ (public repository svg-project/flash-kmeans) and flashlib/
(FlashML-org/flashlib). Only their Triton paths are used, so the CUTLASS
DSL that FlashLib imports for others is replaced by an empty stand-in.
"""
import importlib.abc, importlib.util
import json, os, statistics, sys, traceback
from unittest.mock import MagicMock
sys.path[:0] = [p for p in os.environ.get("PEERS", "").split(":") if p]


class _StandIn(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers any `import cutlass.…` with an empty mock module."""
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "cutlass":
            return importlib.util.spec_from_loader(name, self, is_package=True)
    def create_module(self, spec):
        m = MagicMock(name=spec.name)
        m.__spec__, m.__path__, m.__name__ = spec, [], spec.name
        return m
    def exec_module(self, module): pass


if importlib.util.find_spec("cutlass") is None:
    sys.meta_path.append(_StandIn())
import torch
import torch.nn.functional as F

dev = torch.device("cuda")
flush = torch.empty(256 << 20, dtype=torch.uint8, device=dev)
torch.manual_seed(0)


def samples(fn, n):
    for _ in range(n):
        flush.fill_(1)
        fn()
    torch.cuda.synchronize()


def median_ms(fn, warm=10, n=40):
    """(span, event) medians in ms."""
    for _ in range(warm):
        fn()
    torch.cuda.synchronize()
    ev = []
    for _ in range(n):
        flush.fill_(1)
        a, b = torch.cuda.Event(True), torch.cuda.Event(True)
        a.record(); fn(); b.record()
        torch.cuda.synchronize()
        ev.append(a.elapsed_time(b))
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as p:
        samples(fn, n)
    acts = sorted((e.start_ns(), e.start_ns() + e.duration_ns(), e.name())
                  for e in p.profiler.kineto_results.events() if e.device_type() == torch.profiler.DeviceType.CUDA)
    spans, cur = [], None
    for a, b, name in acts:
        if "FillFunctor<unsigned char>" in name:
            if cur: spans.append(cur[1] - cur[0])
            cur = None
        elif not name.startswith("Memset") or cur is not None:
            cur = (a, b) if cur is None else (cur[0], max(cur[1], b))
    if cur: spans.append(cur[1] - cur[0])
    assert len(spans) == n, f"{len(spans)} spans for {n} samples"
    return statistics.median(spans) / 1e6, statistics.median(ev)


def row(peer, case, shape, fn, flops=0.0, bytes_=0.0, check=None):
    """One timed row; `check` returns a figure of agreement with a plain reference."""
    try:
        agree = None if check is None else check()
        ms, event_ms = median_ms(fn)
        r = dict(case=case, shape=shape, peer=peer, span_ms=round(ms, 5), event_ms=round(event_ms, 5))
        if agree is not None: r["agreement"] = round(agree, 5)
        if flops: r["tflops"] = round(flops / ms / 1e9, 1)
        if bytes_: r["gbps"] = round(bytes_ / ms / 1e6, 1)
    except Exception as e:
        r = dict(case=case, shape=shape, peer=peer, error=str(e).splitlines()[0][:200] if str(e) else repr(e))
    print(json.dumps(r), flush=True)


def bf(*s): return torch.randn(*s, device=dev, dtype=torch.bfloat16)
def fp8(*s): return torch.randn(*s, device=dev).to(torch.float8_e4m3fn)


def gemm():
    for m, n, k in [(8192, 8192, 8192), (4096, 4096, 4096), (4096, 7168, 4096), (2048, 2048, 2048)]:
        a, b = bf(m, k), bf(n, k)
        row("cublas", "gemm_bf16_tn", f"M{m} N{n} K{k}", lambda: a @ b.T, 2.0 * m * n * k)
    m, n, k = 4096, 7168, 4096
    a, b = fp8(m, k), fp8(n, k)
    sa, sb = torch.ones(m, 1, device=dev), torch.ones(1, n, device=dev)
    row("cublas_scaled_mm_rowwise", "gemm_fp8", f"M{m} N{n} K{k}",
        lambda: torch._scaled_mm(a, b.T, sa, sb, out_dtype=torch.bfloat16), 2.0 * m * n * k)
    for m in (1, 4, 8, 16):
        n, k = 5760, 2880
        a, b = bf(m, k), bf(n, k)
        row("cublas", "tinygemm_bf16", f"M{m} N{n} K{k}", lambda: a @ b.T, bytes_=2.0 * (n * k + m * k + m * n))
    g, m, n, k = 64, 128, 4096, 7168
    a = bf(g * m, k); b = bf(g, n, k)
    offs = torch.arange(m, g * m + 1, m, device=dev, dtype=torch.int32)
    row("torch_grouped_mm", "grouped_gemm_bf16", f"G{g} M{m} N{n} K{k}",
        lambda: torch._grouped_mm(a, b.transpose(-2, -1), offs=offs), 2.0 * g * m * n * k)


def attention():
    from torch.nn.attention import SDPBackend, sdpa_kernel
    for causal in (False, True):
        b, h, s, d = 4, 32, 8192, 128
        q, k, v = bf(b, h, s, d), bf(b, h, s, d), bf(b, h, s, d)
        fl = 4.0 * b * h * s * s * d * (0.5 if causal else 1)
        for name, be in (("cudnn", SDPBackend.CUDNN_ATTENTION), ("flash2", SDPBackend.FLASH_ATTENTION)):
            def f():
                with sdpa_kernel(be):
                    return F.scaled_dot_product_attention(q, k, v, is_causal=causal)
            row(name, "attn_fwd_bf16" + ("_causal" if causal else ""), f"B{b} H{h} S{s} D{d}", f, fl)
    b, h, s, d = 4, 32, 8192, 128
    q, k, v = (bf(b, h, s, d).requires_grad_() for _ in range(3))
    for name, be in (("cudnn", SDPBackend.CUDNN_ATTENTION), ("flash2", SDPBackend.FLASH_ATTENTION)):
        try:
            with sdpa_kernel(be):
                o = F.scaled_dot_product_attention(q, k, v)
            g = torch.randn_like(o)
            row(name, "attn_bwd_bf16", f"B{b} H{h} S{s} D{d}",
                lambda: torch.autograd.grad(o, (q, k, v), g, retain_graph=True), 10.0 * b * h * s * s * d)
        except Exception as e:
            print(json.dumps(dict(case="attn_bwd_bf16", peer=name, error=str(e)[:200])))


def decode():
    from torch.nn.attention.flex_attention import flex_attention
    b, hq, hk, s, d = 128, 64, 8, 4096, 128
    q = torch.randn(b, hq, 1, d, device=dev, dtype=torch.float16)
    k, v = (torch.randn(b, hk, s, d, device=dev, dtype=torch.float16) for _ in range(2))
    by = 2.0 * 2 * b * hk * s * d
    fx = torch.compile(lambda q, k, v: flex_attention(q, k, v, enable_gqa=True))
    row("torch_flex_decoding_contiguous", "gqa_decode_fp16", f"B{b} QH{hq} KVH{hk} S{s} D{d}", lambda: fx(q, k, v), bytes_=by)
    row("torch_sdpa_gqa", "gqa_decode_fp16", f"B{b} QH{hq} KVH{hk} S{s} D{d}",
        lambda: F.scaled_dot_product_attention(q, k, v, enable_gqa=True), bytes_=by)


def bandwidth():
    t, d = 32768, 8192
    x = bf(t, d); w = bf(d)
    by = 2.0 * 2 * t * d
    row("torch_rms_norm", "rmsnorm_bf16", f"T{t} D{d}", lambda: F.rms_norm(x, (d,), w), bytes_=by)
    row("torch_layer_norm", "layernorm_bf16", f"T{t} D{d}", lambda: F.layer_norm(x, (d,), w), bytes_=by)
    row("torch_softmax", "softmax_bf16", f"T{t} D{d}", lambda: torch.softmax(x, -1), bytes_=by)
    rms = torch.compile(lambda v: F.rms_norm(v, (d,), w))
    row("torch_compile", "rmsnorm_bf16", f"T{t} D{d}", lambda: rms(x), bytes_=by)
    lay = torch.compile(lambda v: F.layer_norm(v, (d,), w))
    row("torch_compile", "layernorm_bf16", f"T{t} D{d}", lambda: lay(x), bytes_=by)
    soft = torch.compile(lambda v: torch.softmax(v, -1))
    row("torch_compile", "softmax_bf16", f"T{t} D{d}", lambda: soft(x), bytes_=by)

    def q(v):
        a = v.float().abs().amax(-1, keepdim=True).clamp_min(1e-12)
        return (v.float() * (448.0 / a)).to(torch.float8_e4m3fn), a / 448.0
    qc = torch.compile(q)
    row("torch_compile", "quantize_fp8_rows", f"T{t} D{d}", lambda: qc(x), bytes_=3.0 * t * d + 4.0 * t)
    y = torch.empty(1 << 30, dtype=torch.uint8, device=dev); z = torch.empty_like(y)
    row("torch_copy", "copy", "1 GiB", lambda: z.copy_(y), bytes_=2.0 * y.numel())


def kmeans():
    b, n, k, d = 32, 65536, 1024, 128
    x, c = bf(b, n, d), bf(b, k, d)
    fl = 2.0 * b * n * k * d
    shape = f"B{b} N{n} K{k} D{d}"
    xs = (x.float() ** 2).sum(-1)
    cs = (c.float() ** 2).sum(-1)
    out = torch.empty(b, n, device=dev, dtype=torch.int32)
    ref = (cs[0] - 2 * (x[0].float() @ c[0].float().T)).argmin(-1)

    def agree(f):
        def g():
            out.fill_(-1); f(); torch.cuda.synchronize()
            return (out[0] == ref).float().mean().item()
        return g
    row("torch_bmm_argmin", "kmeans_assign_bf16", shape,
        lambda: [(cs[i] - 2 * (x[i] @ c[i].T).float()).argmin(-1) for i in range(b)], fl)
    try:
        from flash_kmeans.assign_euclid_triton import euclid_assign_triton as fk
        row("flash_kmeans_heuristic", "kmeans_assign_bf16", shape, lambda: fk(x, c, xs, out=out, c_sq=cs), fl, check=agree(lambda: fk(x, c, xs, out=out, c_sq=cs)))
        row("flash_kmeans_autotuned", "kmeans_assign_bf16", shape, lambda: fk(x, c, xs, out=out, c_sq=cs, use_heuristic=False), fl, check=agree(lambda: fk(x, c, xs, out=out, c_sq=cs, use_heuristic=False)))
        ids = out.clone()
    except Exception as e:
        print(json.dumps(dict(case="kmeans_assign_bf16", peer="flash_kmeans", error=str(e)[:300])))
    try:
        from flashlib.primitives.kmeans.triton.assign import euclid_assign_triton as fl_
        row("flashlib_heuristic", "kmeans_assign_bf16", shape, lambda: fl_(x, c, out=out, c_sq=cs), fl, check=agree(lambda: fl_(x, c, out=out, c_sq=cs)))
        row("flashlib_autotuned", "kmeans_assign_bf16", shape, lambda: fl_(x, c, out=out, c_sq=cs, use_heuristic=False), fl, check=agree(lambda: fl_(x, c, out=out, c_sq=cs, use_heuristic=False)))
        from flashlib.primitives.kmeans.triton.update import triton_centroid_update_sorted_euclid as up
        row("flashlib_update", "kmeans_update_bf16", shape, lambda: up(x, out, c), bytes_=2.0 * x.numel())
    except Exception as e:
        print(json.dumps(dict(case="kmeans_assign_bf16", peer="flashlib", error=str(e)[:300])))
    try:
        from flashlib.primitives.knn.impl import flash_knn_dispatch as knn
        q, s = bf(1, 65536, 128), bf(1, 1024, 128)

        def recall(a):
            def g():
                d = (q[0].float() ** 2).sum(-1) - 2 * (a[0, :256].float() @ q[0].float().T)
                want = d.topk(16, largest=False).indices
                got = knn(a, q, 16, backend="triton")[1][0, :256].long()
                return (got[:, :, None] == want[:, None, :]).any(1).float().mean().item()
            return g
        row("flashlib_triton", "knn_build_bf16", "N65536 D128 k16", lambda: knn(q, q, 16, backend="triton"),
            2.0 * 65536 * 65536 * 128, check=recall(q))
        row("flashlib_triton", "knn_search_bf16", "Q1024 M65536 D128 k16", lambda: knn(s, q, 16, backend="triton"),
            2.0 * 1024 * 65536 * 128, check=recall(s))
    except Exception as e:
        print(json.dumps(dict(case="knn", peer="flashlib", error=str(e)[:300])))


if __name__ == "__main__":
    p = torch.cuda.get_device_properties(0)
    print(json.dumps(dict(device=p.name, sms=p.multi_processor_count, torch=torch.__version__, cuda=torch.version.cuda)))
    for part in (sys.argv[1:] or ["gemm", "attention", "decode", "bandwidth", "kmeans"]):
        try:
            globals()[part]()
        except Exception:
            print(json.dumps(dict(part=part, error=traceback.format_exc().splitlines()[-1][:300])))
