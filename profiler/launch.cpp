// SPDX-License-Identifier: Apache-2.0
#include "profiler/launch.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "profiler/faults.h"
#include "profiler/tensor_map.h"

namespace bakery {
namespace {

[[noreturn]] void reject(const std::string& why) { cuda::fail(WorkerErrorKind::request, why); }

size_t warps(int threads) { return static_cast<size_t>((threads + 31) / 32); }

}  // namespace

Launch::Launch(const DeviceContext& context, const RunRequest& request, const Workload& workload)
    : context_(context), manifest_(request.manifest), kernel_(context, request.cubin, request.manifest.kernel) {
  plan(request);
  slots_ = static_cast<size_t>(facts_.grid) * warps(facts_.threads);
  faults_ = std::make_unique<PinnedBuffer>(context, slots_ * sizeof(WaitFault));
  std::memset(faults_->host(), 0, slots_ * sizeof(WaitFault));  // once: a warp that files a record ends the context
  bind(request, workload);
}

// Persistent CTAs share the tiles: no more of them than are resident at once.
void Launch::plan(const RunRequest& request) {
  facts_.tiles = request.tiles;
  facts_.threads = manifest_.threads;
  facts_.dynamic_shared = manifest_.shared_bytes;
  facts_.registers = kernel_.attribute(cuda::kFunctionRegisters);
  facts_.local_bytes = kernel_.attribute(cuda::kFunctionLocalBytes);
  facts_.static_shared = kernel_.attribute(cuda::kFunctionSharedBytes);
  const int most = kernel_.attribute(cuda::kFunctionMaxThreads);
  const std::string needs = std::to_string(facts_.threads) + " threads of " + std::to_string(facts_.registers) + " registers and " +
                            std::to_string(facts_.dynamic_shared) + " bytes of shared memory";
  if (facts_.threads < 1 || facts_.threads > most)
    reject("the kernel can have at most " + std::to_string(most) + " threads a CTA; the manifest says " + needs);
  kernel_.allow_shared(facts_.dynamic_shared);
  facts_.ctas_per_sm = kernel_.ctas_per_sm(facts_.threads, facts_.dynamic_shared);
  if (facts_.ctas_per_sm < 1) reject("no CTA fits on an SM: it needs " + needs);
  const int64_t resident = static_cast<int64_t>(facts_.ctas_per_sm) * context_.device().sms;
  facts_.grid = static_cast<int>(std::clamp<int64_t>(facts_.tiles, 1, resident));
}

void Launch::bind(const RunRequest& request, const Workload& workload) {
  // Reserved, so that the addresses in arguments_ stay.
  maps_.reserve(manifest_.params.size());
  words_.reserve(manifest_.params.size());
  for (const KernelParameter& parameter : manifest_.params) {
    if (parameter.kind == KernelParameter::Kind::tensor_map) {
      if (parameter.map < 0 || parameter.map >= static_cast<int>(manifest_.maps.size()))
        reject("`" + parameter.name + "` names tensor map " + std::to_string(parameter.map) + " of " + std::to_string(manifest_.maps.size()));
      const TensorMapSpec& spec = manifest_.maps[static_cast<size_t>(parameter.map)];
      maps_.push_back(encode_tensor_map(context_.api(), spec, workload.tensor(spec.tensor), workload.address(spec.tensor)));
      arguments_.push_back(&maps_.back());
      continue;
    }
    uint64_t word = 0;  // no trace yet
    if (parameter.kind == KernelParameter::Kind::scalar) word = scalar_bits(request, parameter);
    if (parameter.kind == KernelParameter::Kind::faults) word = faults_->device();
    words_.push_back(word);
    arguments_.push_back(&words_.back());
  }
}

void Launch::start() { kernel_.launch(facts_.grid, 1, facts_.threads, facts_.dynamic_shared, arguments_.data()); }

std::vector<HangRecord> Launch::hangs() const { return read_faults({static_cast<const WaitFault*>(faults_->host()), slots_}, manifest_); }

uint64_t scalar_bits(const RunRequest& request, const KernelParameter& parameter) {
  for (const auto& [name, value] : request.scalars) {
    if (name != parameter.name) continue;
    uint32_t bits = static_cast<uint32_t>(value);
    if (info(parameter.dtype).floating) {
      const auto number = static_cast<float>(value);
      std::memcpy(&bits, &number, sizeof bits);
    } else if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<uint32_t>::max()) {
      reject("`" + name + "` = " + std::to_string(value) + " has more than 32 bits");
    }
    return bits;
  }
  reject("the kernel's parameter `" + parameter.name + "` has no value");
}

}  // namespace bakery
