// SPDX-License-Identifier: Apache-2.0
// Each struct's fields are named once, in `fields`, for both directions.
#include "profiler/messages.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <type_traits>

namespace bakery {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kErrorKinds[] = {"none", "missing", "device", "permission", "cuda", "timeout", "request", "replay", "internal"};
constexpr const char* kReferences[] = {"automatic", "host", "device"};
constexpr const char* kVerdicts[] = {"correct", "mismatch", "hang", "timed_out", "failed"};
constexpr const char* kFlushes[] = {"write", "read", "none"};
constexpr const char* kParameterKinds[] = {"tensor_map", "scalar", "faults", "trace"};
constexpr const char* kDistributions[] = {"normal", "uniform", "ones", "integers"};

std::span<const char* const> names(WorkerErrorKind) { return kErrorKinds; }
std::span<const char* const> names(ReferenceKind) { return kReferences; }
std::span<const char* const> names(RunVerdict) { return kVerdicts; }
std::span<const char* const> names(FlushKind) { return kFlushes; }
std::span<const char* const> names(KernelParameter::Kind) { return kParameterKinds; }
std::span<const char* const> names(InputDistribution) { return kDistributions; }

template <class A> void fields(A& a, Hello& v) { a("protocol", v.protocol), a("build", v.build), a("version", v.version); }
template <class A> void fields(A& a, Progress& v) { a("text", v.text), a("fraction", v.fraction); }
template <class A> void fields(A& a, WorkerError& v) {
  a("kind", v.kind), a("message", v.message), a("call", v.call), a("code", v.code), a("code_name", v.code_name);
}
template <class A> void fields(A& a, CudaDevice& v) {
  a("index", v.index), a("name", v.name), a("uuid", v.uuid), a("major", v.major), a("minor", v.minor), a("sms", v.sms);
  a("memory_bytes", v.memory_bytes), a("l2_bytes", v.l2_bytes), a("shared_per_cta", v.shared_per_cta);
  a("shared_per_sm", v.shared_per_sm), a("clock_khz", v.clock_khz), a("memory_clock_khz", v.memory_clock_khz), a("ecc", v.ecc);
}
template <class A> void fields(A& a, LibraryProbe& v) {
  a("found", v.found), a("path", v.path), a("version", v.version), a("error", v.error);
}
template <class A> void fields(A& a, ProbeAnswer& v) {
  a("driver", v.driver), a("devices", v.devices), a("nvrtc", v.nvrtc), a("nvrtc_targets", v.nvrtc_targets), a("cupti", v.cupti);
  a("cupti_usable", v.cupti_usable), a("cupti_denied", v.cupti_denied), a("nvml", v.nvml), a("build", v.build);
}
template <class A> void fields(A& a, CompileRequest& v) {
  a("file", v.file), a("target", v.target), a("options", v.options), a("cuda", v.cuda);
}
template <class A> void fields(A& a, CompileAnswer& v) {
  a("ok", v.ok), a("result", v.result), a("time_ms", v.time_ms), a("nvrtc_version", v.nvrtc_version);
  a("nvrtc_path", v.nvrtc_path), a("log", v.log);
}
template <class A> void fields(A& a, TensorMapSpec& v) {
  a("tensor", v.tensor), a("view", v.view), a("rank", v.rank), a("dtype", v.dtype), a("box", v.box), a("swizzle", v.swizzle);
}
template <class A> void fields(A& a, KernelParameter& v) {
  a("kind", v.kind), a("name", v.name), a("map", v.map), a("scalar", v.scalar), a("dtype", v.dtype);
}
template <class A> void fields(A& a, RoleInfo& v) { a("name", v.name), a("warps", v.warps), a("registers", v.registers); }
template <class A> void fields(A& a, BarrierInfo& v) {
  a("name", v.name), a("stages", v.stages), a("init_count", v.init_count), a("arrivals", v.arrivals), a("offset", v.offset);
}
template <class A> void fields(A& a, LaunchManifest& v) {
  a("schedule", v.schedule), a("hash", v.hash), a("target", v.target), a("kernel", v.kernel), a("file", v.file);
  a("threads", v.threads), a("shared_bytes", v.shared_bytes), a("bounded_waits", v.bounded_waits), a("maps", v.maps);
  a("params", v.params), a("roles", v.roles), a("barriers", v.barriers), a("tiles", v.tiles), a("assumptions", v.assumptions);
  a("waived", v.waived);
}
template <class A> void fields(A& a, RunTensor& v) {
  a("name", v.name), a("dtype", v.dtype), a("shape", v.shape), a("strides", v.strides), a("distribution", v.distribution);
  a("seed", v.seed), a("output", v.output), a("tile", v.tile);
}
template <class A> void fields(A& a, RunRequest& v) {
  a("manifest", v.manifest), a("scalars", v.scalars), a("tensors", v.tensors), a("tiles", v.tiles), a("oracle", v.oracle);
  a("reference", v.reference), a("rtol", v.rtol), a("atol", v.atol), a("max_mismatches", v.max_mismatches);
  a("repeats", v.repeats), a("timeout_s", v.timeout_s), a("device", v.device);
}
template <class A> void fields(A& a, Mismatch& v) {
  a("index", v.index), a("tile", v.tile), a("expected", v.expected), a("got", v.got), a("unwritten", v.unwritten);
}
template <class A> void fields(A& a, OutputCheck& v) {
  a("name", v.name), a("elements", v.elements), a("mismatches", v.mismatches), a("unwritten", v.unwritten);
  a("outside_bytes", v.outside_bytes), a("max_abs", v.max_abs), a("max_rel", v.max_rel), a("first", v.first);
}
template <class A> void fields(A& a, HangRecord& v) {
  a("role", v.role), a("role_name", v.role_name), a("barrier", v.barrier), a("barrier_name", v.barrier_name), a("cta", v.cta);
  a("warp", v.warp), a("stage", v.stage), a("parity", v.parity), a("line", v.line), a("completion", v.completion);
}
template <class A> void fields(A& a, LaunchFacts& v) {
  a("tiles", v.tiles), a("grid", v.grid), a("threads", v.threads), a("ctas_per_sm", v.ctas_per_sm);
  a("registers", v.registers), a("local_bytes", v.local_bytes), a("static_shared", v.static_shared);
  a("dynamic_shared", v.dynamic_shared);
}
template <class A> void fields(A& a, RunAnswer& v) {
  a("verdict", v.verdict), a("device", v.device), a("driver_version", v.driver_version), a("reference", v.reference);
  a("launch", v.launch), a("outputs", v.outputs), a("launches", v.launches), a("hangs", v.hangs), a("failure", v.failure);
  a("prepare_ms", v.prepare_ms), a("run_ms", v.run_ms), a("ended", v.ended);
}
template <class A> void fields(A& a, BenchRequest& v) {
  a("run", v.run), a("warmups", v.warmups), a("samples", v.samples), a("flush", v.flush), a("flush_bytes", v.flush_bytes);
  a("allow_events", v.allow_events), a("check", v.check);
}
template <class A> void fields(A& a, BenchAnswer& v) {
  a("run", v.run), a("clock", v.clock), a("note", v.note), a("span_ms", v.span_ms), a("median_ms", v.median_ms);
  a("min_ms", v.min_ms), a("max_ms", v.max_ms), a("spread", v.spread), a("flush_bytes", v.flush_bytes);
  a("sm_mhz", v.sm_mhz), a("watts", v.watts), a("throttle", v.throttle);
}

struct Writer {
  Json out = Json::object();

