// SPDX-License-Identifier: GPL-3.0-or-later
// The small form over the diagram in which a number of the schedule is changed.
#pragma once

#include <QFrame>
#include <QLabel>
#include <QLineEdit>

#include <memory>
#include <vector>

#include "views/common/view_context.h"
#include "views/pipeline/pipeline_edits.h"

namespace bakery::views {

class EditForm : public QFrame {
  Q_OBJECT

 public:
  EditForm(const ViewContext& context, std::shared_ptr<const Analysis> analysis, const QString& title, std::vector<EditField> fields,
           QWidget* parent);

  const std::vector<QLineEdit*>& lines() const { return lines_; }
  const QLabel* trouble() const { return trouble_; }
  void accept();

 signals:
  void closed();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void say(const std::string& trouble);

  ViewContext context_;
  std::shared_ptr<const Analysis> analysis_;
  std::vector<EditField> fields_;
  std::vector<QLineEdit*> lines_;  // by field
  QLabel* trouble_;
};

}  // namespace bakery::views
