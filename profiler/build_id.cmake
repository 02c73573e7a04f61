# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a source that holds a hash of what worker and client must agree on (the files in SOURCES).
set(all "")
foreach(file IN LISTS SOURCES)
  file(SHA256 "${file}" hash)
  string(APPEND all "${hash}")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING "${hash}" 0 12 hash)
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
#include "profiler/protocol.h"
std::string bakery::build_id() { return "@VERSION@-@hash@"; }
]])
