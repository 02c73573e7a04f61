#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks on the device the hardware facts that lowering and the worker rely on.

Usage: probes.py RECEIPT   (writes one JSON line a fact; exit code 1 if one does not hold)

Needs PyTorch with CUDA (for memory and a context), NVRTC, and $BAKERY or build/bin/bakery.
"""
import ctypes as C
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile

import torch

ROWS = []
cuda = C.CDLL("libcuda.so.1")


def call(name, *args):
    code = getattr(cuda, name)(*args)
    if code:
        text = C.c_char_p()
        cuda.cuGetErrorName(code, C.byref(text))
        raise RuntimeError(f"{name}: {code} {(text.value or b'').decode()}")


def fact(name, holds, **measured):
    ROWS.append({"kind": "probe", "fact": name, "holds": bool(holds), **measured})
    print(json.dumps(ROWS[-1]), flush=True)


def find_nvrtc():
    for pattern in ("/usr/local/cuda*/lib64/libnvrtc.so.1[23]", "/usr/local/cuda*/targets/*/lib/libnvrtc.so.1[23]"):
        for path in sorted(glob.glob(pattern), reverse=True):
            return C.CDLL(path)
    return C.CDLL("libnvrtc.so.13")


nvrtc = find_nvrtc()


def compile_kernel(source, name):
    program = C.c_void_p()
    nvrtc.nvrtcCreateProgram(C.byref(program), source.encode(), b"probe.cu", 0, None, None)
    options = (C.c_char_p * 2)(b"--gpu-architecture=sm_90a", b"-std=c++17")
    code = nvrtc.nvrtcCompileProgram(program, 2, options)
    if code:
        size = C.c_size_t()
        nvrtc.nvrtcGetProgramLogSize(program, C.byref(size))
        log = C.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        raise RuntimeError(log.value.decode())
    size = C.c_size_t()
    nvrtc.nvrtcGetCUBINSize(program, C.byref(size))
    cubin = C.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, cubin)
    return load(cubin.raw, name)


def load(cubin, name):
    module, function = C.c_void_p(), C.c_void_p()
    call("cuModuleLoadData", C.byref(module), cubin)
    call("cuModuleGetFunction", C.byref(function), module, name.encode())
    return function


def launch(function, args, threads=128, grid=1, shared=0):
    values = []
    for a in args:
        if isinstance(a, torch.Tensor):
            values.append(C.c_void_p(a.data_ptr()))
        elif isinstance(a, int):
            values.append(C.c_int(a))
        else:
            values.append(a)
    pointers = (C.c_void_p * max(1, len(values)))(*[C.cast(C.addressof(v), C.c_void_p) for v in values])
    if shared > 48 * 1024:
        call("cuFuncSetAttribute", function, 8, shared)
    stream = C.c_void_p(torch.cuda.current_stream().cuda_stream)
    call("cuLaunchKernel", function, grid, 1, 1, threads, 1, 1, shared, stream, pointers, None)


KEEP = []


def tensor_map(tensor, box, swizzle):
    memory = (C.c_uint64 * 32)()
    KEEP.append(memory)
    address = (C.addressof(memory) + 127) // 128 * 128
    rows, cols = tensor.shape
    call("cuTensorMapEncodeTiled", C.c_void_p(address), 9, 2, C.c_void_p(tensor.data_ptr()), (C.c_uint64 * 2)(cols, rows),
         (C.c_uint64 * 1)(tensor.stride(0) * 2), (C.c_uint32 * 2)(*box), (C.c_uint32 * 2)(1, 1), 0, swizzle, 3, 0)
    return (C.c_uint64 * 16).from_address(address)


PRELUDE = r"""
typedef unsigned int u32; typedef unsigned long long u64;
struct alignas(128) TensorMap { u64 words[16]; };
__device__ u32 smem_at(const void* p) { return (u32)__cvta_generic_to_shared(p); }
__device__ void load(u32 to, const TensorMap* m, int x, int y, u32 bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to), "l"(m), "r"(bar), "r"(x), "r"(y) : "memory");
}
__device__ void init(u32 bar) { asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory"); asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ void expect(u32 bar, u32 n) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(n) : "memory"); }
__device__ bool done(u32 bar) { u32 d; asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(d) : "r"(bar) : "memory"); return d; }
"""


def descriptors():
    # D (64 x 8) = A (64 x K) * B (8 x K)^T with one swizzle row of K; distinct small integers.
    for span, code, swizzle in ((128, 1, 3), (64, 2, 2), (32, 3, 1)):
        k = span // 2
        source = PRELUDE + r"""
