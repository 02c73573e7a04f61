// SPDX-License-Identifier: GPL-3.0-or-later
// Lays graphs out in a process of its own; only the newest one asked for is answered.
#pragma once

#include <QObject>
#include <QProcess>
#include <QTimer>

#include <deque>
#include <memory>
#include <utility>

#include "views/pipeline/graph_layout.h"

namespace bakery::views {

class Layouter : public QObject {
  Q_OBJECT

 public:
  explicit Layouter(QObject* parent = nullptr);
  ~Layouter() override;

  // Answers by `laid_out`: at once for a graph that it remembers, or without `dot`.
  void request(const Graph& graph);
  bool busy() const { return process_ != nullptr; }
  // Why the last layout is not dot's; empty: it is.
  const QString& trouble() const { return trouble_; }

 signals:
  void laid_out(const bakery::views::Graph& graph, const bakery::views::GraphLayout& layout);

 private:
  void stop();
  void take_answer(int exit_code, QProcess::ExitStatus status);
  void fall_back(const QString& why);
  void give(const GraphLayout& layout);

  std::unique_ptr<QProcess> process_;
  QTimer limit_;
  Graph wanted_;
  QString trouble_;
  std::deque<std::pair<Graph, GraphLayout>> known_;  // newest first
};

}  // namespace bakery::views