  template <class T> void operator()(const char* name, T& value) { out[name] = write(value); }

  template <class T> static Json write(T& value) {
    if constexpr (std::is_same_v<T, DType>) {
      return info(value).name;
    } else if constexpr (std::is_enum_v<T>) {
      return names(value)[static_cast<size_t>(value)];
    } else if constexpr (std::is_floating_point_v<T>) {  // JSON has no NaN
      if (std::isfinite(value)) return value;
      return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return value;
    } else {
      return write_compound(value);
    }
  }
  template <class T> static Json write_compound(std::vector<T>& values) {
    Json list = Json::array();
    for (T& value : values) list.push_back(write(value));
    return list;
  }
  template <class T> static Json write_compound(std::pair<std::string, T>& value) { return Json::array({value.first, write(value.second)}); }
  template <class T> static Json write_compound(T& value) {
    Writer writer;
    fields(writer, value);
    return std::move(writer.out);
  }
};

[[noreturn]] void bad(const std::string& what) { throw std::runtime_error(what); }

struct Reader {
  const Json& in;

  // A field that is not there keeps its default: newer sides may send more, older ones less.
  template <class T> void operator()(const char* name, T& value) {
    const auto it = in.find(name);
    if (it != in.end()) read(*it, value, name);
  }

  template <class T> static void read(const Json& json, T& value, const char* name) {
    const auto is_bad = [&](const char* wanted) { bad("`" + std::string(name) + "` is no " + wanted); };
    if constexpr (std::is_same_v<T, DType>) {
      const auto dtype = json.is_string() ? find_dtype(json.get<std::string>()) : std::nullopt;
      if (!dtype) is_bad("data type");
      value = *dtype;
    } else if constexpr (std::is_enum_v<T>) {
      const auto all = names(value);
      const std::string text = json.is_string() ? json.get<std::string>() : "";
      const auto it = std::find(all.begin(), all.end(), text);
      if (it == all.end()) bad("`" + std::string(name) + "` can't be `" + text + "`");
      value = static_cast<T>(it - all.begin());
    } else if constexpr (std::is_same_v<T, bool>) {
      if (!json.is_boolean()) is_bad("boolean");
      value = json.get<bool>();
    } else if constexpr (std::is_floating_point_v<T>) {
      if (json.is_number()) value = json.get<T>();
      else if (json == "nan") value = std::numeric_limits<T>::quiet_NaN();
      else if (json == "inf" || json == "-inf") value = (json == "inf" ? 1 : -1) * std::numeric_limits<T>::infinity();
      else is_bad("number");
    } else if constexpr (std::is_integral_v<T>) {
      if (!json.is_number_integer()) is_bad("integer");
      value = json.get<T>();
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!json.is_string()) is_bad("text");
      value = json.get<std::string>();
    } else {
      read_compound(json, value, name);
    }
  }
  template <class T> static void read_compound(const Json& json, std::vector<T>& values, const char* name) {
    if (!json.is_array()) bad("`" + std::string(name) + "` is no list");
    values.clear();
    for (const Json& one : json) read(one, values.emplace_back(), name);
  }
  template <class T> static void read_compound(const Json& json, std::pair<std::string, T>& value, const char* name) {
    if (!json.is_array() || json.size() != 2) bad("`" + std::string(name) + "` is no pair");
    read(json[0], value.first, name);
    read(json[1], value.second, name);
  }
  template <class T> static void read_compound(const Json& json, T& value, const char* name) {
    if (!json.is_object()) bad("`" + std::string(name) + "` is no object");
    Reader reader{json};
    fields(reader, value);
  }
};

