// SPDX-License-Identifier: Apache-2.0
// The device prelude: one helper an instruction, written only if something uses it. Forms and limits:
// PTX ISA 9.0, sections named in the comments of the generated text.
#include <algorithm>
#include <cstdlib>

#include "lowering/emit/emitter.h"

namespace bakery::lowering {
namespace {

struct Helper {
  const char* name;
  const char* text;
  const char* needs = nullptr;
};

constexpr const char* kInline = "__device__ __forceinline__ ";

constexpr Helper kHelpers[] = {
    {"ceil_div", "int ceil_div(int a, int b) { return (a + b - 1) / b; }"},
    {"floor_div", "int floor_div(int a, int b) { return a / b - (a % b < 0); }"},
    {"floor_mod", "int floor_mod(int a, int b) { return a % b + (a % b < 0 ? b : 0); }"},
    {"smem_address", "u32 smem_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }"},
    {"elect_one",
     "// One lane of a converged warp, always the same one.\n"
     "bool elect_one() {\n"
     "  u32 elected;\n"
     "  asm volatile(\"{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }\" : \"=r\"(elected));\n"
     "  return elected != 0;\n"
     "}"},
    {"mbarrier_init",
     "void mbarrier_init(u32 bar, u32 arrivals) { asm volatile(\"mbarrier.init.shared::cta.b64 [%0], %1;\" ::\"r\"(bar), \"r\"(arrivals) : \"memory\"); }"},
    {"mbarrier_publish",
     "// Makes the initialised barriers visible to the other threads and to the async proxy.\n"
     "void mbarrier_publish() {\n"
     "  asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");\n"
     "  asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n"
     "}"},
    {"mbarrier_arrive", "void mbarrier_arrive(u32 bar) { asm volatile(\"mbarrier.arrive.shared::cta.b64 _, [%0];\" ::\"r\"(bar) : \"memory\"); }"},
    {"mbarrier_arrive_n",
     "void mbarrier_arrive_n(u32 bar, u32 n) { asm volatile(\"mbarrier.arrive.shared::cta.b64 _, [%0], %1;\" ::\"r\"(bar), \"r\"(n) : \"memory\"); }"},
    {"mbarrier_expect",
     "// One arrival, and the bytes that must still come.\n"
     "void mbarrier_expect(u32 bar, u32 bytes) {\n"
     "  asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\" ::\"r\"(bar), \"r\"(bytes) : \"memory\");\n"
     "}"},
    {"mbarrier_try",
     "bool mbarrier_try(u32 bar, u32 parity) {\n"
     "  u32 done;\n"
     "  asm volatile(\"{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }\" : \"=r\"(done) : \"r\"(bar), \"r\"(parity) : \"memory\");\n"
     "  return done != 0;\n"
     "}"},
    {"mbarrier_wait",
     "// Waits until the phase with this parity is complete (acquire).\n"
     "void mbarrier_wait(u32 bar, u32 parity) { while (!mbarrier_try(bar, parity)) {} }",
     "mbarrier_try"},
    {"previous_slot", "template <u32 stages>\nDEVICE u32 previous_slot(u32 slot) { return slot == 0 ? stages - 1 : slot - 1; }"},
    {"next_slot", "template <u32 stages>\nDEVICE u32 next_slot(u32 slot) { return slot + 1 == stages ? 0 : slot + 1; }"},
    {"registers_dec", "template <u32 n>\nDEVICE void registers_dec() { asm volatile(\"setmaxnreg.dec.sync.aligned.u32 %0;\" ::\"n\"(n)); }"},
    {"registers_inc", "template <u32 n>\nDEVICE void registers_inc() { asm volatile(\"setmaxnreg.inc.sync.aligned.u32 %0;\" ::\"n\"(n)); }"},
    {"prefetch_map", "void prefetch_map(const TensorMap* map) { asm volatile(\"prefetch.tensormap [%0];\" ::\"l\"(map) : \"memory\"); }"},
    {"store_commit", "void store_commit() { asm volatile(\"cp.async.bulk.commit_group;\" ::: \"memory\"); }"},
    {"store_wait_read",
     "// At most n groups of stores still read their shared memory.\n"
     "template <u32 n>\nDEVICE void store_wait_read() { asm volatile(\"cp.async.bulk.wait_group.read %0;\" ::\"n\"(n) : \"memory\"); }"},
    {"store_wait_all", "void store_wait_all() { asm volatile(\"cp.async.bulk.wait_group 0;\" ::: \"memory\"); }"},
    {"fence_proxy_async",
     "// Earlier ordinary writes of this thread become visible to TMA and MMA.\n"
     "void fence_proxy_async() { asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\"); }"},
    {"role_sync", "template <u32 id, u32 threads>\nDEVICE void role_sync() { asm volatile(\"bar.sync %0, %1;\" ::\"n\"(id), \"n\"(threads) : \"memory\"); }"},
    {"pin",
     "// Keeps the compiler from moving accumulator registers across the asynchronous MMA.\n"
     "template <u32 n>\nDEVICE void pin(float (&d)[n]) {\n"
     "#pragma unroll\n"
     "  for (u32 i = 0; i < n; ++i) asm volatile(\"\" : \"+f\"(d[i])::\"memory\");\n"
     "}"},
    {"wgmma_fence", "void wgmma_fence() { asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\"); }"},
    {"wgmma_commit", "void wgmma_commit() { asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\"); }"},
    {"wgmma_wait",
     "// At most n groups are still in flight.\n"
     "template <u32 n>\nDEVICE void wgmma_wait() { asm volatile(\"wgmma.wait_group.sync.aligned %0;\" ::\"n\"(n) : \"memory\"); }"},
    {"descriptor",
     "// Matrix descriptor of a K-major tile whose rows are `span` bytes: start address / 16, leading offset unused,\n"
     "// 8 rows to the next core matrices, swizzle code 1, 2, 3 for 128, 64, 32 bytes.\n"
     "template <u32 span>\nDEVICE u64 descriptor(u32 address) {\n"
     "  constexpr u64 code = span == 128 ? 1 : span == 64 ? 2 : 3;\n"
     "  return (u64)((address & 0x3FFFF) >> 4) | (u64)1 << 16 | (u64)(8 * span >> 4) << 32 | code << 62;\n"
     "}"},
    {"stmatrix_x4",
     "// Four 8 x 8 tiles of 16-bit elements; lane l gives the address of row l % 8 of tile l / 8.\n"
     "void stmatrix_x4(u32 address, u32 a, u32 b, u32 c, u32 d) {\n"
     "  asm volatile(\"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};\" ::\"r\"(address), \"r\"(a), \"r\"(b), \"r\"(c), \"r\"(d) : \"memory\");\n"
     "}"},
    {"swizzled",
     "// Byte offset of a 16-byte chunk of a row, as TMA lays it out.\n"
     "template <u32 pitch, u32 swizzle>\nDEVICE u32 swizzled(u32 row, u32 chunk) {\n"
     "  if (swizzle == 128) chunk ^= row & 7;\n"
     "  if (swizzle == 64) chunk ^= row >> 1 & 3;\n"
     "  if (swizzle == 32) chunk ^= row >> 2 & 1;\n"
     "  return row * pitch + chunk * 16;\n"
     "}"},
    {"pack_bf16",
     "u32 pack_bf16(float lo, float hi) {\n"
     "  u32 packed;\n"
     "  asm(\"cvt.rn.bf16x2.f32 %0, %1, %2;\" : \"=r\"(packed) : \"f\"(hi), \"f\"(lo));\n"
     "  return packed;\n"
     "}"},
    {"pack_f16",
     "u32 pack_f16(float lo, float hi) {\n"
     "  u32 packed;\n"
     "  asm(\"cvt.rn.f16x2.f32 %0, %1, %2;\" : \"=r\"(packed) : \"f\"(hi), \"f\"(lo));\n"
     "  return packed;\n"
     "}"},
    {"round_bf16", "float round_bf16(float x) { return __uint_as_float(pack_bf16(x, 0.0f) << 16); }", "pack_bf16"},
    {"round_f16",
     "float round_f16(float x) {\n"
     "  float rounded;\n"
     "  asm(\"{ .reg .b16 h; cvt.rn.f16.f32 h, %1; cvt.f32.f16 %0, h; }\" : \"=f\"(rounded) : \"f\"(x));\n"
     "  return rounded;\n"
     "}"},
    {"exp2_approx",
     "float exp2_approx(float x) {\n"
     "  float y;\n"
     "  asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));\n"
     "  return y;\n"
     "}"},
    {"tcgen05_alloc",
     "// Writes the base address of the columns to shared memory; one converged warp.\n"
     "void tcgen05_alloc(u32 slot, u32 columns) {\n"
     "  asm volatile(\"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;\" ::\"r\"(slot), \"r\"(columns) : \"memory\");\n"
     "  asm volatile(\"tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\");\n"
     "}"},
    {"tcgen05_dealloc",
     "void tcgen05_dealloc(u32 base, u32 columns) { asm volatile(\"tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;\" ::\"r\"(base), \"r\"(columns)); }"},
    {"tcgen05_fence_before", "void tcgen05_fence_before() { asm volatile(\"tcgen05.fence::before_thread_sync;\" ::: \"memory\"); }"},
    {"tcgen05_fence_after", "void tcgen05_fence_after() { asm volatile(\"tcgen05.fence::after_thread_sync;\" ::: \"memory\"); }"},
    {"tcgen05_descriptor",
     "// As Hopper's, with the version bit 46 and swizzle codes 2, 4, 6 for 128, 64, 32 bytes at bit 61.\n"
     "template <u32 span>\nDEVICE u64 tcgen05_descriptor(u32 address) {\n"
     "  constexpr u64 code = span == 128 ? 2 : span == 64 ? 4 : 6;\n"
     "  return (u64)((address & 0x3FFFF) >> 4) | (u64)1 << 16 | (u64)(8 * span >> 4) << 32 | (u64)1 << 46 | code << 61;\n"
     "}"},
    {"tcgen05_mma",
     "void tcgen05_mma(u32 d, u64 a, u64 b, u32 idesc, bool accumulate) {\n"
     "  asm volatile(\"{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }\" ::\"r\"(d), \"l\"(a), \"l\"(b), \"r\"(idesc), \"r\"((u32)accumulate) : \"memory\");\n"
     "}"},
    {"tcgen05_commit",
     "// One arrival when this thread's earlier MMAs are done.\n"
     "void tcgen05_commit(u32 bar) {\n"
     "  asm volatile(\"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];\" ::\"r\"(bar) : \"memory\");\n"
     "}"},
};

std::string tma_helper(const std::string& name) {
  const bool load = name.starts_with("tma_load");
  const int rank = name[name.size() - 2] - '0';
  std::string params, operands, values;
  for (int d = 0; d < rank; ++d) {
    params += cat(", int c", d);
    operands += cat(d == 0 ? "" : ", ", "%", d + (load ? 3 : 2));
    values += cat(", \"r\"(c", d, ")");
  }
  if (load)
    return cat("void ", name, "(u32 to, const TensorMap* map", params, ", u32 bar) {\n  asm volatile(\"cp.async.bulk.tensor.", rank,
               "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {", operands, "}], [%2];\" ::\"r\"(to), \"l\"(map), \"r\"(bar)", values,
               " : \"memory\");\n}");
  return cat("void ", name, "(const TensorMap* map", params, ", u32 from) {\n  asm volatile(\"cp.async.bulk.tensor.", rank,
             "d.global.shared::cta.tile.bulk_group [%0, {", operands, "}], [%1];\" ::\"l\"(map), \"r\"(from)", values, " : \"memory\");\n}");
}

std::string wgmma_helper(const std::string& name) {
  const int n = std::atoi(name.c_str() + 10);
  const std::string type = name.substr(name.find("k16_") + 4);
  std::string registers, outputs;
  for (int i = 0; i < n / 2; ++i) {
    registers += cat(i == 0 ? "" : i % 16 == 0 ? ",\"\n      \" " : ", ", "%", i);
    outputs += cat(i == 0 ? "" : i % 16 == 0 ? ",\n        " : ", ", "\"+f\"(d[", i, "])");
  }
  return cat("// D (64 x ", n, ", f32) = A (64 x 16) * B (", n, " x 16) + (accumulate ? D : 0)\nvoid ", name, "(float (&d)[", n / 2,
             "], u64 a, u64 b, bool accumulate) {\n  asm volatile(\n      \"{ .reg .pred p; setp.ne.u32 p, %", n / 2 + 2, ", 0; wgmma.mma_async.sync.aligned.m64n", n, "k16.f32.", type, ".", type,
             " {\"\n      \"", registers, "}, \"\n      \"%", n / 2, ", %", n / 2 + 1, ", p, 1, 1, 0, 0; }\"\n      : ", outputs,
             "\n      : \"l\"(a), \"l\"(b), \"r\"((u32)accumulate)\n      : \"memory\");\n}");
}

// A wait that gives up: 2 s, then the first stuck warp of each slot files what it waits for.
constexpr const char* kBoundedWait =
    "struct WaitFault { u32 claimed, role, barrier, stage, parity, line, cta, completion; };\n"
    "__device__ __forceinline__ u64 global_ns() { u64 t; asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(t)); return t; }\n"
    "__device__ __noinline__ void wait_fault(WaitFault* faults, u32 role, u32 barrier, u32 stage, u32 parity, u32 line, u32 completion) {\n"
    "  WaitFault* slot = faults + blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;\n"
    "  if (atomicCAS_system(&slot->claimed, 0u, 1u) == 0u) {\n"
    "    slot->role = role; slot->barrier = barrier; slot->stage = stage; slot->parity = parity;\n"
    "    slot->line = line; slot->cta = blockIdx.x; slot->completion = completion;\n"
    "    __threadfence_system();\n"
    "  }\n"
    "  for (u32 i = 0; i < 200; ++i) __nanosleep(500000);  // lets the other stuck warps file theirs\n"
    "  asm volatile(\"trap;\");\n"
    "}\n"
    "__device__ __forceinline__ void mbarrier_wait(u32 bar, u32 parity, WaitFault* faults, u32 role, u32 barrier, u32 stage, u32 line, u32 completion) {\n"
    "  if (mbarrier_try(bar, parity)) return;\n"
    "  const u64 begin = global_ns();\n"
    "  while (!mbarrier_try(bar, parity))\n"
    "    if (global_ns() - begin > 2000000000ull) wait_fault(faults, role, barrier, stage, parity, line, completion);\n"
    "}";

const Helper* find(const std::string& name) {
  for (const Helper& helper : kHelpers)
    if (name == helper.name) return &helper;
  return nullptr;
}

}  // namespace

