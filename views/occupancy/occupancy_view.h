// SPDX-License-Identifier: GPL-3.0-or-later
// The strip of what an SM and the device give to the schedule.
#pragma once

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QWidget>

#include <vector>

#include "views/common/compiles.h"
#include "views/common/view_context.h"
#include "views/occupancy/gauge_card.h"

namespace bakery::views {

class OccupancyView : public QWidget {
  Q_OBJECT

 public:
  OccupancyView(const ViewContext& context, QWidget* parent = nullptr);

  const std::vector<Gauge>& gauges() const { return gauges_; }
  GaugeCard* card(const std::string& id) const;
  QComboBox* shapes() const { return shapes_; }
  QPushButton* compile_button() const { return compile_; }
  QLabel* state() const { return state_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void find_contracts();
  void take_snapshot();
  void take_shape();
  void take_lit();
  void fill();
  void arrange();
  void show_state();
  GridShape shape() const;

  ViewContext context_;
  Compiles& compiles_;
  QLabel* state_;
  QComboBox* shapes_;
  QPushButton* compile_;
  QScrollArea* scroll_;
  QWidget* strip_;
  QGridLayout* grid_;
  QLabel* empty_;
  std::vector<GridShape> contracts_;
  std::vector<Gauge> gauges_;
  std::vector<GaugeCard*> cards_;
  bool stale_ = false;
  int columns_ = 0;
};

}  // namespace bakery::views
