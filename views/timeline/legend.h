// SPDX-License-Identifier: GPL-3.0-or-later
// What the timeline's colours and shapes mean; wraps to its width.
#pragma once

#include <QWidget>

#include "views/common/tokens.h"

namespace bakery::views {

class Legend : public QWidget {
  Q_OBJECT

 public:
  explicit Legend(const Theme& theme, QWidget* parent = nullptr);
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {160, heightForWidth(std::max(160, width()))}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  template <class Place>
  int flow(int width, Place place) const;

  const Theme& theme_;
};

}  // namespace bakery::views
