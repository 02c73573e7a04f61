// SPDX-License-Identifier: Apache-2.0
#include "profiler/nvrtc.h"

#include <chrono>

#include "profiler/cuda_api.h"

namespace bakery {
namespace {

using cuda::Failure;
using cuda::Library;

struct ProgramTag;
using Program = ProgramTag*;

struct Nvrtc {
  int (*version)(int*, int*) = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*arch_count)(int*) = nullptr;
  int (*archs)(int*) = nullptr;
  int (*create)(Program*, const char* source, const char* name, int, const char* const*, const char* const*) = nullptr;
  int (*destroy)(Program*) = nullptr;
  int (*compile)(Program, int, const char* const*) = nullptr;
  int (*log_size)(Program, size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*ptx_size)(Program, size_t*) = nullptr;
  int (*ptx)(Program, char*) = nullptr;
  int (*cubin_size)(Program, size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;
  std::string path;

  void check(int result, const char* call) const {
    if (result == 0) return;
    const std::string name = error_string(result);
    throw Failure({WorkerErrorKind::cuda, std::string(call) + " answered " + std::to_string(result) + ", " + name, call, result, name});
  }

  std::string version_text() const {
    int major = 0, minor = 0;
    check(version(&major, &minor), "nvrtcVersion");
    return std::to_string(major) + "." + std::to_string(minor);
  }
};

template <class F>
void load(const Library& library, F& function, const char* name) {
  function = reinterpret_cast<F>(library.symbol(name));
  if (!function) cuda::fail(WorkerErrorKind::missing, library.path + " has no `" + name + "`: it is too old");
}

Nvrtc load_nvrtc() {
  const Library library = cuda::open_library({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}, cuda::toolkit_folders());
  if (!library.handle) cuda::fail(WorkerErrorKind::missing, "there is no NVRTC: " + library.error);
  Nvrtc api;
  api.path = library.path;
  load(library, api.version, "nvrtcVersion");
  load(library, api.error_string, "nvrtcGetErrorString");
  load(library, api.arch_count, "nvrtcGetNumSupportedArchs");
  load(library, api.archs, "nvrtcGetSupportedArchs");
  load(library, api.create, "nvrtcCreateProgram");
  load(library, api.destroy, "nvrtcDestroyProgram");
  load(library, api.compile, "nvrtcCompileProgram");
  load(library, api.log_size, "nvrtcGetProgramLogSize");
  load(library, api.log, "nvrtcGetProgramLog");
  load(library, api.ptx_size, "nvrtcGetPTXSize");
  load(library, api.ptx, "nvrtcGetPTX");
  load(library, api.cubin_size, "nvrtcGetCUBINSize");
  load(library, api.cubin, "nvrtcGetCUBIN");
  return api;
}

const Nvrtc& nvrtc() {
  static const Nvrtc api = load_nvrtc();  // a Failure is thrown again at the next call
  return api;
}

// Empty if there is none, as of a program that failed.
std::string fetch(Program program, int (*size)(Program, size_t*), int (*get)(Program, char*)) {
  size_t n = 0;
  if (size(program, &n) != 0 || n == 0) return {};
  std::string text(n, '\0');
  if (get(program, text.data()) != 0) return {};
  return text;
}

std::string without_nul(std::string text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

}  // namespace

LibraryProbe probe_nvrtc(std::vector<int>* targets) {
  LibraryProbe probe;
  try {
    const Nvrtc& api = nvrtc();
    probe.path = api.path;
    probe.version = api.version_text();
    int count = 0;
    api.check(api.arch_count(&count), "nvrtcGetNumSupportedArchs");
    if (targets && count > 0) {
      targets->resize(static_cast<size_t>(count));
      api.check(api.archs(targets->data()), "nvrtcGetSupportedArchs");
    }
    probe.found = true;
  } catch (const Failure& failure) {
    probe.error = failure.what();
  }
  return probe;
}

CompileAnswer compile(const CompileRequest& request) {
  const Nvrtc& api = nvrtc();
  CompileAnswer answer;
  answer.nvrtc_path = api.path;
  answer.nvrtc_version = api.version_text();
  const auto begin = std::chrono::steady_clock::now();

  Program program = nullptr;
  api.check(api.create(&program, request.cuda.c_str(), request.file.empty() ? "kernel.cu" : request.file.c_str(), 0, nullptr, nullptr),
            "nvrtcCreateProgram");
  const std::string target = "--gpu-architecture=" + request.target;
  std::vector<const char*> options = {target.c_str()};
  for (const std::string& option : request.options) options.push_back(option.c_str());
  const int result = api.compile(program, static_cast<int>(options.size()), options.data());

  answer.ok = result == 0;
  answer.result = api.error_string(result);
  answer.log = without_nul(fetch(program, api.log_size, api.log));
  answer.ptx = without_nul(fetch(program, api.ptx_size, api.ptx));
  if (answer.ok) {
    const std::string cubin = fetch(program, api.cubin_size, api.cubin);
    answer.cubin.assign(cubin.begin(), cubin.end());
  }
  api.destroy(&program);
  answer.time_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return answer;
}

}  // namespace bakery