extern "C" __global__ void probe(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, float* out) {
  extern __shared__ __align__(1024) unsigned char s[]; __shared__ alignas(8) u64 bars[1];
  const u32 a = smem_at(s), b = a + 16384, bar = smem_at(bars);
  if (threadIdx.x == 0) { init(bar); }
  __syncthreads();
  if (threadIdx.x == 0) { expect(bar, (64 + 8) * SPAN); load(a, &A, 0, 0, bar); load(b, &B, 0, 0, bar); }
  while (!done(bar)) {}
  float d[4] = {0, 0, 0, 0};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (u32 i = 0; i < SPAN / 32; ++i) {
    const u64 da = (u64)((a + 32 * i) >> 4 & 0x3FFF) | 1ull << 16 | (u64)(8 * SPAN >> 4) << 32 | (u64)CODE << 62;
    const u64 db = (u64)((b + 32 * i) >> 4 & 0x3FFF) | 1ull << 16 | (u64)(8 * SPAN >> 4) << 32 | (u64)CODE << 62;
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(da), "l"(db) : "memory");
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (u32 i = 0; i < 4; ++i) asm volatile("" : "+f"(d[i])::"memory");
  const u32 w = threadIdx.x / 32, l = threadIdx.x % 32;
  for (u32 i = 0; i < 4; ++i) out[(16 * w + l / 4 + 8 * (i / 2)) * 8 + 2 * (l % 4) + i % 2] = d[i];
}""".replace("SPAN", str(span)).replace("CODE", str(code))
        a = (torch.arange(64 * k, device="cuda").reshape(64, k) % 13 - 6).to(torch.bfloat16)
        b = (torch.arange(8 * k, device="cuda").reshape(8, k) % 11 - 5).to(torch.bfloat16)
        out = torch.full((64, 8), float("nan"), device="cuda")
        launch(compile_kernel(source, "probe"), [tensor_map(a, (k, 64), swizzle), tensor_map(b, (k, 8), swizzle), out], shared=32768)
        torch.cuda.synchronize()
        wrong = int((out != a.float() @ b.float().T).sum())
        fact(f"K-major descriptor, {span}-byte swizzle, +32 bytes a step, and the accumulator's layout", wrong == 0, elements=512, wrong=wrong)


def out_of_bounds():
    source = PRELUDE + r"""
extern "C" __global__ void probe(const __grid_constant__ TensorMap A, unsigned short* out, u32* waited) {
  extern __shared__ __align__(1024) unsigned char s[]; __shared__ alignas(8) u64 bars[1];
  unsigned short* data = (unsigned short*)s; const u32 bar = smem_at(bars);
  for (u32 i = threadIdx.x; i < 64 * 64; i += 128) data[i] = 0xFFFF;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  if (threadIdx.x == 0) init(bar);
  __syncthreads();
  if (threadIdx.x == 0) { expect(bar, 64 * 128); load(smem_at(s), &A, 0, 0, bar); }
  u32 tries = 0;
  while (!done(bar) && ++tries < 1000000) {}
  if (threadIdx.x == 0) *waited = done(bar);
  for (u32 i = threadIdx.x; i < 64 * 64; i += 128) out[i] = data[i];
}"""
    a = torch.randn(40, 48, device="cuda").to(torch.bfloat16)
    out = torch.zeros(64, 64, device="cuda", dtype=torch.bfloat16)
    waited = torch.zeros(1, device="cuda", dtype=torch.int32)
    launch(compile_kernel(source, "probe"), [tensor_map(a, (64, 64), 0), out, waited], shared=16384)
    torch.cuda.synchronize()
    expected = torch.zeros(64, 64, device="cuda", dtype=torch.bfloat16)
    expected[:40, :48] = a
    fact("a load past the edge completes with the full box bytes and fills zeros", waited.item() == 1 and torch.equal(out, expected))

    source = PRELUDE + r"""
extern "C" __global__ void probe(const __grid_constant__ TensorMap C) {
  extern __shared__ __align__(1024) unsigned char s[];
  for (u32 i = threadIdx.x; i < 64 * 64; i += 128) ((unsigned short*)s)[i] = 0x3F80;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&C), "r"(smem_at(s)), "r"(32), "r"(16) : "memory");
    asm volatile("cp.async.bulk.commit_group;"); asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}"""
    whole = torch.zeros(100, 64, device="cuda", dtype=torch.bfloat16)
    part = whole[:40, :48]
    launch(compile_kernel(source, "probe"), [tensor_map(part, (64, 64), 0)], shared=16384)
    torch.cuda.synchronize()
    inside = bool((part[16:, 32:] == 1).all())
    outside = whole.clone()
    outside[16:40, 32:48] = 0
    fact("a store past the upper edge is clipped", inside and int((outside != 0).sum()) == 0)


def clocks():
    source = r"""
