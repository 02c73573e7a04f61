// SPDX-License-Identifier: GPL-3.0-or-later
// The toolbar of runs: contract, GPU, Run, Simulate, Cancel; and their progress for the status bar.
#pragma once

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QSettings>
#include <QToolBar>

#include <vector>

#include "app/session/contract_files.h"
#include "views/common/runner.h"
#include "views/common/view_context.h"

namespace bakery::workbench {

class RunBar : public QToolBar {
  Q_OBJECT

 public:
  // The context has a runner.
  RunBar(const views::ViewContext& context, QSettings& settings, QWidget* parent = nullptr);

  QList<QAction*> actions_for_menu() const { return {run_, simulate_, cancel_, contract_action_, options_->menuAction()}; }
  QWidget* progress() const { return progress_; }
  QComboBox* contracts() const { return contracts_; }
  QLabel* device() const { return device_; }
  QAction* run_action() const { return run_; }
  QAction* simulate_action() const { return simulate_; }
  QAction* cancel_action() const { return cancel_; }
  // Puts it into the list, first, and chooses it.
  void open_contract(const QString& path);

 signals:
  void started();               // the runs view should be seen
  void says(const QString& text);  // why nothing was started

 private:
  void make_options();
  void find_all();
  void choose_contract();
  void contract_changed();
  void start(bool simulated);
  void show_device();
  void show_busy();

  views::ViewContext context_;
  views::Runner& runner_;
  QSettings& settings_;
  std::vector<ContractFile> files_;
  QComboBox* contracts_;
  QLabel* device_;
  QMenu* options_;
  QMenu* shapes_;
  QActionGroup* shape_group_ = nullptr;
  QAction* run_;
  QAction* simulate_;
  QAction* cancel_;
  QAction* contract_action_;
  QAction* time_;
  QAction* all_distributions_;
  QAction* held_out_;
  QAction* unchecked_;
  QAction* events_;
  QWidget* progress_;
  QLabel* progress_text_;
  QProgressBar* progress_bar_;
};

}  // namespace bakery::workbench
