// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/run_bar.h"

#include <QActionGroup>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QToolButton>

#include "views/common/qt_text.h"

namespace bakery::workbench {

using views::DeviceInfo;
using views::DeviceState;
using views::Token;
using views::to_qstring;
using views::to_utf8;

namespace {

constexpr int kRecentContracts = 8;
constexpr const char* kRecentKey = "recent_contracts";

}  // namespace

RunBar::RunBar(const views::ViewContext& context, QSettings& settings, QWidget* parent)
    : QToolBar(tr("Run"), parent), context_(context), runner_(*context.runner), settings_(settings) {
  setObjectName(QStringLiteral("run_bar"));
  setMovable(false);
  setToolButtonStyle(Qt::ToolButtonTextOnly);

  const auto action = [this](const QString& text, const QString& id, const char* keys, const QString& tip) {
    auto* made = new QAction(text, this);
    made->setObjectName(id);
    if (*keys) made->setShortcut(QKeySequence(QLatin1String(keys)));
    made->setToolTip(*keys ? tr("%1 (%2)").arg(tip, QLatin1String(keys)) : tip);
    return made;
  };
  run_ = action(tr("▶ Run"), QStringLiteral("run.device"), "F5", tr("Run on this machine's GPU against the contract: values, then times"));
  simulate_ = action(tr("▶ Simulate"), QStringLiteral("run.simulate"), "Ctrl+F5", tr("Run on the reference machine against the contract: values, races, deadlocks; needs no GPU"));
  cancel_ = action(tr("■ Cancel"), QStringLiteral("run.cancel"), "Shift+F5", tr("End the run at once"));
  contract_action_ = action(tr("Open &contract…"), QStringLiteral("run.contract"), "Ctrl+Shift+O", tr("Choose a contract's file"));
  connect(run_, &QAction::triggered, this, [this] { start(false); });
  connect(simulate_, &QAction::triggered, this, [this] { start(true); });
  connect(cancel_, &QAction::triggered, &runner_, &views::Runner::cancel);
  connect(contract_action_, &QAction::triggered, this, &RunBar::choose_contract);

  auto* label = new QLabel(tr("Contract"), this);
  contracts_ = new QComboBox(this);
  contracts_->setObjectName(QStringLiteral("contract_picker"));
  contracts_->setAccessibleName(tr("Contract"));
  contracts_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  contracts_->setMinimumContentsLength(14);
  label->setBuddy(contracts_);
  device_ = new QLabel(this);
  device_->setObjectName(QStringLiteral("gpu_state"));
  device_->setTextFormat(Qt::RichText);
  device_->setContentsMargins(8, 0, 8, 0);
  addWidget(label);
  addWidget(contracts_);
  auto* open = new QToolButton(this);
  open->setText(QStringLiteral("…"));
  open->setObjectName(QStringLiteral("open_contract"));
  open->setAccessibleName(tr("Open contract"));
  open->setToolTip(contract_action_->toolTip());
  open->setFocusPolicy(Qt::TabFocus);
  connect(open, &QToolButton::clicked, contract_action_, &QAction::trigger);
  addWidget(open);
  addWidget(device_);
  addAction(run_);
  make_options();
  auto* options = new QToolButton(this);
  options->setText(tr("Options ▾"));
  options->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
  options->setObjectName(QStringLiteral("run_options"));
  options->setAccessibleName(tr("How to run"));
  options->setToolTip(tr("Which shapes and inputs, and whether to time"));
  options->setMenu(options_);
  options->setPopupMode(QToolButton::InstantPopup);
  options->setFocusPolicy(Qt::TabFocus);
  addWidget(options);
  addAction(simulate_);
  addAction(cancel_);
  for (QAction* each : {run_, simulate_, cancel_})
    if (QWidget* button = widgetForAction(each)) {
      button->setFocusPolicy(Qt::TabFocus);
      button->setAccessibleName(each->text().mid(2));
    }

  progress_ = new QWidget(this);
  progress_->setObjectName(QStringLiteral("run_progress"));
  progress_text_ = new QLabel(progress_);
  progress_text_->setObjectName(QStringLiteral("run_progress_text"));
  progress_text_->setTextFormat(Qt::PlainText);
  progress_bar_ = new QProgressBar(progress_);
  progress_bar_->setAccessibleName(tr("Progress of the run"));
  progress_bar_->setTextVisible(false);
  progress_bar_->setFixedSize(90, 10);
  auto* layout = new QHBoxLayout(progress_);
  layout->setContentsMargins(6, 0, 6, 0);
  layout->addWidget(progress_text_);
  layout->addWidget(progress_bar_);

  connect(contracts_, &QComboBox::currentIndexChanged, this, &RunBar::contract_changed);
  connect(&context_.document, &views::Document::path_changed, this, &RunBar::find_all);
  connect(&runner_, &views::Runner::device_changed, this, &RunBar::show_device);
  connect(&runner_, &views::Runner::busy_changed, this, &RunBar::show_busy);
  connect(&runner_, &views::Runner::progressed, this, &RunBar::show_busy);
  connect(&context_.theme, &views::Theme::changed, this, &RunBar::show_device);
  find_all();
  show_device();
  show_busy();
}

void RunBar::make_options() {
  options_ = new QMenu(tr("&How to run"), this);
  options_->setObjectName(QStringLiteral("run_options_menu"));
  const auto option = [this](const QString& text, const QString& id, const QString& tip) {
    QAction* made = options_->addAction(text);
    made->setCheckable(true);
    made->setObjectName(id);
    made->setToolTip(tip);
    return made;
  };
  time_ = option(tr("&Time what is correct"), QStringLiteral("run.time"), tr("Builds it again with plain waits and measures spans with the L2 flushed"));
  time_->setChecked(true);
  events_ = option(tr("Time with CUDA &events where CUPTI can't be used"), QStringLiteral("run.events"), tr("Less exact; the result says so"));
  all_distributions_ = option(tr("Inputs of all &distributions"), QStringLiteral("run.distributions"), tr("normal, uniform, ones and integers in place of the contract's"));
  held_out_ = option(tr("&Held-out shapes too"), QStringLiteral("run.held_out"), tr("Also the shapes that tuning never sees"));
  unchecked_ = option(tr("Run although &rejected"), QStringLiteral("run.unchecked"), tr("Waits give up and say who waits for what; nothing is timed"));
  options_->setToolTipsVisible(true);
  shapes_ = options_->addMenu(tr("&Shapes"));
}

// ---- contracts --------------------------------------------------------------------------

void RunBar::find_all() {
  const QString kept = contracts_->currentData().toString();
  std::vector<std::string> recent;
  for (const QString& path : settings_.value(QLatin1String(kRecentKey)).toStringList()) recent.push_back(to_utf8(path));
  files_ = find_contracts(to_utf8(context_.document.path()), recent);
  {
    const QSignalBlocker quiet(contracts_);
    contracts_->clear();
    for (const ContractFile& file : files_) {
      contracts_->addItem(to_qstring(file.name) + (file.problem.empty() ? QString() : tr(" (faulty)")), to_qstring(file.path));
      const int at = contracts_->count() - 1;
      QString tip = to_qstring(file.path);
      if (!file.problem.empty()) tip += QLatin1Char('\n') + to_qstring(file.problem);
      else if (!file.fits && !context_.document.path().isEmpty()) tip += QLatin1Char('\n') + tr("written for another schedule");
      contracts_->setItemData(at, tip, Qt::ToolTipRole);
    }
    if (files_.empty()) contracts_->addItem(tr("none found"), QString());
    contracts_->setEnabled(!files_.empty());
    const int at = contracts_->findData(kept);
    contracts_->setCurrentIndex(at >= 0 && !kept.isEmpty() && files_[static_cast<size_t>(at)].fits ? at : 0);
  }
  contract_changed();
}

void RunBar::contract_changed() {
  const QString path = contracts_->currentData().toString();
  contracts_->setToolTip(path.isEmpty() ? tr("No contract lies beside the schedule; open one") : contracts_->itemData(contracts_->currentIndex(), Qt::ToolTipRole).toString());
  shapes_->clear();
  delete shape_group_;
  shape_group_ = new QActionGroup(this);
  const auto shape = [this](const QString& text, int row) {
    QAction* made = shapes_->addAction(text);
    made->setCheckable(true);
    made->setChecked(row < 0);
    made->setData(row);
    shape_group_->addAction(made);
  };
  shape(tr("All of the contract"), -1);
  if (path.isEmpty()) return;
  const ContractResult read = read_contract(to_utf8(path));
  if (!read.contract) return;
  for (size_t i = 0; i < read.contract->shapes.size(); ++i) shape(to_qstring(read.contract->text(read.contract->shapes[i])), static_cast<int>(i));
}

void RunBar::open_contract(const QString& path) {
  QStringList recent = settings_.value(QLatin1String(kRecentKey)).toStringList();
  recent.removeAll(path);
  recent.prepend(path);
  settings_.setValue(QLatin1String(kRecentKey), QStringList(recent.mid(0, kRecentContracts)));
  find_all();
  const QString wanted = QFileInfo(path).canonicalFilePath();
  for (int i = 0; i < contracts_->count(); ++i)
    if (QFileInfo(contracts_->itemData(i).toString()).canonicalFilePath() == wanted) contracts_->setCurrentIndex(i);
}

void RunBar::choose_contract() {
  const QString near = contracts_->currentData().toString();
  const QString path = QFileDialog::getOpenFileName(this, tr("Open a contract"), near.isEmpty() ? QFileInfo(context_.document.path()).path() : near, tr("Contracts (*.toml);;All files (*)"));
  if (!path.isEmpty()) open_contract(path);
}

// ---- runs -------------------------------------------------------------------------------

void RunBar::start(bool simulated) {
  const QString contract = contracts_->currentData().toString();
  if (contract.isEmpty()) {
    emit says(tr("A run needs a contract: its shapes, inputs and oracle. None lies beside the schedule; choose one with Open contract…"));
    return;
  }
  views::RunOrder order;
  order.file = to_utf8(context_.document.path().isEmpty() ? context_.document.file_name() : context_.document.path());
  order.text = context_.document.text();
  order.target = context_.snapshots.target();
  order.contract = to_utf8(contract);
  order.options.unchecked = unchecked_->isChecked();
  order.options.time = time_->isChecked() && !unchecked_->isChecked();
  order.options.allow_events = events_->isChecked();
  order.options.held_out = held_out_->isChecked();
  if (all_distributions_->isChecked())
    order.options.distributions = {InputDistribution::normal, InputDistribution::uniform, InputDistribution::ones, InputDistribution::integers};
  if (const QAction* shape = shape_group_->checkedAction(); shape && shape->data().toInt() >= 0) order.options.shape = static_cast<size_t>(shape->data().toInt());
  if (!(simulated ? runner_.simulate(std::move(order)) : runner_.run(std::move(order)))) {
    emit says(tr("A run is going on; Shift+F5 cancels it."));
    return;
  }
  emit started();
}

void RunBar::show_device() {
  const DeviceInfo& info = runner_.device();
  const Token token = info.state == DeviceState::ready ? Token::ok : info.state == DeviceState::missing ? Token::review : Token::muted;
  const QString dot = info.state == DeviceState::ready ? QStringLiteral("●") : info.state == DeviceState::missing ? QStringLiteral("○") : QStringLiteral("◌");
  const QString name = info.state == DeviceState::looking ? tr("looking") : info.name;
  const QString text = name == tr("no GPU") || name == tr("GPU unknown") ? name : tr("GPU: %1").arg(name);
  device_->setText(QStringLiteral("%1 <span style='color:%2'>%3</span>").arg(text.toHtmlEscaped(), context_.theme.css(token), dot));
  QString tip = info.text;
  for (const DoctorLine& line : info.lines)
    if (!line.ok) tip += QStringLiteral("\n%1: %2\n    → %3").arg(QLatin1String(line.name), to_qstring(line.what), to_qstring(line.remedy));
  device_->setToolTip(tip);
  device_->setAccessibleName(info.text);
  const QString run = tr("Run on this machine's GPU against the contract: values, then times (F5)");
  run_->setToolTip(info.state == DeviceState::missing ? tr("%1\nNot now: %2\n→ %3").arg(run, info.text, info.remedy) : run);
}

void RunBar::show_busy() {
  const bool busy = runner_.busy();
  run_->setEnabled(!busy);
  simulate_->setEnabled(!busy);
  cancel_->setEnabled(busy);
  progress_->setVisible(busy);
  if (!busy) return;
  const RunProgress& progress = runner_.progress();
  progress_text_->setText((runner_.simulating() ? tr("Simulating: %1") : tr("Running: %1")).arg(to_qstring(progress.text)));
  progress_bar_->setRange(0, static_cast<int>(progress.all));
  progress_bar_->setValue(static_cast<int>(progress.done));
}

}  // namespace bakery::workbench
