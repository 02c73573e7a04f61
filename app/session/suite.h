// SPDX-License-Identifier: Apache-2.0
// A benchmark suite: contracts that are run and timed beside a peer, arms alternating.
//
//   name = "gemm_bf16"
//   contracts = ["../contracts/a.toml"]   # from the suite's folder
//   rounds = 2                            # optional: how often the arms alternate
//   [peer]                                # optional
//   name = "cublas"
//   command = ["python3", "peers.py", "{M}"]  # from the suite's folder; prints a JSON line with `span_ms`
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/session/contract.h"
#include "app/session/kernel.h"

namespace bakery {

struct Suite {
  std::string file, name;
  std::vector<std::string> contracts;  // paths from the current folder
  int rounds = 2;
  std::string peer;
  std::vector<std::string> peer_command;
};

struct SuiteResult {
  Suite suite;
  std::vector<ContractError> errors;   // of the suite's file
};
SuiteResult read_suite(const std::string& path);

struct SuiteRow {
  std::string contract, shape, status, receipt;
  bool correct = false;
  double span_ms = 0, spread = 0, peer_span_ms = 0, ratio = 0;
  std::string message;                 // what went wrong
};

// The peer's figure for one shape; `error` says why there is none.
struct PeerAnswer {
  double span_ms = 0;
  std::string error;
};
PeerAnswer ask_peer(const Suite& suite, const Contract& contract, const ShapeRow& row, double timeout_s);

std::string to_table(const std::vector<SuiteRow>& rows, const std::string& peer);

}  // namespace bakery
