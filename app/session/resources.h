// SPDX-License-Identifier: Apache-2.0
// Where the files that come with Bakery are.
#pragma once

#include <string>

namespace bakery {

// The folder that holds `schedules`, `contracts`, `lessons` …: $BAKERY_RESOURCES, else the first
// `resources` in a folder above the program, else `share/bakery` beside its `bin`. Empty: not found.
std::string resources_folder();

}  // namespace bakery
