// SPDX-License-Identifier: Apache-2.0
#include "profiler/workload.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "profiler/inputs.h"
#include "profiler/oracles/oracle.h"
#include "profiler/reference/gemm_reference.h"

namespace bakery {
namespace {

constexpr size_t kGuard = 4096;  // bytes before and behind each tensor
constexpr uint8_t kGuardByte = 0xA5, kPoison = 0xFF;
constexpr int64_t kMaxBytes = int64_t{8} << 30;   // of one tensor
constexpr double kHostLimit = 2.7e8;              // products: a second or less on the host

[[noreturn]] void reject(const std::string& why) { cuda::fail(WorkerErrorKind::request, why); }

void check_tensor(const RunTensor& tensor) {
  const std::string name = "`" + tensor.name + "` ";
  if (tensor.shape.empty() || tensor.shape.size() > 5) reject(name + "has rank " + std::to_string(tensor.shape.size()) + ", not 1 to 5");
  if (tensor.strides.size() != tensor.shape.size()) reject(name + "has as many strides as extents, or none of it is right");
  double storage = info(tensor.dtype).bytes;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] < 1) reject(name + "has an extent of " + std::to_string(tensor.shape[i]));
    if (tensor.strides[i] < 0) reject(name + "has a stride of " + std::to_string(tensor.strides[i]));
    storage += static_cast<double>(tensor.shape[i] - 1) * static_cast<double>(tensor.strides[i]) * info(tensor.dtype).bytes;
  }
  if (storage > static_cast<double>(kMaxBytes)) reject(name + "takes more than 8 GiB");
}

const RunTensor& operand(const RunRequest& request, const char* name) {
  for (const RunTensor& tensor : request.tensors)
    if (tensor.name == name) return tensor;
  reject("the oracle `" + request.oracle + "` takes `" + name + "`, and the request has no such tensor");
}

// Multiplications of the oracle; only GEMMs so far.
double work(const RunRequest& request) {
  const RunTensor &a = operand(request, "A"), &b = operand(request, "B");
  return static_cast<double>(a.shape[0]) * static_cast<double>(b.shape[0]) * static_cast<double>(a.shape.back());
}

bool on_host(const RunRequest& request) {
  return request.reference == ReferenceKind::host || (request.reference == ReferenceKind::automatic && work(request) <= kHostLimit);
}

std::string key(const RunRequest& request, int device) {
  std::string out = request.oracle + (on_host(request) ? " host " : " device ") + std::to_string(device);
  for (const RunTensor& tensor : request.tensors) {
    out += "|" + tensor.name + " " + info(tensor.dtype).name + " " + to_string(tensor.distribution) + " " + std::to_string(tensor.seed) +
           (tensor.output ? " out" : " in");
    for (const int64_t extent : tensor.shape) out += " " + std::to_string(extent);
    for (const int64_t stride : tensor.strides) out += "," + std::to_string(stride);
    for (const int64_t extent : tensor.tile) out += "/" + std::to_string(extent);
  }
  return out;
}

OracleTensor oracle_tensor(const GlobalTensor& tensor) {
  OracleTensor out{tensor.shape, std::vector<double>(static_cast<size_t>(tensor.elements()))};
  in_parallel(tensor.elements(), 1 << 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out.values[static_cast<size_t>(i)] = tensor.get(tensor.offset(i));
  });
  return out;
}

}  // namespace

void check_tensors(const RunRequest& request) {
  if (request.tensors.empty()) reject("the request has no tensors");
  bool any_output = false;
  for (const RunTensor& tensor : request.tensors) {
    check_tensor(tensor);
    any_output = any_output || tensor.output;
  }
  if (!any_output) reject("the request has no output");
  const Oracle* oracle = find_oracle(request.oracle);
  if (!oracle) reject("there is no oracle `" + request.oracle + "`");
  for (const OracleParameter& parameter : oracle->parameters) {
    const RunTensor& tensor = operand(request, parameter.name);
    if (static_cast<int>(tensor.shape.size()) != parameter.rank)
      reject("the oracle's `" + tensor.name + "` has rank " + std::to_string(parameter.rank) + ", the request's " + std::to_string(tensor.shape.size()));
    if (tensor.output != parameter.output) reject("`" + tensor.name + "` is " + (parameter.output ? "an output" : "an input") + " of the oracle");
  }
  if (request.oracle != "gemm_bf16") return;
  const RunTensor &a = operand(request, "A"), &b = operand(request, "B"), &c = operand(request, "C");
  if (a.shape[1] != b.shape[1]) reject("the rows of `A` and `B` differ in length");
  if (c.shape[0] != a.shape[0] || c.shape[1] != b.shape[0]) reject("`C` has not the shape of the product");
}

// ---- making it ------------------------------------------------------------------------