// Logs and paths may hold any bytes; JSON must not.
std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

template <class T> Message message_of(const char* type, const T& value) {
  Writer writer;
  writer.out["type"] = type;
  writer.out["id"] = 0;
  fields(writer, const_cast<T&>(value));  // a writer only reads
  return {dump(writer.out), {}};
}

Json parse(const Message& message) {
  Json json = Json::parse(message.json, nullptr, false);
  if (!json.is_object()) bad("a message is no JSON object");
  return json;
}

template <class T> void read_message(const Message& message, T& value) {
  const Json json = parse(message);
  Reader reader{json};
  fields(reader, value);
}

}  // namespace

const char* to_string(WorkerErrorKind kind) { return kErrorKinds[static_cast<int>(kind)]; }
const char* to_string(RunVerdict verdict) { return kVerdicts[static_cast<int>(verdict)]; }

std::string CudaDevice::text() const { return name + " (" + std::to_string(major) + "." + std::to_string(minor) + ")"; }

void summarise(BenchAnswer& answer) {
  std::vector<double> sorted = answer.span_ms;
  if (sorted.empty()) return;
  std::sort(sorted.begin(), sorted.end());
  const auto quantile = [&](double q) {  // linear between the neighbours
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<size_t>(at);
    const size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
  };
  answer.median_ms = quantile(0.5);
  answer.min_ms = sorted.front();
  answer.max_ms = sorted.back();
  answer.spread = answer.median_ms > 0 ? (quantile(0.75) - quantile(0.25)) / answer.median_ms : 0;
}

