// SPDX-License-Identifier: GPL-3.0-or-later
// What is proposed for the open text but not decided: the editor draws it, the agent's panel sets it.
#pragma once

#include <QObject>
#include <QString>

#include <cstdint>
#include <vector>

namespace bakery::views {

struct PendingHunk {
  int id = 0;
  uint32_t line = 1;      // 1-based, of the text as it is
  uint32_t removed = 0;   // lines from `line` that would go
  QString added;          // lines that would come, joined by newlines
  bool conflict = false;  // the lines were changed meanwhile: it can't be applied as it is
  bool chosen = false;
  bool operator==(const PendingHunk&) const = default;
};

class PendingHunks : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;
  const std::vector<PendingHunk>& list() const { return list_; }
  void set(std::vector<PendingHunk> list) {
    if (list == list_) return;
    list_ = std::move(list);
    emit changed();
  }
  void choose(int id) { emit chosen(id); }

 signals:
  void changed();
  void chosen(int id);  // a person pointed at it

 private:
  std::vector<PendingHunk> list_;
};

}  // namespace bakery::views
