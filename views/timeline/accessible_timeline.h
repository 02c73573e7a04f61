// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline for assistive tools: a table with a row a lane, and the selected event as its value.
#pragma once

namespace bakery::views {

// Idempotent; before the first canvas is asked for its interface.
void install_accessible_timeline();

}  // namespace bakery::views
