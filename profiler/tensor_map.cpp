// SPDX-License-Identifier: Apache-2.0
#include "profiler/tensor_map.h"

namespace bakery {
namespace {

int map_type(DType dtype) {
  switch (dtype) {
    case DType::bf16: return cuda::kMapBfloat16;
    case DType::f16: return cuda::kMapFloat16;
    case DType::f32: return cuda::kMapFloat32;
    case DType::tf32: return cuda::kMapTfloat32;
    case DType::i32: return cuda::kMapInt32;
    case DType::u32: return cuda::kMapUint32;
    case DType::e4m3:
    case DType::e5m2:
    case DType::i8:
    case DType::u8:
    case DType::boolean: return cuda::kMapUint8;
  }
  return cuda::kMapUint8;
}

template <class T>
std::string list(const std::vector<T>& values, const char* between) {
  std::string out = "[";
  for (size_t i = 0; i < values.size(); ++i) out += (i ? between : "") + std::to_string(values[i]);
  return out + "]";
}

}  // namespace

std::string TensorMapNumbers::text() const {
  static constexpr int kSpans[] = {0, 32, 64, 128};
  return "innermost first: extents " + list(extents, " x ") + ", strides " + list(strides, ", ") + " bytes, box " + list(box, " x ") +
         ", swizzle " + std::to_string(kSpans[swizzle]);
}

TensorMapNumbers tensor_map_numbers(const TensorMapSpec& spec, const RunTensor& tensor) {
  const std::string name = "the tensor map of `" + spec.tensor + "` for `" + spec.view + "`: ";
  const auto must = [&](bool holds, const std::string& rule) {
    if (!holds) cuda::fail(WorkerErrorKind::request, name + rule);
  };
  const size_t rank = static_cast<size_t>(spec.rank);
  must(spec.rank >= 1 && spec.rank <= 5, "rank " + std::to_string(spec.rank) + " is not 1 to 5");
  must(spec.box.size() == rank, "its box has " + std::to_string(spec.box.size()) + " extents, its rank is " + std::to_string(spec.rank));
  must(tensor.shape.size() == rank && tensor.strides.size() == rank, "the tensor has rank " + std::to_string(tensor.shape.size()));
  must(tensor.dtype == spec.dtype, std::string("the tensor holds ") + info(tensor.dtype).name + ", the map " + info(spec.dtype).name);
  must(tensor.strides.back() == 1 || tensor.shape.back() == 1, "the innermost stride is " + std::to_string(tensor.strides.back()) + ", not 1");

  TensorMapNumbers out;
  const int64_t bytes = info(spec.dtype).bytes;
  out.rank = static_cast<uint32_t>(rank);
  out.type = map_type(spec.dtype);
  out.element_strides.assign(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t extent = tensor.shape[rank - 1 - i], box = spec.box[i];
    must(extent >= 1 && extent <= int64_t{1} << 32, "extent " + std::to_string(extent) + " is not 1 to 2^32");
    must(box >= 1 && box <= 256, "box extent " + std::to_string(box) + " is not 1 to 256");
    out.extents.push_back(static_cast<uint64_t>(extent));
    out.box.push_back(static_cast<uint32_t>(box));
    if (i == 0) continue;
    const int64_t stride = tensor.strides[rank - 1 - i] * bytes;
    must(stride > 0 && stride % 16 == 0 && stride < int64_t{1} << 40,
         "the stride of dimension " + std::to_string(rank - 1 - i) + ", " + std::to_string(stride) + " bytes, is no multiple of 16 below 2^40");
    out.strides.push_back(static_cast<uint64_t>(stride));
  }
  const int64_t inner = spec.box[0] * bytes;
  must(inner % 16 == 0, "the box's rows of " + std::to_string(inner) + " bytes are no multiple of 16");
  switch (spec.swizzle) {
    case 0: out.swizzle = cuda::kSwizzleNone; break;
    case 32: out.swizzle = cuda::kSwizzle32; break;
    case 64: out.swizzle = cuda::kSwizzle64; break;
    case 128: out.swizzle = cuda::kSwizzle128; break;
    default: must(false, "there is no swizzle of " + std::to_string(spec.swizzle) + " bytes");
  }
  must(spec.swizzle == 0 || inner <= spec.swizzle,
       "the box's rows of " + std::to_string(inner) + " bytes are longer than the swizzle of " + std::to_string(spec.swizzle));
  return out;
}

cuda::TensorMap encode_tensor_map(const cuda::Driver& api, const TensorMapSpec& spec, const RunTensor& tensor, cuda::DevicePtr address) {
  const TensorMapNumbers numbers = tensor_map_numbers(spec, tensor);
  const uint64_t no_strides = 0;
  cuda::TensorMap map;
  const cuda::Result result = api.cuTensorMapEncodeTiled(
      &map, numbers.type, numbers.rank, reinterpret_cast<void*>(address), numbers.extents.data(),
      numbers.strides.empty() ? &no_strides : numbers.strides.data(), numbers.box.data(), numbers.element_strides.data(),
      cuda::kInterleaveNone, numbers.swizzle, cuda::kL2Promotion256, cuda::kFillZeros);
  api.check(result, "cuTensorMapEncodeTiled", "`" + spec.tensor + "` for `" + spec.view + "`, " + numbers.text());
  return map;
}

}  // namespace bakery
