// SPDX-License-Identifier: GPL-3.0-or-later
// The findings list and the card of the chosen one.
#pragma once

#include <QLabel>
#include <QSplitter>
#include <QTreeView>
#include <QWidget>

#include "views/common/view_context.h"

namespace bakery::views {

class FindingCard;
class FindingsModel;

class FindingsView : public QWidget {
  Q_OBJECT

 public:
  FindingsView(const ViewContext& context, QWidget* parent = nullptr);
  QTreeView* list() const { return list_; }
  FindingsModel* model() const { return model_; }
  FindingCard* card() const { return card_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void take_snapshot();
  void take_focus();
  void take_light();
  FocusState focus_of(const QModelIndex& index) const;
  void take_click(const QModelIndex& index);

  ViewContext context_;
  FindingsModel* model_;
  QTreeView* list_;
  FindingCard* card_;
  QSplitter* splitter_;
  bool showing_focus_ = false;
};

}  // namespace bakery::views
