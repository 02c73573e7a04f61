// SPDX-License-Identifier: Apache-2.0
#include "core_ir/operations.h"

#include <iterator>

namespace bakery {
namespace {

using K = OperandKind;

constexpr Operand kTmaLoad[] = {
    {"tensor", K::tensor_map, true, false, "tensor map to read"},
    {"coords", K::coords, true, true, "element coordinates of the box, innermost first"},
    {"stage", K::stage, false, true, "ring slot to fill"},
    {"barrier", K::barrier, true, true, "barrier that counts the bytes"},
    {"when", K::condition, false, true, "copy only if this holds"},
};
constexpr Operand kTmaStore[] = {
    {"tensor", K::tensor_map, true, false, "tensor map to write"},
    {"coords", K::coords, true, true, "element coordinates of the box, innermost first"},
    {"stage", K::stage, false, true, "ring slot to store"},
    {"when", K::condition, false, true, "store only if this holds"},
};
constexpr Operand kStore[] = {
    {"value", K::tile, true, false, "register tile of the view's shape and type"},
    {"stage", K::stage, false, true, "ring slot to write"},
    {"when", K::condition, false, true, "write only if this holds"},
};
constexpr Operand kCompute[] = {
    {"value", K::tile, true, false, "register-tile expression"},
};
constexpr Operand kWait[] = {
    {"barrier", K::barrier, true, false, "barrier to wait on"},
    {"stage", K::stage, false, true, "its stage"},
    {"when", K::condition, false, true, "wait only if this holds"},
};
constexpr Operand kFence[] = {
    {"when", K::condition, false, true, "fence only if this holds"},
};
constexpr Operand kMma[] = {
    {"acc", K::accumulator, true, false, "accumulator: a register fragment (wgmma) or tensor memory (tcgen05)"},
    {"a", K::view_stage, true, false, "left operand, M x K, in shared memory"},
    {"b", K::view_stage, true, false, "right operand, N x K, in shared memory"},
    {"init", K::condition, true, true, "overwrite the accumulator instead of adding to it"},
    {"when", K::condition, false, true, "issue only if this holds"},
};
constexpr Operand kPending[] = {
    {"pending", K::constant, true, true, "groups that may stay in flight"},
};

constexpr Effect kTmaLoadEffects[] = {{"self", true, Proxy::async, Completion::barrier_bytes}};
constexpr Effect kTmaStoreEffects[] = {{"self", false, Proxy::async, Completion::store_group}};
constexpr Effect kStoreEffects[] = {{"value", false, Proxy::generic, Completion::immediate},
                                    {"self", true, Proxy::generic, Completion::immediate}};
constexpr Effect kComputeEffects[] = {{"value", false, Proxy::generic, Completion::immediate},
                                      {"acc", true, Proxy::generic, Completion::immediate}};
constexpr Effect kMmaEffects[] = {{"a", false, Proxy::async, Completion::mma_group},
                                  {"b", false, Proxy::async, Completion::mma_group},
                                  {"acc", true, Proxy::async, Completion::mma_group}};

using B = BarrierAction;
using E = Executor;
using C = Completion;

constexpr Operation kOperations[] = {
    {OpCode::tma_load, Receiver::view, "tma_load", "copies one box of a tensor into a ring slot",
     "a_s.tma_load(A, coords=(k * BK, m * BM), stage=s, barrier=full)", kTmaLoad, kTmaLoadEffects, B::fill,
     E::once_a_role, kFrom90, false, false, C::immediate, 1, 6, 2, "TMA load",
     "cp.async.bulk.tensor.*.global.mbarrier::complete_tx::bytes"},
    {OpCode::tma_store, Receiver::view, "tma_store", "copies a ring slot into one box of a tensor",
     "c_s.tma_store(C, coords=(n * BN, m * BM), stage=0)", kTmaStore, kTmaStoreEffects, B::none, E::once_a_role,
     kFrom90, false, false, C::immediate, 1, 4, 2, "TMA store", "cp.async.bulk.tensor.*.bulk_group, then commit_group"},
    {OpCode::store, Receiver::view, "store", "writes a register tile to shared memory",
     "c_s.store(lm.cast(acc[:, 0:64], lm.bf16), stage=0)", kStore, kStoreEffects, B::none, E::every_warp, kAllTargets,
     false, false, C::immediate, 2, 0, 0, "", "st.shared, stmatrix"},
    {OpCode::compute, Receiver::module, "compute", "evaluates a register-tile expression into a tile",
     "p = lm.exp2(acc)", kCompute, kComputeEffects, B::none, E::every_warp, kAllTargets, false, false, C::immediate, 2,
     0, 0, "", "register arithmetic"},
    {OpCode::wait, Receiver::module, "wait", "waits for the next completion of a barrier stage",
     "lm.wait(full, stage=s)", kWait, {}, B::wait, E::every_warp, kAllTargets, false, false, C::immediate, 1, 0, 0, "",
     "mbarrier.try_wait.parity (acquire)"},
    {OpCode::arrive, Receiver::module, "arrive", "arrives on a barrier stage, once an agent of the role",
     "lm.arrive(empty, stage=s)", kWait, {}, B::arrive, E::once_an_agent, kAllTargets, false, false, C::immediate, 1,
     0, 0, "", "mbarrier.arrive (release)"},
    {OpCode::commit, Receiver::module, "commit", "arrives on a barrier stage when all earlier `lm.mma` are done",
     "lm.commit(done, stage=s)", kWait, {}, B::commit, E::once_a_role, kDatacenterBlackwell, false, false,
     C::immediate, 1, 0, 0, "", "tcgen05.commit.mbarrier::arrive::one"},
    {OpCode::fence_proxy, Receiver::module, "fence_proxy", "orders earlier ordinary writes before async reads",
     "lm.fence_proxy()", kFence, {}, B::none, E::every_warp, kFrom90, true, false, C::immediate, 1, 0, 0, "",
     "fence.proxy.async.shared::cta"},
    {OpCode::sync, Receiver::module, "sync", "all warps of the role meet", "lm.sync()", {}, {}, B::none,
     E::every_warp, kAllTargets, false, true, C::immediate, 1, 0, 0, "", "bar.sync with the role's own id"},
    {OpCode::wgmma, Receiver::module, "mma", "multiplies two shared-memory tiles into a register accumulator",
     "lm.mma(acc, a_s[s], b_s[s], init=(k == 0))", kMma, kMmaEffects, B::none, E::once_an_agent, kHopper, false, false,
     C::immediate, 1, 8, 8, "tensor core", "wgmma.mma_async, then commit_group"},
    {OpCode::tcgen05_mma, Receiver::module, "mma", "multiplies two shared-memory tiles into tensor memory",
     "lm.mma(tmem_acc, a_s[s], b_s[s], init=(k == 0))", kMma, kMmaEffects, B::none, E::once_a_role,
     kDatacenterBlackwell, false, false, C::immediate, 1, 8, 8, "tensor core", "tcgen05.mma.cta_group::1"},
    {OpCode::mma_wait, Receiver::module, "mma_wait", "waits until at most `pending` MMA groups are in flight",
     "lm.mma_wait(pending=0)", kPending, {}, B::none, E::once_an_agent, kHopper, false, false, C::mma_group, 1, 0, 0, "",
     "wgmma.wait_group"},
    {OpCode::store_wait, Receiver::module, "store_wait",
     "waits until at most `pending` stores still read their shared memory", "lm.store_wait(pending=1)", kPending, {},
     B::none, E::once_a_role, kFrom90, false, false, C::store_group, 1, 0, 0, "", "cp.async.bulk.wait_group.read"},
};
static_assert(std::size(kOperations) == static_cast<size_t>(OpCode::count_));
constexpr bool in_order() {
  for (size_t i = 0; i < std::size(kOperations); ++i)
    if (static_cast<size_t>(kOperations[i].code) != i) return false;
  return true;
}
static_assert(in_order(), "operations.cpp and operations.def list the same operations in the same order");

constexpr Operand kSchedule[] = {{"target", K::text, false, true, "exact target"}};
constexpr Operand kSmem[] = {{"bytes", K::constant, true, false, "size in bytes"}};
constexpr Operand kView[] = {
    {"offset", K::constant, true, true, "byte offset in the pool"},
    {"shape", K::constant, true, true, "elements, outermost first"},
    {"dtype", K::dtype, true, true, "element type"},
    {"stage", K::constant, false, true, "ring depth"},
    {"swizzle", K::constant, false, true, "span in bytes: 0, 32, 64 or 128"},
    {"alias", K::text, false, true, "views of one alias group may overlap; their uses must be ordered"},
};
constexpr Operand kTmem[] = {
    {"cols", K::constant, true, true, "first column"},
    {"width", K::constant, true, true, "columns"},
    {"shape", K::constant, true, true, "elements, outermost first"},
    {"dtype", K::dtype, true, true, "element type"},
};
constexpr Operand kRole[] = {
    {"warps", K::constant, true, true, "warp indices: a list or `range(lo, hi)`"},
    {"regs", K::constant, false, true, "registers a thread, a multiple of 8 (setmaxnreg)"},
};
constexpr Operand kPipeline[] = {{"stages", K::constant, true, true, "ring depth"}};
constexpr Operand kBarrier[] = {
    {"count", K::constant, true, true, "stages"},
    {"prod", K::names, true, true, "roles that arrive"},
    {"cons", K::names, true, true, "roles that wait"},
    {"init_count", K::constant, true, true, "arrivals a completion, counted in agents"},
    {"pipeline", K::names, false, true, "pipeline whose slots it guards"},
    {"free", K::constant, false, true, "slots start free: the first wait on each stage passes"},
};
constexpr Operand kTunable[] = {
    {"name", K::text, true, false, "name"},
    {"value", K::constant, true, false, "value in force"},
    {"choices", K::constant, false, true, "values that search may try"},
};
constexpr Operand kFrag[] = {
    {"shape", K::constant, true, true, "rows, columns"},
    {"dtype", K::dtype, true, true, "element type"},
};
constexpr Operand kTiles[] = {
    {"extents", K::scalar, true, false, "tiles a dimension, outermost first"},
    {"order", K::text, false, true, "\"linear\" or \"grouped\""},
    {"group", K::constant, false, true, "rows of tiles a group"},
    {"grid", K::scalar, false, true, "CTAs; otherwise as many as are resident"},
};
constexpr Operand kRange[] = {
    {"lo", K::scalar, true, false, "first value"},
    {"hi", K::scalar, true, false, "end, not included"},
    {"step", K::scalar, false, false, "increment"},
    {"unroll", K::constant, false, true, "copies of the body a round"},
};
constexpr Operand kWhen[] = {{"condition", K::condition, true, false, "uniform over the role"}};
constexpr Operand kCdiv[] = {{"a", K::scalar, true, false, "numerator"}, {"b", K::scalar, true, false, "divisor"}};
constexpr Operand kMinMax[] = {{"a", K::scalar, true, false, "left"}, {"b", K::scalar, true, false, "right"}};
constexpr Operand kCast[] = {{"value", K::tile, true, false, "register tile"},
                             {"dtype", K::dtype, true, false, "element type"}};
constexpr Operand kUnaryTile[] = {{"value", K::tile, true, false, "register tile"}};

constexpr Declaration kDeclarations[] = {
    {"cake.schedule", "marks the schedule; names its target", "@cake.schedule(target=\"sm_90a\")", kSchedule},
    {"lm.smem", "a pool of shared memory", "pool = lm.smem(98304)", kSmem},
    {"pool.view", "a typed, staged window of a pool",
     "a_s = pool.view(offset=0, shape=(128, 64), dtype=lm.bf16, stage=4, swizzle=128)", kView},
    {"lm.tmem", "a range of tensor-memory columns",
     "acc = lm.tmem(cols=0, width=128, shape=(128, 128), dtype=lm.f32)", kTmem},
    {"lm.role", "warps with one body", "load = lm.role(warps=[0], regs=40)", kRole},
    {"lm.pipeline", "a use counter over ring slots", "pipe = lm.pipeline(stages=4)", kPipeline},
    {"pipe.next", "advances this role's use counter; the slot of the new use", "s = pipe.next()", {}},
    {"pipe.current", "the slot of this role's current use", "lm.arrive(empty, stage=pipe.current())", {}},
    {"pipe.previous", "the slot of the use before", "lm.arrive(empty, stage=pipe.previous(), when=(k > 0))", {}},
    {"lm.barrier", "a staged barrier with its producers and consumers",
     "full = lm.barrier(count=4, prod=[load], cons=[mma], init_count=1, pipeline=pipe)", kBarrier},
    {"lm.tunable", "a value that search may vary", "S = lm.tunable(\"stages\", 4, choices=[3, 4])", kTunable},
    {"lm.assume", "narrows the domain of the scalars; enforced at launch", "lm.assume(K >= 8, K % 8 == 0)", {}},
    {"lm.tiles", "the output tiles; each CTA visits its share", "tiles = lm.tiles(lm.cdiv(M, BM), lm.cdiv(N, BN))",
     kTiles},
    {"lm.frag", "a register tile, split over the role's agents", "acc = lm.frag(shape=(128, 256), dtype=lm.f32)",
     kFrag},
    {"lm.range", "a loop on the device", "for k in lm.range(0, lm.cdiv(K, BK)):", kRange},
    {"lm.when", "statements under a condition that is uniform over the role", "with lm.when(k > 0):", kWhen},
    {"lm.cdiv", "division rounded up", "lm.cdiv(K, BK)", kCdiv},
    {"lm.min", "the smaller of two scalars or tiles", "lm.min(k, 3)", kMinMax},
    {"lm.max", "the larger of two scalars or tiles", "lm.max(k, 3)", kMinMax},
    {"lm.cast", "a register tile in another type, rounded to nearest even", "lm.cast(acc, lm.bf16)", kCast},
    {"lm.exp2", "2 to the power of each element", "lm.exp2(acc)", kUnaryTile},
};

}  // namespace

std::span<const Operation> operations() { return kOperations; }

const Operation& operation(OpCode code) { return kOperations[static_cast<size_t>(code)]; }

const Operation* find_operation(Receiver receiver, std::string_view spelling) {
  for (const Operation& op : kOperations)
    if (op.receiver == receiver && spelling == op.spelling && op.code != OpCode::compute) return &op;
  return nullptr;
}

std::span<const Declaration> declarations() { return kDeclarations; }

const Declaration* find_declaration(std::string_view spelling) {
  for (const Declaration& declaration : kDeclarations)
    if (spelling == declaration.spelling) return &declaration;
  return nullptr;
}

}  // namespace bakery
