// SPDX-License-Identifier: Apache-2.0
// toml++ with the settings that all of ours share (its inline functions must not differ between files).
// Included by .cpp files only: it takes seconds to compile.
#pragma once

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
// toml++ 3.3 asserts on some broken text, such as `["M",}`, that it goes on to report as an error.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>
