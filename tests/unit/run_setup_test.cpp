// SPDX-License-Identifier: Apache-2.0
// What a run needs before it begins: a contract, and to know what this machine lacks.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/session/contract_files.h"
#include "app/session/doctor.h"

namespace bakery {
namespace {

namespace fs = std::filesystem;

const std::string kRoot = BAKERY_SOURCE_DIR;

TEST(ContractFiles, ThoseOfTheScheduleComeFirst) {
  const auto found = find_contracts(kRoot + "/resources/schedules/gemm_bf16_sm90a.cake");
  ASSERT_GE(found.size(), 5u);
  size_t fitting = 0;
  for (const ContractFile& file : found) fitting += file.fits;
  EXPECT_GE(fitting, 5u);
  EXPECT_TRUE(found.front().fits);
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const ContractFile& f) { return f.name == "gemm_bf16_small"; }));
  EXPECT_TRUE(std::is_partitioned(found.begin(), found.end(), [](const ContractFile& f) { return f.fits; }));
}

TEST(ContractFiles, OtherFilesAreLeftOutAndFaultyOnesSayWhy) {
  const fs::path folder = fs::temp_directory_path() / ("bakery_contracts_" + std::to_string(getpid()));
  fs::create_directories(folder / "contracts");
  std::ofstream(folder / "a.cake") << "\n";
  std::ofstream(folder / "pyproject.toml") << "[project]\nname = \"x\"\n";
  std::ofstream(folder / "contracts" / "faulty.toml") << "schedule = \"../a.cake\"\noracle = \"none_such\"\n";
  std::ifstream good(kRoot + "/resources/contracts/gemm_bf16_small.toml");
  std::stringstream text;
  text << good.rdbuf();
  std::string own = text.str();
  own.replace(own.find("../schedules/gemm_bf16_sm90a.cake"), 33, "../a.cake");
  std::ofstream(folder / "contracts" / "own.toml") << own;
  const auto found = find_contracts((folder / "a.cake").string(), {(folder / "gone.toml").string(), (folder / "contracts/own.toml").string()});
  fs::remove_all(folder);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].name, "own");
  EXPECT_TRUE(found[0].fits);
  for (size_t i : {1, 2}) {
    EXPECT_FALSE(found[i].fits);
    EXPECT_FALSE(found[i].problem.empty()) << found[i].name << " was asked for, or is nearly a contract";
  }
  EXPECT_TRUE(find_contracts("").empty());
}

Reply<ProbeAnswer> h200() {
  Reply<ProbeAnswer> probe;
  ProbeAnswer& p = probe.value;
  p.driver = {true, "libcuda.so.1", "580", ""};
  p.nvrtc = {true, "libnvrtc.so.13", "13.0", ""};
  p.cupti = {true, "libcupti.so.13", "13.0", ""};
  p.cupti_usable = true;
  CudaDevice device;
  device.name = "NVIDIA H200";
  device.major = 9;
  p.devices = {device};
  return probe;
}

TEST(Doctor, NamesTheFirstObstacleAndItsRemedy) {
  EXPECT_EQ(obstacle(examine(h200())), nullptr);
  auto probe = h200();
  probe.value.cupti_usable = false;
  EXPECT_EQ(obstacle(examine(probe)), nullptr) << "without CUPTI's records runs are possible, times are not";
  probe.value.devices[0].major = 8;
  auto lines = examine(probe);
  ASSERT_NE(obstacle(lines), nullptr);
  EXPECT_STREQ(obstacle(lines)->name, "sm_90a");
  probe.value.driver = {false, "", "", "libcuda.so.1 is not installed"};
  lines = examine(probe);
  EXPECT_STREQ(obstacle(lines)->name, "driver");
  EXPECT_NE(obstacle(lines)->remedy.find("driver 580"), std::string::npos);
  Reply<ProbeAnswer> dead;
  dead.status.outcome = Outcome::crashed;
  dead.status.message = "the worker was ended by signal 9";
  lines = examine(dead);
  EXPECT_STREQ(obstacle(lines)->name, "worker");
}

TEST(Doctor, AnswersHaveRemedies) {
  CallStatus status;
  EXPECT_EQ(remedy_of(status), "");
  status.outcome = Outcome::refused;
  status.error.kind = WorkerErrorKind::missing;
  status.message = "there is no NVIDIA driver: libcuda.so.1";
  EXPECT_NE(remedy_of(status).find("driver 580"), std::string::npos);
  status.message = "there is no NVRTC: libnvrtc.so.13";
  EXPECT_NE(remedy_of(status).find("CUDA Toolkit"), std::string::npos);
  status.error.kind = WorkerErrorKind::request;
  EXPECT_EQ(remedy_of(status), "");
  status.outcome = Outcome::not_started;
  EXPECT_NE(remedy_of(status), "");
}

}  // namespace
}  // namespace bakery
