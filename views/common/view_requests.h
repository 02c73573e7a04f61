// SPDX-License-Identifier: GPL-3.0-or-later
// What one view asks of another one, or of the window around them. One for each focus.
#pragma once

#include <QObject>
#include <QString>

#include "views/common/focus.h"

namespace bakery::views {

class ViewRequests : public QObject {
  Q_OBJECT

 public:
  static ViewRequests& of(Focus& focus);

  // Brings a view to the front and gives it the keyboard.
  void show_view(const QString& id) { emit view_wanted(id); }
  // Plays the witness of a finding in the timeline.
  void replay(int finding) {
    emit view_wanted(QStringLiteral("timeline"));
    emit replay_wanted(finding);
  }

 signals:
  void view_wanted(const QString& id);
  void replay_wanted(int finding);

 private:
  using QObject::QObject;
};

}  // namespace bakery::views
