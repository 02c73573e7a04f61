// SPDX-License-Identifier: Apache-2.0
#include "profiler/protocol.h"

#include <gtest/gtest.h>

#include <random>

#include "profiler/messages.h"

namespace bakery {
namespace {

using Status = MessageReader::Status;

std::vector<Message> read_all(MessageReader& reader, Status& last) {
  std::vector<Message> out;
  Message message;
  while ((last = reader.next(message)) == Status::message) out.push_back(message);
  return out;
}

TEST(Protocol, AnyPiecesGiveTheSameMessages) {
  std::string stream = "banner\r\n";
  Message with_bytes{R"({"type":"a","text":"x\ny"})", {}};
  for (int i = 0; i < 1000; ++i) with_bytes.bytes.push_back(static_cast<uint8_t>(i % 7 == 0 ? '\n' : i));
  stream += frame(with_bytes) + "noise\n" + frame({R"({"type":"b"})", {}}) + frame(with_bytes) + frame({R"({"type":"c"})", {}});
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    MessageReader reader;
    std::vector<Message> messages;
    Status last = Status::need_more;
    for (size_t at = 0; at < stream.size();) {
      const size_t n = std::min<size_t>(1 + random() % (round < 10 ? 3 : 700), stream.size() - at);
      reader.feed(std::string_view(stream).substr(at, n));
      at += n;
      for (Message& message : read_all(reader, last)) messages.push_back(std::move(message));
    }
    ASSERT_EQ(messages.size(), 4u);
    EXPECT_EQ(messages[0].bytes, with_bytes.bytes);
    EXPECT_EQ(envelope(messages[1]).type, "b");
    EXPECT_EQ(messages[2].bytes, with_bytes.bytes);
    EXPECT_EQ(messages[2].json.find("bytes"), std::string::npos);
    EXPECT_EQ(reader.noise(), "banner\nnoise\n");
    EXPECT_FALSE(reader.mid_message());
  }
}

TEST(Protocol, KnowsWhenItIsWithinAMessage) {
  MessageReader reader;
  Message message;
  reader.feed("{\"type\":\"a\",\"by");
  EXPECT_EQ(reader.next(message), Status::need_more);
  EXPECT_TRUE(reader.mid_message());
  reader.feed("tes\":4}\nabc");
  EXPECT_EQ(reader.next(message), Status::need_more);
  EXPECT_TRUE(reader.mid_message());
  reader.feed("d");
  EXPECT_EQ(reader.next(message), Status::message);
  EXPECT_FALSE(reader.mid_message());
}

TEST(Protocol, AbsurdSizesAreBroken) {
  for (const char* bytes : {"-1", "1.5", "\"9\"", "99999999999999999", "1e30", "[]", "null"}) {
    MessageReader reader;
    Message message;
    reader.feed(std::string("{\"type\":\"a\",\"bytes\":") + bytes + "}\n");
    EXPECT_EQ(reader.next(message), Status::broken) << bytes;
    EXPECT_EQ(reader.next(message), Status::broken) << bytes;
    EXPECT_FALSE(reader.problem().empty());
  }
}

TEST(Protocol, NoiseIsNoMessage) {
  MessageReader reader;
  Message message;
  reader.feed("[1]\n\"type\"\n{\"type\":1}\n{}\n{\"type\":\n\n\xff\xfe\n");
  EXPECT_EQ(reader.next(message), Status::need_more);
  EXPECT_GT(reader.noise_bytes(), 20u);
  const std::string line(1 << 16, 'x');
  Status status = Status::need_more;
  for (int i = 0; i < 100 && status == Status::need_more; ++i) {
    reader.feed(line + "\n");
    status = reader.next(message);
  }
  EXPECT_EQ(status, Status::broken);
  EXPECT_LE(reader.noise().size(), size_t{64} << 10);
}

TEST(Protocol, Base64) {
  std::vector<uint8_t> bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(from_base64(base64(bytes)), bytes);
    bytes.push_back(static_cast<uint8_t>(i * 37));
  }
  EXPECT_EQ(base64({'M', 'a'}), "TWE=");
}

// ---- messages --------------------------------------------------------------------------

