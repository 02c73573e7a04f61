// SPDX-License-Identifier: Apache-2.0
// What the client asks the worker and what it answers, as values. `encode` and `decode` turn them
// into protocol messages; both sides use the same ones.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core_ir/lowered.h"
#include "core_ir/types.h"
#include "profiler/inputs.h"
#include "profiler/protocol.h"

namespace bakery {

// ---- every message --------------------------------------------------------------------

enum class WorkerErrorKind : uint8_t {
  none,
  missing,     // a driver, library or device is not there
  device,      // no device is exactly the schedule's target
  permission,  // the system forbids it
  cuda,        // a call failed
  timeout,     // given up after the request's time
  request,     // the request makes no sense
  replay,      // the recorded session has no such answer
  internal,
};
const char* to_string(WorkerErrorKind kind);

struct WorkerError {
  WorkerErrorKind kind = WorkerErrorKind::none;
  std::string message;    // a sentence
  std::string call;       // the call that failed, its answer and the answer's name; may be empty
  int code = 0;
  std::string code_name;
};

struct Hello {
  int protocol = 0;
  std::string build;      // of the program, see build_id()
  std::string version;
};

struct Progress {
  std::string text;
  double fraction = -1;   // below 0: unknown
};

// ---- probe ----------------------------------------------------------------------------

struct CudaDevice {
  int index = 0;
  std::string name, uuid;
  int major = 0, minor = 0;  // compute capability
  int sms = 0;
  int64_t memory_bytes = 0, l2_bytes = 0, shared_per_cta = 0, shared_per_sm = 0;
  int clock_khz = 0, memory_clock_khz = 0;
  bool ecc = false;

  std::string text() const;  // "NVIDIA H200 (9.0)"
};

struct LibraryProbe {
  bool found = false;
  std::string path, version;
  std::string error;      // why it is not found or not usable
};

struct ProbeAnswer {
  LibraryProbe driver, nvrtc, cupti, nvml;
  std::vector<CudaDevice> devices;
  std::vector<int> nvrtc_targets;  // 90: sm_90
  bool cupti_usable = false;       // a kernel's record was received
  bool cupti_denied = false;       // the system forbids it
  std::string build;
};

// ---- compile --------------------------------------------------------------------------

struct CompileRequest {
  std::string cuda;
  std::string file;                  // the name that messages show
  std::string target;                // "sm_90a"
  std::vector<std::string> options;  // besides the target
};

struct CompileAnswer {
  bool ok = false;
  std::string result;                // "NVRTC_SUCCESS", "NVRTC_ERROR_COMPILATION"
  std::string log;                   // on success as well: warnings and the resource report
  std::string ptx;                   // also of a failed assembly
  std::vector<uint8_t> cubin;
  std::string nvrtc_version, nvrtc_path;
  double time_ms = 0;
};

// ---- run ------------------------------------------------------------------------------

struct RunTensor {
  std::string name;                  // the schedule's parameter and the oracle's operand
  DType dtype = DType::bf16;
  std::vector<int64_t> shape;        // outermost first
  std::vector<int64_t> strides;      // in elements
  InputDistribution distribution = InputDistribution::normal;
  uint64_t seed = 0;
  bool output = false;
  std::vector<int64_t> tile;         // of an output: the extents of one tile; empty: unknown
};

// How the expected values are made. automatic: the f64 oracle where it is quick, else the device.
enum class ReferenceKind : uint8_t { automatic, host, device };

struct RunRequest {
  std::vector<uint8_t> cubin;
  LaunchManifest manifest;
  std::vector<std::pair<std::string, int64_t>> scalars;  // by kernel parameter
  std::vector<RunTensor> tensors;
  int64_t tiles = 0;                 // 0: one CTA
  std::string oracle;
  ReferenceKind reference = ReferenceKind::automatic;
  double rtol = 0, atol = 0;         // |got - expected| <= atol + rtol * |expected|
  int max_mismatches = 8;            // listed an output
  int repeats = 1;                   // launches, each compared
  double timeout_s = 20;             // of one launch
  int device = -1;                   // -1: the first one of the target
};

struct Mismatch {
  std::vector<int64_t> index;        // outermost first
  std::vector<int64_t> tile;         // index / the tile's extents; empty: unknown
  double expected = 0, got = 0;
  bool unwritten = false;            // still holds the poison
};

struct OutputCheck {
  std::string name;
  int64_t elements = 0, mismatches = 0, unwritten = 0;
  int64_t outside_bytes = 0;         // changed before, behind or between the tensor's elements
  double max_abs = 0, max_rel = 0;   // over the elements that are no NaN; relative where |expected| > 1e-6
  std::vector<Mismatch> first;       // in row-major order

