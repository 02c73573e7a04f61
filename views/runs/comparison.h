// SPDX-License-Identifier: GPL-3.0-or-later
// Two runs side by side: who they are, their figures, their findings, their texts. And one run against the
// text in the editor.
#pragma once

#include <QDialog>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTextBrowser>

#include <optional>
#include <string>
#include <vector>

#include "views/common/tokens.h"
#include "views/runs/history.h"

namespace bakery::views {

// One side: a run, with its candidate's text if the store has it.
struct ComparedRun {
  RunRow row;
  std::optional<std::string> text;
};

struct FigureDelta {
  std::string name, unit;
  std::optional<double> a, b;
  // The change is larger than the spread of both: no noise. Only of spans that are timed.
  std::optional<bool> significant;
};

struct FindingDelta {
  std::string id, message;
  int line = 0;
  bool in_a = false, in_b = false;
};

struct Comparison {
  ComparedRun a, b;
  std::vector<FigureDelta> figures;
  std::vector<FindingDelta> findings;  // of the runs and of the checks of both texts
  std::string diff;                    // unified; empty: the same, or a text is not there
};

Comparison compare_runs(ComparedRun a, ComparedRun b);
QString comparison_html(const Comparison& comparison, const Theme& theme);

// A unified diff, coloured; read-only.
class DiffText : public QPlainTextEdit {
  Q_OBJECT

 public:
  DiffText(const Theme& theme, QWidget* parent = nullptr);
  void show_diff(const std::string& diff);
};

class ComparisonDialog : public QDialog {
  Q_OBJECT

 public:
  ComparisonDialog(Comparison comparison, const Theme& theme, QWidget* parent = nullptr);
  QTextBrowser* page() const { return page_; }
  DiffText* diff() const { return diff_; }

 private:
  Comparison comparison_;
  QTextBrowser* page_;
  DiffText* diff_;
};

// A candidate's text as a diff against the text in the editor, and the way back to it.
class CandidateDialog : public QDialog {
  Q_OBJECT

 public:
  CandidateDialog(const StoredCandidate& candidate, const std::string& current, const Theme& theme, QWidget* parent = nullptr);
  DiffText* diff() const { return diff_; }
  QPushButton* restore() const { return restore_; }

 signals:
  void wants_text(const QString& text);

 private:
  DiffText* diff_;
  QPushButton* restore_;
};

}  // namespace bakery::views
