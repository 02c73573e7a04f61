// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline with its caption, buttons, filter, replay banner, table of events, totals and legend.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>
#include <QWidget>

#include <functional>

#include "views/common/view_context.h"

class QBoxLayout;

namespace bakery::views {

class EventsModel;
class TimelineCanvas;

class TimelineView : public QWidget {
  Q_OBJECT

 public:
  TimelineView(const ViewContext& context, QWidget* parent = nullptr);
  TimelineCanvas* canvas() const { return canvas_; }
  QTableView* table() const { return table_; }
  EventsModel* events() const { return events_; }
  QLineEdit* filter() const { return filter_; }
  QLabel* totals() const { return totals_; }
  QLabel* banner() const { return banner_text_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* make_top();
  QWidget* make_filter_bar();
  QWidget* make_banner();
  QWidget* make_table();
  void show_caption();
  void show_selection();
  void show_totals();
  void show_banner();
  void show_table(bool on);
  void fill_table();
  void select_in_table();
  void show_filter_answer();
  void ask_note(qint64 begin, qint64 end);
  void copy_rows();

  ViewContext context_;
  TimelineCanvas* canvas_;
  EventsModel* events_;
  QBoxLayout* top_ = nullptr;
  QWidget* legend_ = nullptr;
  QTableView* table_ = nullptr;
  QLabel* caption_ = nullptr;
  QLabel* selection_ = nullptr;
  QLabel* totals_ = nullptr;
  QLabel* banner_text_ = nullptr;
  QLabel* filter_answer_ = nullptr;
  QWidget* filter_bar_ = nullptr;
  QWidget* banner_ = nullptr;
  QLineEdit* filter_ = nullptr;
  QLineEdit* note_ = nullptr;
  QToolButton* play_ = nullptr;
  QToolButton* table_button_ = nullptr;
  QSpinBox* threshold_ = nullptr;
  qint64 note_begin_ = 0, note_end_ = 0;
  bool selecting_ = false;
};

}  // namespace bakery::views