Workload::Workload(const DeviceContext& context, const RunRequest& request, const ProgressSink& progress) : context_(context) {
  const bool host = on_host(request);
  for (const RunTensor& spec : request.tensors) {
    progress({(spec.output ? "allocating `" : "filling `") + spec.name + "`"});
    upload(spec);
    if (!host) inputs_.clear();
  }
  context_.wait(30, "filling the tensors");
  progress({host ? "computing the expected values with the f64 oracle" : "computing the expected values on the device"});
  host ? expect_from_host(request) : expect_from_device(request);
  inputs_.clear();
}

void Workload::upload(const RunTensor& spec) {
  GlobalTensor tensor = GlobalTensor::zeros(spec.dtype, spec.shape, spec.strides);
  if (!spec.output) fill_input(tensor, spec.name, spec.distribution, spec.seed);
  const size_t bytes = tensor.bytes.size();
  Item item{spec, DeviceBuffer(context_, bytes + 2 * kGuard, "`" + spec.name + "`"), bytes, {}};
  item.buffer.fill(kGuardByte, kGuard);
  item.buffer.fill(kGuardByte, kGuard, kGuard + bytes);
  if (!spec.output) {
    item.buffer.write(tensor.bytes.data(), bytes, kGuard);
    inputs_.push_back(std::move(tensor));
  }
  items_.push_back(std::move(item));
}

void Workload::expect_from_host(const RunRequest& request) {
  const Oracle* oracle = find_oracle(request.oracle);
  std::vector<OracleTensor> tensors;
  size_t input = 0;
  std::vector<std::string> input_names;
  for (const Item& item : items_)
    if (!item.spec.output) input_names.push_back(item.spec.name);
  for (const OracleParameter& parameter : oracle->parameters) {
    if (parameter.output) {
      tensors.push_back({tensor(parameter.name).shape, {}});
      continue;
    }
    input = static_cast<size_t>(std::find(input_names.begin(), input_names.end(), parameter.name) - input_names.begin());
    tensors.push_back(oracle_tensor(inputs_.at(input)));
  }
  if (const std::string problem = oracle->compute(tensors); !problem.empty()) reject("the oracle `" + request.oracle + "` rejects it: " + problem);
  for (size_t i = 0; i < tensors.size(); ++i)
    for (Item& item : items_)
      if (item.spec.output && item.spec.name == oracle->parameters[i].name) item.expected.f64 = std::move(tensors[i].values);
  reference_ = "the f64 oracle `" + request.oracle + "`";
}

void Workload::expect_from_device(const RunRequest& request) {
  if (request.oracle != "gemm_bf16") reject("the oracle `" + request.oracle + "` has no device reference");
  const RunTensor &a = tensor("A"), &b = tensor("B");
  const double error = test_gemm_reference(context_, a.dtype, b.dtype);
  std::vector<float> values = gemm_reference(context_, {&a, address("A")}, {&b, address("B")}, 120);
  for (Item& item : items_)
    if (item.spec.name == "C") item.expected.f32 = std::move(values);
  char text[120];
  std::snprintf(text, sizeof text, "an f32 device reference (within %.2g of the f64 oracle on 133 x 71 x 301)", error);
  reference_ = text;
}

const Workload& workload_of(const DeviceContext& context, const RunRequest& request, const ProgressSink& progress) {
  static std::unique_ptr<Workload> workload;
  static std::string workload_key;
  check_tensors(request);
  const std::string wanted = key(request, context.device().index);
  if (workload && workload_key == wanted) return *workload;
  workload.reset();  // its memory first
  workload = std::make_unique<Workload>(context, request, progress);
  workload_key = wanted;
  return *workload;
}

// ---- using it -------------------------------------------------------------------------

const Workload::Item& Workload::item(const std::string& name) const {
  for (const Item& item : items_)
    if (item.spec.name == name) return item;
  reject("the request has no tensor `" + name + "`");
}

const RunTensor& Workload::tensor(const std::string& name) const { return item(name).spec; }
cuda::DevicePtr Workload::address(const std::string& name) const { return item(name).buffer.address() + kGuard; }

void Workload::poison_outputs() const {
  for (const Item& item : items_)
    if (item.spec.output) item.buffer.fill(kPoison, item.bytes, kGuard);
}

int64_t Workload::changed_guards(const Item& item) const {
  std::vector<uint8_t> guard(kGuard);
  int64_t changed = 0;
  for (const size_t offset : {size_t{0}, kGuard + item.bytes}) {
    item.buffer.read(guard.data(), kGuard, offset);
    changed += std::count_if(guard.begin(), guard.end(), [](uint8_t byte) { return byte != kGuardByte; });
  }
  return changed;
}

std::vector<OutputCheck> Workload::compare_outputs(double rtol, double atol, int max_mismatches) const {
  std::vector<OutputCheck> out;
  for (const Item& item : items_) {
    if (!item.spec.output) continue;
    GlobalTensor got = GlobalTensor::zeros(item.spec.dtype, item.spec.shape, item.spec.strides);
    item.buffer.read(got.bytes.data(), item.bytes, kGuard);
    OutputCheck check = compare_output(item.spec, got, item.expected, rtol, atol, max_mismatches);
    check.outside_bytes += changed_guards(item);
    out.push_back(std::move(check));
  }
  return out;
}

}  // namespace bakery
