// SPDX-License-Identifier: Apache-2.0
#include "profiler/cuda_api.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

namespace bakery::cuda {
namespace {

std::string file_of(void* handle, const std::string& fallback) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name && *map->l_name) return map->l_name;
  return fallback;
}

Driver load_driver() {
  const Library library = open_library({"libcuda.so.1"}, {"/usr/lib/wsl/lib"});
  if (!library.handle) fail(WorkerErrorKind::missing, "there is no NVIDIA driver: " + library.error);
  Driver driver;
  driver.path = library.path;
#define BAKERY_LOAD(member, name, parameters)                              \
  driver.member = reinterpret_cast<Result(*) parameters>(library.symbol(name)); \
  if (!driver.member)                                                      \
    fail(WorkerErrorKind::missing, "the driver " + library.path + " has no `" + name + "`: it is too old");
  BAKERY_CUDA_FUNCTIONS(BAKERY_LOAD)
#undef BAKERY_LOAD
  const Result result = driver.cuInit(0);
  driver.cuDriverGetVersion(&driver.version);
  if (result == kNoDevice) fail(WorkerErrorKind::missing, "the driver sees no GPU (cuInit answered 100, CUDA_ERROR_NO_DEVICE)");
  if (result != kSuccess) {
    WorkerError error{WorkerErrorKind::missing, "", "cuInit", result, driver.name(result)};
    error.message = "the driver does not start: cuInit answered " + std::to_string(result) + ", " + error.code_name;
    throw Failure(error);
  }
  return driver;
}

}  // namespace

void fail(WorkerErrorKind kind, const std::string& message) { throw Failure(WorkerError{kind, message, "", 0, ""}); }

std::string Driver::name(Result result) const {
  const char* text = nullptr;
  if (cuGetErrorName && cuGetErrorName(result, &text) == kSuccess && text) return text;
  return "unknown error";
}

void Driver::check(Result result, const char* call, const std::string& about) const {
  if (result == kSuccess) return;
  WorkerError error{WorkerErrorKind::cuda, "", call, result, name(result)};
  const char* text = nullptr;
  if (cuGetErrorString(result, &text) != kSuccess || !text) text = "no description";
  error.message = std::string(call) + " answered " + std::to_string(result) + ", " + error.code_name + ": " + text;
  if (!about.empty()) error.message += " (" + about + ")";
  throw Failure(error);
}

void* Library::symbol(const char* name) const { return handle ? dlsym(handle, name) : nullptr; }

Library open_library(const std::vector<std::string>& names, const std::vector<std::string>& folders) {
  Library library;
  const auto attempt = [&](const std::string& path) {
    library.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle) {
      library.path = file_of(library.handle, path);
      return true;
    }
    const char* why = dlerror();
    // The loader's own words, of the first name that exists or else of the first one tried.
    if (why && (library.error.empty() || (path.front() == '/' && std::filesystem::exists(path)))) library.error = why;
    return false;
  };
  for (const std::string& name : names)
    if (attempt(name)) return library;
  for (const std::string& folder : folders)
    for (const std::string& name : names)
      if (attempt(folder + "/" + name)) return library;
  return library;
}

std::vector<std::string> toolkit_folders() {
  std::vector<std::string> homes;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(variable); home && *home) homes.emplace_back(home);
  homes.emplace_back("/usr/local/cuda");
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/local", code))
    if (entry.path().filename().string().starts_with("cuda-")) homes.push_back(entry.path().string());
  std::vector<std::string> folders;
  for (const std::string& home : homes)
    for (const char* below : {"/lib64", "/lib", "/targets/x86_64-linux/lib", "/extras/CUPTI/lib64"}) folders.push_back(home + below);
  return folders;
}

namespace {
std::optional<Driver> substitute;
}

const Driver& driver() {
  if (substitute) return *substitute;
  static const Driver driver = load_driver();  // a Failure is thrown again at the next call
  return driver;
}

void use_driver(Driver driver) { substitute = std::move(driver); }

std::string version_text(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

}  // namespace bakery::cuda