std::string helper_text(const std::string& name, const Plan& plan) {
  if (name == "mbarrier_wait" && plan.options.bounded_waits) return kBoundedWait;
  if (name.starts_with("tma_load_") || name.starts_with("tma_store_")) return kInline + tma_helper(name);
  if (name.starts_with("wgmma_m64n")) {
    const std::string text = wgmma_helper(name);
    const size_t at = text.find('\n') + 1;
    return text.substr(0, at) + kInline + text.substr(at);
  }
  const Helper* helper = find(name);
  if (!helper) return "";
  std::string text = helper->text;
  const size_t device = text.find("DEVICE ");
  if (device != std::string::npos) return text.replace(device, 7, kInline);
  size_t at = 0;
  while (text.compare(at, 2, "//") == 0) at = text.find('\n', at) + 1;
  return text.substr(0, at) + kInline + text.substr(at);
}

std::vector<std::string> helper_order(const std::set<std::string>& used) {
  std::set<std::string> all = used;
  for (const std::string& name : used)
    if (const Helper* helper = find(name); helper && helper->needs) all.insert(helper->needs);
  std::vector<std::string> order;
  for (const Helper& helper : kHelpers)
    if (all.contains(helper.name)) order.emplace_back(helper.name);
  // `needs` come first.
  for (size_t i = 0; i < order.size(); ++i)
    if (const Helper* helper = find(order[i]); helper->needs) {
      const auto need = std::find(order.begin(), order.end(), helper->needs);
      if (need != order.end() && need > order.begin() + static_cast<std::ptrdiff_t>(i)) {
        order.erase(need);
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(i), helper->needs);
      }
    }
  for (const std::string& name : all)
    if (!find(name)) order.push_back(name);
  return order;
}

}  // namespace bakery::lowering
