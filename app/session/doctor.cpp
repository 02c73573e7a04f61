// SPDX-License-Identifier: Apache-2.0
#include "app/session/doctor.h"

#include <string_view>

namespace bakery {
namespace {

constexpr const char* kDriverRemedy = "install NVIDIA's driver 580 or newer, then reboot";
constexpr const char* kDeviceRemedy = "run on a machine with the schedule's exact GPU; everything else works without one";
constexpr const char* kToolkitRemedy = "install the CUDA Toolkit 13, or set CUDA_HOME to it";
constexpr const char* kRecordsRemedy = "load the driver with NVreg_RestrictProfilingToAdminUsers=0, or run as root";

std::string text_of(const LibraryProbe& library) {
  if (!library.found) return library.error;
  return library.version + (library.path.empty() ? "" : " (" + library.path + ")");
}

}  // namespace

std::vector<DoctorLine> examine(const Reply<ProbeAnswer>& probe) {
  std::vector<DoctorLine> lines;
  const auto line = [&](const char* name, bool ok, const std::string& what, const char* remedy) {
    lines.push_back({name, ok, what, ok ? "" : remedy});
  };
  if (!probe.status.ok()) {
    line("worker", false, probe.status.message, "run `bakery worker` by hand and see what it says");
    return lines;
  }
  const ProbeAnswer& p = probe.value;
  line("worker", true, "build " + p.build, "");
  line("driver", p.driver.found, text_of(p.driver), kDriverRemedy);
  std::string devices;
  bool exact = false;
  for (const CudaDevice& device : p.devices) {
    devices += (devices.empty() ? "" : ", ") + device.text();
    exact |= device.major == 9 && device.minor == 0;
  }
  line("device", !p.devices.empty(), devices.empty() ? "no CUDA device" : devices, kDeviceRemedy);
  if (!p.devices.empty() && !exact) line("sm_90a", false, "no device of compute capability 9.0", "an H100 or H200; other targets are compiled, not run");
  line("nvrtc", p.nvrtc.found, text_of(p.nvrtc), kToolkitRemedy);
  line("cupti", p.cupti.found, text_of(p.cupti), "install the CUDA Toolkit 13 with CUPTI, or set CUDA_HOME to it");
  if (p.cupti.found && !p.devices.empty())
    line("cupti records", p.cupti_usable, p.cupti_denied ? "the system forbids them" : p.cupti_usable ? "kernel activity is recorded" : "no record came", kRecordsRemedy);
  return lines;
}

const DoctorLine* obstacle(const std::vector<DoctorLine>& lines) {
  for (const DoctorLine& line : lines)
    if (!line.ok && std::string_view(line.name).substr(0, 5) != "cupti") return &line;
  return nullptr;
}

std::string remedy_of(const CallStatus& status) {
  if (status.outcome == Outcome::not_started) return "reinstall Bakery: the program `bakery` belongs beside this one";
  if (status.outcome == Outcome::version_mismatch) return "build `bakery` and this program together";
  if (status.outcome != Outcome::refused) return "";
  switch (status.error.kind) {
    case WorkerErrorKind::device: return kDeviceRemedy;
    case WorkerErrorKind::permission: return std::string(kRecordsRemedy) + ", or allow times with CUDA events";
    case WorkerErrorKind::missing:
      return status.message.find("driver") != std::string::npos || status.message.find("libcuda") != std::string::npos ? kDriverRemedy : kToolkitRemedy;
    default: return "";
  }
}

}  // namespace bakery