Envelope envelope(const Message& message) {
  const Json json = parse(message);
  Envelope out;
  out.type = json.value("type", std::string());
  const auto id = json.find("id");
  if (id != json.end() && id->is_number_integer()) out.id = id->get<int64_t>();
  return out;
}

Message with_id(const Message& message, int64_t id) {
  Json json = parse(message);
  json["id"] = id;
  return {dump(json), message.bytes};
}

Message encode(const Hello& value) { return message_of("hello", value); }
Message encode(const Progress& value) { return message_of("progress", value); }
Message encode(const WorkerError& value) { return message_of("error", value); }
Message encode_probe() { return {R"({"type":"probe","id":0})", {}}; }
Message encode(const CompileRequest& value) { return message_of("compile", value); }
Message encode(const ProbeAnswer& value) { return message_of("answer", value); }
Message encode(const RunAnswer& value) { return message_of("answer", value); }
Message encode(const BenchAnswer& value) { return message_of("answer", value); }

Message encode(const RunRequest& value) {
  Message message = message_of("run", value);
  message.bytes = value.cubin;
  return message;
}

Message encode(const BenchRequest& value) {
  Message message = message_of("bench", value);
  message.bytes = value.run.cubin;
  return message;
}

Message encode(const CompileAnswer& value) {
  Message message = message_of("answer", value);
  Json json = parse(message);
  json["cubin_bytes"] = value.cubin.size();  // then the PTX
  message.json = dump(json);
  message.bytes = value.cubin;
  message.bytes.insert(message.bytes.end(), value.ptx.begin(), value.ptx.end());
  return message;
}

void decode(const Message& message, Hello& value) { read_message(message, value); }
void decode(const Message& message, Progress& value) { read_message(message, value); }
void decode(const Message& message, WorkerError& value) { read_message(message, value); }
void decode(const Message& message, CompileRequest& value) { read_message(message, value); }
void decode(const Message& message, ProbeAnswer& value) { read_message(message, value); }
void decode(const Message& message, RunAnswer& value) { read_message(message, value); }
void decode(const Message& message, BenchAnswer& value) { read_message(message, value); }

void decode(const Message& message, RunRequest& value) {
  read_message(message, value);
  value.cubin = message.bytes;
}

void decode(const Message& message, BenchRequest& value) {
  read_message(message, value);
  value.run.cubin = message.bytes;
}

void decode(const Message& message, CompileAnswer& value) {
  read_message(message, value);
  size_t split = 0;
  const Json json = parse(message);
  Reader{json}("cubin_bytes", split);
  if (split > message.bytes.size()) bad("`cubin_bytes` is larger than the message");
  const auto middle = message.bytes.begin() + static_cast<std::ptrdiff_t>(split);
  value.cubin.assign(message.bytes.begin(), middle);
  value.ptx.assign(middle, message.bytes.end());
}

std::string to_json(const ProbeAnswer& value) { return dump(Writer::write(const_cast<ProbeAnswer&>(value))); }

}  // namespace bakery
