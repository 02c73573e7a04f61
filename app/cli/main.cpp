// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <fstream>
#include <sstream>
#include "app/session/analysis.h"
int main(int argc, char** argv) {
  if (argc < 3) return 2;
  std::ifstream in(argv[2]);
  std::stringstream s; s << in.rdbuf();
  bakery::AnalysisOptions o;
  if (argc > 3) o.target = argv[3];
  auto a = bakery::analyse(argv[2], s.str(), o);
  std::fputs(bakery::to_text(*a).c_str(), stdout);
  return a->verdict == bakery::Verdict::rejected;
}