RunRequest request() {
  RunRequest out;
  out.cubin = {1, 2, '\n', 0, 255};
  out.manifest.schedule = "gemm";
  out.manifest.target = "sm_90a";
  out.manifest.kernel = "gemm";
  out.manifest.threads = 384;
  out.manifest.shared_bytes = 197632;
  out.manifest.bounded_waits = true;
  out.manifest.maps = {{"A", "a_s", 2, DType::bf16, {64, 128}, 128}};
  out.manifest.params = {{KernelParameter::Kind::tensor_map, "a_map", 0, -1, DType::bf16},
                         {KernelParameter::Kind::scalar, "K", -1, 2, DType::i32},
                         {KernelParameter::Kind::faults, "faults", -1, -1, DType::i32}};
  out.manifest.roles = {{"load", {0}, 40}, {"mma", {4, 5, 6, 7}, 232}};
  out.manifest.barriers = {{"full", 4, 1, 1, 128}};
  out.manifest.waived = {"SCHED-003: …"};
  out.scalars = {{"K", 4096}};
  out.tensors = {{"A", DType::bf16, {128, 4096}, {4096, 1}, InputDistribution::integers, 18446744073709551615u, false, {}},
                 {"C", DType::f32, {128, 256}, {256, 1}, InputDistribution::normal, 0, true, {128, 64}}};
  out.tiles = 12;
  out.oracle = "gemm_bf16";
  out.reference = ReferenceKind::device;
  out.rtol = 0.00390625;
  out.timeout_s = 2.5;
  return out;
}

// What is sent is what arrives: encoding it again gives the same message.
template <class T>
void expect_round_trip(const T& value) {
  const Message sent = encode(value);
  MessageReader reader;
  reader.feed(frame(sent));
  Message received;
  ASSERT_EQ(reader.next(received), Status::message);
  T again{};
  decode(received, again);
  EXPECT_EQ(encode(again).json, sent.json);
  EXPECT_EQ(encode(again).bytes, sent.bytes);
}

TEST(Messages, RoundTrips) {
  expect_round_trip(request());
  BenchRequest bench{request()};
  bench.flush = FlushKind::read;
  bench.allow_events = true;
  expect_round_trip(bench);
  expect_round_trip(CompileRequest{"a\nb \xc3\xa9", "f.cu", "sm_90a", {"-lineinfo"}});
  CompileAnswer compiled;
  compiled.cubin = {0, 1, 2};
  compiled.ptx = "ptx\n";
  compiled.ok = true;
  expect_round_trip(compiled);
  RunAnswer run;
  run.verdict = RunVerdict::hang;
  run.outputs = {{"C", 10, 2, 1, 0, 1.5, std::numeric_limits<double>::infinity(), {{{1, 2}, {0, 0}, 1, std::numeric_limits<double>::quiet_NaN(), true}}}};
  run.hangs = {{1, 0, "mma", "full", 3, 4, 2, 1, 55, 6}};
  run.failure = {WorkerErrorKind::cuda, "m", "cuStreamQuery", 719, "CUDA_ERROR_LAUNCH_FAILED"};
  expect_round_trip(run);
  BenchAnswer timed;
  timed.run = run;
  timed.span_ms = {1, 2, 3};
  timed.throttle = 1ull << 40;
  expect_round_trip(timed);
  ProbeAnswer probe;
  probe.devices = {{0, "NVIDIA H200", "GPU-1", 9, 0, 132}};
  expect_round_trip(probe);
  expect_round_trip(Hello{1, "b", "v"});
}

TEST(Messages, ValuesArrive) {
  RunRequest again;
  decode(encode(request()), again);
  EXPECT_EQ(again.cubin, request().cubin);
  EXPECT_EQ(again.tensors[0].seed, 18446744073709551615u);
  EXPECT_EQ(again.tensors[1].tile, (std::vector<int64_t>{128, 64}));
  EXPECT_EQ(again.manifest.params[2].kind, KernelParameter::Kind::faults);
  EXPECT_EQ(again.manifest.roles[1].warps, (std::vector<int>{4, 5, 6, 7}));
}

TEST(Messages, WrongOnesSayWhatIsWrong) {
  RunRequest out;
  const auto problem = [&](const char* json) -> std::string {
    try {
      decode(Message{json, {}}, out);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(problem(R"({"type":"run","tiles":"many"})"), "`tiles` is no integer");
  EXPECT_EQ(problem(R"({"type":"run","tensors":[{"dtype":"f128"}]})"), "`dtype` is no data type");
  EXPECT_EQ(problem(R"({"type":"run","reference":"guess"})"), "`reference` can't be `guess`");
  EXPECT_EQ(problem(R"({"type":"run","tensors":{}})"), "`tensors` is no list");
  EXPECT_EQ(problem(R"({"type":"run","something_new":1})"), "none");
}

TEST(Messages, SummaryOfSamples) {
  BenchAnswer answer;
  answer.span_ms = {4, 1, 2, 3, 5};
  summarise(answer);
  EXPECT_EQ(answer.median_ms, 3);
  EXPECT_EQ(answer.min_ms, 1);
  EXPECT_EQ(answer.max_ms, 5);
  EXPECT_DOUBLE_EQ(answer.spread, 2.0 / 3);
  BenchAnswer even;
  even.span_ms = {1, 2};
  summarise(even);
  EXPECT_DOUBLE_EQ(even.median_ms, 1.5);
}

}  // namespace
}  // namespace bakery
