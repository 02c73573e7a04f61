// SPDX-License-Identifier: Apache-2.0
// Everything that can become of a worker, without a GPU. The workers are this program itself, called
// with `worker` and a session of tests/fixtures/sessions, or small shell commands.
#include "profiler/worker.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "profiler/child_process.h"
#include "profiler/client.h"
#include "profiler/faults.h"

namespace bakery {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string self() { return fs::read_symlink("/proc/self/exe").string(); }
std::string session(const std::string& name) { return std::string(BAKERY_SOURCE_DIR) + "/tests/fixtures/sessions/" + name + ".jsonl"; }
WorkerCommand replay(const std::string& name) { return {{self(), "worker", "--replay", session(name)}}; }
WorkerCommand shell(const std::string& text) { return {{"/bin/sh", "-c", text}}; }

// The first start replays one session, every later one another.
WorkerCommand first_then(const std::string& first, const std::string& then) {
  const std::string marker = "/tmp/bakery_worker_test_" + std::to_string(getpid());
  fs::remove(marker);
  const std::string call = "exec '" + self() + "' worker --replay ";
  return shell("if [ -e " + marker + " ]; then rm " + marker + "; " + call + session(then) + "; fi; : > " + marker + "; " + call + session(first));
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// It may stay a zombie where nothing reaps orphans, but it runs no more.
bool ends(int pid, double within_s) {
  const auto begin = Clock::now();
  while (seconds_since(begin) < within_s) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    if (!(stat >> number >> name >> state) || state == "Z") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

TEST(Worker, Success) {
  WorkerClient client(replay("success"));
  const auto compiled = client.compile({"extern …", "gemm.cu", "sm_90a", {}});
  ASSERT_TRUE(compiled.status.ok()) << compiled.status.message;
  EXPECT_TRUE(compiled.value.ok);
  const std::string cubin(compiled.value.cubin.begin(), compiled.value.cubin.end());
  EXPECT_EQ(cubin, std::string("\x7f""ELF\n{\0\xff cubin", 14));
  EXPECT_EQ(compiled.value.ptx, "// ptx\n");

  std::vector<std::string> steps;
  CallOptions options;
  options.progress = [&](const Progress& progress) { steps.push_back(progress.text); };
  const auto run = client.run({}, options);
  ASSERT_TRUE(run.status.ok()) << run.status.message;
  EXPECT_EQ(run.value.verdict, RunVerdict::correct);
  EXPECT_EQ(run.value.device.text(), "NVIDIA H200 (9.0)");
  EXPECT_EQ(run.value.launch.grid, 132);
  ASSERT_EQ(run.value.outputs.size(), 1u);
  EXPECT_TRUE(run.value.outputs[0].correct());
  EXPECT_EQ(steps, (std::vector<std::string>{"filling `A`", "running"}));

  const auto bench = client.bench({});
  ASSERT_TRUE(bench.status.ok()) << bench.status.message;
  EXPECT_EQ(bench.value.clock, "cupti");
  EXPECT_EQ(bench.value.span_ms.size(), 4u);

  const auto probe = client.probe();
  ASSERT_TRUE(probe.status.ok()) << probe.status.message;
  EXPECT_TRUE(probe.value.cupti_usable);
  EXPECT_EQ(client.run({}).status.error.kind, WorkerErrorKind::replay);
}

TEST(Worker, Mismatch) {
  WorkerClient client(replay("mismatch"));
  const auto run = client.run({});
  ASSERT_TRUE(run.status.ok()) << run.status.message;
  EXPECT_EQ(run.value.verdict, RunVerdict::mismatch);
  const OutputCheck& check = run.value.outputs.at(0);
  EXPECT_FALSE(check.correct());
  ASSERT_EQ(check.first.size(), 2u);
  EXPECT_EQ(check.first[0].index, (std::vector<int64_t>{128, 256}));
  EXPECT_EQ(check.first[0].tile, (std::vector<int64_t>{1, 1}));
  EXPECT_TRUE(std::isnan(check.first[1].got));
  EXPECT_TRUE(check.first[1].unwritten);
}

TEST(Worker, HangThenTheNextRunWorks) {
  WorkerClient client(first_then("hang", "success"));
  const auto run = client.run({});
  ASSERT_TRUE(run.status.ok()) << run.status.message;
  EXPECT_EQ(run.value.verdict, RunVerdict::hang);
  EXPECT_EQ(run.value.failure.code, 719);
  const std::vector<HangGroup> groups = group_hangs(run.value.hangs);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(to_text(groups[0]), "`load` (line 41) waits for completion 1 of `empty[0]` (parity 1): 2 CTAs, first CTA 0, warp 0");
  EXPECT_EQ(to_text(groups[1]), "`mma` (line 55) waits for completion 0 of `full[2]` (parity 0): 2 CTAs, first CTA 0, warp 4");
  EXPECT_EQ(groups[1].warps, 8);
  EXPECT_FALSE(client.running());
  const auto next = client.run({});
  ASSERT_TRUE(next.status.ok()) << next.status.message;
  EXPECT_EQ(next.value.verdict, RunVerdict::correct);
}

TEST(Worker, KernelThatFailsOrNeverEnds) {
  WorkerClient failed(replay("failed"));
  EXPECT_EQ(failed.run({}).value.verdict, RunVerdict::failed);
  WorkerClient late(replay("kernel_timeout"));
  const auto run = late.run({});
  EXPECT_EQ(run.value.verdict, RunVerdict::timed_out);
  EXPECT_EQ(run.value.failure.kind, WorkerErrorKind::timeout);
}

TEST(Worker, NoSuchDevice) {
  WorkerClient client(replay("no_device"));
  const auto run = client.run({});
  EXPECT_EQ(run.status.outcome, Outcome::refused);
  EXPECT_EQ(run.status.error.kind, WorkerErrorKind::device);
  EXPECT_NE(run.status.message.find("found 0: NVIDIA A100"), std::string::npos);
}

TEST(Worker, CrashThenTheNextCallWorks) {
  WorkerClient client(first_then("crash", "success"));
  const auto crashed = client.compile({});
  EXPECT_EQ(crashed.status.outcome, Outcome::crashed);
  EXPECT_EQ(crashed.status.signal, SIGSEGV);
  EXPECT_NE(crashed.status.message.find("signal 11"), std::string::npos) << crashed.status.message;
  EXPECT_TRUE(client.compile({}).status.ok());
  EXPECT_TRUE(client.run({}).status.ok());
}

TEST(Worker, Exit) {
  WorkerClient client(replay("exit"));
  const auto run = client.run({});
  EXPECT_EQ(run.status.outcome, Outcome::exited);
  EXPECT_EQ(run.status.exit_code, 3);
}

TEST(Worker, TimeOutEndsIt) {
  WorkerClient client(first_then("timeout", "success"));
  CallOptions options;
  options.timeout_s = 0.4;
  int pid = 0;
  options.progress = [&](const Progress&) { pid = client.pid(); };
  const auto begin = Clock::now();
  const auto run = client.run({}, options);
  EXPECT_EQ(run.status.outcome, Outcome::timed_out);
  EXPECT_LT(seconds_since(begin), 10);
  ASSERT_GT(pid, 0);
  EXPECT_NE(kill(pid, 0), 0);
  EXPECT_TRUE(client.run({}).status.ok());
}

TEST(Worker, TimeOutEndsTheWholeGroup) {
  const std::string file = "/tmp/bakery_worker_test_group_" + std::to_string(getpid());
  WorkerClient client(shell("sleep 77 & echo $! > " + file + "; exec '" + self() + "' worker --replay " + session("timeout")));
  CallOptions options;
  options.timeout_s = 0.4;
  EXPECT_EQ(client.run({}, options).status.outcome, Outcome::timed_out);
  int grandchild = 0;
  std::ifstream(file) >> grandchild;
  fs::remove(file);
  ASSERT_GT(grandchild, 0);
  EXPECT_TRUE(ends(grandchild, 5));
}

TEST(Worker, Cancel) {
  WorkerClient client(replay("timeout"));
  std::stop_source source;
  CallOptions options;
  options.stop = source.get_token();
  options.progress = [&](const Progress&) { source.request_stop(); };
  const auto begin = Clock::now();
  EXPECT_EQ(client.run({}, options).status.outcome, Outcome::cancelled);
  EXPECT_LT(seconds_since(begin), 10);
  EXPECT_FALSE(client.running());
}

TEST(Worker, GarbageBetweenMessagesIsKeptNotObeyed) {
  WorkerClient client(replay("garbage"));
  const auto run = client.run({});
  ASSERT_TRUE(run.status.ok()) << run.status.message;
  EXPECT_EQ(run.value.verdict, RunVerdict::correct);
  EXPECT_NE(run.status.noise.find("COMPUTE-SANITIZER"), std::string::npos);
}

TEST(Worker, GarbageInsteadOfAnAnswer) {
  WorkerClient client(replay("garbage"));
  const auto compiled = client.compile({});
  EXPECT_EQ(compiled.status.outcome, Outcome::garbage);
  EXPECT_NE(compiled.status.message.find("Segmentation fault in something"), std::string::npos) << compiled.status.message;
}

TEST(Worker, GarbageForEver) {
  WorkerClient client(shell("yes this is no worker"));
  const auto begin = Clock::now();
  EXPECT_EQ(client.run({}).status.outcome, Outcome::garbage);
  EXPECT_LT(seconds_since(begin), 20);
}

TEST(Worker, GarbageWithoutLineEnds) {
  WorkerClient client(shell("head -c 80000000 /dev/zero; sleep 60"));
  const auto run = client.run({});
  EXPECT_EQ(run.status.outcome, Outcome::garbage) << run.status.message;
}

TEST(Worker, BannerOfALogin) {
  WorkerClient client(replay("banner"));
  const auto run = client.run({});
  ASSERT_TRUE(run.status.ok()) << run.status.message;
  EXPECT_NE(run.status.noise.find("gpu-node-7"), std::string::npos);
}

TEST(Worker, VersionMismatch) {
  for (const char* name : {"other_protocol", "other_build"}) {
    WorkerClient client(replay(name));
    const auto run = client.run({});
    EXPECT_EQ(run.status.outcome, Outcome::version_mismatch) << name;
    EXPECT_NE(run.status.message.find("use the same build"), std::string::npos);
    EXPECT_FALSE(client.running());
  }
}

TEST(Worker, EndsWithinAMessage) {
  WorkerClient bytes(replay("truncated"));
  EXPECT_EQ(bytes.compile({}).status.outcome, Outcome::truncated);
  WorkerClient line(replay("truncated"));
  EXPECT_EQ(line.run({}).status.outcome, Outcome::truncated);
  WorkerClient killed(replay("killed_mid_message"));
  const auto run = killed.run({});
  EXPECT_EQ(run.status.outcome, Outcome::truncated);
  EXPECT_EQ(run.status.signal, SIGKILL);
}

TEST(Worker, AbsurdSize) {
  WorkerClient client(replay("absurd_size"));
  const auto run = client.run({});
  EXPECT_EQ(run.status.outcome, Outcome::garbage);
  EXPECT_NE(run.status.message.find("absurd size"), std::string::npos) << run.status.message;
}

TEST(Worker, AnswersOfTheWrongType) {
  WorkerClient client(replay("wrong_types"));
  const auto run = client.run({});
  EXPECT_EQ(run.status.outcome, Outcome::garbage);
  EXPECT_NE(run.status.message.find("`verdict` can't be `splendid`"), std::string::npos) << run.status.message;
  EXPECT_EQ(client.compile({}).status.outcome, Outcome::garbage);
}

TEST(Worker, NotStarted) {
  WorkerClient nothing(WorkerCommand{{"/nowhere/bakery", "worker"}});
  const auto run = nothing.run({});
  EXPECT_EQ(run.status.outcome, Outcome::not_started);
  EXPECT_NE(run.status.message.find("/nowhere/bakery"), std::string::npos);
  WorkerClient empty(WorkerCommand{});
  EXPECT_EQ(empty.run({}).status.outcome, Outcome::not_started);
  WorkerClient fails(shell("echo 'ssh: connect to host gpu: refused' >&2; exit 255"));
  const auto refused = fails.run({});
  EXPECT_EQ(refused.status.outcome, Outcome::exited);
  EXPECT_NE(refused.status.message.find("connect to host gpu: refused"), std::string::npos) << refused.status.message;
}

TEST(Worker, SilenceAtTheStart) {
  WorkerCommand command = shell("sleep 60");
  command.start_timeout_s = 0.3;
  WorkerClient client(command);
  EXPECT_EQ(client.run({}).status.outcome, Outcome::timed_out);
}

TEST(Worker, SessionThatIsNoSession) {
  WorkerClient client(WorkerCommand{{self(), "worker", "--replay", "/nowhere.jsonl"}});
  const auto run = client.run({});
  EXPECT_EQ(run.status.outcome, Outcome::exited);
  EXPECT_EQ(run.status.exit_code, 2);
  EXPECT_NE(run.status.message.find("/nowhere.jsonl"), std::string::npos);
}

TEST(Worker, OneThatDiedBetweenCallsIsReplaced) {
  WorkerClient client(first_then("success", "success"));
  ASSERT_TRUE(client.run({}).status.ok());
  const int first = client.pid();
  kill(first, SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(client.run({}).status.ok());
  EXPECT_NE(client.pid(), first);
}

// A program that was killed with -9 leaves no worker behind, whatever the worker does.
TEST(Worker, EndsWhenNobodyCanReadItsAnswers) {
  ChildProcess helper;
  ASSERT_EQ(helper.start({self(), "helper", session("timeout")}), "");
  std::string text;
  const auto begin = Clock::now();
  while (text.find('\n') == std::string::npos && seconds_since(begin) < 20) {
    char buffer[64];
    const ssize_t n = read(helper.output(), buffer, sizeof buffer);
    if (n > 0) text.append(buffer, static_cast<size_t>(n));
    else std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const int worker = std::atoi(text.c_str());
  ASSERT_GT(worker, 0);
  ASSERT_EQ(kill(worker, 0), 0);
  kill(helper.pid(), SIGKILL);
  EXPECT_TRUE(ends(worker, 5));
}

// Without a driver a run is refused and says what is missing.
TEST(Worker, WithoutDriverARunIsRefused) {
  WorkerClient client(WorkerCommand{{self(), "worker"}});
  const auto probe = client.probe();
  ASSERT_TRUE(probe.status.ok()) << probe.status.message;
  if (probe.value.driver.found) GTEST_SKIP() << "this machine has a driver";
  EXPECT_FALSE(probe.value.driver.error.empty());
  const auto run = client.run({});
  EXPECT_EQ(run.status.outcome, Outcome::refused);
  EXPECT_EQ(run.status.error.kind, WorkerErrorKind::missing) << run.status.message;
}

// ---- the real compiler -----------------------------------------------------------------

constexpr const char* kAdd = R"(
#line 7 "add.cake"
extern "C" __global__ void __launch_bounds__(128, 1) add(float* p) { printf("never\n"); p[threadIdx.x] += 1.0f; }
)";

bool has_nvrtc(WorkerClient& client) { return client.probe().value.nvrtc.found; }

TEST(Compiler, CompilesAndIsRecorded) {
  const std::string file = "/tmp/bakery_worker_test_" + std::to_string(getpid()) + ".jsonl";
  CompileAnswer first;
  {
    WorkerClient client(WorkerCommand{{self(), "worker", "--record", file}});
    if (!has_nvrtc(client)) GTEST_SKIP() << "there is no NVRTC: " << client.probe().value.nvrtc.error;
    const auto compiled = client.compile({kAdd, "add.cu", "sm_90a", {"-lineinfo", "--ptxas-options=-v"}});
    ASSERT_TRUE(compiled.status.ok()) << compiled.status.message;
    first = compiled.value;
    EXPECT_TRUE(first.ok) << first.log;
    EXPECT_EQ(std::string(first.cubin.begin(), first.cubin.begin() + 4), "\x7f""ELF");
    EXPECT_NE(first.ptx.find(".target sm_90a"), std::string::npos);
    EXPECT_NE(first.log.find("Used "), std::string::npos);
  }
  WorkerClient client(WorkerCommand{{self(), "worker", "--replay", file}});
  const auto again = client.compile({});
  fs::remove(file);
  ASSERT_TRUE(again.status.ok()) << again.status.message;
  EXPECT_EQ(again.value.cubin, first.cubin);
  EXPECT_EQ(again.value.ptx, first.ptx);
  EXPECT_EQ(again.value.log, first.log);
}

TEST(Compiler, ErrorsAreAnswers) {
  WorkerClient client(WorkerCommand{{self(), "worker"}});
  if (!has_nvrtc(client)) GTEST_SKIP() << "there is no NVRTC";
  const auto compiled = client.compile({"#line 9 \"a.cake\"\nint x = y;\n", "a.cu", "sm_90a", {}});
  ASSERT_TRUE(compiled.status.ok()) << compiled.status.message;
  EXPECT_FALSE(compiled.value.ok);
  EXPECT_NE(compiled.value.log.find("a.cake(9): error"), std::string::npos) << compiled.value.log;
  const auto unknown = client.compile({"", "a.cu", "sm_9000", {}});
  ASSERT_TRUE(unknown.status.ok()) << unknown.status.message;
  EXPECT_EQ(unknown.value.result, "NVRTC_ERROR_INVALID_OPTION");
}

// ptxas ends the process at a literal arrival count of 0.
TEST(Compiler, ACrashIsAStatus) {
  WorkerClient client(WorkerCommand{{self(), "worker"}});
  if (!has_nvrtc(client)) GTEST_SKIP() << "there is no NVRTC";
  const char* text =
      "extern \"C\" __global__ void k() { __shared__ unsigned long long b;\n"
      "asm volatile(\"mbarrier.init.shared::cta.b64 [%0], 0;\" :: \"r\"((unsigned)__cvta_generic_to_shared(&b))); }\n";
  const auto crashed = client.compile({text, "k.cu", "sm_90a", {}});
  const Outcome outcome = crashed.status.outcome;  // a sanitizer turns the signal into an exit
  EXPECT_TRUE(outcome == Outcome::crashed || outcome == Outcome::exited || crashed.value.ok) << crashed.status.message;
  RecordProperty("outcome", to_string(outcome));
  EXPECT_TRUE(client.compile({kAdd, "add.cu", "sm_90a", {}}).value.ok);
}

int help(const char* file) {
  WorkerClient client(WorkerCommand{{self(), "worker", "--replay", file}});
  CallOptions options;
  options.progress = [&](const Progress&) {
    std::printf("%d\n", client.pid());
    std::fflush(stdout);
  };
  client.run({}, options);
  return 0;
}

}  // namespace
}  // namespace bakery

int main(int argc, char** argv) {
  if (argc >= 2 && std::string_view(argv[1]) == "worker") return bakery::worker_main(argc - 2, argv + 2);
  if (argc == 3 && std::string_view(argv[1]) == "helper") return bakery::help(argv[2]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
