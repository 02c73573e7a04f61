// SPDX-License-Identifier: GPL-3.0-or-later
// Which events are meant: words, or terms as in `role:load barrier:full phase:1 stage:2 wait>20`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "views/common/snapshots.h"

namespace bakery::views {

class EventFilter {
 public:
  EventFilter() = default;
  // `error`: empty, or what is wrong with the text; then the filter lets everything through.
  static EventFilter parse(const std::string& text, const Timeline& timeline, std::string& error);

  bool empty() const { return terms_.empty(); }
  // The least length of `wait>N`; nullopt without one.
  std::optional<int64_t> wait_threshold() const;
  // By event.
  std::vector<uint8_t> match(const Snapshot& snapshot) const;

 private:
  enum class Key : uint8_t { word, role, barrier, buffer, engine, operation, stage, phase, completion, wait, step, loop };
  struct Term {
    Key key = Key::word;
    char compare = '=';    // = < >
    bool or_equal = false;
    std::string text;      // lower case
    int64_t number = 0;
    std::string loop;      // the variable of `loop`
  };
  bool number_fits(const Term& term, int64_t value) const;

  std::vector<Term> terms_;
};

}  // namespace bakery::views
