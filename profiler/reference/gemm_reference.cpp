// SPDX-License-Identifier: Apache-2.0
#include "profiler/reference/gemm_reference.h"

#include <cmath>
#include <map>
#include <memory>

#include "profiler/inputs.h"
#include "profiler/nvrtc.h"
#include "profiler/oracles/oracle.h"

namespace bakery {
namespace {

constexpr const char* kKernel = "bakery_reference_gemm";
constexpr int kTile = 64;      // rows and columns of C a CTA
constexpr int kThreads = 256;  // 16 x 16, each 4 x 4 elements

constexpr const char* kText = R"(
// A CTA computes 64 x 64 elements of C, 16 steps of k at a time; a thread 4 x 4 of them.
extern "C" __global__ void __launch_bounds__(256) bakery_reference_gemm(
    const void* a, long long a_row, long long a_col, const void* b, long long b_row, long long b_col,
    float* c, int M, int N, int K) {
  __shared__ float as[16][65], bs[16][65];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
    for (int i = threadIdx.x; i < 64 * 16; i += 256) {
      const int k = i % 16, r = i / 16;
      as[k][r] = m0 + r < M && k0 + k < K ? load_a(a, (m0 + r) * a_row + (k0 + k) * a_col) : 0.0f;
      bs[k][r] = n0 + r < N && k0 + k < K ? load_b(b, (n0 + r) * b_row + (k0 + k) * b_col) : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] = fmaf(as[k][ty + 16 * i], bs[k][tx + 16 * j], sum[i][j]);
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const int m = m0 + ty + 16 * i, n = n0 + tx + 16 * j;
      if (m < M && n < N) c[(long long)m * N + n] = sum[i][j];
    }
}
)";

std::string loader(const char* name, DType dtype) {
  const std::string head = std::string("__device__ __forceinline__ float ") + name + "(const void* p, long long i) { ";
  switch (dtype) {
    case DType::bf16: return head + "return __int_as_float((int)((const unsigned short*)p)[i] << 16); }\n";
    case DType::f16:
      return head + "float v; asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(v) : \"h\"(((const unsigned short*)p)[i])); return v; }\n";
    case DType::f32:
    case DType::tf32: return head + "return ((const float*)p)[i]; }\n";
    case DType::i8: return head + "return (float)((const signed char*)p)[i]; }\n";
    case DType::u8: return head + "return (float)((const unsigned char*)p)[i]; }\n";
    default: return "";
  }
}

const Kernel& kernel(const DeviceContext& context, DType a, DType b) {
  static std::map<std::tuple<int, DType, DType>, std::unique_ptr<Kernel>> kernels;
  std::unique_ptr<Kernel>& known = kernels[{context.device().index, a, b}];
  if (known) return *known;
  CompileRequest request;
  request.cuda = gemm_reference_text(a, b);
  request.file = "bakery_reference_gemm.cu";
  request.target = "sm_" + std::to_string(context.device().major * 10 + context.device().minor);
  request.options = {"-std=c++17"};
  if (request.cuda.empty())
    cuda::fail(WorkerErrorKind::request, std::string("there is no device reference for operands of ") + info(a).name + " and " + info(b).name);
  const CompileAnswer answer = compile(request);
  if (!answer.ok) cuda::fail(WorkerErrorKind::internal, "the device reference does not compile: " + answer.result + "\n" + answer.log);
  known = std::make_unique<Kernel>(context, answer.cubin, kKernel);
  return *known;
}

GlobalTensor input(const RunTensor& spec) {
  GlobalTensor tensor = GlobalTensor::zeros(spec.dtype, spec.shape, spec.strides);
  fill_input(tensor, spec.name, spec.distribution, spec.seed);
  return tensor;
}

}  // namespace

std::string gemm_reference_text(DType a, DType b) {
  const std::string load_a = loader("load_a", a), load_b = loader("load_b", b);
  if (load_a.empty() || load_b.empty()) return {};
  return "// C = A * B^T, accumulated in f32.\n" + load_a + load_b + kText;
}

std::vector<float> gemm_reference(const DeviceContext& context, const DeviceTensor& a, const DeviceTensor& b, double timeout_s) {
  int M = static_cast<int>(a.spec->shape[0]), N = static_cast<int>(b.spec->shape[0]), K = static_cast<int>(a.spec->shape[1]);
  std::vector<float> out(static_cast<size_t>(M) * static_cast<size_t>(N));
  const DeviceBuffer c(context, out.size() * sizeof(float), "the reference's result");
  int64_t a_row = a.spec->strides[0], a_col = a.spec->strides[1], b_row = b.spec->strides[0], b_col = b.spec->strides[1];
  cuda::DevicePtr a_address = a.address, b_address = b.address, c_address = c.address();
  void* arguments[] = {&a_address, &a_row, &a_col, &b_address, &b_row, &b_col, &c_address, &M, &N, &K};
  kernel(context, a.spec->dtype, b.spec->dtype).launch((N + kTile - 1) / kTile, (M + kTile - 1) / kTile, kThreads, 0, arguments);
  context.wait(timeout_s, "the device reference");
  c.read(out.data(), out.size() * sizeof(float));
  return out;
}

double test_gemm_reference(const DeviceContext& context, DType a_type, DType b_type) {
  const int64_t M = 133, N = 71, K = 301;
  const RunTensor a{"A", a_type, {M, K}, {K + 3, 1}, InputDistribution::normal, 7};
  const RunTensor b{"B", b_type, {N, K}, {K, 1}, InputDistribution::normal, 7};
  const GlobalTensor a_host = input(a), b_host = input(b);
  const DeviceBuffer a_device(context, a_host.bytes.size(), "the reference's test"), b_device(context, b_host.bytes.size(), "the reference's test");
  a_device.write(a_host.bytes.data(), a_host.bytes.size());
  b_device.write(b_host.bytes.data(), b_host.bytes.size());
  const std::vector<float> got = gemm_reference(context, {&a, a_device.address()}, {&b, b_device.address()}, 20);

  const auto values = [](const GlobalTensor& tensor, bool absolute) {
    OracleTensor out{tensor.shape, {}};
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      const double value = tensor.get(tensor.offset(i));
      out.values.push_back(absolute ? std::abs(value) : value);
    }
    return out;
  };
  std::vector<OracleTensor> exact = {values(a_host, false), values(b_host, false), {{M, N}, {}}};
  std::vector<OracleTensor> bound = {values(a_host, true), values(b_host, true), {{M, N}, {}}};
  std::string problem = gemm_bf16_oracle.compute(exact);
  if (problem.empty()) problem = gemm_bf16_oracle.compute(bound);
  if (!problem.empty()) cuda::fail(WorkerErrorKind::internal, "the oracle rejects the reference's test: " + problem);
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double error = std::abs(static_cast<double>(got[i]) - exact[2].values[i]);
    worst = std::max(worst, error);
    // K roundings of partial sums that are at most the sum of absolute values.
    if (error <= static_cast<double>(K) * 0x1p-24 * bound[2].values[i]) continue;
    cuda::fail(WorkerErrorKind::internal, "the device reference is wrong: element " + std::to_string(i) + " of its test is " +
                                              std::to_string(got[i]) + ", the f64 oracle says " + std::to_string(exact[2].values[i]));
  }
  return worst;
}

}  // namespace bakery
