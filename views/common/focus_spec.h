// SPDX-License-Identifier: GPL-3.0-or-later
// A focus as people type it: `full[2]@2`, `load`, `L33`, `SAFE-003`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "views/common/focus.h"

namespace bakery::views {

// nullopt: the snapshot has no such place.
std::optional<FocusState> parse_focus(std::string_view spec, const Snapshot& snapshot);

// What `parse_focus` finds again; empty if there is no focus, or none that can be written.
std::string focus_spec(const FocusState& state, const Snapshot& snapshot);

}  // namespace bakery::views