  bool correct() const { return mismatches == 0 && outside_bytes == 0; }
};

// One warp that gave up waiting.
struct HangRecord {
  int role = -1, barrier = -1;       // into the manifest
  std::string role_name, barrier_name;
  uint32_t cta = 0, warp = 0, stage = 0, parity = 0, line = 0, completion = 0;
};

struct LaunchFacts {
  int64_t tiles = 0;
  int grid = 0, threads = 0, ctas_per_sm = 0;
  int registers = 0;
  int64_t local_bytes = 0, static_shared = 0, dynamic_shared = 0;
};

enum class RunVerdict : uint8_t {
  correct,
  mismatch,
  hang,       // bounded waits gave up: see `hangs`
  timed_out,  // the kernel did not end
  failed,     // the kernel was aborted: see `failure`
};
const char* to_string(RunVerdict verdict);

struct RunAnswer {
  RunVerdict verdict = RunVerdict::correct;
  CudaDevice device;
  std::string driver_version;
  std::string reference;             // what the outputs were compared with, in words
  LaunchFacts launch;
  std::vector<OutputCheck> outputs;  // of the last launch
  int launches = 0;
  std::vector<HangRecord> hangs;
  WorkerError failure;               // of verdicts hang, timed_out and failed
  double prepare_ms = 0, run_ms = 0;
  bool ended = false;                // the worker ends: its context is lost
};

// ---- bench ----------------------------------------------------------------------------

enum class FlushKind : uint8_t { write, read, none };

struct BenchRequest {
  RunRequest run;
  int warmups = 10, samples = 40;
  FlushKind flush = FlushKind::write;
  int64_t flush_bytes = 256 << 20;   // raised to twice the L2
  bool allow_events = false;         // CUDA events if CUPTI can't be used
  bool check = true;                 // compare the outputs of the last timed launch
};

struct BenchAnswer {
  RunAnswer run;
  std::string clock;                 // "cupti" or "events"
  std::string note;                  // why not cupti
  std::vector<double> span_ms;       // by sample
  double median_ms = 0, min_ms = 0, max_ms = 0;
  double spread = 0;                 // interquartile range / median
  int64_t flush_bytes = 0;
  std::vector<int> sm_mhz;           // while it ran; empty: not available
  std::vector<int> watts;
  uint64_t throttle = 0;             // NVML's clock event reasons, or'ed
};

void summarise(BenchAnswer& answer);  // median … spread from span_ms

// ---- text -----------------------------------------------------------------------------

// What a message is, without its content. `id` of an answer is its request's.
struct Envelope {
  std::string type;  // hello, probe, compile, run, bench; progress, answer, error
  int64_t id = 0;
};
Envelope envelope(const Message& message);
// The same message under another id.
Message with_id(const Message& message, int64_t id);

// Decoding throws std::runtime_error, naming what is wrong.
Message encode(const Hello& value);
Message encode(const Progress& value);
Message encode(const WorkerError& value);
Message encode_probe();
Message encode(const CompileRequest& value);
Message encode(const RunRequest& value);
Message encode(const BenchRequest& value);
Message encode(const ProbeAnswer& value);
Message encode(const CompileAnswer& value);
Message encode(const RunAnswer& value);
Message encode(const BenchAnswer& value);

void decode(const Message& message, Hello& value);
void decode(const Message& message, Progress& value);
void decode(const Message& message, WorkerError& value);
void decode(const Message& message, CompileRequest& value);
void decode(const Message& message, RunRequest& value);
void decode(const Message& message, BenchRequest& value);
void decode(const Message& message, ProbeAnswer& value);
void decode(const Message& message, CompileAnswer& value);
void decode(const Message& message, RunAnswer& value);
void decode(const Message& message, BenchAnswer& value);

// For --json and the store.
std::string to_json(const ProbeAnswer& value);

}  // namespace bakery