extern "C" __global__ void probe(unsigned long long* out) {
  unsigned long long last, now; int n = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(last));
  while (n < 64) { asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); if (now != last) { out[n++] = now - last; last = now; } }
  const long long a = clock64();
  for (int i = 0; i < 1000; ++i) asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  const long long b = clock64();
  for (int i = 0; i < 1000; ++i) asm volatile("mov.u64 %0, %clock64;" : "=l"(last));
  out[64] = b - a; out[65] = clock64() - b;
}"""
    out = torch.zeros(66, device="cuda", dtype=torch.int64)
    launch(compile_kernel(source, "probe"), [out], threads=1)
    torch.cuda.synchronize()
    ticks = out[:64].tolist()
    fact("globaltimer advances in steps of 32 ns", all(t % 32 == 0 for t in ticks), smallest_ns=min(ticks), globaltimer_cycles=out[64].item() / 1000, clock64_cycles=out[65].item() / 1000)


def launches():
    static = "extern \"C\" __global__ void probe(int* out) { __shared__ int big[16000]; big[threadIdx.x * 100] = threadIdx.x; __syncthreads(); out[threadIdx.x] = big[(127 - threadIdx.x) * 100]; }"
    out = torch.zeros(128, device="cuda", dtype=torch.int32)
    try:
        launch(compile_kernel(static, "probe"), [out])
        torch.cuda.synchronize()
        answer = "launched"
    except RuntimeError as error:
        answer = str(error)
    fact("what 64000 bytes of static shared memory do", True, answer=answer)

    wait = "extern \"C\" __global__ void probe(int* out) { asm volatile(\"griddepcontrol.wait;\" ::: \"memory\"); out[0] = 7; }"
    launch(compile_kernel(wait, "probe"), [out])
    torch.cuda.synchronize()
    fact("griddepcontrol.wait without the launch attribute returns", out[0].item() == 7)

    base = "extern \"C\" __global__ void probe(int* out) { extern __shared__ __align__(1024) unsigned char s[]; s[threadIdx.x] = 1; out[0] = (int)(__cvta_generic_to_shared(s) & 1023); }"
    launch(compile_kernel(base, "probe"), [out], shared=200000)
    torch.cuda.synchronize()
    fact("dynamic shared memory starts at a multiple of 1024 without static shared memory", out[0].item() == 0, remainder=out[0].item())


def spans(function, n=30, flush=None):
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(n):
            if flush:
                flush()
            function()
        torch.cuda.synchronize()
    return [e.duration_ns() / 1e6 for e in profile.profiler.kineto_results.events()
            if e.device_type() == torch.profiler.DeviceType.CUDA and e.name() == "kernel_gemm_bf16"]


def gemm():
    bakery = os.path.abspath(os.environ.get("BAKERY", "build/bin/bakery"))
    folder = tempfile.mkdtemp()
    functions = {}
    for name, extra in (("plain", []), ("bounded", ["--bounded"])):
        path = f"{folder}/{name}.cubin"
        subprocess.run([bakery, "compile", "resources/schedules/gemm_bf16_sm90a.cake", "-o", path, *extra], check=True, stdout=subprocess.DEVNULL)
        functions[name] = load(open(path, "rb").read(), "kernel_gemm_bf16")
    n = 4096
    a, b = (torch.randn(n, n, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    c = torch.zeros(n, n, device="cuda", dtype=torch.bfloat16)
    faults = torch.zeros(1 << 20, device="cuda", dtype=torch.int32)
    maps = [tensor_map(a, (64, 128), 3), tensor_map(b, (64, 256), 3), tensor_map(c, (64, 128), 3)]

    def run(name):
        extra = [faults] if name == "bounded" else []
        launch(functions[name], [*maps, n, n, n, *extra], threads=384, grid=132, shared=230464)

    scratch = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    for name in functions:
        for _ in range(5):
            run(name)
    torch.cuda.synchronize()
    times = {name: [] for name in functions}
    for _ in range(3):
        for name in functions:
            times[name] += spans(lambda: run(name), 20, lambda: scratch.fill_(1))
    plain, bounded = (statistics.median(times[name]) for name in ("plain", "bounded"))
    fact("bounded waits cost less than 5 % of a GEMM", bounded < 1.05 * plain, plain_ms=plain, bounded_ms=bounded, ratio=bounded / plain)

    written = statistics.median(spans(lambda: run("plain"), 20, lambda: scratch.fill_(1)))
    read = statistics.median(spans(lambda: run("plain"), 20, lambda: scratch.sum()))
    fact("what flushing the L2 by writing or by reading does to the span", True, write_ms=written, read_ms=read, ratio=written / read)

    begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
    recorded = statistics.median(spans(lambda: run("plain"), 20))
    begin.record()
    for _ in range(20):
        run("plain")
    end.record()
    torch.cuda.synchronize()
    events = begin.elapsed_time(end) / 20
    fact("CUDA events over 20 launches agree with CUPTI's span within 5 %", abs(events - recorded) < 0.05 * recorded, events_ms=events, cupti_ms=recorded)
    begin.record()
    run("plain")
    end.record()
    torch.cuda.synchronize()
    fact("what CUDA events add to one launch", True, events_ms=begin.elapsed_time(end), cupti_ms=recorded)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    torch.zeros(1, device="cuda")
    for part in (descriptors, out_of_bounds, clocks, launches, gemm):
        try:
            part()
        except Exception as error:  # one fact's failure must not hide the others
            fact(part.__name__, False, error=str(error)[:400])
    device = torch.cuda.get_device_name(0)
    with open(sys.argv[1], "w") as receipt:
        for row in ROWS:
            receipt.write(json.dumps({"device": device, **row}) + "\n")
    sys.exit(0 if all(row["holds"] for row in ROWS) else 1)
