// SPDX-License-Identifier: Apache-2.0
#include "profiler/device_probe.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "profiler/cupti.h"
#include "profiler/device.h"
#include "profiler/nvml.h"
#include "profiler/nvrtc.h"

namespace bakery {
namespace {

using cuda::Failure;

// Whether a kernel's record arrives: some systems load CUPTI and then forbid it.
void try_cupti(ProbeAnswer& answer) {
  try {
    const CudaDevice& device = answer.devices.front();
    SpanRecorder recorder;
    const DeviceContext& context = device_context(device);
    CompileRequest request;
    request.cuda = "extern \"C\" __global__ void bakery_probe() {}\n";
    request.file = "bakery_probe.cu";
    request.target = "sm_" + std::to_string(device.major * 10 + device.minor);
    const CompileAnswer compiled = compile(request);
    if (!compiled.ok) cuda::fail(WorkerErrorKind::internal, "NVRTC can't compile for the device: " + compiled.result);
    const Kernel kernel(context, compiled.cubin, "bakery_probe");
    kernel.launch(1, 1, 32, 0, nullptr);
    context.wait(10, "a kernel that does nothing");
    span_times(recorder.take(), "bakery_probe", 1);
    answer.cupti_usable = true;
  } catch (const Failure& failure) {
    answer.cupti.error = failure.what();
    answer.cupti_denied = failure.error().kind == WorkerErrorKind::permission;
  }
}

}  // namespace

ProbeAnswer probe() {
  ProbeAnswer answer;
  answer.build = build_id();
  answer.nvrtc = probe_nvrtc(&answer.nvrtc_targets);
  answer.cupti = probe_cupti();
  answer.nvml = probe_nvml();
  try {
    const cuda::Driver& api = cuda::driver();
    answer.driver = {true, api.path, cuda::version_text(api.version), ""};
    answer.devices = list_devices(api);
  } catch (const Failure& failure) {
    answer.driver.error = failure.what();
  }
  if (answer.nvrtc.found && answer.cupti.found && !answer.devices.empty()) try_cupti(answer);
  return answer;
}

std::vector<MissingThing> missing_things(const ProbeAnswer& probe, const std::string& target) {
  std::vector<MissingThing> out;
  int major = 0, minor = 0;
  target_capability(target, major, minor);
  bool fits = false;
  std::string found;
  for (const CudaDevice& device : probe.devices) {
    fits = fits || (device.major == major && device.minor == minor);
    found += (found.empty() ? "" : ", ") + device.text();
  }
  const std::string run = "`bakery run` and `bakery bench`";
  if (!probe.driver.found)
    out.push_back({"driver", run, probe.driver.error, "install NVIDIA's driver on a machine with such a GPU, or reach one through ssh"});
  else if (!fits)
    out.push_back({"device", run, "`" + target + "` needs compute capability " + std::to_string(major) + "." + std::to_string(minor) + "; found " +
                                      (found.empty() ? "no device" : found),
                   "start the worker on a machine with such a GPU"});
  if (!probe.nvrtc.found) out.push_back({"NVRTC", "`bakery compile`, " + run, probe.nvrtc.error, "apt-get install cuda-nvrtc-13-0, or set CUDA_HOME"});
  if (!probe.cupti.found)
    out.push_back({"CUPTI", "`bakery bench`", probe.cupti.error, "apt-get install cuda-cupti-13-0, or set CUDA_HOME"});
  else if (probe.cupti_denied)
    out.push_back({"CUPTI", "`bakery bench`", probe.cupti.error,
                   "as root: echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvidia-profiling.conf, then reboot"});
  else if (!probe.devices.empty() && !probe.cupti_usable)
    out.push_back({"CUPTI", "`bakery bench`", probe.cupti.error, "end other profilers, and use the CUPTI of the driver's CUDA version"});
  if (!probe.nvml.found && probe.driver.found) out.push_back({"NVML", "clocks in benchmarks", probe.nvml.error, "install the driver's nvidia-ml library"});
  return out;
}

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

}  // namespace bakery
