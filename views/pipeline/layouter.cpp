// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/pipeline/layouter.h"

#include <QStandardPaths>

#include <algorithm>

namespace bakery::views {

namespace {

constexpr int kLongestLayout = 4000;  // milliseconds
constexpr size_t kKnown = 24;

}  // namespace

Layouter::Layouter(QObject* parent) : QObject(parent) {
  limit_.setSingleShot(true);
  limit_.setInterval(kLongestLayout);
  connect(&limit_, &QTimer::timeout, this, [this] { fall_back(tr("`dot` took longer than %1 s").arg(kLongestLayout / 1000)); });
}

Layouter::~Layouter() { stop(); }

void Layouter::stop() {
  limit_.stop();
  if (!process_) return;
  QProcess* process = process_.release();
  process->disconnect();
  // It goes when it has ended; nothing waits for it here.
  if (process->state() == QProcess::NotRunning) {
    process->deleteLater();
    return;
  }
  connect(process, &QProcess::finished, process, &QObject::deleteLater);
  process->kill();
}

void Layouter::request(const Graph& graph) {
  if (process_ && graph == wanted_) return;
  stop();
  wanted_ = graph;
  const auto known = std::find_if(known_.begin(), known_.end(), [&](const auto& entry) { return entry.first == graph; });
  if (known != known_.end()) {
    trouble_.clear();
    return give(GraphLayout(known->second));
  }
  if (graph.nodes.empty()) return give({});
  const QString dot = QStandardPaths::findExecutable(QStringLiteral("dot"));
  if (dot.isEmpty()) return fall_back(tr("Graphviz is not installed (no `dot`)"));
  process_ = std::make_unique<QProcess>();
  connect(process_.get(), &QProcess::finished, this, &Layouter::take_answer);
  connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) fall_back(tr("`dot` can't be started"));
  });
  process_->start(dot, {QStringLiteral("-Tjson")});
  process_->write(QByteArray::fromStdString(to_dot(graph)));
  process_->closeWriteChannel();
  limit_.start();
}

void Layouter::take_answer(int exit_code, QProcess::ExitStatus status) {
  if (status != QProcess::NormalExit) return fall_back(tr("`dot` crashed"));
  const std::string answer = process_->readAllStandardOutput().toStdString();
  auto layout = read_dot_json(wanted_, answer);
  if (!layout) return fall_back(tr("`dot` gave no layout (exit %1)").arg(exit_code));
  stop();
  trouble_.clear();
  known_.emplace_front(wanted_, *layout);
  if (known_.size() > kKnown) known_.pop_back();
  give(*layout);
}

void Layouter::fall_back(const QString& why) {
  stop();
  trouble_ = why;
  give(layered_layout(wanted_));
}

void Layouter::give(const GraphLayout& layout) { emit laid_out(wanted_, layout); }

}  // namespace bakery::views
