// SPDX-License-Identifier: GPL-3.0-or-later
// Tells which line of a text the pointer is over.
#pragma once

#include <QEvent>
#include <QMouseEvent>
#include <QObject>

#include <Qsci/qsciscintilla.h>

#include <functional>
#include <utility>

namespace bakery::views {

class LineHover : public QObject {
 public:
  // `tell` gets 1-based lines; 0: the pointer is over none.
  LineHover(QsciScintilla* edit, std::function<void(uint32_t)> tell) : QObject(edit), edit_(edit), tell_(std::move(tell)) {
    edit->viewport()->setMouseTracking(true);
    edit->viewport()->installEventFilter(this);
  }

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Leave) move_to(0);
    if (event->type() == QEvent::MouseMove) {
      const QPoint at = static_cast<QMouseEvent*>(event)->position().toPoint();
      const long position = edit_->SendScintilla(QsciScintilla::SCI_POSITIONFROMPOINT, static_cast<unsigned long>(at.x()), static_cast<long>(at.y()));
      move_to(static_cast<uint32_t>(edit_->SendScintilla(QsciScintilla::SCI_LINEFROMPOSITION, position)) + 1);
    }
    return false;
  }

 private:
  void move_to(uint32_t line) {
    if (line == line_) return;
    line_ = line;
    tell_(line);
  }

  QsciScintilla* edit_;
  std::function<void(uint32_t)> tell_;
  uint32_t line_ = 0;
};

}  // namespace bakery::views
